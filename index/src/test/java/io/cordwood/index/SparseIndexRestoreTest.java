package io.cordwood.index;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNotNull;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.cordwood.log.IndexLimits;
import io.cordwood.log.SegmentIndex;
import io.cordwood.log.store.DiskStorage;
import io.cordwood.log.store.FileView;
import java.io.IOException;
import java.lang.management.BufferPoolMXBean;
import java.lang.management.ManagementFactory;
import java.nio.ByteBuffer;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.Random;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Whatever lies in the files: look-ups are safe before a restore, and afterwards all is as if nothing had happened. */
final class SparseIndexRestoreTest {
    @TempDir
    Path directory;

    private DiskStorage storage;

    @BeforeEach
    void open() {
        storage = new DiskStorage(directory);
    }

    @AfterEach
    void close() {
        storage.close();
    }

    @Test
    void mendsFilesOfEveryLength() {
        final TestSegment segment = TestSegment.random(4, 60);
        final byte[] offsets = segment.offsetBytes();
        final byte[] times = segment.timeBytes(true);
        for (int length = 0; length <= offsets.length; length++) {
            mends(segment, Arrays.copyOf(offsets, length), times, "offset index of " + length + " bytes");
        }
        for (int length = 0; length <= times.length; length++) {
            mends(segment, offsets, Arrays.copyOf(times, length), "time index of " + length + " bytes");
        }
        mends(segment, null, times, "no offset index");
        mends(segment, offsets, null, "no time index");
        mends(segment, null, null, "no index");
    }

    @Test
    void mendsLostTailsOfEitherFileWhateverTheTimestampsDo() {
        for (int seed = 0; seed < 300; seed++) {
            final Random random = new Random(seed);
            final TestSegment segment = TestSegment.random(seed, 1 + random.nextInt(120));
            final byte[] offsets = segment.offsetBytes();
            final byte[] times = segment.timeBytes(random.nextBoolean());
            // A time index that has lost all, or is cut inside an entry, is the damage of the two: see
            // OneIndexAloneTest.
            final int offsetsLength = random.nextInt(offsets.length + 1);
            final int timesLength = random.nextInt(times.length + 1);
            final boolean isEdge = offsetsLength % 8 == 0;
            mends(
                    segment,
                    Arrays.copyOf(offsets, offsetsLength),
                    Arrays.copyOf(times, isEdge ? Math.max(12, timesLength - timesLength % 12) : timesLength),
                    "seed " + seed);
        }
    }

    @Test
    void mendsPaddedFiles() {
        for (int seed = 0; seed < 100; seed++) {
            final TestSegment segment = TestSegment.random(seed, seed);
            mends(
                    segment,
                    Arrays.copyOf(segment.offsetBytes(), 65_536),
                    Arrays.copyOf(segment.timeBytes(seed % 2 == 0), 65_532),
                    "seed " + seed);
        }
        final TestSegment large = TestSegment.random(8, 500);
        mends(
                large,
                Arrays.copyOf(large.offsetBytes(), 10_485_760),
                Arrays.copyOf(large.timeBytes(false), 10_485_756),
                "Kafka's default size");
    }

    /** A torn sector may end within an entry: there is an offset, and its position is 0. Another false one only the log can tell. */
    @Test
    void mendsFilesThatTurnToZerosWithinAnEntry() {
        final TestSegment segment = TestSegment.random(4, 60);
        final byte[] offsets = segment.offsetBytes();
        final byte[] times = segment.timeBytes(true);
        for (int from = 0; from < offsets.length; from += from % 8 == 4 ? 4 : 1) {
            mends(segment, zerosFrom(offsets, from), times, "offset index of zeros from byte " + from);
        }
        for (int from = 0; from < times.length; from++) {
            mends(segment, offsets, zerosFrom(times, from), "time index of zeros from byte " + from);
        }
    }

    /** Where the batch of the first entry is the youngest so far, the time index vouches for that entry. */
    @Test
    void mendsAFirstEntryThatLostItsPositionBesideTheTimeEntryOfItsBatch() {
        int shown = 0;
        for (int seed = 0; seed < 40; seed++) {
            final TestSegment segment = TestSegment.random(seed, 60);
            final byte[] offsets = segment.offsetBytes();
            final byte[] times = segment.timeBytes(true);
            if (offsets.length >= 8 && times.length >= 12) {
                shown += ByteBuffer.wrap(offsets).getInt(0)
                                == ByteBuffer.wrap(times).getInt(8)
                        ? 1
                        : 0;
                mends(segment, zerosFrom(offsets, 4), times, "seed " + seed);
            }
        }
        assertTrue(shown > 5, shown + " entries that a time entry vouches for");
    }

