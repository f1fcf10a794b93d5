package io.cordwood.index;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.cordwood.log.Fault;
import io.cordwood.log.IndexLimits;
import io.cordwood.log.store.DiskStorage;
import io.cordwood.log.store.FileUse;
import io.cordwood.log.store.StorageFile;
import java.nio.ByteBuffer;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.List;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** {@link IndexCheck} is silent about what is in order and finds each thing that is not. */
final class IndexCheckTest {
    @TempDir
    Path directory;

    private final TestSegment segment = new TestSegment(1000, new IndexLimits(4096, 0));

    IndexCheckTest() {
        for (int i = 0; i < 10; i++) {
            segment.add(5, 100, 5000 + i * 10L);
        }
    }

    @Test
    void isSilentAboutSegmentsOfAllKinds() {
        for (int seed = 0; seed < 200; seed++) {
            final TestSegment random = TestSegment.random(seed, seed);
            assertEquals(List.of(), faults(random, random.offsetBytes(), random.timeBytes(true), true), "seed " + seed);
            assertEquals(
                    List.of(),
                    faults(
                            random,
                            Arrays.copyOf(random.offsetBytes(), 1 << 16),
                            Arrays.copyOf(random.timeBytes(false), 12 << 10),
                            false),
                    "seed " + seed);
        }
    }

    @Test
    void findsMissingFilesUnlessTheSegmentIsEmpty() {
        assertEquals(List.of(Fault.Kind.INDEX_MISSING), kinds(null, segment.timeBytes(true)));
        assertEquals(List.of(Fault.Kind.INDEX_MISSING), kinds(segment.offsetBytes(), null));
        assertEquals(List.of(), faults(new TestSegment(1, segment.limits), null, null, true));
    }

    @Test
    void findsSizesThatAreNoWholeEntries() {
        final List<Fault> faults = faults(
                segment, Arrays.copyOf(segment.offsetBytes(), 43), Arrays.copyOf(segment.timeBytes(true), 55), false);
        assertEquals(2, faults.size(), faults.toString());
        assertEquals(Fault.Kind.INDEX_SIZE, faults.get(0).kind());
        assertEquals(40, faults.get(0).position());
        assertEquals(segment.offsetFile(), faults.get(0).file());
        assertEquals(48, faults.get(1).position());
        assertEquals(segment.timeFile(), faults.get(1).file());
    }

    @Test
    void findsEveryEntryThatIsChanged() {
        for (int entry = 0; entry < 9; entry++) {
            final ByteBuffer offset = ByteBuffer.wrap(segment.offsetBytes());
            offset.putInt(entry * 8, offset.getInt(entry * 8) + 1);
            assertFound(entry * 8L, faults(segment, offset.array(), segment.timeBytes(true), true));
            final ByteBuffer position = ByteBuffer.wrap(segment.offsetBytes());
            position.putInt(entry * 8 + 4, position.getInt(entry * 8 + 4) + 1);
            assertFound(entry * 8L, faults(segment, position.array(), segment.timeBytes(true), true));
            final ByteBuffer timestamp = ByteBuffer.wrap(segment.timeBytes(true));
            timestamp.putLong(entry * 12, timestamp.getLong(entry * 12) - 1);
            assertFound(entry * 12L, faults(segment, segment.offsetBytes(), timestamp.array(), false));
            timestamp.putLong(entry * 12, timestamp.getLong(entry * 12) + 2);
            assertFound(entry * 12L, faults(segment, segment.offsetBytes(), timestamp.array(), false));
            final ByteBuffer relative = ByteBuffer.wrap(segment.timeBytes(true));
            relative.putInt(entry * 12 + 8, relative.getInt(entry * 12 + 8) + 5);
            assertFound(entry * 12L, faults(segment, segment.offsetBytes(), relative.array(), false));
        }
    }

    @Test
    void findsEntriesThatDoNotAscend() {
        final byte[] offsets = segment.offsetBytes();
        final byte[] twice = ByteBuffer.allocate(16 + offsets.length)
                .put(offsets, 0, 16)
                .put(offsets)
                .array();
        final List<Fault> faults = faults(segment, twice, segment.timeBytes(true), true);
        assertEquals(2, faults.size(), faults.toString());
        assertEquals(Fault.Kind.INDEX_ORDER, faults.get(0).kind());
        assertEquals(16, faults.get(0).position());
    }

    @Test
    void findsEntriesBehindTheLastBatch() {
        final TestSegment shorter = segment.first(6);
        final List<Fault> faults = faults(shorter, segment.offsetBytes(), segment.timeBytes(true), false);
        assertEquals(8, faults.size(), faults.toString());
        assertTrue(faults.stream().allMatch(fault -> fault.kind() == Fault.Kind.INDEX_ENTRY));
    }

    @Test
    void findsAMissingLargestTimestampOfASealedSegmentAlone() {
        final byte[] times = Arrays.copyOf(segment.timeBytes(true), 8 * 12);
        assertEquals(List.of(), faults(segment, segment.offsetBytes(), times, false));
        final List<Fault> faults = faults(segment, segment.offsetBytes(), times, true);
        assertEquals(1, faults.size());
        assertEquals(8 * 12, faults.get(0).position());
        final TestSegment zero = new TestSegment(3, segment.limits).add(1, 90, 0);
        assertEquals(List.of(), faults(zero, new byte[0], zero.timeBytes(true), true), "an entry of zeros");
        assertEquals(1, faults(zero, new byte[0], new byte[0], true).size());
    }

    @Test
    void tellsAHundredFaultsOfAFileAndHowManyMore() {
        final byte[] ones = new byte[8 * 1000];
        Arrays.fill(ones, (byte) 1);
        final List<Fault> faults = faults(segment, ones, segment.timeBytes(true), true);
        assertEquals(101, faults.size());
        assertTrue(
                faults.get(100).reason().contains("900 faults more"),
                faults.get(100).reason());
    }

    private void assertFound(final long position, final List<Fault> faults) {
        assertTrue(
                faults.stream().anyMatch(fault -> fault.position() == position),
                "fault at " + position + " in " + faults);
        assertTrue(faults.size() <= 2, faults.toString());
    }

    private List<Fault.Kind> kinds(final byte @Nullable [] offsets, final byte @Nullable [] times) {
        return faults(segment, offsets, times, true).stream().map(Fault::kind).toList();
    }

    private List<Fault> faults(
            final TestSegment checked,
            final byte @Nullable [] offsets,
            final byte @Nullable [] times,
            final boolean isSealed) {
        checked.write(directory, offsets, times);
        try (DiskStorage storage = new DiskStorage(directory)) {
            final IndexCheck check = new IndexCheck(
                    checked.baseOffset,
                    checked.offsetFile(),
                    offsets == null ? null : dump(storage, checked, true),
                    checked.timeFile(),
                    times == null ? null : dump(storage, checked, false));
            checked.batches.forEach(b -> check.batch(b.lastOffset(), b.position(), b.maxTimestamp()));
            return check.finish(isSealed);
        }
    }

    private static IndexDump dump(final DiskStorage storage, final TestSegment checked, final boolean isOffsets) {
        final String name = isOffsets ? checked.offsetFile() : checked.timeFile();
        try (StorageFile file = storage.open(name, FileUse.READ, 0)) {
            return isOffsets
                    ? IndexDump.ofOffsets(file, checked.baseOffset)
                    : IndexDump.ofTimes(file, checked.baseOffset);
        }
    }
}
