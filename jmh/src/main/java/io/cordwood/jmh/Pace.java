package io.cordwood.jmh;

import org.HdrHistogram.Histogram;
import org.openjdk.jmh.annotations.Level;
import org.openjdk.jmh.annotations.Scope;
import org.openjdk.jmh.annotations.Setup;
import org.openjdk.jmh.annotations.State;
import org.openjdk.jmh.annotations.TearDown;

/**
 * When each operation is due, and how long after that it was done. At a fixed rate an operation that is late makes those behind it
 * late too, as it does to whoever waits for them: nothing is left out because the one before took long.
 */
@State(Scope.Thread)
public abstract class Pace {
    private static final long NS_PER_SECOND = 1_000_000_000L;
    private static final long LONGEST_NS = 60_000_000_000L;
    private static final int DIGITS = 3;

    /** System property by which the operations in a second are handed to the processes that measure. */
    static final String RATE_PROPERTY = "cordwood.bench.rate";

    private final Histogram nanos = new Histogram(LONGEST_NS, DIGITS);
    private final long intervalNs;
    private long dueNs;

    /**
     * Chooses the pace.
     *
     * @param rate operations in a second; 0 for one right behind the other, each timed from its own beginning.
     */
    protected Pace(final long rate) {
        intervalNs = rate == 0 ? 0 : NS_PER_SECOND / rate;
    }

    /** At the rate that was handed to this process. */
    public static class Fixed extends Pace {
        /** Made by JMH. */
        public Fixed() {
            super(handedOn());
        }

        private static long handedOn() {
            final long rate = Long.getLong(RATE_PROPERTY, 0);
            if (rate <= 0) {
                throw new IllegalStateException("no rate: name one with -D" + RATE_PROPERTY);
            }
            return rate;
        }
    }

    /** One right behind the other. */
    public static class BackToBack extends Pace {
        /** Made by JMH. */
        public BackToBack() {
            super(0);
        }
    }

    /** The first operation is due now. */
    @Setup(Level.Iteration)
    public void begin() {
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
        if (intervalNs == 0) {
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
