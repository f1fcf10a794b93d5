package io.cordwood.testkit.contract;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.cordwood.log.store.FileStatus;
import io.cordwood.log.store.FileUse;
import io.cordwood.log.store.FileView;
import io.cordwood.log.store.Storage;
import io.cordwood.log.store.StorageException;
import io.cordwood.log.store.StorageFile;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.Channels;
import java.nio.channels.WritableByteChannel;
import java.nio.file.Path;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.atomic.AtomicReference;
import org.agrona.DirectBuffer;
import org.agrona.concurrent.UnsafeBuffer;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** What every {@link StorageFile} is held to. Inherited through {@link StorageContract}, which tells how. */
public abstract class StorageFileContract {
    /** Capacity of the files that are appended to in a mapping. */
    static final long CAPACITY = 8 << 20;

    private static final List<FileUse> READS = List.of(FileUse.READ, FileUse.READ_SEALED, FileUse.LOOKUP);

    private final StorageFactory factory;
    private final FileUse appendUse;
    private final UnsafeBuffer claimed = new UnsafeBuffer(0, 0);

    @TempDir
    private @Nullable Path scratch;

    private @Nullable Storage storage;

    StorageFileContract(final StorageFactory factory, final FileUse appendUse) {
        this.factory = Objects.requireNonNull(factory, "factory");
        this.appendUse = Objects.requireNonNull(appendUse, "appendUse");
        if (appendUse != FileUse.APPEND && appendUse != FileUse.APPEND_MAPPED) {
            throw new IllegalArgumentException("files are appended to with APPEND or APPEND_MAPPED, not " + appendUse);
        }
    }

    @BeforeEach
    final void makeStorage() {
        storage = factory.create(Objects.requireNonNull(scratch, "scratch"));
    }

    @AfterEach
    final void closeStorage() {
        storage().close();
    }

    @Test
    final void whatIsClaimedIsSeenOnlyWhenItIsPublished() {
        try (StorageFile file = open("f", appendUse);
                FileView view = new FileView()) {
            file.claim(5, claimed);
            claimed.putStringWithoutLengthAscii(0, "hello");
            file.claim(6, claimed);
            claimed.putStringWithoutLengthAscii(0, " world");
            assertEquals(0, file.length());
            assertEquals(0, file.view(0, 100, view));
            assertEquals(11, file.publish());
            assertEquals(11, file.length());
            assertEquals("hello world", text(file, 0, 100));
            assertEquals("rld", text(file, 8, 100));
            assertEquals("wor", text(file, 6, 3));
            assertEquals(0, file.view(11, 100, view));
            assertEquals(0, view.buffer().capacity());
            assertEquals(0, file.view(500, 100, view));
            assertEquals(11, file.publish());
        }
    }

    @Test
    final void theLastClaimedBytesCanBeGivenBack() {
        try (StorageFile file = open("f", appendUse)) {
            file.claim(10, claimed);
            claimed.putStringWithoutLengthAscii(0, "0123456789");
            file.unclaim(4);
            file.claim(2, claimed);
            claimed.putStringWithoutLengthAscii(0, "ab");
            assertThrows(IllegalArgumentException.class, () -> file.unclaim(9));
            assertThrows(IllegalArgumentException.class, () -> file.unclaim(-1));
            assertEquals(8, file.publish());
            assertEquals("012345ab", text(file, 0, 100));
            file.claim(3, claimed);
            file.unclaim(3);
            assertEquals(8, file.publish());
            assertThrows(IllegalArgumentException.class, () -> file.unclaim(1));
        }
    }

    @Test
    final void aLargeRunIsPublishedAsOne() {
        try (StorageFile file = open("f", appendUse)) {
            append(file, 1, 1);
            long start = file.length();
            file.claim(3, claimed);
            fill(claimed, start, 1);
            start += 3;
            file.claim(3_000_000, claimed);
            fill(claimed, start, 1);
            assertEquals(3_000_004, file.publish());
            assertContent(file, 0, 3_000_004, 1);
        }
        assertEquals(3_000_004, status("f").length());
    }

