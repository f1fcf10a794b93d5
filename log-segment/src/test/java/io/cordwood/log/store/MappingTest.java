package io.cordwood.log.store;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.junit.jupiter.api.Assumptions.assumeFalse;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import org.agrona.DirectBuffer;
import org.agrona.concurrent.UnsafeBuffer;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Nobody looks at pages that are gone, or that belong to something else by now (bugs B27, B28). */
class MappingTest {
    private static final int LENGTH = 100_000;

    @TempDir
    private Path root;

    private DiskStorage storage;

    @BeforeEach
    void open() {
        storage =
                new DiskStorage(root, DiskOptions.defaults().withMappingsMax(4).withReserveBytes(64 << 10));
    }

    @AfterEach
    void close() throws IOException {
        storage.close();
        assertEquals(List.of(), Scratch.mapped(root), "mappings left");
        assertEquals(0, Scratch.openBelow(root), "files left open");
    }

    @Test
    void aViewKeepsAnEvictedMappingAlive() throws IOException {
        final List<StorageFile> files = new ArrayList<>();
        final FileView[] views = new FileView[10];
        for (int i = 0; i < 11; i++) {
            write("f" + i, i);
            files.add(storage.open("f" + i, FileUse.LOOKUP, 0));
        }
        for (int i = 0; i < 10; i++) {
            views[i] = new FileView();
            assertEquals(LENGTH, files.get(i).view(0, LENGTH, views[i]));
        }
        for (int i = 0; i < 10; i++) {
            Scratch.assertShown(views[i].buffer(), 0, LENGTH, i);
            views[i].release();
        }
        // All were in use, so the bound had to give way; it holds again with the next file.
        for (int i = 10; i >= 0; i--) {
            Scratch.assertContent(files.get(i), 0, LENGTH, i);
        }
        assertEquals(4, Scratch.mapped(root).size());
        files.forEach(StorageFile::close);
        assertEquals(0, Scratch.mapped(root).size());
    }

    @ParameterizedTest
    @ValueSource(ints = {0, 1, 4096, 40_960, 50_001, 99_999, 100_000})
    void aTruncationShowsHeldViewsOldBytesOrZeros(final int cut) throws IOException {
        write("f", 1);
        final StorageFile sealed = storage.open("f", FileUse.APPEND_MAPPED, 1 << 20);
        try (FileView ofSealed = new FileView();
                FileView ofLookup = new FileView();
                FileView ofWriter = new FileView();
                StorageFile lookup = storage.open("f", FileUse.READ_SEALED, 0)) {
            sealed.view(0, LENGTH, ofSealed);
            sealed.close();
            lookup.view(0, LENGTH, ofLookup);
            try (StorageFile file = storage.open("f", FileUse.APPEND_MAPPED, 1 << 20)) {
                file.view(0, LENGTH, ofWriter);
                file.truncate(cut);
                Scratch.append(file, 70_000, 2);
                final byte[] seen = assertOldOrZero(ofWriter.buffer(), cut);
                assertOldOrZero(ofSealed.buffer(), cut);
                assertOldOrZero(ofLookup.buffer(), cut);
                Scratch.assertContent(file, 0, cut, 1);
                Scratch.assertContent(file, cut, 70_000, 2);

                // Once more in the same page, and once more below: what a view shows does not come alive again.
                file.truncate(cut - cut % 4096 / 2);
                Scratch.append(file, 70_000, 3);
                assertOldOrZero(ofWriter.buffer(), cut - cut % 4096 / 2);
                file.truncate(cut / 2);
                Scratch.append(file, 70_000, 4);
                final byte[] later = assertOldOrZero(ofWriter.buffer(), cut / 2);
                for (int i = 0; i < LENGTH; i++) {
                    assertTrue(later[i] == seen[i] || later[i] == 0, "position " + i);
                }
                Scratch.assertContent(file, cut / 2, 70_000, 4);
            }
        }
    }

