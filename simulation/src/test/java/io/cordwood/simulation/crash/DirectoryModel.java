package io.cordwood.simulation.crash;

import io.cordwood.log.PartitionName;
import io.cordwood.testkit.LogHistory;
import java.util.Collection;
import java.util.Map;
import java.util.Objects;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;

/** Which partitions a data directory must have, may have and must not have, and what is owed of each. */
final class DirectoryModel {
    private final Map<PartitionName, LogHistory> logs = new TreeMap<>();
    private @Nullable PartitionName undecided;
    private boolean isClosed;
    private long promises;

    void creating(final PartitionName name) {
        undecided = name;
        logs.put(name, new LogHistory());
        promises++;
    }

    LogHistory created(final PartitionName name) {
        undecided = null;
        promises++;
        return log(name);
    }

    void deleting(final PartitionName name) {
        undecided = name;
        promises++;
    }

    void deleted(final PartitionName name) {
        undecided = null;
        logs.remove(name);
        promises++;
    }

    /** Whether the marker of a clean close must be there. */
    void closed(final boolean isClean) {
        isClosed = isClean;
        promises++;
    }

    boolean isClosed() {
        return isClosed;
    }

    LogHistory log(final PartitionName name) {
        return Objects.requireNonNull(logs.get(name), name.toString());
    }

    void require(final Collection<PartitionName> found) {
        for (final PartitionName name : found) {
            if (!logs.containsKey(name)) {
                throw new AssertionError(name + " is there, but was deleted or never made");
            }
        }
        for (final PartitionName name : logs.keySet()) {
            if (!found.contains(name) && !name.equals(undecided)) {
                throw new AssertionError(name + " is missing; found are " + found);
            }
        }
    }

    long promises() {
        long sum = promises;
        for (final LogHistory log : logs.values()) {
            sum += log.promises();
        }
        return sum;
    }
}
