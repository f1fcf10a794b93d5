package io.cordwood.index;

import io.cordwood.log.store.FileStatus;
import io.cordwood.log.store.FileUse;
import io.cordwood.log.store.FileView;
import io.cordwood.log.store.Storage;
import io.cordwood.log.store.StorageException;
import io.cordwood.log.store.StorageFile;
import java.nio.channels.WritableByteChannel;
import java.util.ArrayList;
import java.util.List;
import org.agrona.concurrent.UnsafeBuffer;

/** A storage that notes what is published and forced, and lets nothing be published while it is full. */
final class FullDisk implements Storage {
    private final Storage disk;
    private final List<String> acts = new ArrayList<>();
    private boolean isFull;

    FullDisk(final Storage disk) {
        this.disk = disk;
    }

    /** What was published and forced since the last question, in order. */
    List<String> acts() {
        final List<String> done = List.copyOf(acts);
        acts.clear();
        return done;
    }

    void isFull(final boolean full) {
        isFull = full;
    }

    @Override
    public StorageFile open(final String path, final FileUse use, final long capacity) {
        return new File(path, disk.open(path, use, capacity));
    }

    @Override
    public List<FileStatus> list(final String directory) {
        return disk.list(directory);
    }

    @Override
    public boolean rename(final String from, final String to) {
        return disk.rename(from, to);
    }

    @Override
    public boolean delete(final String path) {
        return disk.delete(path);
    }

    @Override
    public void makeDirectory(final String directory) {
        disk.makeDirectory(directory);
    }

    @Override
    public boolean removeDirectory(final String directory) {
        return disk.removeDirectory(directory);
    }

    @Override
    public void syncDirectory(final String directory) {
        disk.syncDirectory(directory);
    }

    @Override
    public AutoCloseable lock(final String path) {
        return disk.lock(path);
    }

    @Override
    public String describe(final String path) {
        return disk.describe(path);
    }

    @Override
    public void close() {
        disk.close();
    }

    private final class File implements StorageFile {
        private final String path;
        private final StorageFile file;
        private boolean isBroken;

        File(final String path, final StorageFile file) {
            this.path = path;
            this.file = file;
        }

        @Override
        public String describe() {
            return file.describe();
        }

        @Override
        public long length() {
            return file.length();
        }

        @Override
        public void claim(final int length, final UnsafeBuffer view) {
            if (isBroken) {
                throw new IllegalStateException("claim behind a write that failed: " + path);
            }
            file.claim(length, view);
        }

        @Override
        public void unclaim(final int length) {
            file.unclaim(length);
        }

        @Override
        public long publish() {
            if (isFull) {
                isBroken = true;
                throw new StorageException(path, "write", "No space left on device", null);
            }
            acts.add("publish " + path);
            return file.publish();
        }

        @Override
        public int view(final long position, final int length, final FileView view) {
            return file.view(position, length, view);
        }

        @Override
        public long transferTo(final long position, final long length, final WritableByteChannel target) {
            return file.transferTo(position, length, target);
        }

        @Override
        public void truncate(final long length) {
            file.truncate(length);
            isBroken = false;
        }

        @Override
        public void force() {
            acts.add("force " + path);
            file.force();
        }

        @Override
        public void close() {
            file.close();
        }
    }
}
