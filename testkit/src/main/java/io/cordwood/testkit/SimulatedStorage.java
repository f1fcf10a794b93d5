package io.cordwood.testkit;

import io.cordwood.log.store.FileStatus;
import io.cordwood.log.store.FileUse;
import io.cordwood.log.store.Storage;
import io.cordwood.log.store.StorageException;
import io.cordwood.log.store.StorageFile;
import java.util.List;
import java.util.Objects;
import java.util.TreeSet;
import org.agrona.concurrent.EpochClock;
import org.jspecify.annotations.Nullable;

/**
 * A disk in memory that can lose its power. It owns two images of each file and two tables of each directory: the cache, which
 * every process sees, and the platter, which a power cut leaves.
 *
 * <pre>
 *            claim, publish, truncate            create, rename, delete
 *                     |                                   |
 *                     v                                   v
 *     cache     bytes and length                        names
 *                     |  force                            |  syncDirectory
 *                     v                                   v
 *     platter   bytes and length                        names
 * </pre>
 *
 * <p>A power cut leaves the platter, and of the changes that were not forced any that a {@link PowerCut} picks, within what a
 * file system can leave: each sector of 512 bytes of each write by itself, each new length after the ones before it, each name
 * after the changes of the same name or file. Where a length is there and a sector is not, the file holds what was there before: zeros behind its
 * old end, and old bytes in the block through which it was cut, unless that is zeroed. What is claimed
 * in a mapping may be there too, published or not; what a file for {@link FileUse#APPEND} has only claimed is not. The death of
 * the process leaves the cache.
 *
 * <p>One life of the machine or process is one object: {@link #powerCut} and {@link #kill} end it, all its files included, and
 * return the next one. In between the disk keeps the contract of {@link Storage}, and decides like {@code DiskStorage} where the
 * contract leaves a choice; unlike there, nothing is evicted and views are copies.
 *
 * <p>Threads: any; one lock guards all. Deterministic: no thread, no clock and no randomness but what is passed in. Limits: a
 * file holds at most 1 GiB of bytes other than the zeros at its end; memory is taken for what was written, and once more for
 * what was not forced.
 */
public final class SimulatedStorage implements Storage {
    private static final String NOT_A_DIRECTORY = "a part of the path is not a directory";

    private final Object lock = new Object();
    private final EpochClock clock;
    private final NameTree names;
    private final TreeSet<String> locks = new TreeSet<>();
    private final @Nullable DiskWatcher watcher;
    private int acts;
    private volatile @Nullable String end;

    /**
     * Creates an empty disk.
     *
     * @param clock that gives files and directories their modification times; called under the lock of this disk.
     */
    public SimulatedStorage(final EpochClock clock) {
        this(clock, null);
    }

    /** A disk of which somebody is told before each act, also in its later lives. */
    SimulatedStorage(final EpochClock clock, final @Nullable DiskWatcher watcher) {
        this(Objects.requireNonNull(clock, "clock"), new NameTree(clock.time()), 0, watcher);
    }

    private SimulatedStorage(
            final EpochClock clock, final NameTree names, final int acts, final @Nullable DiskWatcher watcher) {
        this.clock = clock;
        this.names = names;
        this.acts = acts;
        this.watcher = watcher;
    }

    /**
     * Cuts the power: this object and its files answer every act with a {@link StorageException} from now on.
     *
     * @param cut that picks what of the unforced changes is there.
     * @return what the machine finds when it starts again; nothing is pending there.
     */
    public SimulatedStorage powerCut(final PowerCut cut) {
        synchronized (lock) {
            refuseEnded("", "cut the power");
            tell("cut the power");
            final SimulatedStorage left = afterPowerCut(cut, watcher);
            end = "the power was cut";
            return left;
        }
    }

