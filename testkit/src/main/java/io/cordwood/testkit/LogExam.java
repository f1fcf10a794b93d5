package io.cordwood.testkit;

import io.cordwood.log.Log;
import io.cordwood.log.RecoveryReport.Kind;
import io.cordwood.log.record.RecordBatchFlyweight;
import java.util.Arrays;
import java.util.EnumSet;
import java.util.NavigableMap;
import java.util.Set;
import java.util.TreeMap;
import java.util.function.LongPredicate;

/**
 * What a log that was opened after a crash holds, held against its {@link LogHistory}; and kept, so that what later opens find can be
 * held against it. The constructor throws unless
 *
 * <ul>
 *   <li>each batch that is owed is there, byte for byte, and none that was not appended or was taken back,
 *   <li>offsets rise, and where some are missing the open, or an earlier one, has told of it and nothing is owed,
 *   <li>look-ups by offset and time find what the scan found,
 *   <li>the leader epochs are those of the batches,
 *   <li>the report of the open tells of nothing but what a power cut explains.
 * </ul>
 *
 * <p>{@link LogChecker} does this and all else for a log that stands alone. One thread's, with the log open.
 */
public final class LogExam {
    /** What a recovery may report if nothing but the power has failed. */
    private static final Set<Kind> CRASHES = EnumSet.of(
            Kind.LEFTOVER_DELETED,
            Kind.INDEX_REBUILT,
            Kind.STATE_REBUILT,
            Kind.CUT,
            Kind.TAIL_CUT,
            Kind.SEGMENT_DELETED,
            Kind.OFFSETS_MISSING,
            Kind.END_TOO_LOW);

    private final LogHistory history;
    private final NavigableMap<Long, byte[]> found;
    private final LongPredicate mayBeGap;

    /**
     * Examines a log whose open has looked at everything that was not forced.
     *
     * @param log just opened.
     * @param history of it.
     * @throws AssertionError if it is not as it must be; with what was expected and what was found.
     */
    public LogExam(final Log log, final LogHistory history) {
        this(log, history, 0);
    }

    /**
     * Examines.
     *
     * @param log just opened.
     * @param history of it.
     * @param trustedBelow offset below which the open looks at nothing: a recovery that was cut may have told of a hole there.
     * @throws AssertionError if it is not as it must be; with what was expected and what was found.
     */
    public LogExam(final Log log, final LogHistory history, final long trustedBelow) {
        this.history = history;
        final LongPredicate told = gaps(log, history);
        this.mayBeGap = offset -> told.test(offset) || (offset >= history.pointMost() && offset < trustedBelow);
        this.found = LogContents.readAndLookUp(log, mayBeGap, history::isAppendedGap);
        history.require(found);
        requireEnd(log, history);
        requireEpochs(log);
    }

    /**
     * After a crash that is not in question: takes what is there for what was left, and the history goes on from it.
     *
     * @param log just opened.
     * @param history of it.
     */
    public static void goOn(final Log log, final LogHistory history) {
        requireEnd(log, history);
        history.found(LogContents.read(log, gaps(log, history), history::isAppendedGap), log.endOffset());
    }

    /**
     * The same after the death of the process alone: all that was published must be there.
     *
     * @param log just opened.
     * @param history of it.
     * @throws AssertionError if something published is missing.
     */
    public static void goOnAfterKill(final Log log, final LogHistory history) {
        history.requirePublished(LogContents.read(log, gaps(log, history), history::isAppendedGap));
        goOn(log, history);
    }

    /**
     * Throws if what was published is not all there, which only the death of the machine may cost.
     *
     * @throws AssertionError with what was expected and what was found.
     */
    public void requirePublished() {
        history.requirePublished(found);
    }

    /**
     * Throws if there is something that was not there at an earlier open, of which the power was cut later: what a recovery has cut does not come
     * back.
     *
     * @param earlier exam, with nothing appended since.
     * @throws AssertionError with the offsets of both.
     */
    public void requireNothingBut(final LogExam earlier) {
        if (!earlier.found.keySet().containsAll(found.keySet())) {
            throw new AssertionError("a recovery has left batches at " + earlier.found.keySet()
                    + "; after another power cut there are batches at " + found.keySet());
        }
    }

