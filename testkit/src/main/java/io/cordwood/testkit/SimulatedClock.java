package io.cordwood.testkit;

import java.util.concurrent.TimeUnit;
import org.agrona.concurrent.EpochClock;
import org.agrona.concurrent.NanoClock;

/**
 * A clock that stands still until somebody moves it. It owns two times, as a machine does: that of the wall, which may jump, and the
 * one since the start, which only goes on.
 *
 * <p>Threads: any.
 */
public final class SimulatedClock implements EpochClock, NanoClock {
    private volatile long wallMs;
    private volatile long elapsedMs;

    /**
     * Creates a clock.
     *
     * @param startMs the time of the wall, milliseconds since the epoch.
     */
    public SimulatedClock(final long startMs) {
        this.wallMs = startMs;
    }

    /** The time of the wall, in milliseconds since the epoch. */
    @Override
    public long time() {
        return wallMs;
    }

    /** The time since the start, in nanoseconds. */
    @Override
    public long nanoTime() {
        return TimeUnit.MILLISECONDS.toNanos(elapsedMs);
    }

    /**
     * The time since the start, which no jump of the wall's changes.
     *
     * @return milliseconds, 0 at first.
     */
    public long elapsedMs() {
        return elapsedMs;
    }

    /**
     * Lets time pass: both times go on.
     *
     * @param ms milliseconds, at least 0.
     * @throws IllegalArgumentException if one of them would be more than a long can say; both stay as they are.
     */
    public synchronized void advance(final long ms) {
        if (ms < 0) {
            throw new IllegalArgumentException("time does not go back: " + ms + " ms");
        }
        final long newElapsedMs = sum(elapsedMs, ms);
        wallMs = sum(wallMs, ms);
        elapsedMs = newElapsedMs;
    }

    /**
     * Sets the wall's time forth or back, as an operator or a time server does.
     *
     * @param ms milliseconds, below 0 for back.
     * @throws IllegalArgumentException if it would be more than a long can say; it stays as it is.
     */
    public synchronized void jump(final long ms) {
        wallMs = sum(wallMs, ms);
    }

    /** The time that is so much later, or earlier; never one from the other end of the range. */
    static long sum(final long timeMs, final long ms) {
        final long sum = timeMs + ms;
        if (((timeMs ^ sum) & (ms ^ sum)) < 0) {
            throw new IllegalArgumentException("no clock tells the time " + ms + " ms from " + timeMs + " ms");
        }
        return sum;
    }
}
