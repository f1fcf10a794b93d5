package io.cordwood.log;

import io.cordwood.log.record.BatchValidator;
import io.cordwood.log.record.Refusal;
import io.cordwood.log.store.FileView;
import io.cordwood.log.store.StorageFile;
import java.util.ArrayList;
import java.util.List;
import java.util.function.LongSupplier;
import org.agrona.CloseHelper;

/**
 * Takes records away from a log: whole segments from its front (retention, a moved start), and everything behind an offset
 * from its end (truncation). The writer's thread only.
 */
final class LogShrinking {
    private static final int CHUNK_BYTES = 1 << 20;

    private final LogParts parts;
    private final LogSegments segments;
    private final LogPositions positions;
    private final LogAppends appends;
    private final LogForces forces;
    private final List<DerivedState> states;
    private final List<RecoveryReport.Entry> findings = new ArrayList<>();
    private final FileView view = new FileView();

    LogShrinking(
            final LogParts parts,
            final LogSegments segments,
            final LogPositions positions,
            final LogAppends appends,
            final LogForces forces,
            final List<DerivedState> states) {
        this.parts = parts;
        this.segments = segments;
        this.positions = positions;
        this.appends = appends;
        this.forces = forces;
        this.states = states;
    }

    RetentionResult retain(final LogConfig config, final long nowMs, final long highWatermark) {
        final int byStart = dropWhere(config, nowMs, highWatermark, this::isBelowStart);
        long blocker = -1;
        long blockerTimestamp = -1;
        int byTime = 0;
        if (config.retentionMs() >= 0) {
            byTime = dropWhere(
                    config,
                    nowMs,
                    highWatermark,
                    (list, index) -> ageMs(list.get(index), nowMs) > config.retentionMs());
            final Segment first = segments.list().first();
            final long timestamp = first.lookUps().largestTimestamp(view);
            if (timestamp > nowMs && isYoungerOneOld(config, nowMs)) {
                blocker = first.baseOffset();
                blockerTimestamp = timestamp;
            }
        }
        int bySize = 0;
        if (config.retentionBytes() >= 0) {
            final Excess excess = new Excess(config.retentionBytes());
            bySize = dropWhere(config, nowMs, highWatermark, excess::takes);
        }
        view.release();
        // Behind all that is to be dropped, so that a disk that refuses this keeps nothing in the log.
        segments.renameDropped(nowMs);
        return new RetentionResult(positions.startOffset(), byTime, bySize, byStart, blocker, blockerTimestamp);
    }

    private boolean isYoungerOneOld(final LogConfig config, final long nowMs) {
        final SegmentList list = segments.list();
        for (int i = 1; i < list.size(); i++) {
            if (list.get(i).bytes() > 0 && ageMs(list.get(i), nowMs) > config.retentionMs()) {
                return true;
            }
        }
        return false;
    }

    private long ageMs(final Segment segment, final long nowMs) {
        final long largest = segment.lookUps().largestTimestamp(view);
        // A damaged index may not know the youngest records: they are no reason to drop the segment before its time.
        final boolean isKnown = largest >= 0 && segment.lookUps().damage() == null;
        return nowMs - (isKnown ? largest : Math.max(largest, segment.modifiedMs()));
    }

    private boolean isBelowStart(final SegmentList list, final int index) {
        // The active segment stays, as Kafka's does, also if the start has come to the end.
        return index < list.size() - 1 && list.get(index + 1).baseOffset() <= positions.startOffset();
    }

    /** Whether a segment is to go, given that all before it go. */
    private interface Condition {
        boolean holds(SegmentList list, int index);
    }

    /** Size retention: what is over the limit, counted from the front. */
    private final class Excess {
        private long bytes;

        Excess(final long retentionBytes) {
            bytes = segments.list().sizeInBytes() - retentionBytes;
        }

        boolean takes(final SegmentList list, final int index) {
            bytes -= list.get(index).bytes();
            return bytes >= 0;
        }
    }

    private int dropWhere(
            final LogConfig config, final long nowMs, final long highWatermark, final Condition condition) {
        final SegmentList list = segments.list();
        final long end = positions.publishedEnd();
        int count = 0;
        while (count < list.size()
                && list.endOffset(count, end) <= highWatermark
                && (count < list.size() - 1 || (list.get(count).bytes() > 0 && end <= LogFiles.BASE_MAX))
                && condition.holds(list, count)) {
            count++;
        }
        return drop(count, config, nowMs);
    }

    /** Drops the first segments, and says how many; the log keeps an active one, if need be a new one at its end. */
    private int drop(final int count, final LogConfig config, final long nowMs) {
        if (count == 0) {
            return 0;
        }
        if (count == segments.list().size() && !appends.roll(nowMs)) {
            // Only damage is left of the last one, and no other can follow it.
            return drop(count - 1, config, nowMs);
        }
        final long base = segments.list().get(count).baseOffset();
        // Were its name lost and the others gone, offsets would be given twice.
        forces.secureNames();
        final long newStart = Math.max(positions.startOffset(), base);
        // Readers first learn that the offsets are gone, then lose the files.
        positions.startOffset(newStart);
        segments.dropFront(count, config, nowMs);
        retainStates(newStart);
        return count;
    }

