package io.cordwood.log.store;

import java.io.IOException;
import java.nio.channels.FileChannel;
import java.nio.channels.FileLock;
import java.nio.channels.OverlappingFileLockException;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;

/**
 * A lock on a file, as a rule an exclusive one, as Kafka takes it on {@code .lock}.
 *
 * <p>The system gives a lock of a process back when that process closes <em>any</em> descriptor of the file. So a second lock
 * from the same process is refused before the file is touched; hence the one static set of the store.
 */
final class DirectoryLock implements AutoCloseable {
    private static final Set<Path> HELD = ConcurrentHashMap.newKeySet();

    private final Path key;
    private final Path file;
    private final FileChannel channel;
    private boolean isClosed;

    private DirectoryLock(final Path key, final Path file, final FileChannel channel) {
        this.key = key;
        this.file = file;
        this.channel = channel;
    }

    static DirectoryLock take(final Path file) {
        return take(file, false);
    }

    /** A shared lock on a file that is there: needs no right to write, and an exclusive one excludes it all the same. */
    static DirectoryLock takeForReading(final Path file) {
        return take(file, true);
    }

    private static DirectoryLock take(final Path file, final boolean isShared) {
        try {
            final Path directory = file.getParent();
            final Path name = file.getFileName();
            if (directory == null || name == null) {
                throw Reasons.failure(file, "lock", "it is not a file");
            }
            final Path key = directory.toRealPath().resolve(name);
            if (!HELD.add(key)) {
                throw Reasons.failure(file, "lock", "this process holds the lock already");
            }
            boolean isTaken = false;
            try {
                final DirectoryLock taken = lock(key, file, isShared);
                isTaken = true;
                return taken;
            } finally {
                if (!isTaken) {
                    HELD.remove(key);
                }
            }
        } catch (final IOException e) {
            throw Reasons.failure(file, "lock", e);
        }
    }

    private static DirectoryLock lock(final Path key, final Path file, final boolean isShared) throws IOException {
        final FileChannel channel = isShared
                ? FileChannel.open(file, StandardOpenOption.READ)
                : FileChannel.open(file, StandardOpenOption.WRITE, StandardOpenOption.CREATE);
        boolean isTaken = false;
        try {
            final FileLock lock = channel.tryLock(0, Long.MAX_VALUE, isShared);
            if (lock == null) {
                throw Reasons.failure(file, "lock", "another process holds the lock");
            }
            isTaken = true;
            return new DirectoryLock(key, file, channel);
        } catch (final OverlappingFileLockException e) {
            throw new StorageException(file.toString(), "lock", "this process holds the lock already", e);
        } finally {
            if (!isTaken) {
                channel.close();
            }
        }
    }

    @Override
    public void close() {
        if (!isClosed) {
            isClosed = true;
            try {
                channel.close();
            } catch (final IOException e) {
                throw Reasons.failure(file, "unlock", e);
            } finally {
                HELD.remove(key);
            }
        }
    }
}
