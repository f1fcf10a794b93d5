package io.cordwood.log;

import static io.cordwood.log.TestBatches.at;
import static io.cordwood.log.TestBatches.batch;
import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.cordwood.log.store.DiskStorage;
import io.cordwood.log.store.FileStatus;
import io.cordwood.log.store.FileView;
import io.cordwood.log.store.Storage;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.nio.channels.Channels;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import org.agrona.concurrent.UnsafeBuffer;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** An index that points anywhere leads a reader neither past a batch nor to another one's size. */
final class HeaderWalkTest {
    private static final long NOW = 1_700_000_000_000L;

    @TempDir
    Path root;

    /** Points where the test says, for every offset. */
    private static final class PointingIndexes implements SegmentIndexFactory {
        private final ScanIndexes scan = new ScanIndexes();
        private long position;

        @Override
        public SegmentIndex create(
                final Storage storage, final String directory, final long baseOffset, final IndexLimits limits) {
            return new Pointing(scan.create(storage, directory, baseOffset, limits));
        }

        @Override
        public SegmentIndex open(
                final Storage storage, final String directory, final long baseOffset, final IndexLimits limits) {
            return new Pointing(scan.open(storage, directory, baseOffset, limits));
        }

        @Override
        public boolean isPlausible(
                final List<FileStatus> files, final long baseOffset, final long logBytes, final IndexLimits limits) {
            return scan.isPlausible(files, baseOffset, logBytes, limits);
        }

        @Override
        public List<String> suffixes() {
            return scan.suffixes();
        }

        private final class Pointing implements SegmentIndex, IndexLookUps {
            private final SegmentIndex index;

            Pointing(final SegmentIndex index) {
                this.index = index;
            }

            @Override
            public IndexLookUps lookUps() {
                return this;
            }

            @Override
            public long positionOf(final long offset, final FileView view) {
                return position;
            }

            @Override
            public void append(final long lastOffset, final long at, final long maxTimestamp) {
                index.append(lastOffset, at, maxTimestamp);
            }

            @Override
            public boolean isFull() {
                return index.isFull();
            }

            @Override
            public long positionOfTimestamp(final long timestampMs, final FileView view) {
                return index.lookUps().positionOfTimestamp(timestampMs, view);
            }

            @Override
            public long largestTimestamp(final FileView view) {
                return index.lookUps().largestTimestamp(view);
            }

            @Override
            public @Nullable String damage() {
                return index.lookUps().damage();
            }

            @Override
            public long restore(final long endOffset, final long endPosition) {
                return index.restore(endOffset, endPosition);
            }

            @Override
            public void distrust() {
                index.distrust();
            }

            @Override
            public void restored() {
                index.restored();
            }

            @Override
            public Finding finding() {
                return index.finding();
            }

            @Override
            public void seal() {
                index.seal();
            }

            @Override
            public void force() {
                index.force();
            }

            @Override
            public void close() {
                index.close();
            }
        }
    }

    private static UnsafeBuffer records(final long base, final int count, final int valueLength) {
        final String[] values = new String[count];
        java.util.Arrays.fill(values, "v".repeat(valueLength));
        return at(base, 0, batch(NOW, values));
    }

    private static byte[] located(final LogReader reader, final long offset) throws IOException {
        final long bytes = reader.locate(offset, Long.MAX_VALUE, 1);
        final ByteArrayOutputStream sent = new ByteArrayOutputStream();
        assertEquals(bytes, reader.transferTo(Channels.newChannel(sent), 0));
        return sent.toByteArray();
    }

    @Test
    void theSizeOfABatchThatAWrongIndexLedToIsNotTheSizeOfTheRightOne() throws IOException {
        final UnsafeBuffer[] batches = {
            records(0, 2, 30),
            // Overlaps the one before it, so that a walk from the beginning needs a close look.
            records(1, 1, 30),
            records(2, 3, 30),
            // Too early by its offsets: who begins in front of it finds a gap.
            records(21, 1, 5),
            records(5, 16, 300),
            records(22, 40, 100)
        };
        final UnsafeBuffer all = TestBatches.run(batches);
        final byte[] bytes = new byte[all.capacity()];
        all.getBytes(0, bytes);
        Files.createDirectories(root.resolve("t-0"));
        Files.write(root.resolve("t-0/00000000000000000000.log"), bytes);
        final PointingIndexes indexes = new PointingIndexes();
        try (DiskStorage storage = new DiskStorage(root);
                Log log = new LogBuilder(storage, "t-0")
                        .indexes(indexes)
                        .recoveryPoint(Long.MAX_VALUE)
                        .open(NOW);
                LogReader reader = log.newReader()) {
            assertEquals(62, log.endOffset());
            final byte[] right = located(reader, 10);
            long position = 0;
            for (final UnsafeBuffer batch : batches) {
                indexes.position = position;
                assertArrayEquals(right, located(reader, 10), "led to position " + position);
                position += batch.capacity();
            }
            final byte[] held = new byte[batches[4].capacity()];
            batches[4].getBytes(0, held);
            assertArrayEquals(held, right);
        }
    }

