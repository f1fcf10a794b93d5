package io.cordwood.log;

import java.util.List;
import org.agrona.concurrent.Agent;
import org.agrona.concurrent.EpochClock;

/**
 * Opens the logs of data directories on a thread of its own, one in each duty cycle. Several of them share the work: give all
 * the same loadings.
 *
 * <p>An edge: run it under an {@code AgentRunner}, or step it.
 */
public final class LoadAgent implements Agent {
    private final List<LogLoading> loadings;
    private final EpochClock clock;
    private int turn;

    /**
     * Creates an agent.
     *
     * @param loadings one for each data directory; taken from in turn, so that all disks are busy.
     * @param clock for the logs that are opened.
     */
    public LoadAgent(final List<LogLoading> loadings, final EpochClock clock) {
        this.loadings = List.copyOf(loadings);
        this.clock = clock;
    }

    /**
     * Opens one log.
     *
     * @return 1, or 0 if there is no more to open.
     */
    @Override
    public int doWork() {
        for (int i = 0; i < loadings.size(); i++) {
            final LoadUnit unit = loadings.get(turn).next();
            turn = (turn + 1) % loadings.size();
            if (unit != null) {
                unit.run(clock.time());
                return 1;
            }
        }
        return 0;
    }

    @Override
    public String roleName() {
        return "cordwood-load";
    }
}
