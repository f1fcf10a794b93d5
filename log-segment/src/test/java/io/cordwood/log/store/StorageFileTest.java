package io.cordwood.log.store;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertInstanceOf;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.lang.management.ManagementFactory;
import java.nio.channels.Channels;
import java.nio.channels.WritableByteChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import org.agrona.concurrent.UnsafeBuffer;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.EnumSource;

class StorageFileTest {
    private static final long CAPACITY = 8 << 20;

    @TempDir
    private Path root;

    private DiskStorage storage;
    private final UnsafeBuffer claimed = new UnsafeBuffer(0, 0);

    @BeforeEach
    void open() {
        storage = new DiskStorage(root);
    }

    @AfterEach
    void close() throws IOException {
        storage.close();
        assertEquals(0, Scratch.openBelow(root), "files left open");
        assertEquals(0, Scratch.mapped(root).size(), "mappings left");
    }

    @Test
    void aMappedFileIsMapped() {
        try (StorageFile file = append(FileUse.APPEND_MAPPED)) {
            assertInstanceOf(MappedFile.class, file);
            assertTrue(storage.isMappingAvailable());
        }
    }

    @ParameterizedTest
    @EnumSource(names = {"APPEND", "APPEND_MAPPED"})
    void whatIsClaimedIsSeenOnlyWhenItIsPublished(final FileUse use) {
        try (StorageFile file = append(use);
                FileView view = new FileView()) {
            file.claim(5, claimed);
            claimed.putStringWithoutLengthAscii(0, "hello");
            file.claim(6, claimed);
            claimed.putStringWithoutLengthAscii(0, " world");
            assertEquals(0, file.length());
            assertEquals(0, file.view(0, 100, view));
            assertEquals(11, file.publish());
            assertEquals(11, file.length());
            assertEquals(11, file.view(0, 100, view));
            assertEquals("hello world", view.buffer().getStringWithoutLengthAscii(0, 11));
            assertEquals(3, file.view(8, 100, view));
            assertEquals("rld", view.buffer().getStringWithoutLengthAscii(0, 3));
            assertEquals(0, file.view(11, 100, view));
            assertEquals(0, view.buffer().capacity());
            assertEquals(11, file.publish());
        }
    }

    @ParameterizedTest
    @EnumSource(names = {"APPEND", "APPEND_MAPPED"})
    void theLastClaimedBytesCanBeGivenBack(final FileUse use) {
        try (StorageFile file = append(use)) {
            file.claim(10, claimed);
            claimed.putStringWithoutLengthAscii(0, "0123456789");
            file.unclaim(4);
            file.claim(2, claimed);
            claimed.putStringWithoutLengthAscii(0, "ab");
            assertThrows(IllegalArgumentException.class, () -> file.unclaim(9));
            assertEquals(8, file.publish());
            assertEquals("012345ab", text(file, 0, 8));
            file.claim(3, claimed);
            file.unclaim(3);
            assertEquals(8, file.publish());
        }
    }

    @ParameterizedTest
    @EnumSource(names = {"APPEND", "APPEND_MAPPED"})
    void aRunLargerThanTheStagingMemoryIsOneWrite(final FileUse use) {
        try (StorageFile file = append(use)) {
            // Small before large: the staging memory that grows is one that was used before.
            file.claim(1, claimed);
            claimed.putByte(0, (byte) '-');
            file.publish();
            file.claim(3, claimed);
            claimed.putStringWithoutLengthAscii(0, "abc");
            file.claim(5_000_000, claimed);
            claimed.putByte(0, (byte) 'd');
            claimed.putByte(4_999_999, (byte) 'z');
            assertEquals(5_000_004, file.publish());
            assertEquals("-abcd", text(file, 0, 5));
            assertEquals("z", text(file, 5_000_003, 1));
        }
    }

    @Test
    void aRunAboveTheBoundIsRefusedAndTheFileGoesOn() {
        try (DiskStorage small = new DiskStorage(root, DiskOptions.defaults().withStagingBytes(4096, 10_000));
                StorageFile file = small.open("f", FileUse.APPEND, 0)) {
            file.claim(3, claimed);
            claimed.putStringWithoutLengthAscii(0, "abc");
            final StorageException refused =
                    assertThrows(StorageException.class, () -> file.claim(9_998, new UnsafeBuffer(0, 0)));
            assertEquals(root.resolve("f").toString(), refused.file());
            file.claim(9_997, claimed);
            assertEquals(10_000, file.publish());
            assertEquals("abc", text(file, 0, 3));
        }
    }

    @Test
    void aClaimBehindTheMappingIsRefusedAndTheFileGoesOn() {
        try (StorageFile file = storage.open("f", FileUse.APPEND_MAPPED, 5000)) {
            Scratch.append(file, 4000, 1);
            assertThrows(StorageException.class, () -> file.claim(1001, claimed));
            Scratch.append(file, 1000, 1);
            Scratch.assertContent(file, 0, 5000, 1);
        }
    }