    /** A long file is read in place while it is appended to; a short one is not worth a mapping. */
    @Test
    void aLongFileIsReadInPlaceWhileItGrows() throws IOException {
        try (StorageFile file = storage.open("f", FileUse.APPEND, 0);
                FileView held = new FileView();
                FileView view = new FileView()) {
            Scratch.append(file, LENGTH, 0);
            Scratch.assertContent(file, 0, LENGTH, 0);
            assertEquals(0, Scratch.mapped(root).size(), "a short file");
            // 50 MiB: more than is mapped at first.
            for (int length = LENGTH; length < 50 << 20; length += 4 << 20) {
                Scratch.append(file, 4 << 20, 0);
                Scratch.assertContent(file, length - LENGTH, 4 << 20, 0);
                assertEquals(LENGTH, file.look(file.length() - LENGTH, Integer.MAX_VALUE, view));
                Scratch.assertShown(view.buffer(), file.length() - LENGTH, LENGTH, 0);
                assertEquals(1, Scratch.mapped(root).size());
            }
            final int cut = 3 << 20;
            assertEquals(LENGTH, file.view(cut - LENGTH / 2, LENGTH, held));
            view.release();
            file.truncate(cut);
            Scratch.append(file, 2 << 20, 7);
            Scratch.assertContent(file, cut - LENGTH, LENGTH, 0);
            Scratch.assertContent(file, cut, 2 << 20, 7);
            Scratch.assertShown(new UnsafeBuffer(held.buffer(), 0, LENGTH / 2), cut - LENGTH / 2, LENGTH / 2, 0);
            held.release();
            assertEquals(1, Scratch.mapped(root).size(), "the mapping from before the cut is gone");
            // Others need room: it is evicted, and had again.
            for (int i = 0; i < 5; i++) {
                write("f" + i, i);
                try (StorageFile other = storage.open("f" + i, FileUse.LOOKUP, 0)) {
                    Scratch.assertContent(other, 0, LENGTH, i);
                }
            }
            Scratch.assertContent(file, cut, 2 << 20, 7);
        }
    }

    /** What recovery walked through is not unmapped and mapped again when the log goes on. */
    @Test
    void whoAppendsGoesOnWithWhatAReaderHasMapped() throws IOException {
        assumeTrue(Mapping.isLoadable(), "this system cannot bring mapped pages into memory on request");
        final int length = 2 << 20;
        try (StorageFile file = storage.open("f", FileUse.APPEND, 0)) {
            Scratch.append(file, length, 0);
        }
        final StorageFile sealed = storage.open("f", FileUse.READ_SEALED, 0);
        try (FileView seen = new FileView();
                FileView view = new FileView()) {
            sealed.view(0, length, seen);
            final long address = seen.buffer().addressOffset();
            seen.release();
            try (StorageFile file = storage.open("f", FileUse.APPEND, 0)) {
                sealed.close();
                assertEquals(LENGTH, file.view(length - LENGTH, LENGTH, view));
                assertEquals(address + length - LENGTH, view.buffer().addressOffset());
                Scratch.append(file, length, 0);
                Scratch.assertContent(file, length - LENGTH, length, 0);
                view.release();
                assertEquals(1, Scratch.mapped(root).size(), "the first one is too short by now");
            }
        }
    }

    @Test
    void anOpenForAppendingThatFailsGivesTheMappingBack() {
        try (StorageFile file = storage.open("f", FileUse.APPEND, 0)) {
            Scratch.append(file, 2 << 20, 0);
        }
        try (StorageFile sealed = storage.open("f", FileUse.READ_SEALED, 0)) {
            Scratch.assertContent(sealed, 0, LENGTH, 0);
            assertThrows(StorageException.class, () -> storage.open("f", FileUse.APPEND, 1L << 62));
        }
        assertEquals(0, storage.openFiles().mappingCount());
    }

    @Test
    void whoAppendsMapsAnewWhatWasHidden() throws IOException {
        final int length = 3 << 20;
        final int cut = 2 << 20;
        try (StorageFile file = storage.open("f", FileUse.APPEND, 0)) {
            Scratch.append(file, length, 0);
        }
        try (StorageFile sealed = storage.open("f", FileUse.READ_SEALED, 0);
                FileView held = new FileView()) {
            sealed.view(0, length, held);
            try (StorageFile file = storage.open("f", FileUse.APPEND, 0)) {
                file.truncate(cut);
            }
            try (StorageFile file = storage.open("f", FileUse.APPEND, 0)) {
                Scratch.append(file, 1 << 19, 7);
                Scratch.assertContent(file, 0, cut, 0);
                Scratch.assertContent(file, cut, 1 << 19, 7);
            }
        }
    }