    /**
     * Tells what a power cut would leave now. This object goes on.
     *
     * @param cut that picks what of the unforced changes would be there.
     * @return another disk, which shares nothing that changes with this one.
     */
    public SimulatedStorage afterPowerCut(final PowerCut cut) {
        return afterPowerCut(cut, null);
    }

    /** The same, of which somebody is told. */
    SimulatedStorage afterPowerCut(final PowerCut cut, final @Nullable DiskWatcher nextWatcher) {
        Objects.requireNonNull(cut, "cut");
        synchronized (lock) {
            refuseEnded("", "cut the power");
            return begun(new SimulatedStorage(clock, names.survivor(acts + 1, cut), acts, nextWatcher));
        }
    }

    /**
     * Kills the process: this object and its files answer every act with a {@link StorageException} from now on.
     *
     * @return what the next process finds: all that was published, and whatever was claimed in a mapping. What was pending still
     *     is, so that a power cut may follow.
     */
    public SimulatedStorage kill() {
        synchronized (lock) {
            refuseEnded("", "kill");
            tell("kill");
            final SimulatedStorage left = begun(new SimulatedStorage(clock, names.copy(), acts, watcher));
            end = "the process was killed";
            return left;
        }
    }

    /**
     * Tells what the next process would find if this one died now. This object goes on.
     *
     * @return another disk, as of {@link #kill}, which shares nothing that changes with this one.
     */
    public SimulatedStorage afterKill() {
        synchronized (lock) {
            refuseEnded("", "kill");
            return begun(new SimulatedStorage(clock, names.copy(), acts, null));
        }
    }

    /**
     * Lists what a power cut may undo, in the order in which a {@link PowerCut} is asked.
     *
     * @return the changes that were not forced.
     */
    public List<Pending> pending() {
        synchronized (lock) {
            refuseEnded("", "cut the power");
            return List.copyOf(names.pending(acts + 1));
        }
    }

    /**
     * Hashes what is on the platter, names and contents and no times: equal for equal states, in each JVM.
     *
     * @return the hash of what a power cut would leave if nothing pending survived it.
     */
    public long platterHash() {
        synchronized (lock) {
            return names.hash();
        }
    }

    /**
     * Counts what was done to the disk: everything that can be {@link Pending}, and each force of a file or directory.
     *
     * @return acts since the disk was made, those of earlier lives included.
     */
    public int actCount() {
        synchronized (lock) {
            return acts;
        }
    }

    @Override
    public List<FileStatus> list(final String directory) {
        synchronized (lock) {
            refuseEnded(directory, "list");
            final Node node = find(directory, "list");
            if (node == null) {
                return List.of();
            }
            if (!(node instanceof DirectoryNode listed)) {
                throw failure(directory, "list", "it is not a directory");
            }
            return listed.cached().values().stream()
                    .map(SimulatedStorage::statusOf)
                    .toList();
        }
    }

    @Override
    public @Nullable FileStatus status(final String path) {
        synchronized (lock) {
            refuseEnded(path, "look for");
            final Node node = find(path, "look for");
            return node == null ? null : statusOf(node);
        }
    }

    @Override
    public StorageFile open(final String path, final FileUse use, final long capacity) {
        Paths.refuseRoot(path, "open");
        if (capacity < 0) {
            throw new IllegalArgumentException("capacity " + capacity);
        }
        if (use == FileUse.APPEND_MAPPED && capacity == 0) {
            throw new IllegalArgumentException("a mapped file needs a capacity");
        }
        synchronized (lock) {
            refuseEnded(path, "open");
            if (use != FileUse.APPEND && use != FileUse.APPEND_MAPPED) {
                return new SimulatedReader(this, path, use, existing(path));
            }
            Node node = find(path, "open");
            if (node == null) {
                node = names.makeFile(act(Act.OPEN, path), parentOf(path, "open"), Paths.nameOf(path), nowMs());
            }
            if (!(node instanceof FileNode file)) {
                throw failure(path, "open", "it is a directory");
            }
            return new SimulatedFile(this, file, use == FileUse.APPEND_MAPPED, capacity);
        }
    }