    @Test
    final void aClaimOfNothingIsRefused() {
        try (StorageFile file = open("f", appendUse)) {
            assertThrows(IllegalArgumentException.class, () -> file.claim(0, claimed));
            assertThrows(IllegalArgumentException.class, () -> file.claim(-1, claimed));
        }
    }

    @Test
    final void aCapacityBoundsAMappingAndNothingElse() {
        try (StorageFile file = storage().open("f", appendUse, 5000)) {
            append(file, 4000, 1);
            if (appendUse == FileUse.APPEND_MAPPED) {
                final StorageException refused = assertThrows(StorageException.class, () -> file.claim(1001, claimed));
                assertEquals(storage().describe("f"), refused.file());
            } else {
                file.claim(1001, claimed);
                file.unclaim(1001);
            }
            append(file, 1000, 1);
            assertContent(file, 0, 5000, 1);
        }
    }

    @Test
    final void aFileIsCutToItsContentWhenItIsClosedAndOpensWithIt() {
        try (StorageFile file = storage().open("f", appendUse, CAPACITY)) {
            append(file, 12_345, 1);
            assertTrue(status("f").length() >= 12_345);
            file.claim(77, claimed);
        }
        assertEquals(12_345, status("f").length());
        try (StorageFile file = open("f", appendUse)) {
            assertEquals(12_345, file.length());
            append(file, 10_000, 1);
            assertContent(file, 0, 22_345, 1);
        }
        for (final FileUse use : FileUse.values()) {
            try (StorageFile file = open("f", use)) {
                assertEquals(22_345, file.length());
                assertContent(file, 0, 22_345, 1);
                assertContent(file, 22_000, 345, 1);
            }
        }
    }

    @Test
    final void aTruncationDropsWhatIsClaimedAndWhatIsCut() {
        try (StorageFile file = storage().open("f", appendUse, CAPACITY)) {
            append(file, 100_000, 1);
            file.claim(50, claimed);
            assertThrows(IllegalArgumentException.class, () -> file.truncate(100_001));
            assertThrows(IllegalArgumentException.class, () -> file.truncate(-1));
            file.truncate(50_001);
            assertEquals(50_001, file.length());
            assertEquals(50_001, status("f").length());
            assertEquals(50_001, file.publish());
            append(file, 10_000, 2);
            assertContent(file, 0, 50_001, 1);
            assertContent(file, 50_001, 10_000, 2);
            file.truncate(0);
            append(file, 10, 3);
            assertContent(file, 0, 10, 3);
        }
        assertEquals(10, status("f").length());
    }

    @Test
    final void aTruncationToTheEndGivesBackTheDisk() {
        try (StorageFile file = storage().open("f", appendUse, CAPACITY)) {
            append(file, 1000, 1);
            file.truncate(1000);
            assertEquals(1000, status("f").length());
            append(file, 1000, 1);
            assertContent(file, 0, 2000, 1);
        }
    }

    @Test
    final void aViewStaysOrTurnsToZerosBehindACut() {
        try (StorageFile file = open("f", appendUse);
                FileView view = new FileView()) {
            append(file, 20_000, 1);
            assertEquals(20_000, file.view(0, 20_000, view));
            file.truncate(5_000);
            append(file, 20_000, 2);
            for (int i = 0; i < 20_000; i++) {
                final byte seen = view.buffer().getByte(i);
                assertTrue(seen == valueAt(i, 1) || (seen == 0 && i >= 5_000), "position " + i + " shows " + seen);
            }
        }
    }

