package io.cordwood.log;

import io.cordwood.log.record.BatchValidator;
import io.cordwood.log.record.RecordBatchFlyweight;
import io.cordwood.log.store.FileUse;
import io.cordwood.log.store.FileView;
import io.cordwood.log.store.Storage;
import io.cordwood.log.store.StorageFile;
import java.util.ArrayList;
import java.util.List;

/**
 * The one procedure that makes a log whole: after a clean close, after a crash, and after a truncation, which is a recovery
 * up to another offset. Restores indexes and derived states from their files, then scans once from the least position that
 * any of them asks for: each batch is checked and given to whoever still needs it. Where a batch at or above the recovery
 * point is not sound the log ends, and that cut is forced. Idempotent: run again after an interruption it ends the same.
 */
final class LogRecovery implements AutoCloseable {
    private static final int CHUNK_BYTES = 1 << 20;

    private final Storage storage;
    private final String directory;
    private final List<DerivedState> states;
    private final RecoveryProgress progress;
    private final BatchScan scan;
    private final FileView view = new FileView();
    private final List<String> acts = new ArrayList<>();

    private long scannedBytes;
    private long endOffset;
    private long lastFeedFrom;
    private long cutPosition = -1;

    LogRecovery(
            final Storage storage,
            final String directory,
            final List<DerivedState> states,
            final BatchValidator validator,
            final RecoveryProgress progress) {
        this.storage = storage;
        this.directory = directory;
        this.states = states;
        this.progress = progress;
        this.scan = new BatchScan(CHUNK_BYTES, validator);
    }

    /** Words for the report. */
    void note(final String act) {
        acts.add(act);
    }

    RecoveryReport report(final long startOffset) {
        return new RecoveryReport(startOffset, endOffset, scannedBytes, acts);
    }

    /** There was nothing to recover: every state begins at the start. */
    void empty(final long startOffset) {
        final long[] bases = {startOffset};
        for (final DerivedState state : states) {
            state.restore(startOffset, bases, startOffset);
        }
        endOffset = startOffset;
    }

    /** Whether bytes were cut off. */
    boolean hasCut() {
        return cutPosition >= 0;
    }

    /** The log ends at its start at least, even if less of it is left than was promised: offsets are not given twice. */
    void raiseEndTo(final long startOffset) {
        if (endOffset < startOffset) {
            note("the log ends at " + endOffset + ", below its start, and goes on at " + startOffset);
            endOffset = startOffset;
        }
    }

    /** End of the log after {@link #recover}. */
    long endOffset() {
        return endOffset;
    }

    /**
     * Recovers segments.
     *
     * @param segments ascending, at least one, open for reading.
     * @param sound for each segment, whether its index may be trusted without a look.
     * @param startOffset first offset of the log.
     * @param recoveryPoint below it no damage is looked for.
     * @return how many of the segments are left; the files of the others are to be deleted. The last one that is left may
     *     have been cut, and its index is ready for appending.
     */
    int recover(final List<Segment> segments, final boolean[] sound, final long startOffset, final long recoveryPoint) {
        final long[] bases = new long[segments.size()];
        for (int i = 0; i < bases.length; i++) {
            bases[i] = segments.get(i).baseOffset();
        }
        progress.begin(bases.length);
        final Segment last = segments.get(bases.length - 1);
        lastFeedFrom = last.index().restore(Long.MAX_VALUE, last.bytes());
        final long point = Math.max(bases[0], Math.min(recoveryPoint, endOfFile(last, recoveryPoint)));
        final long[] replayFrom = new long[states.size()];
        for (int i = 0; i < replayFrom.length; i++) {
            replayFrom[i] = states.get(i).restore(startOffset, bases, point);
        }
        for (int i = 0; i < bases.length; i++) {
            progress.next();
            final boolean isLast = i == bases.length - 1;
            final long end = isLast ? Long.MAX_VALUE : bases[i + 1];
            if (!recoverSegment(segments.get(i), isLast || !sound[i], end, point, replayFrom)) {
                cutIndex(segments.get(i));
                progress.end();
                return i + 1;
            }
        }
        progress.end();
        return bases.length;
    }

    /** Where the last segment's whole batches end; only as good as its header chain, the scan proper judges the rest. */
    private long endOfFile(final Segment last, final long recoveryPoint) {
        if (recoveryPoint <= last.baseOffset()) {
            return Long.MAX_VALUE;
        }
        long end = last.baseOffset();
        scan.start(last.file(), lastFeedFrom, last.bytes());
        while (scan.next()) {
            end = Math.max(end, scan.batch().nextOffset());
        }
        return end;
    }

