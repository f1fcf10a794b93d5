package io.cordwood.log;

import io.cordwood.log.store.Storage;
import io.cordwood.log.store.StorageException;
import java.util.Collection;
import java.util.Collections;
import java.util.HashSet;
import java.util.Set;
import java.util.SortedMap;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;

/** The partitions of a data directory that were opened, and those whose open went wrong. The directory's thread. */
final class OpenPartitions {
    private final SortedMap<PartitionName, PartitionCells> partitions = new TreeMap<>();
    private final Set<PartitionName> unsound = new HashSet<>();
    private @Nullable LogLoading loading;

    @Nullable
    PartitionCells get(final PartitionName name) {
        return partitions.get(name);
    }

    boolean isOpen(final PartitionName name) {
        final PartitionCells known = partitions.get(name);
        return known != null && known.isOpen();
    }

    boolean isUnsound(final PartitionName name) {
        return unsound.contains(name);
    }

    Collection<PartitionCells> all() {
        return Collections.unmodifiableCollection(partitions.values());
    }

    void opened(final PartitionCells partition) {
        partitions.put(partition.name(), partition);
        unsound.remove(partition.name());
    }

    void failed(final PartitionName name) {
        unsound.add(name);
    }

    void forget(final PartitionName name) {
        partitions.remove(name);
        unsound.remove(name);
    }

    void begin(final LogLoading begun) {
        loading = begun;
    }

    /** Takes note of the opens that have ended since the last call. False if some have not. */
    boolean collect() {
        final LogLoading present = loading;
        if (present == null) {
            return true;
        }
        final boolean isDone = present.isDone();
        for (final LoadUnit unit : present.units()) {
            switch (unit.state()) {
                case OPEN -> opened(unit.partition());
                case FAILED, INTERRUPTED -> failed(unit.partition().name());
                case WAITING, RUNNING, LEFT_ALONE -> {}
            }
        }
        if (isDone) {
            loading = null;
        }
        return isDone;
    }

    /** Interrupts a loading, and waits for what is running. */
    void endLoading() {
        if (loading != null) {
            loading.interrupt();
        }
        Waits.until(this::collect);
    }

    /** Forces the logs that are due. The failure of one, or of a write to it, is the disk's. */
    int flush(final Storage storage, final long nowMs) {
        int done = 0;
        for (final PartitionCells partition : partitions.values()) {
            final Log log = partition.log();
            if (!log.isClosed() && log.isFlushDue(nowMs)) {
                final ForceTarget target = log.beginForce();
                if (target != null) {
                    target.tryRun();
                    done++;
                }
            }
            final RuntimeException failure = log.diskFailure();
            if (failure != null) {
                throw new StorageException(
                        storage.describe(partition.name().directory()), "write", "the log is poisoned", failure);
            }
        }
        return done;
    }

    int requestRetention() {
        partitions.values().forEach(PartitionCells::requestRetention);
        return partitions.size();
    }

    /** Closes every log, and answers the first failure, with the others suppressed. */
    @Nullable
    RuntimeException close(final boolean isClean) {
        RuntimeException first = null;
        @Nullable Error error = null;
        for (final PartitionCells partition : partitions.values()) {
            try {
                if (isClean) {
                    partition.log().close();
                } else {
                    partition.log().closeUncleanly();
                }
            } catch (final RuntimeException e) {
                first = Failures.joined(first, e);
            } catch (final Error e) {
                error = error == null ? e : error;
            }
        }
        if (error != null) {
            // Only now, since whoever catches it gives the lock of the directory back.
            if (first != null) {
                error.addSuppressed(first);
            }
            throw error;
        }
        return first;
    }

    /** Whether every log that was opened was closed cleanly. */
    boolean isClean() {
        return unsound.isEmpty() && partitions.values().stream().allMatch(PartitionCells::isClosedCleanly);
    }

    boolean holds(final Collection<PartitionName> names) {
        return partitions.keySet().containsAll(names);
    }
}
