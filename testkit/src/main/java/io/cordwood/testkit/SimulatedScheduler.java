package io.cordwood.testkit;

import java.util.Comparator;
import java.util.Objects;
import java.util.PriorityQueue;
import java.util.Random;

/**
 * Runs tasks one after the other on the calling thread, each when its time has come, and moves the clock to that time. It owns what is
 * still to run. Of tasks that are due at once the seed says which comes first, so that many seeds try many orders.
 *
 * <p>Threads: one. A task may schedule others, itself as well, and may let time pass; what was due in between runs late then.
 * An exception from a task goes to whoever runs it, and the task is gone.
 */
public final class SimulatedScheduler {
    private record Due(long atMs, long lot, long number, String name, Runnable task) {}

    private final SimulatedClock clock;
    private final Random random;
    private final SimulationTrace trace = new SimulationTrace();
    private final PriorityQueue<Due> due = new PriorityQueue<>(
            Comparator.comparingLong(Due::atMs).thenComparingLong(Due::lot).thenComparingLong(Due::number));
    private long scheduled;

    /**
     * Creates a scheduler with nothing to run.
     *
     * @param clock that is moved.
     * @param seed of the order among tasks that are due at once.
     */
    public SimulatedScheduler(final SimulatedClock clock, final long seed) {
        this.clock = Objects.requireNonNull(clock, "clock");
        this.random = new Random(seed);
    }

    /**
     * Schedules a task.
     *
     * @param delayMs milliseconds from now, at least 0.
     * @param name of it, for the trace: the same in each run with the same seed.
     * @param task to run, once.
     * @throws IllegalArgumentException if the delay is below 0, or ends later than a clock can tell.
     */
    public void after(final long delayMs, final String name, final Runnable task) {
        if (delayMs < 0) {
            throw new IllegalArgumentException(name + " is to run " + -delayMs + " ms ago");
        }
        Objects.requireNonNull(task, "task");
        due.add(new Due(SimulatedClock.sum(clock.elapsedMs(), delayMs), random.nextLong(), scheduled++, name, task));
    }

    /**
     * Runs the next task, however far away it is.
     *
     * @return false if there is none.
     */
    public boolean runNext() {
        final Due next = due.peek();
        if (next == null) {
            return false;
        }
        clock.advance(Math.max(0, next.atMs - clock.elapsedMs()));
        due.remove();
        trace.add(clock.elapsedMs() + " " + next.name);
        next.task.run();
        return true;
    }

    /**
     * Runs all that is due within a time, what that schedules included, and lets the time pass.
     *
     * @param ms milliseconds, at least 0.
     * @return how many tasks were run.
     */
    public int runFor(final long ms) {
        if (ms < 0) {
            throw new IllegalArgumentException("time does not go back: " + ms + " ms");
        }
        final long endMs = SimulatedClock.sum(clock.elapsedMs(), ms);
        int count = 0;
        for (Due next = due.peek(); next != null && next.atMs <= endMs; next = due.peek()) {
            runNext();
            count++;
        }
        clock.advance(Math.max(0, endMs - clock.elapsedMs()));
        return count;
    }

    /**
     * Tasks that are still to run.
     *
     * @return a count.
     */
    public int waiting() {
        return due.size();
    }

    SimulatedClock clock() {
        return clock;
    }

    /**
     * What was run, and what those who share the trace have added.
     *
     * @return the trace of this scheduler, always the same.
     */
    public SimulationTrace trace() {
        return trace;
    }
}
