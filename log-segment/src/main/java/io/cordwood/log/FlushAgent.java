package io.cordwood.log;

import java.util.Arrays;
import java.util.Objects;
import org.agrona.concurrent.Agent;
import org.agrona.concurrent.EpochClock;

/**
 * Forces logs on a thread of its own, so that a slow disk delays no append: whenever an append has asked for it, and when
 * {@code flush.messages} or {@code flush.ms} say so. One force covers every append that came before it.
 *
 * <p>An edge: run it under an {@code AgentRunner}, or step it. Logs may be added and removed by any one thread.
 */
public final class FlushAgent implements Agent {
    private static final Log[] NONE = {};

    private final EpochClock clock;
    private volatile Log[] logs = NONE;

    /**
     * Creates an agent that forces nothing yet.
     *
     * @param clock for {@code flush.ms}.
     */
    public FlushAgent(final EpochClock clock) {
        this.clock = Objects.requireNonNull(clock, "clock");
    }

    /**
     * Begins to force a log.
     *
     * @param log open.
     */
    public void add(final Log log) {
        final Log[] old = logs;
        final Log[] next = Arrays.copyOf(old, old.length + 1);
        next[old.length] = log;
        logs = next;
    }

    /**
     * Stops to force a log; a force that is under way goes on, and a close of the log waits for it.
     *
     * @param log that was added.
     */
    public void remove(final Log log) {
        logs = Arrays.stream(logs).filter(other -> other != log).toArray(Log[]::new);
    }

    /**
     * Forces each log that is due, one after the other. A log whose force fails is poisoned and tells its own writer; the
     * others go on.
     *
     * @return logs that were forced.
     */
    @Override
    public int doWork() {
        int done = 0;
        for (final Log log : logs) {
            if (log.isFlushDue(clock.time())) {
                final ForceTarget target = log.beginForce();
                if (target != null) {
                    target.tryRun();
                    done++;
                }
            }
        }
        return done;
    }

    @Override
    public String roleName() {
        return "cordwood-flush";
    }
}