    @Test
    final void piecesAreSentToAChannel() {
        write("f", 70_000, 1);
        for (final FileUse use : FileUse.values()) {
            try (StorageFile file = open("f", use)) {
                final ByteArrayOutputStream out = new ByteArrayOutputStream();
                final WritableByteChannel target = Channels.newChannel(out);
                assertEquals(60_000, file.transferTo(5, 60_000, target));
                assertEquals(5, file.transferTo(69_995, 60_000, target));
                assertEquals(0, file.transferTo(70_000, 1, target));
                final UnsafeBuffer sent = new UnsafeBuffer(out.toByteArray());
                assertShown(new UnsafeBuffer(sent, 0, 60_000), 5, 1);
                assertShown(new UnsafeBuffer(sent, 60_000, 5), 69_995, 1);
            }
        }
    }

    @Test
    final void aTargetThatTakesNoMoreOrFailsIsTold() {
        write("f", 1000, 1);
        for (final FileUse use : FileUse.values()) {
            try (StorageFile file = open("f", use)) {
                assertEquals(300, file.transferTo(0, 1000, new Target(300, false)));
                final StorageException failure =
                        assertThrows(StorageException.class, () -> file.transferTo(0, 1000, new Target(0, true)));
                assertEquals(storage().describe("f"), failure.file());
                assertContent(file, 0, 1000, 1);
            }
        }
    }

    @Test
    final void aClosedFileRefusesAndItsViewsStay() {
        write("f", 20_000, 1);
        for (final FileUse use : FileUse.values()) {
            final StorageFile file = open("f", use);
            try (FileView view = new FileView();
                    FileView other = new FileView()) {
                assertEquals(15_000, file.view(5_000, 20_000, view));
                file.close();
                file.close();
                assertShown(view.buffer(), 5_000, 1);
                assertEquals(20_000, file.length(), "which is no act on the file");
                assertThrows(StorageException.class, () -> file.view(0, 1, other));
                if (!READS.contains(use)) {
                    assertThrows(StorageException.class, () -> file.claim(1, claimed));
                    assertThrows(StorageException.class, file::publish);
                    assertThrows(StorageException.class, file::force);
                    assertThrows(StorageException.class, () -> file.truncate(0));
                }
            }
        }
    }

    @Test
    final void whoReadsChangesNothing() {
        write("f", 1000, 1);
        for (final FileUse use : READS) {
            try (StorageFile file = storage().open("f", use, 0)) {
                assertThrows(IllegalStateException.class, () -> file.claim(1, claimed));
                assertThrows(IllegalStateException.class, () -> file.unclaim(0));
                assertThrows(IllegalStateException.class, file::publish);
                assertThrows(IllegalStateException.class, () -> file.truncate(0));
                file.force();
                assertContent(file, 0, 1000, 1);
            }
            assertNotFound(use);
        }
    }

    @Test
    final void aNegativePieceIsRefused() {
        write("f", 1000, 1);
        for (final FileUse use : FileUse.values()) {
            try (StorageFile file = open("f", use);
                    FileView view = new FileView()) {
                assertThrows(IllegalArgumentException.class, () -> file.view(-1, 1, view));
                assertThrows(IllegalArgumentException.class, () -> file.view(0, -1, view));
                assertThrows(IllegalArgumentException.class, () -> file.transferTo(-1, 1, new Target(1, false)));
            }
        }
    }

    @Test
    final void anInterruptedReaderGetsItsBytesAndStaysInterrupted() {
        write("f", 1000, 1);
        for (final FileUse use : FileUse.values()) {
            try (StorageFile file = open("f", use);
                    FileView view = new FileView()) {
                Thread.currentThread().interrupt();
                assertEquals(1000, file.view(0, 1000, view));
                assertTrue(Thread.interrupted(), "the status is gone");
                assertShown(view.buffer(), 0, 1);
                assertContent(file, 0, 1000, 1);
            }
        }
    }