    /** False if the log ends in this segment because of damage. */
    private boolean recoverSegment(
            final Segment segment,
            final boolean needsIndex,
            final long end,
            final long recoveryPoint,
            final long[] replayFrom) {
        final long base = segment.baseOffset();
        final long length = segment.bytes();
        final boolean isLast = end == Long.MAX_VALUE;
        final boolean isJudged = isLast || end > recoveryPoint;
        final boolean restoresIndex = isJudged || needsIndex;
        long feedFrom = Long.MAX_VALUE;
        if (isLast) {
            feedFrom = lastFeedFrom;
        } else if (restoresIndex) {
            feedFrom = segment.index().restore(end, length);
        }
        long from = feedFrom;
        if (isJudged) {
            from = Math.min(from, positionAtOrBelow(segment, recoveryPoint));
        }
        for (int i = 0; i < replayFrom.length; i++) {
            if (replayFrom[i] < end) {
                from = Math.min(from, positionAtOrBelow(segment, replayFrom[i]));
                if (replayFrom[i] < base) {
                    states.get(i).snapshot(base);
                }
            }
        }
        if (isLast) {
            endOffset = base;
        }
        final boolean isWhole = from >= length || scanSegment(segment, from, feedFrom, end, recoveryPoint, replayFrom);
        if (restoresIndex && !isLast && isWhole) {
            segment.index().seal();
        }
        return isWhole;
    }

    /** Entries behind the cut go; what was fed since the last one that stays is fed again. */
    private void cutIndex(final Segment segment) {
        scan.start(segment.file(), segment.index().restore(Long.MAX_VALUE, cutPosition), cutPosition);
        while (scan.next()) {
            segment.index()
                    .append(
                            scan.batch().lastOffset(),
                            scan.position(),
                            scan.batch().maxTimestamp());
        }
    }

    private long positionAtOrBelow(final Segment segment, final long offset) {
        return offset <= segment.baseOffset() ? 0 : segment.index().positionOf(offset, view);
    }

    private boolean scanSegment(
            final Segment segment,
            final long from,
            final long feedFrom,
            final long end,
            final long recoveryPoint,
            final long[] replayFrom) {
        final long length = segment.bytes();
        final boolean isLast = end == Long.MAX_VALUE;
        long expected = segment.baseOffset();
        scan.start(segment.file(), from, length);
        while (scan.next()) {
            final RecordBatchFlyweight batch = scan.batch();
            if (batch.lastOffset() >= end || batch.lastOffset() < expected) {
                note("offset " + batch.lastOffset() + " does not belong at position " + scan.position() + " of "
                        + segment.path());
                if (batch.lastOffset() >= recoveryPoint && isLast) {
                    break;
                }
            }
            expected = batch.nextOffset();
            if (scan.position() >= feedFrom) {
                segment.index().append(batch.lastOffset(), scan.position(), batch.maxTimestamp());
            }
            for (int i = 0; i < replayFrom.length; i++) {
                if (batch.lastOffset() >= replayFrom[i]) {
                    states.get(i).apply(batch, segment.baseOffset());
                }
            }
        }
        scannedBytes += scan.position() - from;
        if (isLast) {
            endOffset = expected;
        }
        return scan.position() >= length || !endsLog(segment, isLast, expected, recoveryPoint);
    }

    private boolean endsLog(
            final Segment segment, final boolean isLast, final long expected, final long recoveryPoint) {
        final String where = "position " + scan.position() + " of " + segment.path() + " (offset " + expected + ")";
        final String why = scan.damage() == null ? "offsets out of order" : scan.damage();
        if (!isLast && expected < recoveryPoint) {
            note("damage below the recovery point stays at " + where + ": " + why);
            return false;
        }
        note("cut at " + where + ": " + why);
        cut(segment, scan.position());
        endOffset = expected;
        return true;
    }

    /** Cuts a segment's file durably, before anything can be appended behind the cut. */
    private void cut(final Segment segment, final long length) {
        cutPosition = length;
        scan.start(segment.file(), 0, 0);
        try (StorageFile file = storage.open(segment.path(), FileUse.APPEND, 0)) {
            file.truncate(length);
            file.force();
        }
        storage.syncDirectory(directory);
    }

    @Override
    public void close() {
        scan.close();
        view.close();
    }
}
