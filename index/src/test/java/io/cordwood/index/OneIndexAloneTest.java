package io.cordwood.index;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.cordwood.log.IndexLimits;
import io.cordwood.log.SegmentIndex.Finding;
import io.cordwood.log.store.DiskStorage;
import io.cordwood.log.store.FileUse;
import io.cordwood.log.store.StorageFile;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.Random;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Where one file of a segment's index is damaged, the other one keeps its bytes, though it has another interval than the topic. */
final class OneIndexAloneTest {
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

    /** The same batches; what is made anew has another interval. */
    private static TestSegment withInterval(final TestSegment segment, final int interval) {
        final TestSegment other = new TestSegment(segment.baseOffset, new IndexLimits(1 << 20, interval));
        other.batches.addAll(segment.batches);
        return other;
    }

    private byte[] offsets(final TestSegment segment) {
        return TestSegment.read(directory.resolve(segment.offsetFile()));
    }

    private byte[] times(final TestSegment segment) {
        return TestSegment.read(directory.resolve(segment.timeFile()));
    }

    private byte @Nullable [] contentOf(final String file) {
        final Path path = directory.resolve(file);
        return Files.exists(path) ? TestSegment.read(path) : null;
    }

    private Finding mend(final TestSegment segment, final byte @Nullable [] offsets, final byte @Nullable [] times) {
        segment.write(directory, offsets, times);
        try (SparseIndex index = segment.opened(storage)) {
            segment.feed(index, index.mend(segment.endOffset(), segment.length()));
            assertArrayEquals(offsets, contentOf(segment.offsetFile()), "nothing changes before all is known");
            assertArrayEquals(times, contentOf(segment.timeFile()));
            index.seal();
            assertNull(segment.unsafeAnswer(index));
            return index.finding();
        }
    }

    /** What may have become of a file: missing, empty, cut inside an entry, padded, garbage. */
    private static byte @Nullable [] damaged(final byte[] bytes, final int entryBytes, final Random random) {
        final byte[] copy = bytes.clone();
        return switch (random.nextInt(5)) {
            case 0 -> null;
            case 1 -> new byte[0];
            case 2 -> Arrays.copyOf(copy, random.nextInt(copy.length / entryBytes) * entryBytes + 3);
            case 3 -> Arrays.copyOf(Arrays.copyOf(copy, copy.length - entryBytes), copy.length + 100 * entryBytes);
            default -> {
                Arrays.fill(copy, random.nextInt(copy.length / entryBytes) * entryBytes, copy.length, (byte) 0xff);
                yield copy;
            }
        };
    }

    @Test
    void theOtherOneKeepsItsBytes() {
        int made = 0;
        for (int seed = 0; seed < 400; seed++) {
            final Random random = new Random(seed);
            final TestSegment written = TestSegment.random(seed, 20 + random.nextInt(200));
            final byte[] offsets = written.offsetBytes();
            final byte[] times = written.timeBytes(true);
            if (offsets.length < 16 || times.length < 24) {
                continue;
            }
            made++;
            final TestSegment now = withInterval(written, random.nextBoolean() ? 0 : 8000);
            assertTrue(mend(now, offsets, damaged(times, 12, random)) != Finding.SOUND);
            assertArrayEquals(offsets, offsets(now), "seed " + seed);
            assertArrayEquals(times, times(now), "as with the interval that the offsets have, seed " + seed);
            assertTrue(mend(now, damaged(offsets, 8, random), times) != Finding.SOUND);
            assertArrayEquals(times, times(now), "seed " + seed);
            assertEquals(Finding.SOUND, mend(now, offsets(now), times), "seed " + seed);
        }
        assertTrue(made > 200, made + " segments");
    }

    @Test
    void aLostOffsetIndexHasThePresentInterval() {
        final TestSegment now = withInterval(TestSegment.random(4, 100), 600);
        mend(now, null, TestSegment.random(4, 100).timeBytes(true));
        assertArrayEquals(now.offsetBytes(), offsets(now));
    }