    @Test
    final void aReaderBesideTheWriterSeesWhatTheLengthPromises() throws InterruptedException {
        final AtomicReference<@Nullable Throwable> failure = new AtomicReference<>();
        try (StorageFile file = open("f", appendUse)) {
            final Thread reader = new Thread(() -> {
                try (FileView view = new FileView()) {
                    long end = 0;
                    while (end < 200_000) {
                        end = file.length();
                        final long start = Math.max(0, end - 300);
                        assertEquals(end - start, file.view(start, (int) (end - start), view));
                        assertShown(view.buffer(), start, 1);
                    }
                } catch (final AssertionError | RuntimeException e) {
                    failure.set(e);
                }
            });
            reader.start();
            for (int i = 0; i < 2_000; i++) {
                append(file, 100, 1);
                if (i % 100 == 0) {
                    file.force();
                }
            }
            reader.join();
        }
        final Throwable failed = failure.get();
        if (failed != null) {
            throw new AssertionError("the reader failed", failed);
        }
    }

    /** The storage of the running test. */
    final Storage storage() {
        return Objects.requireNonNull(storage, "storage");
    }

    final FileUse appendUse() {
        return appendUse;
    }

    final StorageFile open(final String path, final FileUse use) {
        return storage().open(path, use, use == FileUse.APPEND_MAPPED ? CAPACITY : 0);
    }

    final FileStatus status(final String path) {
        return Objects.requireNonNull(storage().status(path), path);
    }

    final void write(final String path, final int length, final int seed) {
        try (StorageFile file = open(path, appendUse)) {
            append(file, length, seed);
        }
    }

    /** Appends bytes whose values follow from their positions, and publishes them. */
    static void append(final StorageFile file, final int length, final int seed) {
        final UnsafeBuffer claim = new UnsafeBuffer(0, 0);
        final long start = file.length();
        file.claim(length, claim);
        fill(claim, start, seed);
        assertEquals(start + length, file.publish());
    }

    static void assertContent(final StorageFile file, final long position, final int length, final int seed) {
        try (FileView view = new FileView()) {
            assertEquals(length, file.view(position, length, view));
            assertShown(view.buffer(), position, seed);
            assertEquals(length, file.look(position, length, view));
            assertShown(view.buffer(), position, seed);
        }
    }

    private void assertNotFound(final FileUse use) {
        final StorageException failure = assertThrows(StorageException.class, () -> {
            try (StorageFile file = storage().open("missing", use, 0);
                    FileView view = new FileView()) {
                file.view(0, 1, view);
            }
        });
        assertEquals(storage().describe("missing"), failure.file());
    }

    private static void fill(final UnsafeBuffer claim, final long position, final int seed) {
        for (int i = 0; i < claim.capacity(); i++) {
            claim.putByte(i, valueAt(position + i, seed));
        }
    }

    private static void assertShown(final DirectBuffer shown, final long position, final int seed) {
        for (int i = 0; i < shown.capacity(); i++) {
            if (shown.getByte(i) != valueAt(position + i, seed)) {
                assertEquals(valueAt(position + i, seed), shown.getByte(i), "position " + (position + i));
            }
        }
    }

    /** Never 0, so that bytes that are missing show. */
    private static byte valueAt(final long position, final int seed) {
        return (byte) ((position * 31 + (position >>> 8) * 17 + seed * 101L) | 1);
    }

    private static String text(final StorageFile file, final long position, final int length) {
        try (FileView view = new FileView()) {
            final int seen = file.view(position, length, view);
            return view.buffer().getStringWithoutLengthAscii(0, seen);
        }
    }

    /** Takes some bytes, and then none or fails. */
    private static final class Target implements WritableByteChannel {
        private final boolean isFailing;
        private int left;

        Target(final int left, final boolean isFailing) {
            this.left = left;
            this.isFailing = isFailing;
        }

        @Override
        public int write(final ByteBuffer source) throws IOException {
            if (isFailing) {
                throw new IOException("the target fails");
            }
            final int taken = Math.min(left, source.remaining());
            source.position(source.position() + taken);
            left -= taken;
            return taken;
        }

        @Override
        public boolean isOpen() {
            return true;
        }

        @Override
        public void close() {}
    }
}