    @ParameterizedTest
    @EnumSource(names = {"APPEND", "APPEND_MAPPED"})
    void aFileIsCutToItsContentWhenItIsClosedAndOpensWithIt(final FileUse use) throws IOException {
        try (StorageFile file = append(use)) {
            Scratch.append(file, 12_345, 1);
            assertTrue(Files.size(root.resolve("f")) > 12_345, "nothing was reserved");
            file.claim(77, claimed);
        }
        assertEquals(12_345, Files.size(root.resolve("f")));
        try (StorageFile file = append(use)) {
            assertEquals(12_345, file.length());
            Scratch.append(file, 10_000, 1);
            Scratch.assertContent(file, 0, 22_345, 1);
        }
        try (StorageFile read = storage.open("f", FileUse.READ, 0);
                StorageFile lookup = storage.open("f", FileUse.LOOKUP, 0)) {
            Scratch.assertContent(read, 0, 22_345, 1);
            Scratch.assertContent(lookup, 0, 22_345, 1);
            Scratch.assertContent(lookup, 22_000, 345, 1);
            assertEquals(22_345, lookup.length());
            assertThrows(IllegalStateException.class, () -> read.claim(1, claimed));
            assertThrows(IllegalStateException.class, () -> lookup.truncate(1));
        }
    }

    @ParameterizedTest
    @CsvSource({"APPEND,0", "APPEND,8388608", "APPEND_MAPPED,8388608"})
    void truncationDropsWhatIsClaimedAndGivesBackTheDisk(final FileUse use, final long capacity) throws IOException {
        try (StorageFile file = storage.open("f", use, capacity)) {
            Scratch.append(file, 100_000, 1);
            file.claim(50, claimed);
            assertThrows(IllegalArgumentException.class, () -> file.truncate(100_001));
            file.truncate(50_001);
            assertEquals(50_001, file.length());
            assertEquals(50_001, Files.size(root.resolve("f")));
            assertEquals(50_001, file.publish());
            Scratch.append(file, 10_000, 2);
            Scratch.assertContent(file, 0, 50_001, 1);
            Scratch.assertContent(file, 50_001, 10_000, 2);
            file.truncate(0);
            Scratch.append(file, 10, 3);
            Scratch.assertContent(file, 0, 10, 3);
        }
        assertEquals(10, Files.size(root.resolve("f")));
    }

    @ParameterizedTest
    @EnumSource
    void piecesAreSentToAChannel(final FileUse use) {
        try (StorageFile file = append(FileUse.APPEND)) {
            Scratch.append(file, 70_000, 1);
        }
        try (StorageFile file = use.name().startsWith("APPEND") ? append(use) : storage.open("f", use, 0)) {
            final ByteArrayOutputStream out = new ByteArrayOutputStream();
            final WritableByteChannel target = Channels.newChannel(out);
            assertEquals(60_000, file.transferTo(5, 60_000, target));
            assertEquals(5, file.transferTo(69_995, 60_000, target));
            assertEquals(0, file.transferTo(70_000, 1, target));
            final UnsafeBuffer sent = new UnsafeBuffer(out.toByteArray());
            Scratch.assertShown(new UnsafeBuffer(sent, 0, 60_000), 5, 60_000, 1);
            Scratch.assertShown(new UnsafeBuffer(sent, 60_000, 5), 69_995, 5, 1);
        }
    }

    @ParameterizedTest
    @EnumSource
    void aClosedFileRefusesAndItsViewsStay(final FileUse use) {
        try (StorageFile file = append(FileUse.APPEND)) {
            Scratch.append(file, 20_000, 1);
        }
        final StorageFile file = use.name().startsWith("APPEND") ? append(use) : storage.open("f", use, 0);
        try (FileView view = new FileView();
                FileView other = new FileView()) {
            assertEquals(15_000, file.view(5_000, 20_000, view));
            file.close();
            file.close();
            Scratch.assertShown(view.buffer(), 5_000, 15_000, 1);
            assertThrows(StorageException.class, () -> file.view(0, 1, other));
            if (use.name().startsWith("APPEND")) {
                assertThrows(StorageException.class, () -> file.claim(1, claimed));
                assertThrows(StorageException.class, file::publish);
                assertThrows(StorageException.class, file::force);
            }
        }
    }

    @ParameterizedTest
    @EnumSource
    void appendingAndReadingAllocateNothing(final FileUse use) {
        try (StorageFile append = use.name().startsWith("APPEND") ? append(use) : append(FileUse.APPEND);
                FileView view = new FileView()) {
            Scratch.append(append, 4096, 1);
            try (StorageFile read = use.name().startsWith("APPEND") ? append : storage.open("f", use, 0)) {
                work(append, read, view);
                final var threads = (com.sun.management.ThreadMXBean) ManagementFactory.getThreadMXBean();
                final long before = threads.getCurrentThreadAllocatedBytes();
                for (int i = 0; i < 5; i++) {
                    work(append, read, view);
                }
                final long perOperation = (threads.getCurrentThreadAllocatedBytes() - before) / 50_000;
                assertEquals(0, perOperation, "bytes an operation");
            }
        }
    }

    private void work(final StorageFile append, final StorageFile read, final FileView view) {
        for (int i = 0; i < 10_000; i++) {
            append.claim(100, claimed);
            append.publish();
            read.view(7, 1000, view);
        }
        view.release();
    }

    private StorageFile append(final FileUse use) {
        return storage.open("f", use, CAPACITY);
    }

    private static String text(final StorageFile file, final long position, final int length) {
        try (FileView view = new FileView()) {
            assertEquals(length, file.view(position, length, view));
            return view.buffer().getStringWithoutLengthAscii(0, length);
        }
    }
}