    @Test
    void aSealedFileThatSomebodyElseCutIsRefusedBeforeAnybodyLooks() throws IOException {
        write("f", 1);
        try (StorageFile sealed = storage.open("f", FileUse.READ_SEALED, 0);
                FileView view = new FileView()) {
            Scratch.assertContent(sealed, 0, LENGTH, 1);
            Files.write(root.resolve("f"), new byte[8192]);
            final StorageException failure =
                    assertThrows(StorageException.class, () -> sealed.view(50_000, 1000, view));
            Scratch.assertSays("cut by someone else", failure);
            assertEquals(0, view.buffer().capacity());
        }
    }

    @Test
    void aSealedFileIsShownInPlaceAndNotCopied() throws IOException {
        assumeTrue(Mapping.isLoadable(), "this system cannot bring mapped pages into memory on request");
        write("f", 1);
        try (StorageFile sealed = storage.open("f", FileUse.READ_SEALED, 0);
                FileView view = new FileView()) {
            Scratch.assertContent(sealed, 0, LENGTH, 1);
            sealed.view(0, LENGTH, view);
            assertEquals(1, Scratch.mapped(root).size());
            assertEquals(0, storage.openFiles().channelCount());
        }
        assertEquals(List.of(), Scratch.mapped(root));
    }

    @ParameterizedTest
    @EnumSource(
            value = FileUse.class,
            names = {"LOOKUP", "READ_SEALED"})
    void aCutThroughAChannelIsSurvivedAsWell(final FileUse use) {
        write("f", 1);
        try (StorageFile lookup = storage.open("f", use, 0);
                FileView view = new FileView();
                FileView later = new FileView()) {
            lookup.view(0, LENGTH, view);
            try (StorageFile file = storage.open("f", FileUse.APPEND, 0)) {
                file.truncate(5000);
                assertOldOrZero(view.buffer(), 5000);
                Scratch.append(file, LENGTH, 2);
                assertOldOrZero(view.buffer(), 5000);
                // The mapping is the one from before the cut: not more than zeros behind it.
                lookup.view(0, LENGTH, later);
                assertOldOrZero(later.buffer(), 5000);
            }
        }
    }

    @Test
    void aViewThatOutlivesItsFileSurvivesACutByTheNextOne() {
        write("f", 1);
        try (FileView view = new FileView()) {
            final StorageFile sealed = storage.open("f", FileUse.READ_SEALED, 0);
            sealed.view(0, LENGTH, view);
            sealed.close();
            try (StorageFile file = storage.open("f", FileUse.APPEND, 0)) {
                file.truncate(5000);
                Scratch.append(file, LENGTH, 2);
                assertOldOrZero(view.buffer(), 5000);
            }
        }
    }

    @Test
    void aCutAboveAnEarlierOneBringsNothingBack() {
        write("f", 1);
        try (StorageFile lookup = storage.open("f", FileUse.LOOKUP, 0);
                FileView view = new FileView();
                StorageFile file = storage.open("f", FileUse.APPEND, 0)) {
            lookup.view(0, LENGTH, view);
            file.truncate(5000);
            Scratch.append(file, LENGTH, 2);
            final byte[] seen = assertOldOrZero(view.buffer(), 5000);
            for (final int cut : new int[] {90_000, 50_001, 40_960, 8193, 6000}) {
                file.truncate(cut);
                Scratch.append(file, LENGTH, 3);
                assertArrayEquals(seen, assertOldOrZero(view.buffer(), 5000));
            }
        }
    }

    @Test
    void aCutFindsTheMappingsOfAFileThatWasRenamed() {
        write("f", 1);
        write("g", 5);
        try (FileView view = new FileView();
                FileView ofOther = new FileView()) {
            final StorageFile lookup = storage.open("f", FileUse.LOOKUP, 0);
            final StorageFile other = storage.open("g", FileUse.LOOKUP, 0);
            lookup.view(0, LENGTH, view);
            other.view(0, LENGTH, ofOther);
            lookup.close();
            other.close();
            storage.rename("f", "h");
            storage.rename("g", "f");
            try (StorageFile file = storage.open("h", FileUse.APPEND, 0)) {
                file.truncate(5000);
                Scratch.append(file, LENGTH, 2);
            }
            assertOldOrZero(view.buffer(), 5000);
            Scratch.assertShown(ofOther.buffer(), 0, LENGTH, 5);
        }
    }

