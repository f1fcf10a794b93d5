package io.cordwood.log;

import io.cordwood.log.record.BatchValidator;
import io.cordwood.log.record.RecordBatchFlyweight;
import io.cordwood.log.store.FileUse;
import io.cordwood.log.store.Storage;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * The one procedure that makes a log whole: after a clean close, after a crash, and after a truncation, which is a recovery
 * up to another offset. Restores indexes and derived states from their files, then scans once from the least position that
 * any of them asks for: each batch is checked and given to whoever still needs it. Where a batch at or above the recovery
 * point is not sound the log ends, and that cut is forced. Idempotent: run again after an interruption it ends the same.
 */
final class LogRecovery implements AutoCloseable {
    // Small enough that the checksum finds in a cache what the read has copied.
    private static final int CHUNK_BYTES = 1 << 17;
    private static final long NOWHERE = Long.MAX_VALUE;

    /** Answer of {@link #recover}: a segment must be split first. */
    static final int SPLIT_DUE = -1;

    private final Storage storage;
    private final String directory;
    private final List<DerivedState> states;
    private final RecoveryProgress progress;
    private final SegmentScan scan;
    private final SegmentProbe probe;
    private final List<RecoveryReport.Entry> entries = new ArrayList<>();
    private final SegmentTraces traces = new SegmentTraces();

    private long[] replayFrom = {};
    private long point;
    private long servedFrom;
    private long scannedBytes;
    private long endOffset;
    private long lastFeedFrom;
    private boolean isSealedLate;
    private long cutPosition = -1;

    private List<Segment> recovered = List.of();
    private OverflowSplit.@Nullable Place overflow;
    private long reached;

    /** Base offset of the last segment of which one batch that is too far was judged: it speaks for those behind it. */
    private long overflowJudged = -1;

