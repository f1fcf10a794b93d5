package io.cordwood.log;

import io.cordwood.log.store.Storage;
import io.cordwood.log.store.StorageException;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import org.agrona.CloseHelper;
import org.jspecify.annotations.Nullable;

/**
 * The lock of a data directory, or of a partition that stands alone, while it is held; with those that lie in the folders of the data directory's
 * partitions, which may have stood alone.
 */
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
    private final Map<String, AutoCloseable> folderLocks = new ConcurrentHashMap<>();

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
    static LogDirectory take(final Storage storage, final Opening opening) {
        return opened(new DirectoryLease(storage, LOCK, storage.lock(LOCK)), opening);
    }

    /**
     * Takes the lock of a partition that stands alone. Null if by then its parent has become a data directory: whoever made it so looked for
     * a lock in the folder before he wrote there, perhaps before this one was taken.
     */
    static @Nullable LogDirectory takeAlone(final Storage storage, final String directory, final Opening opening) {
        final String path = LogFiles.path(directory, LOCK);
        final DirectoryLease lease = new DirectoryLease(storage, path, storage.lock(path));
        boolean isAlone = false;
        try {
            isAlone = !isDataDirectory(storage);
        } finally {
            if (!isAlone) {
                lease.close();
            }
        }
        return isAlone ? opened(lease, opening) : null;
    }

    private static LogDirectory opened(final DirectoryLease lease, final Opening opening) {
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

    /**
     * Takes the lock in a partition's folder as well, if there is one: whoever wrote the partition while it stood alone may do so still. Any
     * thread.
     */
    void takeFolder(final String directory) {
        final String inFolder = LogFiles.path(directory, LOCK);
        if (!inFolder.equals(path) && storage.status(inFolder) != null) {
            folderLocks.computeIfAbsent(inFolder, storage::lock);
        }
    }

    /** Gives the lock in a partition's folder back, if it is held: the folder goes, and another of its name may have one. Any thread. */
    void releaseFolder(final String directory) {
        final String inFolder = LogFiles.path(directory, LOCK);
        final AutoCloseable held = folderLocks.remove(inFolder);
        if (held != null) {
            unlock(inFolder, held);
        }
    }

    @Override
    public void close() {
        try {
            CloseHelper.closeAll(folderLocks.values());
        } finally {
            unlock(path, lock);
        }
    }

    private void unlock(final String lockPath, final AutoCloseable held) {
        try {
            held.close();
        } catch (final RuntimeException e) {
            throw e;
        } catch (final Exception e) {
            throw new StorageException(storage.describe(lockPath), "unlock", String.valueOf(e.getMessage()), e);
        }
    }
}
