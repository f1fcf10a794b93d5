package io.cordwood.log;

import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.concurrent.atomic.AtomicInteger;
import org.jspecify.annotations.Nullable;

/**
 * One pass of opening the partitions of a data directory: pieces of work, for as many threads as there are, and how far they
 * are. Got from {@link LogDirectory#load}. Any thread.
 */
public final class LogLoading {
    private final List<LoadUnit> units;
    private final AtomicInteger next = new AtomicInteger();
    private final AtomicInteger done = new AtomicInteger();
    private final AtomicInteger withdrawn = new AtomicInteger();

    LogLoading(final LogDirectory directory, final LogSetup setup, final Collection<PartitionCells> partitions) {
        final List<LoadUnit> all = new ArrayList<>(partitions.size());
        for (final PartitionCells partition : partitions) {
            all.add(new LoadUnit(directory, setup, partition, done::incrementAndGet));
        }
        units = List.copyOf(all);
    }

    /**
     * Takes the next piece of work, which the caller must then run.
     *
     * @return the open of one partition; null if all are taken.
     */
    public @Nullable LoadUnit next() {
        if (next.get() >= units.size()) {
            return null;
        }
        final int taken = next.getAndIncrement();
        return taken < units.size() ? units.get(taken) : null;
    }

    /**
     * Hands out nothing more, withdraws what was handed out and not run yet, and ends what is running before its next segment.
     * Another loading opens these partitions.
     */
    public void interrupt() {
        next.set(units.size());
        for (final LoadUnit unit : units) {
            unit.progress().interrupt();
            if (unit.withdraw()) {
                withdrawn.incrementAndGet();
            }
        }
    }

    /**
     * Whether nothing is running and nothing more will be handed out.
     *
     * @return true at the end.
     */
    public boolean isDone() {
        return done.get() + withdrawn.get() >= units.size();
    }

    /**
     * Partitions whose open has ended, well or badly.
     *
     * @return their number.
     */
    public int partitionsDone() {
        return done.get();
    }

    /**
     * Partitions whose open has not ended.
     *
     * @return their number; after an interruption above 0 for ever.
     */
    public int partitionsLeft() {
        return units.size() - done.get();
    }

    /**
     * Every piece of work, for its state.
     *
     * @return by the names of the partitions.
     */
    public List<LoadUnit> units() {
        return units;
    }
}