    private final IndexRestore indexes = new IndexRestore(this);

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
        this.scan = new SegmentScan(CHUNK_BYTES, validator);
        this.probe = new SegmentProbe(validator);
    }

    /** An entry for the report. */
    void note(
            final RecoveryReport.Kind kind,
            final String path,
            final long position,
            final long offset,
            final String reason) {
        entries.add(new RecoveryReport.Entry(kind, path, position, offset, reason));
    }

    IndexRestore indexes() {
        return indexes;
    }

    /** Entries so far, for {@link #forget}. */
    int noted() {
        return entries.size();
    }

    /** Begins anew, as if only so many entries had been noted: what was recovered is opened again. */
    void forget(final int laterThan) {
        entries.subList(laterThan, entries.size()).clear();
        overflow = null;
        overflowJudged = -1;
        indexes.forget();
        scan.release();
        probe.release();
    }

    /** Where to split, after {@link #SPLIT_DUE}. */
    OverflowSplit.@Nullable Place overflow() {
        return overflow;
    }

    /** To be told of the files that lie beside segments. */
    SegmentTraces traces() {
        return traces;
    }

    RecoveryReport report(final long startOffset) {
        return new RecoveryReport(startOffset, endOffset, scannedBytes, entries);
    }

    /** There was nothing to recover: every state begins at the start. */
    void empty(final long startOffset) {
        final long[] bases = {startOffset};
        for (final DerivedState state : states) {
            state.restore(startOffset, bases, startOffset);
        }
        endOffset = startOffset;
    }

    /** The log ends at its start at least, even if less of it is left than was promised: offsets are not given twice. */
    void raiseEndTo(final long startOffset) {
        if (endOffset < startOffset) {
            note(
                    RecoveryReport.Kind.END_TOO_LOW,
                    directory,
                    0,
                    endOffset,
                    "the log ends below its start, and goes on at " + startOffset);
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
     * @param behindCut deletes the files of a segment that lies behind a cut.
     * @return how many of the segments are left. The last one that is left may have been cut, and its index is ready for
     *     appending. {@link #SPLIT_DUE} if one has to be split: nothing was cut then.
     */
    int recover(
            final List<Segment> segments,
            final boolean[] sound,
            final long startOffset,
            final long recoveryPoint,
            final Consumer<Segment> behindCut) {
        final long[] bases = new long[segments.size()];
        for (int i = 0; i < bases.length; i++) {
            bases[i] = segments.get(i).baseOffset();
        }
        progress.begin(bases.length);
        servedFrom = startOffset;
        scan.servedFrom(startOffset);
        probe.servedFrom(startOffset);
        final Segment last = segments.get(bases.length - 1);
        recovered = segments;
        reached = Math.max(recoveryPoint == Long.MAX_VALUE ? -1 : recoveryPoint, traces.highest());
        final boolean isLastJudgedWhole = recoveryPoint <= last.baseOffset();
        // After a clean close the index is known to have been sealed, and so has an end of its own.
        final long lastEnd =
                recoveryPoint == Long.MAX_VALUE ? last.baseOffset() + Integer.MAX_VALUE + 1L : Long.MAX_VALUE;
        lastFeedFrom = indexes.restore(last, lastEnd, isLastJudgedWhole ? 0 : last.bytes());
        point = Math.max(bases[0], isLastJudgedWhole ? recoveryPoint : Math.min(recoveryPoint, endOfFile(last)));
        if (overflow != null) {
            return SPLIT_DUE;
        }
        replayFrom = new long[states.size()];
        for (int i = 0; i < replayFrom.length; i++) {
            replayFrom[i] = states.get(i).restore(startOffset, bases, point);
        }
        for (int i = 0; i < bases.length; i++) {
            progress.next();
            final boolean isLast = i == bases.length - 1;
            final long end = isLast ? Long.MAX_VALUE : bases[i + 1];
            // An index whose segment ends at the recovery point was perhaps sealed behind the force that the point
            // tells of.
            isSealedLate = end == recoveryPoint;
            final long believed = isSealedLate || !sound[i] ? segments.get(i).bytes() : NOWHERE;
            if (!recoverSegment(segments.get(i), sound[i], believed, end)) {
                if (overflow != null) {
                    return SPLIT_DUE;
                }
                cut(segments, i, behindCut);
                cutIndex(segments.get(i));
                progress.end();
                return i + 1;
            }
        }
        progress.end();
        last.index().restored();
        if (recoveryPoint == Long.MAX_VALUE) {
            indexes.noteMended(last, sound[bases.length - 1]);
        }
        return bases.length;
    }

    /** Where the last segment's batches end, the damaged ones included behind which it goes on. */
    private long endOfFile(final Segment last) {
        SegmentProbe.start(scan, last, lastFeedFrom, Long.MAX_VALUE, Long.MAX_VALUE);
        long due = scan.expectedOffset();
        SegmentScan.Step step = scan.next();
        while (step != SegmentScan.Step.END && !meetsOverflow(scan, step, due, last)) {
            due = scan.expectedOffset();
            step = scan.next();
        }
        return Math.max(last.baseOffset(), scan.expectedOffset());
    }

    /** Whether a walk has met the place where its segment is to be split. */
    private boolean meetsOverflow(
            final SegmentScan walk, final SegmentScan.Step step, final long due, final Segment segment) {
        final long base = segment.baseOffset();
        if (step != SegmentScan.Step.BAD
                || walk.kind() != Fault.Kind.OFFSET_OUTSIDE_SEGMENT
                || overflowJudged == base
                || !OverflowSplit.isTooFar(base, walk.batch().lastOffset())) {
            return false;
        }
        overflowJudged = base;
        final int at = recovered.indexOf(segment);
        final Segment next = at + 1 < recovered.size() ? recovered.get(at + 1) : null;
        final long known = next == null ? reached : Math.max(reached, next.baseOffset());
        overflow = OverflowSplit.judge(segment, walk.position(), due, next, known);
        if (overflow != null && !overflow.isCopied() && at > 0) {
            // An interrupted split of the one before is finished first, while the copy is still whole.
            final OverflowSplit.Place found = overflow;
            if (!meetsOverflow(recovered.get(at - 1), 0, base)) {
                overflow = found;
            }
        }
        return overflow != null;
    }

    /** Whether a segment that need not be read is to be split: only where the next one is too far away for one segment. */
    private boolean overflows(final Segment segment, final long end) {
        if (end == Long.MAX_VALUE || end - segment.baseOffset() <= Integer.MAX_VALUE) {
            return false;
        }
        return meetsOverflow(segment, probe.floorPosition(segment, segment.baseOffset() + Integer.MAX_VALUE), end);
    }

    private boolean meetsOverflow(final Segment segment, final long from, final long end) {
        final SegmentScan walk = probe.start(segment, from, end, NOWHERE);
        long due = walk.expectedOffset();
        for (SegmentScan.Step step = walk.next(); step != SegmentScan.Step.END; step = walk.next()) {
            if (meetsOverflow(walk, step, due, segment)) {
                return true;
            }
            due = walk.expectedOffset();
        }
        probe.release();
        return false;
    }

    /** Whether the last entry of an index is true, which points to a position. */
    boolean isLastEntryTrue(final Segment segment, final long position) {
        return probe.isLastEntryTrue(segment, position);
    }

    /**
     * False if the log ends in this segment because of damage, or the segment must be split first.
     *
     * @param believed up to which position the index may be believed; {@link #NOWHERE} if it need not be looked at.
     */
    private boolean recoverSegment(final Segment segment, final boolean isSound, final long believed, final long end) {
        segment.index().endsAt(end);
        if (overflows(segment, end)) {
            return false;
        }
        final boolean isLast = end == Long.MAX_VALUE;
        final boolean isJudged = isLast || end > point;
        final long judgedFrom = isJudged ? probe.floorPosition(segment, point) : NOWHERE;
        final long statesFrom = statesFrom(segment, end);
        long feedFrom = NOWHERE;
        if (isLast) {
            feedFrom = judgedFrom < lastFeedFrom ? indexes.restoreUpTo(segment, judgedFrom) : lastFeedFrom;
            endOffset = segment.baseOffset();
        } else if (isJudged) {
            feedFrom = indexes.restoreUpTo(segment, judgedFrom);
        } else if (believed != NOWHERE) {
            feedFrom = indexes.mend(segment, isSealedLate ? Long.MAX_VALUE : end, believed);
        }
        final long from = Math.min(feedFrom, Math.min(judgedFrom, statesFrom));
        final boolean isWhole = from >= segment.bytes() || scanSegment(segment, from, feedFrom, end);
        if (!isLast && isWhole) {
            if (feedFrom != NOWHERE) {
                segment.index().seal();
                if (!isJudged) {
                    // The first force begins behind it.
                    segment.index().force();
                }
                indexes.noteMended(segment, isSound);
            }
            noteMissing(segment, from, end);
            if (from < segment.bytes() && scan.reason() != null && isTailSpare(end)) {
                cutTail(segment);
            }
        }
        return isWhole;
    }

    private long statesFrom(final Segment segment, final long end) {
        long from = NOWHERE;
        for (int i = 0; i < replayFrom.length; i++) {
            if (replayFrom[i] < end) {
                from = Math.min(from, probe.floorPosition(segment, replayFrom[i]));
                if (replayFrom[i] < segment.baseOffset()) {
                    states.get(i).snapshot(segment.baseOffset());
                }
            }
        }
        return from;
    }

    /** A segment in the middle that is empty, or ends before the next begins without a cleaner having been there. */
    private void noteMissing(final Segment segment, final long from, final long end) {
        final long bytes = segment.bytes();
        SegmentScan walked = scan;
        boolean isKnown = bytes == 0 || (from == 0 && scan.reason() == null);
        final boolean wasRead = from < bytes && scan.reason() == null;
        if (!isKnown
                && (wasRead
                        ? scan.expectedOffset() < end
                        : traces.isBetween(segment.baseOffset(), end) && probe.endsBefore(segment, end))) {
            // Whether a cleaner has made the gap shows only in the whole segment.
            walked = probe.walkThrough(segment, end);
            scannedBytes += walked.position();
            isKnown = walked.reason() == null;
        }
        final long reached = bytes == 0 ? segment.baseOffset() : walked.expectedOffset();
        // Too far for one segment: the log jumped, unless something is left of what was there.
        final boolean isJump = end - segment.baseOffset() > Integer.MAX_VALUE && !traces.isLostIn(reached, end);
        if (isKnown && !isJump && reached < end && !walked.isThinned() && !walked.isBehindBad()) {
            note(
                    RecoveryReport.Kind.OFFSETS_MISSING,
                    segment.path(),
                    bytes,
                    reached,
                    "offsets " + reached + " to " + (end - 1) + " are missing in front of the next segment");
        }
    }

    /** Entries behind the cut go; what was fed since the last one that stays is fed again. */
    private void cutIndex(final Segment segment) {
        final long from = segment.index().restore(endOffset, cutPosition);
        scan.start(segment, from, cutPosition, from == 0 ? segment.baseOffset() : -1, Long.MAX_VALUE, Long.MAX_VALUE);
        for (SegmentScan.Step step = scan.next(); step != SegmentScan.Step.END; step = scan.next()) {
            feed(segment, step);
        }
        segment.index().restored();
    }

    /** What lies where it should gets its entries, a damaged batch too: its place is known, and others are found from there. */
    private void feed(final Segment segment, final SegmentScan.Step step) {
        if (step == SegmentScan.Step.SOUND || scan.isPlaced()) {
            final RecordBatchFlyweight batch = scan.batch();
            segment.index().append(scan.expectedOffset() - 1, scan.position(), batch.maxTimestamp());
        }
    }

    private boolean scanSegment(final Segment segment, final long from, final long feedFrom, final long end) {
        SegmentProbe.start(scan, segment, from, end, point);
        long expected = scan.expectedOffset();
        for (SegmentScan.Step step = scan.next(); step != SegmentScan.Step.END; step = scan.next()) {
            if (meetsOverflow(scan, step, expected, segment)) {
                return false;
            }
            if (step == SegmentScan.Step.BAD || scan.epochFault() >= 0) {
                noteDamage(segment, step, expected);
            }
            expected = scan.expectedOffset();
            if (scan.position() >= feedFrom) {
                feed(segment, step);
            }
            if (step == SegmentScan.Step.SOUND) {
                apply(scan.batch(), segment.baseOffset());
            }
        }
        scannedBytes += scan.position() - from;
        final boolean isLast = end == Long.MAX_VALUE;
        if (isLast) {
            endOffset = Math.max(segment.baseOffset(), scan.expectedOffset());
        }
        return scan.reason() == null || !endsLog(segment, end);
    }

    private void apply(final RecordBatchFlyweight batch, final long base) {
        final long lastOffset = scan.expectedOffset() - 1;
        for (int i = 0; i < replayFrom.length; i++) {
            if (lastOffset >= replayFrom[i]) {
                states.get(i).apply(batch, base);
            }
        }
    }

    private void noteDamage(final Segment segment, final SegmentScan.Step step, final long expected) {
        if (step == SegmentScan.Step.BAD) {
            note(
                    RecoveryReport.Kind.DAMAGE_KEPT,
                    segment.path(),
                    scan.position(),
                    expected,
                    scan.kind() + ", the bytes stay: " + scan.reason());
        }
        if (scan.epochFault() >= 0) {
            note(
                    RecoveryReport.Kind.DAMAGE_KEPT,
                    segment.path(),
                    scan.epochFault(),
                    -1,
                    "EPOCH_FALLS, the bytes stay: the leader epoch of the batch is not its neighbours'");
        }
    }

    /** Whether a walk that ended early has met all offsets of a sealed segment, and behind them only what a crash leaves. */
    private boolean isTailSpare(final long end) {
        return end != Long.MAX_VALUE && scan.expectedOffset() == end && scan.isTornTail();
    }

    /** A roll gives back what was reserved of the segment before, but does not force that. */
    private void cutTail(final Segment segment) {
        final long position = scan.position();
        note(
                RecoveryReport.Kind.TAIL_CUT,
                segment.path(),
                position,
                scan.expectedOffset(),
                "what lies behind the last batch is cut: " + scan.reason());
        scan.release();
        segment.file().close();
        segment.truncate(storage, position);
        recovered.set(
                recovered.indexOf(segment),
                segment.through(storage.open(segment.path(), FileUse.READ_SEALED, 0), null, segment.modifiedMs()));
    }

    private boolean endsLog(final Segment segment, final long end) {
        final boolean isLast = end == Long.MAX_VALUE;
        if (isTailSpare(end)) {
            return false;
        }
        final long expected = Math.max(segment.baseOffset(), scan.expectedOffset());
        final String why = String.valueOf(scan.reason());
        // Behind the last offset that a sealed segment can have lies nothing at or above the point, whatever the bytes
        // are.
        if (!isLast && (Math.max(expected, servedFrom) < point || end <= point)) {
            note(
                    RecoveryReport.Kind.DAMAGE_KEPT,
                    segment.path(),
                    scan.position(),
                    expected,
                    "damage below the recovery point stays: " + why);
            return false;
        }
        final RecoveryReport.Kind kind =
                isLast && scan.isTornTail() ? RecoveryReport.Kind.TAIL_CUT : RecoveryReport.Kind.CUT;
        note(kind, segment.path(), scan.position(), expected, "the log is cut here: " + why);
        cutPosition = scan.position();
        endOffset = expected;
        return true;
    }

    /**
     * Cuts the log durably, before anything can be appended behind the cut. What lies behind goes first and from its end: while the
     * damage is there, an open that was interrupted finds it again, and nothing behind it can come back.
     */
    private void cut(final List<Segment> segments, final int last, final Consumer<Segment> behindCut) {
        scan.release();
        for (int i = segments.size() - 1; i > last; i--) {
            behindCut.accept(segments.get(i));
        }
        SegmentTails.cut(storage, directory, endOffset);
        storage.syncDirectory(directory);
        segments.get(last).truncate(storage, cutPosition);
    }

    @Override
    public void close() {
        scan.close();
        probe.close();
    }
}
