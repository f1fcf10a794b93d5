package io.cordwood.jmh;

import org.HdrHistogram.Histogram;
import org.openjdk.jmh.annotations.Level;
import org.openjdk.jmh.annotations.Param;
import org.openjdk.jmh.annotations.Scope;
import org.openjdk.jmh.annotations.Setup;
import org.openjdk.jmh.annotations.State;
import org.openjdk.jmh.annotations.TearDown;

/**
 * When each operation is due, and how long after that it was done. At a fixed rate an operation that is late makes those behind it
 * late too, as it does to whoever waits for them: nothing is left out because the one before took long.
 */
@State(Scope.Thread)
public class Pace {
    private static final long LONGEST_NS = 60_000_000_000L;
    private static final int DIGITS = 3;

    /** Operations in a second; 0 for one right behind the other, each timed from its own beginning. */
    @Param("0")
    public long rate = 0;

    private final Histogram nanos = new Histogram(LONGEST_NS, DIGITS);
    private long intervalNs;
    private long dueNs;

    /** Made by JMH. */
    public Pace() {}

    /** The first operation is due now. */
    @Setup(Level.Iteration)
    public void begin() {
        intervalNs = rate == 0 ? 0 : 1_000_000_000L / rate;
        nanos.reset();
        dueNs = System.nanoTime();
    }

    /** Hands over what was timed. */
    @TearDown(Level.Iteration)
    public void end() {
        LatencyProfiler.timed(nanos.copy());
    }

    /** Waits until the next operation is due. */
    void await() {
        if (rate == 0) {
            dueNs = System.nanoTime();
            return;
        }
        dueNs += intervalNs;
        while (System.nanoTime() < dueNs) {
            Thread.onSpinWait();
        }
    }

    /** Says that it was done. */
    void done() {
        nanos.recordValue(Math.min(LONGEST_NS, System.nanoTime() - dueNs));
    }
}
