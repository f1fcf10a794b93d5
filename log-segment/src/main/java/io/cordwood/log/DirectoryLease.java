package io.cordwood.log;

import io.cordwood.log.store.Storage;
import io.cordwood.log.store.StorageException;
import java.util.List;

/** The lock of a data directory, or of a partition that stands alone, while it is held. */
final class DirectoryLease implements AutoCloseable {
    /** Name of the lock file; Kafka's. */
    static final String LOCK = ".lock";

    private static final List<String> FILES = List.of(
            LOCK,
            MetaProperties.FILE,
            CleanShutdownMarker.FILE,
            OffsetCheckpoint.RECOVERY_POINTS,
            OffsetCheckpoint.LOG_STARTS,
            OffsetCheckpoint.HIGH_WATERMARKS,
            OffsetCheckpoint.CLEANER_OFFSETS);

    private final Storage storage;
    private final String path;
    private final AutoCloseable lock;

    private DirectoryLease(final Storage storage, final String path, final AutoCloseable lock) {
        this.storage = storage;
        this.path = path;
        this.lock = lock;
    }

    /** Makes something out of a lease, which then belongs to it. */
    interface Opening {
        LogDirectory open(DirectoryLease lease);
    }

    /** Takes the lock, and gives it back if what was to be opened with it is not. */
    static LogDirectory take(final Storage storage, final String directory, final Opening opening) {
        final String path = LogFiles.path(directory, LOCK);
        final DirectoryLease lease = new DirectoryLease(storage, path, storage.lock(path));
        LogDirectory opened = null;
        try {
            opened = opening.open(lease);
            return opened;
        } finally {
            if (opened == null) {
                lease.close();
            }
        }
    }

    /** Whether a storage's root is a data directory. */
    static boolean isDataDirectory(final Storage storage) {
        return storage.list("").stream().anyMatch(file -> FILES.contains(file.name()));
    }

    @Override
    public void close() {
        try {
            lock.close();
        } catch (final RuntimeException e) {
            throw e;
        } catch (final Exception e) {
            throw new StorageException(storage.describe(path), "unlock", String.valueOf(e.getMessage()), e);
        }
    }
}