    @Override
    public boolean rename(final String from, final String to) {
        Paths.refuseRoot(from, "rename");
        Paths.refuseRoot(to, "rename");
        final String operation = "rename to " + describe(to);
        synchronized (lock) {
            refuseEnded(from, operation);
            final Node node = find(from, operation);
            if (node == null) {
                return false;
            }
            final DirectoryNode directory = renameTarget(from, to, operation);
            final Node replaced = directory.cached().get(Paths.nameOf(to));
            if (node != replaced) {
                refuseReplacement(from, operation, node, directory, replaced);
                names.move(act(Act.RENAME, from + " " + to), node, directory, Paths.nameOf(to), nowMs());
            }
            return true;
        }
    }

    @Override
    public boolean delete(final String path) {
        Paths.refuseRoot(path, "delete");
        synchronized (lock) {
            refuseEnded(path, "delete");
            final Node node = find(path, "delete");
            if (node instanceof DirectoryNode) {
                throw failure(path, "delete", "it is a directory");
            }
            if (node != null) {
                names.remove(act(Act.DELETE, path), node, nowMs());
            }
            return node != null;
        }
    }

    @Override
    public void makeDirectory(final String directory) {
        synchronized (lock) {
            refuseEnded(directory, "make directory");
            DirectoryNode at = names.root();
            for (final String name : Paths.parts(directory)) {
                final Node next = at.cached().get(name);
                if (next instanceof FileNode) {
                    throw failure(directory, "make directory", "something of that name, no directory, is in the way");
                }
                at = next == null
                        ? names.makeDirectory(act(Act.MAKE, directory), at, name, nowMs())
                        : (DirectoryNode) next;
            }
        }
    }

    @Override
    public boolean removeDirectory(final String directory) {
        Paths.refuseRoot(directory, "remove directory");
        synchronized (lock) {
            refuseEnded(directory, "remove directory");
            final Node node = find(directory, "remove directory");
            if (node instanceof FileNode) {
                throw failure(directory, "remove directory", "it is not a directory");
            }
            if (node instanceof DirectoryNode removed && !removed.cached().isEmpty()) {
                throw failure(directory, "remove directory", "the directory is not empty");
            }
            if (node != null) {
                names.remove(act(Act.REMOVE, directory), node, nowMs());
            }
            return node != null;
        }
    }

    @Override
    public void syncDirectory(final String directory) {
        synchronized (lock) {
            refuseEnded(directory, "sync directory");
            if (!(find(directory, "sync directory") instanceof DirectoryNode synced)) {
                throw failure(directory, "sync directory", "there is no such directory");
            }
            act(Act.SYNC, directory);
            names.sync(synced);
        }
    }

    @Override
    public AutoCloseable lock(final String path) {
        Paths.refuseRoot(path, "lock");
        synchronized (lock) {
            refuseEnded(path, "lock");
            final Node node = find(path, "lock");
            if (node instanceof DirectoryNode) {
                throw failure(path, "lock", "it is a directory");
            }
            if (locks.contains(path)) {
                throw failure(path, "lock", "this process holds the lock already");
            }
            if (node == null) {
                names.makeFile(act(Act.LOCK, path), parentOf(path, "lock"), Paths.nameOf(path), nowMs());
            }
            locks.add(path);
            return new HeldLock(path);
        }
    }

    @Override
    public String describe(final String path) {
        return Paths.parts(path).isEmpty() ? "simulated:/" : "simulated:/" + path;
    }

    /** Readers hold nothing here that could be given back. */
    @Override
    public void close() {}

    /** Guards all that the files of this disk share. */
    Object lock() {
        return lock;
    }

    /** Under the lock: begins an act on something that has a name. */
    int act(final Act what, final Node node, final long value) {
        return act(what, watcher == null ? "" : node.path() + " " + value);
    }

