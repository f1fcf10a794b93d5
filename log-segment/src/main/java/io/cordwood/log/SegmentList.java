package io.cordwood.log;

import io.cordwood.log.store.FileView;
import java.util.Arrays;

/** The segments of a log at one moment, ascending by base offset, never empty. Immutable, so that readers need no lock. */
final class SegmentList {
    private final Segment[] segments;
    private final long[] bases;

    SegmentList(final Segment... segments) {
        if (segments.length == 0) {
            throw new IllegalArgumentException("a log has at least one segment");
        }
        this.segments = segments;
        this.bases = new long[segments.length];
        for (int i = 0; i < segments.length; i++) {
            bases[i] = segments[i].baseOffset();
            if (i > 0 && bases[i] <= bases[i - 1]) {
                throw new IllegalStateException("segment " + bases[i] + " follows on segment " + bases[i - 1]);
            }
        }
    }

    int size() {
        return segments.length;
    }

    Segment get(final int index) {
        return segments[index];
    }

    Segment first() {
        return segments[0];
    }

    Segment active() {
        return segments[segments.length - 1];
    }

    /** Base offsets, ascending; a copy. */
    long[] bases() {
        return bases.clone();
    }

    /** Bytes in the segments' files. */
    long sizeInBytes() {
        long sum = 0;
        for (final Segment segment : segments) {
            sum += segment.bytes();
        }
        return sum;
    }

    /** The largest timestamp of the records, or -1 if there is none. */
    long largestTimestamp() {
        long largest = -1;
        try (FileView view = new FileView()) {
            for (final Segment segment : segments) {
                largest = Math.max(largest, segment.lookUps().largestTimestamp(view));
            }
        }
        return largest;
    }

    /** Index of the last segment whose base is at most an offset, or -1. */
    int floor(final long offset) {
        // Tail reads are the common ones.
        if (offset >= bases[bases.length - 1]) {
            return bases.length - 1;
        }
        final int found = Arrays.binarySearch(bases, offset);
        return found >= 0 ? found : -found - 2;
    }

    /** First offset behind a segment: the base of the next one, or the given end for the last. */
    long endOffset(final int index, final long logEndOffset) {
        return index + 1 < bases.length ? bases[index + 1] : logEndOffset;
    }

    /** The list with its active segment sealed and a new one behind it. */
    SegmentList rolled(final Segment sealed, final Segment active) {
        final Segment[] next = Arrays.copyOf(segments, segments.length + 1);
        next[segments.length - 1] = sealed;
        next[segments.length] = active;
        return new SegmentList(next);
    }

    /** The list without its first segments. */
    SegmentList from(final int first) {
        return new SegmentList(Arrays.copyOfRange(segments, first, segments.length));
    }

    /** The list up to and including a segment, which takes the place of the one at its index. */
    SegmentList upTo(final int last, final Segment replacement) {
        final Segment[] next = Arrays.copyOf(segments, last + 1);
        next[last] = replacement;
        return new SegmentList(next);
    }

    /** The list with another segment object at an index. */
    SegmentList with(final int index, final Segment replacement) {
        final Segment[] next = segments.clone();
        next[index] = replacement;
        return new SegmentList(next);
    }
}