    private void write(final long base, final UnsafeBuffer... batches) throws IOException {
        final UnsafeBuffer all = TestBatches.run(batches);
        final byte[] bytes = new byte[all.capacity()];
        all.getBytes(0, bytes);
        Files.createDirectories(root.resolve("t-0"));
        Files.write(root.resolve("t-0").resolve(LogFiles.name(base, LogFiles.LOG)), bytes);
    }

    /** The next segment is so far away that only the distance to its own base shows that the batch is wrong. */
    @Test
    void aLoneBatchThatIsTooFarAboveItsSegmentIsNotServed() throws IOException {
        final long next = 1L << 40;
        final UnsafeBuffer good = records(0, 2, 30);
        write(0, good, records(2 + (1L << 35), 1, 30));
        write(next, records(next, 1, 30));
        try (DiskStorage storage = new DiskStorage(root);
                Log log = new LogBuilder(storage, "t-0")
                        .recoveryPoint(Long.MAX_VALUE)
                        .open(NOW);
                LogReader reader = log.newReader()) {
            assertEquals(good.capacity(), reader.read(0, Long.MAX_VALUE, 1 << 20));
            assertEquals(good.capacity(), reader.read(1, Long.MAX_VALUE, 1 << 20));
            for (final long offset : new long[] {2, 1L << 31, 2 + (1L << 35)}) {
                final CorruptLogException damage =
                        assertThrows(CorruptLogException.class, () -> reader.read(offset, Long.MAX_VALUE, 1 << 20));
                assertEquals(good.capacity(), damage.position(), "offset " + offset);
                assertEquals(next, damage.nextOffset());
                assertThrows(CorruptLogException.class, () -> reader.locate(offset, Long.MAX_VALUE, 1));
            }
            assertTrue(reader.read(next, Long.MAX_VALUE, 1 << 20) > 0);
        }
    }

    /** Offsets that fall back: the one that is too early is wrong, and hides none of those behind it. */
    @Test
    void aBatchThatIsTooEarlyHidesNothingWhereverTheWalkBegins() throws IOException {
        final UnsafeBuffer[] batches = {records(0, 2, 30), records(21, 1, 5), records(5, 16, 300), records(22, 40, 100)
        };
        write(0, batches);
        final PointingIndexes indexes = new PointingIndexes();
        try (DiskStorage storage = new DiskStorage(root);
                Log log = new LogBuilder(storage, "t-0")
                        .indexes(indexes)
                        .recoveryPoint(Long.MAX_VALUE)
                        .open(NOW);
                LogReader reader = log.newReader()) {
            final byte[] held = new byte[batches[2].capacity()];
            batches[2].getBytes(0, held);
            long position = 0;
            for (final UnsafeBuffer batch : batches) {
                indexes.position = position;
                for (final long offset : new long[] {5, 10, 20}) {
                    assertArrayEquals(held, located(reader, offset), "offset " + offset + ", led to " + position);
                }
                final CorruptLogException damage =
                        assertThrows(CorruptLogException.class, () -> reader.read(3, Long.MAX_VALUE, 1));
                assertEquals(batches[0].capacity(), damage.position());
                assertEquals(5, damage.nextOffset());
                final CorruptLogException early =
                        assertThrows(CorruptLogException.class, () -> reader.read(21, Long.MAX_VALUE, 1));
                assertEquals(batches[0].capacity(), early.position());
                assertEquals(22, early.nextOffset(), "led to " + position);
                assertEquals(batches[3].capacity(), reader.read(22, Long.MAX_VALUE, 1), "led to " + position);
                position += batch.capacity();
            }
        }
    }
}