    private static byte[] zerosFrom(final byte[] bytes, final int from) {
        return Arrays.copyOf(Arrays.copyOf(bytes, from), bytes.length);
    }

    @Test
    void mendsPaddingThatLooksLikeAnEntryOfTimeZero() {
        final TestSegment segment = new TestSegment(500, new IndexLimits(4096, 100));
        for (int i = 0; i < 20; i++) {
            segment.add(1, 90, -1);
        }
        mends(segment, segment.offsetBytes(), new byte[4092], "no timestamp anywhere");
        final TestSegment zero = new TestSegment(500, new IndexLimits(4096, 100));
        for (int i = 0; i < 20; i++) {
            zero.add(1, 90, 0);
        }
        assertEquals(12, zero.timeBytes(true).length);
        mends(zero, zero.offsetBytes(), zero.timeBytes(true), "all of time zero");
        mends(zero, zero.offsetBytes(), new byte[4092], "all of time zero, padded");
    }

    /** In perfect order, but an index of the size allowed has no room for them: no memory is spent on them. */
    @Test
    void believesNoFileOfMoreEntriesThanAreAllowed() throws IOException {
        final IndexLimits limits = new IndexLimits(1200, 4096);
        final ByteBuffer many = ByteBuffer.allocate(12 << 20);
        for (int i = 0; many.hasRemaining(); i++) {
            many.putLong(1000 + i).putInt(i);
        }
        final Path path = directory.resolve("00000000000000000000.timeindex");
        for (final int entries : new int[] {100, 101, 4096, 5000, 1 << 20}) {
            Files.write(directory.resolve("00000000000000000000.index"), new byte[0]);
            Files.write(path, Arrays.copyOf(many.array(), entries * 12));
            final long before = directMemory();
            try (SparseIndex index = SparseIndex.open(storage, "", 0, limits)) {
                assertEquals(0, index.restore(Long.MAX_VALUE, 77));
                assertEquals(
                        entries > 100 ? SegmentIndex.Finding.GARBAGE : SegmentIndex.Finding.SOUND,
                        index.finding(),
                        entries + " entries");
                assertEquals(entries > 100 ? 0 : 1200, Files.size(path), entries + " entries");
            }
            assertTrue(directMemory() - before < 1 << 20, "bytes taken: " + (directMemory() - before));
        }
    }

    private static long directMemory() {
        return ManagementFactory.getPlatformMXBeans(BufferPoolMXBean.class).stream()
                .filter(pool -> pool.getName().equals("direct"))
                .mapToLong(BufferPoolMXBean::getMemoryUsed)
                .sum();
    }

    @Test
    void mendsGarbageThatDoesNotAscend() {
        for (int seed = 0; seed < 200; seed++) {
            final Random random = new Random(seed);
            final TestSegment segment = TestSegment.random(seed, 80);
            final byte[] offsets = segment.offsetBytes();
            final byte[] times = segment.timeBytes(true);
            // From some entry on: ones, so that nothing of it is lawful, as no garbage can be relied on to be.
            final int offsetsFrom = random.nextInt(offsets.length / 8 + 1) * 8;
            final int timesFrom = random.nextInt(times.length / 12 + 1) * 12;
            Arrays.fill(offsets, offsetsFrom, offsets.length, (byte) 0xff);
            Arrays.fill(times, timesFrom, times.length, (byte) 0xff);
            mends(segment, offsets, times, "seed " + seed);
        }
    }

    @Test
    void mendsEntriesOfTheWrongOrder() {
        final TestSegment segment = TestSegment.random(12, 100);
        final byte[] offsets = segment.offsetBytes();
        final byte[] times = segment.timeBytes(true);
        mends(segment, swapped(offsets, 8, 1, 3), times, "offset entries swapped");
        mends(segment, offsets, swapped(times, 12, 0, 2), "time entries swapped");
        final ByteBuffer positions = ByteBuffer.wrap(offsets.clone());
        mends(
                segment,
                positions.putInt(20, positions.getInt(12)).array(),
                times,
                "a position twice, the offsets in order");
        final ByteBuffer relatives = ByteBuffer.wrap(times.clone());
        mends(segment, offsets, relatives.putInt(20, -1).array(), "an offset below the base, the timestamps in order");
        final ByteBuffer falling = ByteBuffer.wrap(times.clone());
        mends(
                segment,
                offsets,
                falling.putInt(20, falling.getInt(8) - 1).array(),
                "an offset that falls, the timestamps in order");
        mends(segment, doubled(offsets), doubled(times), "all entries twice");
    }

