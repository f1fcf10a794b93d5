package io.cordwood.inspector;

import io.cordwood.log.store.FileStatus;
import io.cordwood.log.store.FileUse;
import io.cordwood.log.store.Storage;
import io.cordwood.log.store.StorageException;
import io.cordwood.log.store.StorageFile;
import java.util.List;

/**
 * A disk that another process may be changing: every file is read by copy, whatever it is opened for, since a file that is cut
 * while a mapping shows it ends the look in a fault. Changes nothing.
 */
final class LiveFiles implements Storage {
    private final Storage disk;

    /** The disk below stays open when this is closed. */
    LiveFiles(final Storage disk) {
        this.disk = disk;
    }

    @Override
    public List<FileStatus> list(final String directory) {
        return disk.list(directory);
    }

    @Override
    public StorageFile open(final String path, final FileUse use, final long capacity) {
        if (use == FileUse.APPEND || use == FileUse.APPEND_MAPPED) {
            throw refused(path, "open for appending");
        }
        return disk.open(path, FileUse.READ, 0);
    }

    @Override
    public boolean rename(final String from, final String to) {
        throw refused(from, "rename");
    }

    @Override
    public boolean delete(final String path) {
        throw refused(path, "delete");
    }

    @Override
    public void makeDirectory(final String directory) {
        throw refused(directory, "make directory");
    }

    @Override
    public boolean removeDirectory(final String directory) {
        throw refused(directory, "remove directory");
    }

    @Override
    public void syncDirectory(final String directory) {
        throw refused(directory, "force");
    }

    @Override
    public AutoCloseable lock(final String path) {
        throw refused(path, "lock");
    }

    @Override
    public String describe(final String path) {
        return disk.describe(path);
    }

    @Override
    public void close() {
        // What is open belongs to the disk.
    }

    private StorageException refused(final String path, final String operation) {
        return new StorageException(describe(path), operation, "it is only looked at", null);
    }
}
