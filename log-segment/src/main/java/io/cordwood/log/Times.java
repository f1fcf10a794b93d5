package io.cordwood.log;

/** Sums and differences of times that saturate: a delay may be as good as for ever, and a timestamp lie near the end of time. */
final class Times {
    private Times() {}

    /** The time so many milliseconds after another. */
    static long after(final long timeMs, final long delayMs) {
        final long sum = timeMs + delayMs;
        final boolean overflowed = ((timeMs ^ sum) & (delayMs ^ sum)) < 0;
        return overflowed ? (timeMs < 0 ? Long.MIN_VALUE : Long.MAX_VALUE) : sum;
    }

    /** The milliseconds between two times; negative if the second comes first. */
    static long elapsed(final long fromMs, final long toMs) {
        final long elapsed = toMs - fromMs;
        final boolean overflowed = ((toMs ^ fromMs) & (toMs ^ elapsed)) < 0;
        return overflowed ? (toMs > fromMs ? Long.MAX_VALUE : Long.MIN_VALUE) : elapsed;
    }
}
