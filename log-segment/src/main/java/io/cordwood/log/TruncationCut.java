package io.cordwood.log;

import io.cordwood.log.record.RecordBatchFlyweight;

/**
 * Where a truncation cuts a segment: in front of the first good batch that holds or follows the offset. Batches are judged as an open
 * judges them: one whose checksum is right, but whose offsets are not its own, is neither cut at nor counted.
 *
 * <p>Such misplaced batches directly in front of the cut may hold records that are to stay or records that are to go. Where good batches
 * hold all that is to stay they go. Else they stay, as bytes that no reader gets, and the offsets between count as theirs. But if one of them
 * points ahead, it would be the log's end once the batch that shows it up is gone, and nothing is cut.
 *
 * @param position of the first byte that goes.
 * @param endOffset of the log then; below the offset that was asked for if that lies inside a batch, which goes.
 * @param batchesEnd offset behind all that is left in the segment; below the end if the cut is in a gap.
 */
record TruncationCut(long position, long endOffset, long batchesEnd) {
    /**
     * Looks for the place.
     *
     * @param scan for the walk.
     * @param probe that has looked for a place to begin.
     * @param segment that holds the offset, or the gap that it lies in.
     * @param offset to cut to.
     * @param next base offset of the next segment; {@link Long#MAX_VALUE} if there is none.
     * @param name of the segment's file, for an error.
     * @throws CorruptLogException if the batches in front of the offset are so damaged that nobody can tell where it lies: a cut there could
     *     lose what is to stay.
     */
    static TruncationCut find(
            final SegmentScan scan,
            final SegmentProbe probe,
            final Segment segment,
            final long offset,
            final long next,
            final String name) {
        // From a batch that stays, if there is one whose place is sure.
        final long from = probe.trueFloorPosition(segment, offset - 1);
        SegmentProbe.start(scan, segment, from, next, offset);
        long behind = from;
        long ahead = -1;
        while (scan.expectedOffset() < offset) {
            final long due = scan.expectedOffset();
            final SegmentScan.Step step = scan.next();
            if (step == SegmentScan.Step.BAD && scan.isMisplaced()) {
                if (ahead < 0 && scan.batch().baseOffset() >= due) {
                    ahead = scan.position();
                }
                continue;
            }
            if (scan.reason() != null) {
                throw new CorruptLogException(name, scan.position(), scan.reason());
            }
            final RecordBatchFlyweight batch = scan.batch();
            final boolean isCut = step == SegmentScan.Step.END || batch.lastOffset() >= offset;
            if (isCut) {
                final long end = step == SegmentScan.Step.END
                        ? offset
                        : Math.min(offset, Math.max(batch.baseOffset(), segment.baseOffset()));
                return between(behind, scan.position(), Math.max(due, segment.baseOffset()), end, ahead, name);
            }
            behind = scan.position() + batch.sizeInBytes();
            ahead = -1;
        }
        return new TruncationCut(behind, offset, offset);
    }

    /** The same cut, of a log that begins at an offset: a batch that holds that and goes as a whole does not take the start back with it. */
    TruncationCut notBelow(final long startOffset) {
        return new TruncationCut(position, Math.max(endOffset, startOffset), batchesEnd);
    }

    /** The cut between the last good batch that stays and the first that goes, which need not be neighbours. */
    private static TruncationCut between(
            final long behind, final long at, final long due, final long end, final long ahead, final String name) {
        if (behind == at || due >= end) {
            return new TruncationCut(behind, end, due);
        }
        if (ahead >= 0) {
            throw new CorruptLogException(
                    name, ahead, "the batch has wrong offsets, and may hold records in front of offset " + end);
        }
        // Not the end of the good ones: a segment that began there would hide that the others are missing.
        return new TruncationCut(at, end, end);
    }
}