    private void retainStates(final long startOffset) {
        final long[] bases = segments.list().bases();
        for (final DerivedState state : states) {
            state.retain(startOffset, bases);
        }
    }

    long deletePrefix(final LogConfig config, final long offset, final long highWatermark, final long nowMs) {
        if (offset > Math.min(highWatermark, positions.publishedEnd())) {
            return Refusal.OFFSET_OUT_OF_RANGE;
        }
        if (offset > positions.startOffset()) {
            positions.startOffset(offset);
            retainStates(offset);
            final SegmentList list = segments.list();
            // The active segment stays, however much of it is below the start.
            int count = 0;
            while (isBelowStart(list, count)) {
                count++;
            }
            drop(count, config, nowMs);
            segments.renameDropped(nowMs);
        }
        return positions.startOffset();
    }

    long truncateTo(final LogConfig config, final long offset, final long nowMs) {
        appends.requireUsable("truncate");
        if (offset < positions.startOffset()) {
            return Refusal.OFFSET_OUT_OF_RANGE;
        }
        final long end = positions.publishedEnd();
        if (offset >= end) {
            // Nothing to cut, but entries of derived states at or past the end (an epoch without a batch) go.
            return excluding(() -> restoreStatesAt(end));
        }
        return excluding(() -> cut(config, offset));
    }

    private long restoreStatesAt(final long end) {
        final long[] bases = segments.list().bases();
        for (final DerivedState state : states) {
            state.force(end);
        }
        replay(bases, end);
        return end;
    }

    private long excluding(final LongSupplier act) {
        if (!forces.tryExclude()) {
            return Refusal.FORCE_UNDER_WAY;
        }
        try {
            return act.getAsLong();
        } catch (final RuntimeException | Error e) {
            appends.fence(e);
            throw e;
        } finally {
            positions.historySettles();
            forces.include();
        }
    }

    private long cut(final LogConfig config, final long offset) {
        // The states run ahead of their files; what they know of offsets that stay must not be lost with the rest.
        for (final DerivedState state : states) {
            state.force(positions.publishedEnd());
        }
        final SegmentList list = segments.list();
        final int last = list.floor(offset);
        final Segment kept = list.get(last);
        final TruncationCut cut = findCut(list, last, offset).notBelow(positions.startOffset());
        positions.historyChanges(cut.endOffset());
        if (!parts.guard().lowered(Math.min(cut.endOffset(), cut.batchesEnd()))) {
            return Refusal.FORCE_UNDER_WAY;
        }
        positions.gap(cut.batchesEnd(), cut.endOffset());
        positions.cutTo(cut.endOffset());
        forces.cutTo(cut.endOffset());
        positions.publishedEnd(cut.endOffset());
        final boolean wasActive = last == list.size() - 1;
        segments.cutBehind(last);
        final Segment active = wasActive ? kept : reopened(config, cut.position());
        if (wasActive) {
            active.file().truncate(cut.position());
        }
        active.file().force();
        active.readFirstTimestamp();
        restoreIndex(active, cut.endOffset(), cut.position());
        SegmentTails.cut(parts.storage(), parts.directory(), cut.endOffset());
        parts.storage().syncDirectory(parts.directory());
        replay(segments.list().bases(), cut.endOffset());
        positions.appendedEnd(cut.endOffset());
        appends.resume(cut.batchesEnd());
        return cut.endOffset();
    }

    private TruncationCut findCut(final SegmentList list, final int index, final long offset) {
        final Segment segment = list.get(index);
        try (BatchValidator validator = new BatchValidator(parts.codecs());
                SegmentProbe probe = new SegmentProbe(validator);
                SegmentScan scan = new SegmentScan(CHUNK_BYTES, validator)) {
            return TruncationCut.find(
                    scan,
                    probe,
                    segment,
                    offset,
                    list.endOffset(index, Long.MAX_VALUE),
                    parts.storage().describe(segment.path()));
        }
    }

    /**
     * The last segment on the list, which was sealed, with its file cut and open for appending. Until that has succeeded the list
     * has it as it was: readers need what lies below the cut.
     */
    private Segment reopened(final LogConfig config, final long position) {
        final Segment sealed = segments.list().active();
        final StorageFile file = segments.files().openForAppending(sealed, config);
        final Segment active = sealed.through(file, null, sealed.modifiedMs());
        try {
            file.truncate(position);
        } catch (final RuntimeException | Error e) {
            CloseHelper.close(e::addSuppressed, file);
            throw e;
        }
        segments.reset(segments.list().upTo(segments.list().size() - 1, active));
        sealed.file().close();
        return active;
    }

