package io.cordwood.log;

import java.util.NavigableSet;
import java.util.TreeSet;

/** Files that speak of segments: where one lies and the segment does not, that may be missing. One recovery's. */
final class SegmentTraces {
    private final NavigableSet<Long> offsets = new TreeSet<>();
    private final NavigableSet<Long> lost = new TreeSet<>();

    /** There is a file as beside a segment that begins at an offset, or that ends there at a clean close. */
    void beside(final long offset) {
        offsets.add(offset);
    }

    /** There is an index whose segment is gone. */
    void ofLost(final long base) {
        offsets.add(base);
        lost.add(base);
    }

    /** The highest offset; -1 if there is none. */
    long highest() {
        return offsets.isEmpty() ? -1 : offsets.last();
    }

    /** Whether something lies above an offset and below another one. */
    boolean isBetween(final long base, final long end) {
        final Long trace = offsets.higher(base);
        return trace != null && trace < end;
    }

    /** Whether a segment that is gone began at or above an offset and below another one. */
    boolean isLostIn(final long from, final long end) {
        final Long base = lost.ceiling(from);
        return base != null && base < end;
    }
}