    /**
     * Throws if another open of the same log finds something else.
     *
     * @param log opened once more.
     * @param what was done in between, such as {@code "a second recovery"}.
     * @throws AssertionError if its batches differ by an offset or a byte.
     */
    public void requireSame(final Log log, final String what) {
        final NavigableMap<Long, byte[]> now = LogContents.readAndLookUp(log, mayBeGap, history::isAppendedGap);
        if (!found.keySet().equals(now.keySet())) {
            throw new AssertionError(
                    what + " changes the log: batches at " + found.keySet() + ", then at " + now.keySet());
        }
        found.forEach((offset, bytes) -> {
            final int at = Arrays.mismatch(bytes, now.get(offset));
            if (at >= 0) {
                throw new AssertionError(
                        what + " changes the log: the batch at " + offset + " differs from its byte " + at + " on");
            }
        });
    }

    /**
     * The holes between offsets that the open tells of; throws if it tells of what no power cut explains.
     *
     * @param log just opened.
     * @return whether an offset lies in one of them: each goes up to the next segment.
     * @throws AssertionError if something else must have failed than the power.
     */
    public static LongPredicate toldGaps(final Log log) {
        final NavigableMap<Long, Long> told = new TreeMap<>();
        for (final var entry : log.recovery().entries()) {
            if (!CRASHES.contains(entry.kind())) {
                throw new AssertionError("no power cut explains what is reported: " + entry.kind() + ", " + entry);
            }
            if (entry.kind() == Kind.OFFSETS_MISSING) {
                final long end = Arrays.stream(log.baseOffsets())
                        .filter(base -> base > entry.offset())
                        .findFirst()
                        .orElse(log.endOffset());
                told.put(entry.offset(), end);
            }
        }
        return offset -> {
            final var gap = told.floorEntry(offset);
            return gap != null && offset < gap.getValue();
        };
    }

    /**
     * Where offsets may be missing: below what is owed, where segments were dropped; in what was never forced, if the open tells of that very
     * hole; and where an open has told of it in an earlier life, or a leader's log has none. A truncation leaves no hole. Where a log has such
     * gaps, nobody can tell a segment's lost end from one of them.
     */
    private static LongPredicate gaps(final Log log, final LogHistory history) {
        final LongPredicate told = toldGaps(log);
        final long unforced = Math.max(history.owedEnd(), history.pointMost());
        return offset -> offset < history.owedFrom()
                || history.isGap(offset)
                || (offset >= unforced && (history.hasAppendedGaps() || told.test(offset)));
    }

    private static void requireEnd(final Log log, final LogHistory history) {
        if (log.endOffset() < history.endLeast()) {
            throw new AssertionError(
                    "the log ends at " + log.endOffset() + ", below what was forced: " + history.endLeast());
        }
        // A start is durable before what lies below it: the end may be lost below it only if nothing above is owed.
        final boolean isTooLow = log.recovery().entries().stream().anyMatch(e -> e.kind() == Kind.END_TOO_LOW);
        if (isTooLow && history.owedEnd() > history.owedFrom()) {
            throw new AssertionError("the log ended below its start " + history.owedFrom()
                    + ", forced are the offsets up to " + history.owedEnd());
        }
    }

    private void requireEpochs(final Log log) {
        found.forEach((offset, bytes) -> {
            final RecordBatchFlyweight batch = LogHistory.batch(bytes);
            final int told = log.leaderEpochs().epochAt(Math.max(offset, log.startOffset()));
            // What was dropped may come back without the epoch that went with it.
            if (batch.partitionLeaderEpoch() != told && offset >= history.owedFrom()) {
                throw new AssertionError("the batch at " + offset + " is of epoch " + batch.partitionLeaderEpoch()
                        + ", the table says " + told);
            }
        });
        if (!found.isEmpty() && found.lastKey() >= history.owedFrom()) {
            final int last = LogHistory.batch(found.lastEntry().getValue()).partitionLeaderEpoch();
            if (log.leaderEpochs().latestEpoch() != last) {
                throw new AssertionError("the last batch is of epoch " + last + ", the table ends with "
                        + log.leaderEpochs().entries());
            }
        }
    }
}