    /** As an open does: an index whose last entry is not true is built anew, and a misplaced batch has no place in it. */
    private void restoreIndex(final Segment active, final long end, final long position) {
        long from = active.index().restore(end, position);
        try (BatchValidator validator = new BatchValidator(parts.codecs());
                SegmentProbe probe = new SegmentProbe(validator);
                SegmentScan scan = new SegmentScan(CHUNK_BYTES, validator)) {
            if (from > 0 && !probe.isLastEntryTrue(active, from)) {
                active.index().distrust();
                from = 0;
            }
            SegmentProbe.start(scan, active, from, Long.MAX_VALUE, Long.MAX_VALUE);
            for (SegmentScan.Step step = scan.next(); step != SegmentScan.Step.END; step = scan.next()) {
                if (step == SegmentScan.Step.SOUND || scan.isPlaced()) {
                    active.index()
                            .append(
                                    scan.expectedOffset() - 1,
                                    scan.position(),
                                    scan.batch().maxTimestamp());
                }
            }
        }
        active.index().restored();
    }

    /** Restores the derived states from their files and replays what these do not tell. */
    private void replay(final long[] bases, final long end) {
        for (final DerivedState state : states) {
            final long from = state.restore(positions.startOffset(), bases, end);
            if (from < end) {
                replay(state, from, end);
            }
        }
    }

    private void replay(final DerivedState state, final long from, final long end) {
        final SegmentList list = segments.list();
        try (BatchValidator validator = new BatchValidator(parts.codecs());
                SegmentScan scan = new SegmentScan(CHUNK_BYTES, validator)) {
            for (int i = Math.max(0, list.floor(from)); i < list.size(); i++) {
                final Segment segment = list.get(i);
                if (segment.baseOffset() > from) {
                    state.snapshot(segment.baseOffset());
                }
                final long position = segment.floorPosition(from, view);
                final long next = i + 1 < list.size() ? list.get(i + 1).baseOffset() : Long.MAX_VALUE;
                final long expected = position == 0 ? segment.baseOffset() : -1;
                scan.start(segment, position, segment.bytes(), expected, next, end);
                replay(state, scan, segment, from);
            }
        } finally {
            view.release();
        }
    }

    /** As an open does: behind what is damaged it goes on. */
    private void replay(final DerivedState state, final SegmentScan scan, final Segment segment, final long from) {
        long expected = scan.expectedOffset();
        for (SegmentScan.Step step = scan.next(); step != SegmentScan.Step.END; step = scan.next()) {
            if (step == SegmentScan.Step.BAD) {
                noteDamage(segment, scan, expected, scan.kind() + ", ");
            } else if (scan.batch().lastOffset() >= from) {
                state.apply(scan.batch(), segment.baseOffset());
            }
            expected = scan.expectedOffset();
        }
        if (scan.reason() != null) {
            noteDamage(segment, scan, expected, "to the end of the segment, ");
        }
    }

    private void noteDamage(final Segment segment, final SegmentScan scan, final long offset, final String what) {
        final RecoveryReport.Entry found = new RecoveryReport.Entry(
                RecoveryReport.Kind.DAMAGE_KEPT,
                segment.path(),
                scan.position(),
                offset,
                what + "met by the replay after a truncation, the bytes stay: " + scan.reason());
        // Each derived state reads it.
        if (!findings.contains(found)) {
            findings.add(found);
        }
    }

    /** What truncations have found damaged since the last call. */
    List<RecoveryReport.Entry> takeFindings() {
        final List<RecoveryReport.Entry> taken = List.copyOf(findings);
        findings.clear();
        return taken;
    }

    long truncateFullyAndStartAt(final LogConfig config, final long offset, final long nowMs) {
        appends.requireUsable("truncate");
        if (offset < 0 || offset > LogFiles.BASE_MAX) {
            return Refusal.OFFSET_OUT_OF_RANGE;
        }
        return excluding(() -> startAnew(config, offset, nowMs));
    }

    private long startAnew(final LogConfig config, final long offset, final long nowMs) {
        final SegmentList old = segments.list();
        positions.historyChanges(0);
        if (!parts.guard().lowered(0)) {
            return Refusal.FORCE_UNDER_WAY;
        }
        segments.deleteDropped();
        positions.cutTo(0);
        positions.publishedEnd(positions.startOffset());
        forces.cutTo(0);
        // The states forget first, and durably. What an interruption leaves is the old log or a shorter one, whose
        // recovery point is 0 and from which they are replayed; never a new log with the states of the old one.
        for (final DerivedState state : states) {
            state.restore(0, new long[] {0}, 0);
        }
        // From the end and each durably, so that what is left is whole, and no old segment comes back behind the new
        // one.
        for (int i = old.size() - 1; i >= 0; i--) {
            segments.deleteNow(old.get(i));
        }
        final Segment fresh = segments.files().create(offset, config, 0, nowMs);
        segments.reset(new SegmentList(fresh));
        SegmentTails.removeAll(parts.storage(), parts.directory());
        final long[] bases = {offset};
        for (final DerivedState state : states) {
            state.restore(offset, bases, offset);
        }
        fresh.file().force();
        parts.storage().syncDirectory(parts.directory());
        parts.guard().begins(offset);
        positions.startOffset(Math.min(positions.startOffset(), offset));
        positions.publishedEnd(offset);
        positions.startOffset(offset);
        positions.appendedEnd(offset);
        positions.gap(offset, offset);
        positions.flushedEnd(offset);
        appends.resume(positions.publishedEnd());
        return offset;
    }
}
