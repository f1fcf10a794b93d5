package io.cordwood.log;

/**
 * What one pass of retention did.
 *
 * @param startOffset of the log after the pass.
 * @param byTime segments that were dropped because of {@code retention.ms}.
 * @param bySize segments that were dropped because of {@code retention.bytes}.
 * @param byStart segments that were dropped because they lay below the start of the log.
 * @param blocker base offset of a segment whose largest timestamp lies ahead of the clock, so that it and younger segments
 *     which are old enough stay; -1 if there is none.
 * @param blockerTimestamp largest timestamp of that segment; -1 if there is none.
 */
public record RetentionResult(
        long startOffset, int byTime, int bySize, int byStart, long blocker, long blockerTimestamp) {
    /**
     * Segments that were dropped.
     *
     * @return their number.
     */
    public int dropped() {
        return byTime + bySize + byStart;
    }
}
