package io.cordwood.log;

import io.cordwood.log.store.Storage;
import io.cordwood.log.store.StorageException;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/**
 * Several data directories, as a rule one for each disk. One that fails, when it is opened or later, goes offline alone; the
 * others go on.
 *
 * <p>One thread's, the same as that of the directories.
 */
public final class LogDirectories implements AutoCloseable {
    private final List<LogDirectory> directories = new ArrayList<>();
    private final List<StorageException> failures = new ArrayList<>();

    /**
     * Opens the directories.
     *
     * @param storages one for each directory; they stay open when this object is closed.
     * @param opening how one is opened, such as {@link LogDirectory#open}.
     */
    public LogDirectories(
            final List<? extends Storage> storages, final Function<? super Storage, LogDirectory> opening) {
        try {
            for (final Storage storage : storages) {
                try {
                    directories.add(opening.apply(storage));
                } catch (final StorageException e) {
                    failures.add(e);
                }
            }
        } catch (final RuntimeException | Error e) {
            // Nobody else can give back the locks that were taken.
            try {
                close();
            } catch (final RuntimeException closing) {
                e.addSuppressed(closing);
            }
            throw e;
        }
    }

    /**
     * Why some could not be opened; those that failed later say so themselves ({@link LogDirectory#failure}).
     *
     * @return a failure for each, which names it; a copy.
     */
    public List<StorageException> failures() {
        return List.copyOf(failures);
    }

    /**
     * The directories that work.
     *
     * @return those that were opened and have not failed since.
     */
    public List<LogDirectory> online() {
        return directories.stream()
                .filter(directory -> directory.failure() == null)
                .toList();
    }

    /**
     * Finds a partition.
     *
     * @param name of the partition.
     * @return the directories that work and hold it; more than one if somebody copied it.
     */
    public List<LogDirectory> holding(final PartitionName name) {
        return online().stream()
                .filter(directory -> directory.names().contains(name))
                .toList();
    }

    /**
     * Where a new partition goes, by Kafka's rule.
     *
     * @return the directory that works and has the fewest partitions, the first of several; null if none works.
     */
    public @Nullable LogDirectory roomiest() {
        return online().stream()
                .min(Comparator.comparingInt(directory -> directory.names().size()))
                .orElse(null);
    }

    /**
     * The duty cycle of each directory that works.
     *
     * @param nowMs the time, milliseconds since the epoch.
     * @return how much was done.
     * @throws RuntimeException the first failure that is no disk's, once all had their turn, with the others suppressed.
     */
    public int doWork(final long nowMs) {
        int done = 0;
        RuntimeException first = null;
        for (final LogDirectory directory : directories) {
            try {
                done += directory.doWork(nowMs);
            } catch (final RuntimeException e) {
                first = Failures.joined(first, e);
            }
        }
        Failures.throwIfAny(first);
        return done;
    }

    /**
     * Closes every directory, whatever happens to the others.
     *
     * @throws StorageException the first failure, with the others suppressed.
     */
    @Override
    public void close() {
        RuntimeException first = null;
        for (final LogDirectory directory : directories) {
            try {
                directory.close();
            } catch (final RuntimeException e) {
                first = Failures.joined(first, e);
            }
        }
        Failures.throwIfAny(first);
    }
}
