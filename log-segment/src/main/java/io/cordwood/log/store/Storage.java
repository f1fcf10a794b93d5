package io.cordwood.log.store;

import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * One directory tree that holds logs: names, and the files behind them. Everything that the toolkit does to a disk goes
 * through this interface and {@link StorageFile}, so that a simulated disk can stand in for the real one.
 *
 * <p>A path is relative to the root of the tree, its parts are separated by {@code /}, and the empty path is the root
 * itself.
 *
 * <p>Threads: every method may be called by any thread; callers see to it that two threads do not change the same name at
 * once. Durability: a name that was made, renamed or deleted survives a power cut only after {@link #syncDirectory} of the
 * directory that holds it. Errors: a {@link StorageException} names the file and the operation; what was on disk is as it
 * was before the call, unless the method says otherwise.
 */
public interface Storage extends AutoCloseable {
    /**
     * Lists a directory.
     *
     * @param directory path of the directory.
     * @return its files and directories, sorted by name; empty if there is no such directory.
     * @throws StorageException if it cannot be read.
     */
    List<FileStatus> list(String directory);

    /**
     * Looks for one entry of a directory.
     *
     * @param path of a file or directory, not of the root.
     * @return what {@link #list} would say of it; null if there is none.
     * @throws StorageException if it cannot be asked for.
     */
    default @Nullable FileStatus status(final String path) {
        final int slash = path.lastIndexOf('/');
        final String name = path.substring(slash + 1);
        for (final FileStatus status : list(path.substring(0, Math.max(0, slash)))) {
            if (status.name().equals(name)) {
                return status;
            }
        }
        return null;
    }

    /**
     * Opens a file. A file for appending is created if it is missing; one for reading is touched only when it is first
     * read, and the number of such files that are open at once is bounded.
     *
     * @param path of the file.
     * @param use what the caller will do with it.
     * @param capacity bytes that the file is going to need: reserved on disk for {@link FileUse#APPEND} if above 0, and the
     *     size of the mapping (above 0) for {@link FileUse#APPEND_MAPPED}; 0 for the other uses.
     * @return the file, to be closed by the caller. An existing file that is opened for appending has its whole length as
     *     content.
     * @throws StorageException if it cannot be opened or created, or the reservation fails.
     */
    StorageFile open(String path, FileUse use, long capacity);

    /**
     * Renames a file or directory, replacing a file of the new name, in one atomic step. Files that are open stay usable.
     *
     * @param from present path.
     * @param to new path.
     * @return false if there was none of the old name; then nothing has changed.
     * @throws StorageException if it cannot be renamed; the old name then still stands.
     */
    boolean rename(String from, String to);

    /**
     * Deletes a file. Readers that have it open keep its bytes until they let go.
     *
     * @param path of the file.
     * @return false if there was none.
     * @throws StorageException if it cannot be deleted.
     */
    boolean delete(String path);

    /**
     * Makes a directory and its missing parents; does nothing if it is there.
     *
     * @param directory path of the directory.
     * @throws StorageException if it cannot be made.
     */
    void makeDirectory(String directory);

    /**
     * Removes an empty directory.
     *
     * @param directory path of the directory.
     * @return false if there was none.
     * @throws StorageException if it is not empty or cannot be removed.
     */
    boolean removeDirectory(String directory);

    /**
     * Makes the names in a directory durable: on return what was created, renamed or deleted in it before the call
     * survives a power cut.
     *
     * @param directory path of the directory.
     * @throws StorageException if the directory cannot be forced.
     */
    void syncDirectory(String directory);

    /**
     * Takes an exclusive lock that other processes respect, Kafka included, by a file that is created if missing.
     *
     * @param path of the lock file.
     * @return the lock; closing it gives it back.
     * @throws StorageException if this or another process holds it.
     */
    AutoCloseable lock(String path);

    /**
     * Takes a lock that keeps out those who take the exclusive one, and is kept out by them, for who changes nothing: no right to write is
     * needed.
     *
     * @param path of the lock file, which must be there.
     * @return the lock; closing it gives it back.
     * @throws StorageException if this process holds a lock of it or another one the exclusive one.
     */
    default AutoCloseable lockForReading(final String path) {
        return lock(path);
    }

    /**
     * Path of a file as an operator would type it, for messages.
     *
     * @param path in this tree.
     * @return the same place in the terms of the world outside.
     */
    String describe(String path);

    /** Gives back all that is held open for reading. Files that were opened for appending are closed by their owners. */
    @Override
    void close();
}
