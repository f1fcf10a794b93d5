package io.cordwood.testkit;

import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import org.agrona.concurrent.EpochClock;
import org.agrona.concurrent.NanoClock;

/**
 * A clock that stands still until somebody moves it. It owns two times, as a machine does: that of the wall, which may jump, and the
 * one since the start, which only goes on.
 *
 * <p>Threads: any.
 */
public final class SimulatedClock implements EpochClock, NanoClock {
    private final AtomicLong wallMs;
    private final AtomicLong elapsedMs = new AtomicLong();

    /**
     * Creates a clock.
     *
     * @param startMs the time of the wall, milliseconds since the epoch.
     */
    public SimulatedClock(final long startMs) {
        this.wallMs = new AtomicLong(startMs);
    }

    /** The time of the wall, in milliseconds since the epoch. */
    @Override
    public long time() {
        return wallMs.get();
    }

    /** The time since the start, in nanoseconds. */
    @Override
    public long nanoTime() {
        return TimeUnit.MILLISECONDS.toNanos(elapsedMs.get());
    }

    /**
     * The time since the start, which no jump of the wall's changes.
     *
     * @return milliseconds, 0 at first.
     */
    public long elapsedMs() {
        return elapsedMs.get();
    }

    /**
     * Lets time pass: both times go on.
     *
     * @param ms milliseconds, at least 0.
     */
    public void advance(final long ms) {
        if (ms < 0) {
            throw new IllegalArgumentException("time does not go back: " + ms + " ms");
        }
        elapsedMs.addAndGet(ms);
        wallMs.addAndGet(ms);
    }

    /**
     * Sets the wall's time forth or back, as an operator or a time server does.
     *
     * @param ms milliseconds, below 0 for back.
     */
    public void jump(final long ms) {
        wallMs.addAndGet(ms);
    }
}