    @Test
    void aCutThatCannotBeHiddenIsRefusedAndHidesNothing() throws IOException {
        write("f", 1);
        try (StorageFile lookup = storage.open("f", FileUse.LOOKUP, 0);
                FileView view = new FileView();
                StorageFile file = storage.open("f", FileUse.APPEND, 0)) {
            lookup.view(0, LENGTH, view);
            Files.move(root.resolve("f"), root.resolve("elsewhere"));
            assertThrows(StorageException.class, () -> file.truncate(5000));
            assertEquals(LENGTH, file.length());
            Scratch.assertShown(view.buffer(), 0, LENGTH, 1);
            Files.move(root.resolve("elsewhere"), root.resolve("f"));
            file.truncate(5000);
            Scratch.append(file, LENGTH, 2);
            assertOldOrZero(view.buffer(), 5000);
        }
    }

    @Test
    void aReservedTailThatIsCutAtTheCloseKillsNobody() {
        final StorageFile file = storage.open("f", FileUse.APPEND_MAPPED, 1 << 20);
        try (FileView view = new FileView();
                StorageFile lookup = storage.open("f", FileUse.LOOKUP, 0)) {
            Scratch.append(file, 5000, 1);
            assertEquals(64 << 10, lookup.view(0, 1 << 20, view));
            file.close();
            for (int i = 5000; i < view.buffer().capacity(); i++) {
                assertEquals(0, view.buffer().getByte(i));
            }
        }
    }

    @Test
    void b27RollsAndDeletionsLeaveNothingMapped() throws IOException {
        for (int i = 0; i < 500; i++) {
            try (StorageFile file = storage.open("f" + i, FileUse.APPEND_MAPPED, 10 << 20);
                    StorageFile lookup = storage.open("f" + i, FileUse.LOOKUP, 0)) {
                Scratch.append(file, 80, i);
                Scratch.assertContent(lookup, 0, 80, i);
            }
            if (i % 2 == 1) {
                assertTrue(storage.delete("f" + i));
            }
            if (i % 100 == 99) {
                assertEquals(List.of(), Scratch.mapped(root));
            }
        }
        long bytes = 0;
        for (final FileStatus status : storage.list("")) {
            bytes += status.length();
        }
        assertEquals(250 * 80, bytes);
    }

    @Test
    void forceWritesWhatWasStoredThroughTheMapping() throws IOException {
        assumeFalse("tmpfs".equals(Files.getFileStore(root).type()), "a disk in memory has nothing to force: " + root);
        try (StorageFile file = storage.open("f", FileUse.APPEND_MAPPED, 4 << 20)) {
            Scratch.append(file, 2 << 20, 1);
            assertTrue(dirtyKilobytes() >= 2 << 10, "only " + dirtyKilobytes() + " kB are dirty");
            file.force();
            assertEquals(0, dirtyKilobytes());
        }
    }

    /** Kilobytes stored through mappings of our files that the disk does not have yet. */
    private long dirtyKilobytes() throws IOException {
        long dirty = 0;
        boolean isOurs = false;
        for (final String line : Files.readAllLines(Path.of("/proc/self/smaps"), StandardCharsets.UTF_8)) {
            if (line.matches("[0-9a-f]+-[0-9a-f]+ .*")) {
                isOurs = line.contains(root.toString());
            } else if (isOurs && line.matches("(Shared|Private)_Dirty:.*")) {
                dirty += Long.parseLong(line.replaceAll("[^0-9]", ""));
            }
        }
        return dirty;
    }

    private static byte[] assertOldOrZero(final DirectBuffer shown, final int cut) {
        final byte[] seen = new byte[LENGTH];
        shown.getBytes(0, seen);
        for (int i = 0; i < LENGTH; i++) {
            final byte old = Scratch.valueAt(i, 1);
            assertTrue(seen[i] == old || (i >= cut && seen[i] == 0), "position " + i + " shows " + seen[i]);
        }
        return seen;
    }

    private void write(final String name, final int seed) {
        try (StorageFile file = storage.open(name, FileUse.APPEND, 0)) {
            Scratch.append(file, LENGTH, seed);
        }
    }
}
