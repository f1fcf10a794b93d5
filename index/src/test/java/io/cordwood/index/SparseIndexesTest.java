package io.cordwood.index;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.cordwood.log.IndexLimits;
import io.cordwood.log.store.FileStatus;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

/** What {@link SparseIndexes} says of index files from their names and sizes. */
final class SparseIndexesTest {
    private final SparseIndexes indexes = new SparseIndexes();

    @Test
    void namesTheFiles() {
        assertEquals(List.of(".index", ".timeindex"), indexes.suffixes());
    }

    @Test
    void trustsWholeEntriesThatTheSegmentHasRoomFor() {
        assertTrue(isPlausible(80, 132, 1000));
        assertTrue(isPlausible(0, 12, 61), "shorter than the interval");
        assertFalse(isPlausible(81, 132, 1000), "cut offset index");
        assertFalse(isPlausible(80, 131, 1000), "cut time index");
        assertFalse(isPlausible(80, 0, 1000), "sealing adds a time entry");
        assertFalse(isPlausible(-1, 132, 1000), "no offset index");
        assertFalse(isPlausible(80, -1, 1000), "no time index");
        assertFalse(isPlausible(10_485_760, 132, 1 << 24), "padded offset index");
        assertFalse(isPlausible(80, 10_485_756, 1 << 24), "padded time index");
        assertTrue(isPlausible(4088, 4080, 1 << 24));
        assertFalse(isPlausible(4096, 132, 1 << 24), "padded or full offset index beside a large segment");
        assertFalse(isPlausible(80, 4092, 1 << 24), "padded or full time index beside a large segment");
    }

    @Test
    void wantsNothingOfAnEmptySegment() {
        assertTrue(isPlausible(-1, -1, 0));
        assertTrue(isPlausible(0, 0, 0));
        assertFalse(isPlausible(8, 0, 0));
        assertFalse(isPlausible(0, 12, 0));
    }

    private boolean isPlausible(final long offsetBytes, final long timeBytes, final long logBytes) {
        final List<FileStatus> files = new ArrayList<>();
        for (final long base : new long[] {7, 42, 99}) {
            final String name = "000000000000000000" + (base < 10 ? "0" : "") + base;
            if (base != 42 || offsetBytes >= 0) {
                files.add(new FileStatus(name + ".index", base == 42 ? offsetBytes : 13, 0, false));
            }
            files.add(new FileStatus(name + ".log", 100, 0, false));
            if (base != 42 || timeBytes >= 0) {
                files.add(new FileStatus(name + ".timeindex", base == 42 ? timeBytes : 13, 0, false));
            }
        }
        return indexes.isPlausible(files, 42, logBytes, new IndexLimits(4096, 0));
    }
}
