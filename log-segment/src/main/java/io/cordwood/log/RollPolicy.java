package io.cordwood.log;

/** When an append begins a new segment: the settings of one log as they count for its active segment. Immutable. */
final class RollPolicy {
    private final long segmentBytes;
    private final long rollMs;

    private RollPolicy(final long segmentBytes, final long rollMs) {
        this.segmentBytes = segmentBytes;
        this.rollMs = rollMs;
    }

    /**
     * The policy for one segment.
     *
     * @param config of the log.
     * @param jitterSeed from which it follows what is taken off {@code segment.ms} for this segment.
     * @param baseOffset of the segment.
     */
    static RollPolicy of(final LogConfig config, final long jitterSeed, final long baseOffset) {
        return new RollPolicy(config.segmentBytes(), config.segmentMs() - jitterMs(config, jitterSeed, baseOffset));
    }

    /**
     * Whether a batch must not go into the active segment any more. An empty segment takes every batch whose offsets fit.
     *
     * @param active segment.
     * @param bytes in the active segment, not yet published ones included.
     * @param batchBytes of the batch.
     * @param lastOffset of the batch.
     * @param maxTimestamp of the batch, or -1.
     * @param nowMs the time.
     */
    boolean isRollDue(
            final Segment active,
            final long bytes,
            final int batchBytes,
            final long lastOffset,
            final long maxTimestamp,
            final long nowMs) {
        if (lastOffset - active.baseOffset() > Integer.MAX_VALUE) {
            return true;
        }
        return bytes > 0
                && (bytes + batchBytes > segmentBytes || active.index().isFull() || isOld(active, maxTimestamp, nowMs));
    }

    /**
     * Age is measured between the segment's first batch and this one, so that old records that are copied do not roll at each
     * append; only where the first batch has no timestamp the clock counts.
     */
    private boolean isOld(final Segment active, final long maxTimestamp, final long nowMs) {
        final long first = active.firstTimestamp();
        if (first < 0) {
            return Times.elapsed(active.modifiedMs(), nowMs) > rollMs;
        }
        return maxTimestamp >= 0 && Times.elapsed(first, maxTimestamp) > rollMs;
    }

    /** Part of {@code segment.jitter.ms} for one segment: the same for the same seed and base, so that a replay rolls alike. */
    private static long jitterMs(final LogConfig config, final long seed, final long baseOffset) {
        final long most = Math.min(config.segmentJitterMs(), config.segmentMs());
        if (most <= 0) {
            return 0;
        }
        // SplitMix64 of seed and base.
        long z = seed + baseOffset * 0x9E3779B97F4A7C15L + 0x9E3779B97F4A7C15L;
        z = (z ^ (z >>> 30)) * 0xBF58476D1CE4E5B9L;
        z = (z ^ (z >>> 27)) * 0x94D049BB133111EBL;
        z ^= z >>> 31;
        return Long.remainderUnsigned(z, most);
    }
}