    /** In order, and not true: each entry is held against its batch, and from the first false one on the file is made anew. */
    @Test
    void anEntryThatIsFalseIsFound() {
        for (int seed = 0; seed < 100; seed++) {
            final TestSegment segment = TestSegment.random(seed, 150);
            final byte[] offsets = segment.offsetBytes();
            final byte[] times = segment.timeBytes(true);
            if (offsets.length < 80 || times.length < 120) {
                continue;
            }
            final byte[] falseTimes = times.clone();
            falseTimes[times.length - 12 - 12 + 7] ^= 1;
            mend(segment, new byte[0], falseTimes);
            assertArrayEquals(offsets, offsets(segment), "seed " + seed);
            assertTimesAreTrue(segment, "seed " + seed);
            final byte[] falseOffsets = offsets.clone();
            falseOffsets[offsets.length - 8 - 1] ^= 1;
            segment.write(directory, falseOffsets, times);
            try (SparseIndex index = segment.opened(storage)) {
                index.restore(segment.endOffset(), segment.length());
                index.distrust();
                segment.feed(index, 0);
                index.seal();
                assertNull(segment.unsafeAnswer(index), "seed " + seed);
                assertEquals(Finding.MENDED, index.finding());
            }
            assertArrayEquals(times, times(segment), "seed " + seed);
        }
    }

    private void assertTimesAreTrue(final TestSegment segment, final String what) {
        final IndexCheck check;
        try (StorageFile file = storage.open(segment.timeFile(), FileUse.READ, 0)) {
            check = new IndexCheck(
                    segment.baseOffset, "offsets", null, "times", IndexDump.ofTimes(file, segment.baseOffset));
        }
        for (final TestSegment.Batch batch : segment.batches) {
            check.batch(batch.lastOffset(), batch.position(), batch.maxTimestamp());
        }
        assertEquals(1, check.finish(true).size(), what + ": only the file that was not asked for");
    }

    /** Above the recovery point nothing is believed: what a rebuild gives there has the present interval, as Kafka's. */
    @Test
    void nothingAboveTheGivenEndIsBelieved() {
        final TestSegment written = TestSegment.random(7, 200);
        final TestSegment now = withInterval(written, 3000);
        now.write(directory, written.offsetBytes(), written.timeBytes(true));
        try (SparseIndex index = now.opened(storage)) {
            assertEquals(0, index.restore(Long.MAX_VALUE, 0));
            assertEquals(0, offsets(now).length);
            assertEquals(0, times(now).length);
            now.feed(index, 0);
            index.seal();
        }
        assertArrayEquals(now.offsetBytes(), offsets(now));
        assertArrayEquals(now.timeBytes(true), times(now));
        // In the middle, where the time index alone is there: its entries behind the end are made anew.
        final TestSegment.Batch middle = written.batches.get(100);
        now.write(directory, new byte[0], written.timeBytes(true));
        try (SparseIndex index = now.opened(storage)) {
            now.feed(index, index.restore(Long.MAX_VALUE, middle.position()));
            index.seal();
        }
        assertArrayEquals(now.offsetBytes(), offsets(now));
        assertTimesAreTrue(now, "middle");
        assertFalse(Arrays.equals(written.timeBytes(true), times(now)), "behind the middle it has fewer");
    }

    /** What lies beyond the ends goes at once, as if nothing had been mended. */
    @Test
    void aRestoreEndsAMending() {
        final TestSegment segment = TestSegment.random(7, 200);
        segment.write(directory, segment.offsetBytes(), segment.timeBytes(true));
        final TestSegment shorter = segment.first(100);
        try (SparseIndex index = segment.opened(storage)) {
            segment.feed(index, index.mend(segment.endOffset(), segment.length()));
            shorter.feed(index, index.restore(shorter.endOffset(), shorter.length()));
            assertEquals(shorter.offsetBytes().length, offsets(segment).length);
            assertThrows(IllegalStateException.class, () -> index.mend(segment.endOffset(), segment.length()));
            index.restored();
            index.seal();
        }
        assertArrayEquals(shorter.offsetBytes(), offsets(segment));
        assertArrayEquals(shorter.timeBytes(true), times(segment));
    }

    /** An index that is half rebuilt looks like a whole one from outside: nothing is in the file before all of it is. */
    @Test
    void anInterruptedRebuildLeavesNoHalfFile() {
        final TestSegment segment = new TestSegment(0, new IndexLimits(1 << 20, 0));
        for (int i = 0; i < 2000; i++) {
            segment.add(1, 100, 1000 + i);
        }
        assertTrue(segment.offsetBytes().length > 2 * ActiveIndex.CHUNK_BYTES);
        segment.write(directory, null, null);
        try (SparseIndex index = segment.opened(storage)) {
            segment.feed(index, index.restore(segment.endOffset(), segment.length()));
            assertEquals(0, times(segment).length);
            assertEquals(0, offsets(segment).length);
            index.restored();
            assertTrue(times(segment).length > 0);
        }
    }
}