    /** Under the lock: begins an act. */
    private int act(final Act what, final String on) {
        if (watcher != null) {
            tell(what.word() + " " + (on.isEmpty() ? "." : on));
        }
        return ++acts;
    }

    private void tell(final String act) {
        if (watcher != null) {
            watcher.before(this, act);
        }
    }

    private static SimulatedStorage begun(final SimulatedStorage life) {
        if (life.watcher != null) {
            life.watcher.begun(life);
        }
        return life;
    }

    /** Under the lock: the time that an act leaves behind. */
    long nowMs() {
        return clock.time();
    }

    /** Under the lock: the file that is there now, if one is. */
    @Nullable
    FileNode existing(final String path) {
        Node at = names.root();
        for (final String name : Paths.parts(path)) {
            at = at instanceof DirectoryNode directory ? directory.cached().get(name) : null;
        }
        return at instanceof FileNode file ? file : null;
    }

    /** Under the lock: as {@link #existing}, and an error that tells why there is none. */
    FileNode required(final String path, final String operation) {
        final Node node = find(path, operation);
        if (node instanceof FileNode file) {
            return file;
        }
        parentOf(path, operation);
        throw failure(path, operation, node == null ? "there is no such file or directory" : "it is a directory");
    }

    boolean isAlive() {
        return end == null;
    }

    void refuseEnded(final String path, final String operation) {
        final String reason = end;
        if (reason != null) {
            throw failure(path, operation, reason);
        }
    }

    StorageException failure(final String path, final String operation, final String reason) {
        return new StorageException(describe(path), operation, reason, null);
    }

    private @Nullable Node find(final String path, final String operation) {
        Node at = names.root();
        for (final String name : Paths.parts(path)) {
            if (!(at instanceof DirectoryNode directory)) {
                throw failure(path, operation, NOT_A_DIRECTORY);
            }
            final Node next = directory.cached().get(name);
            if (next == null) {
                return null;
            }
            at = next;
        }
        return at;
    }

    private DirectoryNode parentOf(final String path, final String operation) {
        final String parent = Paths.parentOf(path);
        final Node node = find(parent, operation);
        if (node instanceof DirectoryNode directory) {
            return directory;
        }
        throw failure(path, operation, node == null ? "there is no directory " + describe(parent) : NOT_A_DIRECTORY);
    }

    private DirectoryNode renameTarget(final String from, final String to, final String operation) {
        if (find(Paths.parentOf(to), operation) instanceof DirectoryNode directory) {
            return directory;
        }
        throw failure(from, operation, "there is no directory " + describe(Paths.parentOf(to)));
    }

    private void refuseReplacement(
            final String from,
            final String operation,
            final Node node,
            final DirectoryNode directory,
            final @Nullable Node replaced) {
        if (node instanceof DirectoryNode moved) {
            if (moved.holds(directory)) {
                throw failure(from, operation, "the new name lies in the directory itself");
            }
            if (replaced instanceof FileNode) {
                throw failure(from, operation, "the new name is that of a file");
            }
            if (replaced instanceof DirectoryNode full && !full.cached().isEmpty()) {
                throw failure(from, operation, "the directory is not empty");
            }
        } else if (replaced instanceof DirectoryNode) {
            throw failure(from, operation, "the new name is that of a directory");
        }
    }

    private static FileStatus statusOf(final Node node) {
        final long length = node instanceof FileNode file ? file.size() : 0;
        return new FileStatus(node.name(), length, node.modifiedMs(), node instanceof DirectoryNode);
    }

    /** Given back once; a second close does nothing, whoever has the lock by then. */
    private final class HeldLock implements AutoCloseable {
        private final String path;
        private boolean isClosed;

        HeldLock(final String path) {
            this.path = path;
        }

        @Override
        public void close() {
            synchronized (lock) {
                if (!isClosed) {
                    isClosed = true;
                    locks.remove(path);
                }
            }
        }
    }
}