    @Test
    void dropsEntriesBehindTheEnds() {
        for (int seed = 0; seed < 100; seed++) {
            final TestSegment whole = TestSegment.random(seed, 150);
            final TestSegment shorter = whole.first(seed);
            shorter.write(directory, whole.offsetBytes(), whole.timeBytes(true));
            try (SparseIndex index = shorter.opened(storage)) {
                final long end = seed % 2 == 0 ? shorter.endOffset() : Long.MAX_VALUE;
                final long position = seed % 4 < 3 ? shorter.length() : Long.MAX_VALUE;
                final long from = index.restore(end, seed % 2 == 0 ? position : shorter.length());
                assertTrue(from <= shorter.length(), "seed " + seed);
                shorter.feed(index, from);
                assertNull(shorter.difference(index, false), "seed " + seed);
                index.seal();
            }
            assertFiles(shorter, "seed " + seed);
        }
    }

    @Test
    void restoredTwiceAndWithoutSealingIsTheSame() {
        for (int seed = 0; seed < 60; seed++) {
            final TestSegment segment = TestSegment.random(seed, 700);
            try (SparseIndex index = segment.created(storage)) {
                index.force();
            }
            for (int round = 0; round < 3; round++) {
                try (SparseIndex index = segment.opened(storage)) {
                    final long from = index.restore(segment.endOffset(), segment.length());
                    segment.feed(index, from);
                    final long again = index.restore(Long.MAX_VALUE, segment.length());
                    assertEquals(segment.positionOf(Long.MAX_VALUE), again);
                    segment.feed(index, again);
                    assertNull(segment.difference(index, false), "seed " + seed + " round " + round);
                    index.force();
                }
            }
        }
    }

    @Test
    void pointsNowhereBehindTheEndOfTheSegment() {
        final TestSegment whole = TestSegment.random(3, 150);
        final TestSegment shorter = whole.first(70);
        shorter.write(directory, whole.offsetBytes(), whole.timeBytes(true));
        try (SparseIndex index = shorter.opened(storage);
                FileView view = new FileView()) {
            assertTrue(index.positionOf(Long.MAX_VALUE, view) < shorter.length());
            assertNotNull(index.damage());
        }
    }

    private void mends(
            final TestSegment segment,
            final byte @Nullable [] offsets,
            final byte @Nullable [] times,
            final String what) {
        segment.write(directory, offsets, times);
        try (SparseIndex index = segment.opened(storage)) {
            assertNull(segment.unsafeAnswer(index), what);
            final boolean isAsWritten = Arrays.equals(offsets, segment.offsetBytes())
                    && (Arrays.equals(times, segment.timeBytes(true))
                            || Arrays.equals(times, segment.timeBytes(false)));
            final boolean isShorter = offsets != null
                    && times != null
                    && offsets.length % 8 == 0
                    && times.length % 12 == 0
                    && offsets.length <= segment.offsetBytes().length
                    && times.length <= segment.timeBytes(true).length;
            if (Arrays.equals(times, new byte[12])) {
                assertNotNull(index.damage(), "one entry of time zero is not to be told from padding: " + what);
            } else if (isAsWritten) {
                assertNull(index.damage(), what);
            } else if (!isShorter) {
                assertNotNull(index.damage(), what);
            }
            final long from = index.restore(segment.endOffset(), segment.length());
            assertTrue(from <= segment.length(), what);
            segment.feed(index, from);
            assertNull(segment.difference(index, false), what);
            assertNull(index.damage(), what);
            index.seal();
            assertNull(segment.difference(index, true), what);
        }
        assertFiles(segment, what);
    }

    private void assertFiles(final TestSegment segment, final String what) {
        assertArrayEquals(
                segment.offsetBytes(), TestSegment.read(directory.resolve(segment.offsetFile())), "offsets, " + what);
        assertArrayEquals(
                segment.timeBytes(true), TestSegment.read(directory.resolve(segment.timeFile())), "times, " + what);
    }

    private static byte[] swapped(final byte[] bytes, final int entryBytes, final int first, final int second) {
        final byte[] swapped = bytes.clone();
        System.arraycopy(bytes, first * entryBytes, swapped, second * entryBytes, entryBytes);
        System.arraycopy(bytes, second * entryBytes, swapped, first * entryBytes, entryBytes);
        return swapped;
    }

    private static byte[] doubled(final byte[] bytes) {
        return ByteBuffer.allocate(2 * bytes.length).put(bytes).put(bytes).array();
    }
}
