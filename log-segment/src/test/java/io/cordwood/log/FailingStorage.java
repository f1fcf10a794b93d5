package io.cordwood.log;

import io.cordwood.log.store.FileStatus;
import io.cordwood.log.store.FileUse;
import io.cordwood.log.store.FileView;
import io.cordwood.log.store.Storage;
import io.cordwood.log.store.StorageException;
import io.cordwood.log.store.StorageFile;
import java.nio.channels.WritableByteChannel;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.function.Consumer;
import org.agrona.concurrent.UnsafeBuffer;

/**
 * Another storage whose acts are told, can be held up, and fail by rule. An act is written as its verb and the name of the
 * file, such as {@code publish 00000000000000000000.log}; what only looks at files is no act.
 */
final class FailingStorage implements Storage {
    private final Storage disk;
    private final List<String> trace = new ArrayList<>();
    private final List<Rule> rules = new CopyOnWriteArrayList<>();
    private final List<String> open = new ArrayList<>();
    private volatile Consumer<String> watcher = act -> {};
    private volatile Runnable afterPublication = () -> {};
    private volatile boolean isForcing = true;

    FailingStorage(final Storage disk) {
        this.disk = disk;
    }

    /** The n-th act from now on, counted from 1, that begins and ends like this fails, and every one after it does not. */
    FailingStorage fail(final String verb, final String suffix, final int nth) {
        return failPublish(verb, suffix, nth, 0);
    }

    /** The same for a publication of which some bytes reach the file. */
    FailingStorage failPublish(final String verb, final String suffix, final int nth, final int bytes) {
        rules.add(new Rule(verb, suffix, nth, bytes));
        return this;
    }

    /** Tells of forces and does none: enough where a process dies and no machine. */
    FailingStorage unforced() {
        isForcing = false;
        return this;
    }

    /** Is called with each act before it is done, by the thread that does it; may wait. */
    void watch(final Consumer<String> newWatcher) {
        watcher = newWatcher;
    }

    /** Is run by the writer when its bytes are in the file and nobody was told so yet; may wait. */
    void afterPublication(final Runnable act) {
        afterPublication = act;
    }

    /** The acts since the last call. */
    List<String> takeTrace() {
        synchronized (trace) {
            final List<String> taken = List.copyOf(trace);
            trace.clear();
            return taken;
        }
    }

    /** Names of the files that are open, sorted, each as often as it is. */
    List<String> open() {
        synchronized (open) {
            return open.stream().sorted().toList();
        }
    }

    private static final class Rule {
        private final String verb;
        private final String suffix;
        private final int bytes;
        private int left;

        Rule(final String verb, final String suffix, final int nth, final int bytes) {
            this.verb = verb + " ";
            this.suffix = suffix;
            this.bytes = bytes;
            this.left = nth;
        }

        synchronized boolean strikes(final String act) {
            return act.startsWith(verb) && act.endsWith(suffix) && --left == 0;
        }
    }

    /** Bytes after which the act fails; -1 if it does not. */
    private int failsAfter(final String verb, final String path) {
        final String act = verb + " " + path.substring(path.lastIndexOf('/') + 1);
        watcher.accept(act);
        synchronized (trace) {
            trace.add(act);
        }
        return struck(act);
    }

    private int struck(final String act) {
        for (final Rule rule : rules) {
            if (rule.strikes(act)) {
                return rule.bytes;
            }
        }
        return -1;
    }

    private void act(final String verb, final String path) {
        if (failsAfter(verb, path) >= 0) {
            throw failure(verb, path);
        }
    }

    private StorageException failure(final String verb, final String path) {
        return new StorageException(disk.describe(path), verb, "Input/output error (made up by a test)", null);
    }

    @Override
    public List<FileStatus> list(final String directory) {
        return disk.list(directory);
    }

    @Override
    public StorageFile open(final String path, final FileUse use, final long capacity) {
        if (use == FileUse.APPEND || use == FileUse.APPEND_MAPPED) {
            act("open", path);
        }
        return new WatchedFile(path, disk.open(path, use, capacity));
    }

    @Override
    public boolean rename(final String from, final String to) {
        if (!isThere(from)) {
            return disk.rename(from, to);
        }
        act("rename " + from.substring(from.lastIndexOf('/') + 1), to);
        return disk.rename(from, to);
    }

    @Override
    public boolean delete(final String path) {
        final boolean isThere = isThere(path);
        if (isThere) {
            act("delete", path);
        }
        return disk.delete(path);
    }

    private boolean isThere(final String path) {
        final int slash = path.lastIndexOf('/');
        final String name = path.substring(slash + 1);
        return disk.list(slash < 0 ? "" : path.substring(0, slash)).stream()
                .anyMatch(file -> file.name().equals(name));
    }

    @Override
    public void makeDirectory(final String directory) {
        act("make", directory);
        disk.makeDirectory(directory);
    }

    @Override
    public boolean removeDirectory(final String directory) {
        act("remove", directory);
        return disk.removeDirectory(directory);
    }

    @Override
    public void syncDirectory(final String directory) {
        act("sync", directory.isEmpty() ? "." : directory);
        if (isForcing) {
            disk.syncDirectory(directory);
        }
    }

    @Override
    public AutoCloseable lock(final String path) {
        watcher.accept("lock " + path);
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

    private final class WatchedFile implements StorageFile {
        private final String path;
        private final StorageFile file;
        private int claimed;
        private long lengthAtFailure = -1;
        private boolean isClosed;

        WatchedFile(final String path, final StorageFile file) {
            this.path = path;
            this.file = file;
            synchronized (open) {
                open.add(name());
            }
        }

        private String name() {
            return path.substring(path.lastIndexOf('/') + 1);
        }

        @Override
        public String describe() {
            return file.describe();
        }

        @Override
        public long length() {
            return lengthAtFailure >= 0 ? lengthAtFailure : file.length();
        }

        @Override
        public void claim(final int length, final UnsafeBuffer view) {
            file.claim(length, view);
            claimed += length;
        }

        @Override
        public void unclaim(final int length) {
            file.unclaim(length);
            claimed -= length;
        }

        @Override
        public long publish() {
            final int bytes = failsAfter("publish", path);
            if (bytes >= 0) {
                lengthAtFailure = file.length();
                file.unclaim(Math.max(0, claimed - bytes));
                file.publish();
                throw failure("publish", path);
            }
            claimed = 0;
            final long published = file.publish();
            afterPublication.run();
            return published;
        }

        @Override
        public int view(final long position, final int length, final FileView view) {
            final long shown = Math.min(length, length() - position);
            if (shown <= 0) {
                view.release();
                return 0;
            }
            return file.view(position, (int) shown, view);
        }

        @Override
        public long transferTo(final long position, final long length, final WritableByteChannel target) {
            return file.transferTo(position, Math.min(length, Math.max(0, length() - position)), target);
        }

        @Override
        public boolean isMapped() {
            return file.isMapped();
        }

        @Override
        public void truncate(final long length) {
            act("truncate", path);
            claimed = 0;
            lengthAtFailure = -1;
            file.truncate(length);
        }

        @Override
        public void force() {
            act("force", path);
            if (isForcing) {
                file.force();
            }
        }

        /** Not told, since no promise depends on it; a close that fails has closed all the same. */
        @Override
        public void close() {
            file.close();
            if (!isClosed) {
                isClosed = true;
                synchronized (open) {
                    open.remove(name());
                }
                if (struck("close " + name()) >= 0) {
                    throw failure("close", path);
                }
            }
        }
    }
}
