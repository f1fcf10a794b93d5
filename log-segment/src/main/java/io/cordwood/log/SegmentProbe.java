package io.cordwood.log;

import io.cordwood.log.record.BatchValidator;
import io.cordwood.log.store.FileView;

/** Looks into a segment here and there, beside the walk that judges all of it. The walk's thread only; keeps one small buffer. */
final class SegmentProbe implements AutoCloseable {
    private static final int BYTES = 4096;

    private final SegmentScan scan;
    private final FileView view = new FileView();

    SegmentProbe(final BatchValidator validator) {
        scan = new SegmentScan(BYTES, validator);
    }

    /** Says where the log begins. */
    void servedFrom(final long logStartOffset) {
        scan.servedFrom(logStartOffset);
    }

    /** Begins a walk of any scan over a segment. */
    static SegmentScan start(
            final SegmentScan with, final Segment segment, final long from, final long end, final long keepBelow) {
        with.start(segment, from, segment.bytes(), from == 0 ? segment.baseOffset() : -1, end, keepBelow);
        return with;
    }

    /** Begins a walk of its own. */
    SegmentScan start(final Segment segment, final long from, final long end, final long keepBelow) {
        return start(scan, segment, from, end, keepBelow);
    }

    boolean isBatchAt(final Segment segment, final long position) {
        final boolean isSound = start(segment, position, Long.MAX_VALUE, 0).next() == SegmentScan.Step.SOUND;
        scan.release();
        return isSound;
    }

    /**
     * Whether the last entry of a segment's index, or another one, is of the batch to which it points. That of a broker before Kafka 4.0 may have a
     * higher offset: of the last batch that came with it.
     */
    boolean isLastEntryTrue(final Segment segment, final long position) {
        if (!isBatchAt(segment, position)) {
            return false;
        }
        final long last = scan.expectedOffset() - 1;
        final IndexLookUps index = segment.lookUps();
        final boolean isTrue = index.positionOf(last, view) == position
                && (last == segment.baseOffset() || index.positionOf(last - 1, view) < position);
        view.release();
        return isTrue;
    }

    /** Position at or before the batch that holds an offset, where there is a batch; 0 if the index names none. */
    long floorPosition(final Segment segment, final long offset) {
        final long position = segment.floorPosition(offset, view);
        return position == 0 || isBatchAt(segment, position) ? position : 0;
    }

    /** The same, where there is the batch that the index means: one with other offsets leads nowhere. */
    long trueFloorPosition(final Segment segment, final long offset) {
        final long position = segment.floorPosition(offset, view);
        view.release();
        return position == 0 || isLastEntryTrue(segment, position) ? position : 0;
    }

    /** Whether the batches of a segment are sound from the last indexed one on, and end below an offset. */
    boolean endsBefore(final Segment segment, final long end) {
        start(segment, floorPosition(segment, end - 1), Long.MAX_VALUE, 0);
        SegmentScan.Step step = scan.next();
        while (step == SegmentScan.Step.SOUND) {
            step = scan.next();
        }
        return scan.reason() == null && scan.expectedOffset() < end;
    }

    /** Walks a whole segment; what is known at its end is the scan's to tell. */
    SegmentScan walkThrough(final Segment segment, final long end) {
        start(segment, 0, end, end);
        while (scan.next() != SegmentScan.Step.END) {
            // Only what is known at the end is asked for.
        }
        return scan;
    }

    void release() {
        scan.release();
        view.release();
    }

    @Override
    public void close() {
        scan.close();
        view.close();
    }
}
