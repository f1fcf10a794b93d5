package io.cordwood.log;

import io.cordwood.log.store.Storage;
import io.cordwood.log.store.StorageException;
import java.util.ArrayList;
import java.util.List;
import java.util.UUID;
import java.util.concurrent.atomic.AtomicReference;
import org.jspecify.annotations.Nullable;

/**
 * Owns a data directory of Kafka's form: what belongs to all its partitions and to none of their logs.
 *
 * <pre>
 *   .lock                             held while this object is open; a running Kafka holds it as well
 *   meta.properties                   whose directory it is                      MetaProperties
 *   .kafka_cleanshutdown              there only while nobody writes             CleanShutdownMarker
 *   recovery-point-offset-checkpoint  one offset for each partition, in each     OffsetCheckpoint
 *   log-start-offset-checkpoint
 *   replication-offset-checkpoint
 *   cleaner-offset-checkpoint
 *   orders-0/                         a partition                                Log
 *   orders-1.{32 hex digits}-delete/  a partition that is being deleted
 * </pre>
 *
 * <p>What else lies there, {@code -stray} and {@code -future} partitions included, is left alone.
 *
 * <p>Life: {@link #open} it, {@link #load} its partitions (on {@link LoadAgent}s, or one by one), call {@link #doWork}, stop the
 * writers, {@link #close}. The marker is removed, durably, before a log or a checkpoint is changed. It is put back by a close that finds
 * every log of the directory closed cleanly, if it was there before or the directory is {@linkplain #openOwned ours}.
 *
 * <p>Threads: one thread's, unless a method says otherwise. It changes no log: it asks the log's writer. Complexity: a
 * checkpoint copies all entries, and writes a file only if one has changed.
 *
 * <p>Errors: a {@link StorageException} from a file of the directory, from an open or from a force takes the directory offline
 * ({@link #failure}). Nothing of it is written from then on, and the next open is an unclean one.
 */
public final class LogDirectory implements AutoCloseable {
    private final Storage storage;
    private final DirectoryConfig config;
    private final DirectoryLease lease;
    private final boolean isOwned;
    private final List<String> findings = new ArrayList<>();
    private final PartitionFolders folders;
    private final CheckpointFiles checkpoints;
    private final CleanShutdown marker;
    private final @Nullable MetaProperties properties;

    /** A partition without a data directory; null if there is one. */
    private final @Nullable PartitionName alone;

    private final OpenPartitions partitions = new OpenPartitions();
    private final AtomicReference<@Nullable RuntimeException> failure = new AtomicReference<>();
    private boolean isClosed;
    private long retentionDueMs = -1;
    private long checkpointDueMs = -1;

    private LogDirectory(
            final Storage storage,
            final DirectoryConfig config,
            final DirectoryLease lease,
            final boolean isOwned,
            final @Nullable PartitionName alone) {
        this.storage = storage;
        this.config = config;
        this.lease = lease;
        this.isOwned = isOwned;
        this.alone = alone;
        this.folders = new PartitionFolders(storage, findings);
        this.checkpoints = new CheckpointFiles(storage, alone == null, findings);
        this.marker = new CleanShutdown(storage, alone == null, findings);
        if (alone == null) {
            properties = readProperties();
            folders.find();
        } else {
            properties = null;
            folders.add(alone);
        }
    }

    /**
     * Opens somebody's data directory, as a guest: what was not there is not added. No partition is opened yet, and but for the
     * lock nothing is written.
     *
     * @param storage whose root is the directory; stays open when the directory is closed.
     * @param config its schedule.
     * @return the directory, locked.
     * @throws StorageException if another process or a part of this one holds the lock, or the disk fails.
     */
    public static LogDirectory open(final Storage storage, final DirectoryConfig config) {
        return DirectoryLease.take(storage, lease -> new LogDirectory(storage, config, lease, false, null));
    }

    /**
     * Opens or makes a data directory of our own.
     *
     * @param storage whose root is the directory; stays open when the directory is closed.
     * @param config its schedule.
     * @param fresh what the directory says of itself, durably, if it says nothing yet.
     * @return the directory, locked.
     * @throws StorageException if another process or a part of this one holds the lock, or the disk fails.
     */
    public static LogDirectory openOwned(
            final Storage storage, final DirectoryConfig config, final MetaProperties fresh) {
        storage.makeDirectory("");
        return DirectoryLease.take(storage, lease -> {
            if (storage.list("").stream().noneMatch(file -> file.name().equals(MetaProperties.FILE))) {
                fresh.write(storage);
            }
            return new LogDirectory(storage, config, lease, true, null);
        });
    }

    /**
     * Opens the data directory that a partition lies in. If its parent is none, since it has none of the files above, the
     * partition stands alone: it is made if missing, the lock lies in it, nothing is written beside it, and its open is always an
     * unclean one.
     *
     * @param storage whose root is the parent of the partition's directory; stays open when the directory is closed.
     * @param partition name of it.
     * @param config the schedule.
     * @return the directory, locked.
     * @throws StorageException if another process or a part of this one holds the lock, or the disk fails.
     */
    public static LogDirectory openAround(
            final Storage storage, final PartitionName partition, final DirectoryConfig config) {
        if (isDataDirectory(storage)) {
            return open(storage, config);
        }
        final String directory = partition.directory();
        if (storage.list("").stream().noneMatch(file -> file.name().equals(directory))) {
            storage.makeDirectory(directory);
            storage.syncDirectory("");
        }
        final LogDirectory opened = DirectoryLease.takeAlone(
                storage, directory, lease -> new LogDirectory(storage, config, lease, false, partition));
        return opened == null ? open(storage, config) : opened;
    }

    /**
     * Whether a directory is a data directory: it has one of the files above.
     *
     * @param storage whose root is the directory.
     * @return false if it has none of them.
     */
    public static boolean isDataDirectory(final Storage storage) {
        return DirectoryLease.isDataDirectory(storage);
    }

    /**
     * Whether there is no data directory, but one partition that stands alone.
     *
     * @return false for a data directory.
     */
    public boolean isAlone() {
        return alone != null;
    }

    private @Nullable MetaProperties readProperties() {
        try {
            return MetaProperties.read(storage);
        } catch (final CorruptLogException e) {
            findings.add(e.getMessage());
            return null;
        }
    }

    /**
     * The partitions that lie here, open or not.
     *
     * @return their names, ascending; a copy.
     */
    public List<PartitionName> names() {
        return List.copyOf(folders.names());
    }

    /**
     * The partitions that were opened.
     *
     * @return by their names; a copy.
     */
    public List<PartitionCells> partitions() {
        partitions.collect();
        return List.copyOf(partitions.all());
    }

    /**
     * Begins to open every partition that is not open yet. The work is for {@link LoadAgent}s, or whoever takes it from the
     * loading.
     *
     * @param setup what each log is made of; called by the threads that do the work, several at once.
     * @return the work, and how far it is.
     * @throws IllegalStateException if an earlier loading is not done.
     */
    public LogLoading load(final LogSetup setup) {
        requireIdle();
        beginWriting();
        final List<PartitionCells> wanted = new ArrayList<>();
        for (final PartitionName name : folders.names()) {
            if (!partitions.isOpen(name)) {
                wanted.add(cells(name));
            }
        }
        final LogLoading begun = new LogLoading(this, setup, wanted);
        partitions.begin(begun);
        return begun;
    }

    /**
     * Opens one partition on the calling thread.
     *
     * @param name of a partition that lies here, and is not open.
     * @param setup what the log is made of.
     * @param nowMs the time, milliseconds since the epoch.
     * @return the partition; null if the setup did not want it.
     * @throws StorageException if the disk fails.
     * @throws CorruptLogException if the partition holds what no recovery can put right.
     */
    public @Nullable PartitionCells open(final PartitionName name, final LogSetup setup, final long nowMs) {
        requireIdle();
        if (!folders.names().contains(name) || partitions.isOpen(name)) {
            throw new IllegalStateException(name + (partitions.isOpen(name) ? " is open" : " is not here"));
        }
        beginWriting();
        final PartitionCells partition = cells(name);
        boolean isSound = false;
        try {
            if (open(partition, setup, new RecoveryProgress(), nowMs)) {
                partitions.opened(partition);
            }
            isSound = true;
        } finally {
            if (!isSound) {
                partitions.failed(name);
            }
        }
        return partition.isOpen() ? partition : null;
    }

    private PartitionCells cells(final PartitionName name) {
        final PartitionCells earlier = partitions.get(name);
        if (earlier == null) {
            return checkpoints.cells(name, wasClean() && !partitions.isUnsound(name));
        }
        checkpoints.write(partitions.all());
        return checkpoints.cells(name, earlier.isClosedCleanly());
    }

    /** Opens a log, on any thread. False if the setup does not want it. */
    boolean open(
            final PartitionCells partition, final LogSetup setup, final RecoveryProgress progress, final long nowMs) {
        requireOnline();
        final LogBuilder builder = new LogBuilder(storage, partition.name().directory());
        if (!setup.prepare(partition, builder)) {
            return false;
        }
        lease.takeFolder(partition.name().directory());
        builder.recoveryPoint(partition.recoveryPoint())
                .forcedOffset(partition.forcedOffset())
                .startOffset(partition.startOffset())
                .guard(new CheckpointGuard(checkpoints, partition, this::requireOnline, this::fail))
                .progress(progress);
        changing(() -> {
            final Log log = builder.open(nowMs);
            try {
                checkpoints.lowerToFound(partition.name(), log);
            } catch (final StorageException e) {
                log.closeUncleanly();
                throw e;
            }
            partition.lowerCleanerOffset(log.endOffset());
            partition.opened(log);
        });
        return true;
    }

    /**
     * Makes the directory of a new partition, durably. What the checkpoints say of an older one of that name is forgotten
     * before.
     *
     * @param name of the partition.
     * @param topicId id of its topic; null for none.
     * @return false if it is here already.
     * @throws StorageException if the disk fails.
     */
    public boolean create(final PartitionName name, final @Nullable UUID topicId) {
        requireIdle();
        if (alone != null) {
            throw new IllegalStateException("a partition that stands alone has none beside it");
        }
        if (folders.names().contains(name)) {
            return false;
        }
        beginWriting();
        changing(() -> {
            checkpoints.drop(name);
            folders.create(name, topicId);
        });
        return true;
    }

    /**
     * Deletes a partition, in two steps: on return its directory has another name, durably, and does not come back; the
     * files go later in {@link #doWork}, or after the next open.
     *
     * @param name of a partition whose log is closed, in whichever way.
     * @param id that no other deletion has, such as a random one.
     * @param nowMs the time, milliseconds since the epoch.
     * @return false if there is no such partition.
     * @throws StorageException if the disk fails.
     */
    public boolean delete(final PartitionName name, final UUID id, final long nowMs) {
        requireIdle();
        if (alone != null || partitions.isOpen(name)) {
            throw new IllegalStateException(
                    name + (alone != null ? " stands alone" : " is open: its writer closes the log first"));
        }
        if (!folders.names().contains(name)) {
            return false;
        }
        // Somebody may write it who opened it while it stood alone.
        lease.takeFolder(name.directory());
        beginWriting();
        changing(() -> {
            folders.delete(name, id, Times.after(nowMs, config.deleteDelayMs()));
            lease.releaseFolder(name.directory());
            checkpoints.drop(name);
        });
        partitions.forget(name);
        return true;
    }

    /**
     * The duty cycle: forces logs that are due (so none of them belongs to a {@link FlushAgent} as well), asks their writers
     * for retention, writes checkpoints, deletes what is to be deleted. Does nothing once the directory is offline.
     *
     * @param nowMs the time, milliseconds since the epoch.
     * @return how much was done; 0 if the caller may idle.
     */
    public int doWork(final long nowMs) {
        partitions.collect();
        if (failure.get() != null) {
            return 0;
        }
        if (retentionDueMs < 0) {
            retentionDueMs = Times.after(nowMs, config.retentionCheckMs());
            checkpointDueMs = Times.after(nowMs, config.checkpointMs());
        }
        try {
            return partitions.flush(storage, nowMs) + retain(nowMs) + checkpoint(nowMs) + folders.deleteDue(nowMs);
        } catch (final StorageException e) {
            fail(e);
            return 1;
        }
    }

    private int retain(final long nowMs) {
        if (nowMs < retentionDueMs) {
            return 0;
        }
        retentionDueMs = Times.after(nowMs, config.retentionCheckMs());
        return partitions.requestRetention();
    }

    private int checkpoint(final long nowMs) {
        if (nowMs < checkpointDueMs) {
            return 0;
        }
        checkpointDueMs = Times.after(nowMs, config.checkpointMs());
        return checkpoints.tryWrite(partitions.all());
    }

    /**
     * Why the directory is offline. Any thread.
     *
     * @return the first failure; null as long as it is online.
     */
    public @Nullable RuntimeException failure() {
        return failure.get();
    }

    /**
     * What was found odd: files that are damaged and count as missing.
     *
     * @return in words, in order; a copy.
     */
    public List<String> findings() {
        return List.copyOf(findings);
    }

    /**
     * Whether the directory was left cleanly.
     *
     * @return true if the marker and the recovery points were there and readable when it was opened.
     */
    public boolean wasClean() {
        return marker.wasFound() && checkpoints.areRecoveryPointsKnown();
    }

    /**
     * What the directory says of itself.
     *
     * @return the content of its file; null if there is none that can be read.
     */
    public @Nullable MetaProperties properties() {
        return properties;
    }

    /**
     * With which epoch the marker is going to be put back.
     *
     * @param epoch of the registered broker; without this call, that of the marker that was there.
     */
    public void brokerEpoch(final long epoch) {
        marker.brokerEpoch(epoch);
    }

    /**
     * The directory as an operator would name it.
     *
     * @return its path.
     */
    @Override
    public String toString() {
        return storage.describe("");
    }

    /**
     * Closes the logs that are still open, cleanly, on this thread, so their writers must have stopped; writes the
     * checkpoints, puts the marker back if all is well, and gives the lock back. A loading that is under way is interrupted and
     * waited for.
     *
     * @throws StorageException if the disk fails; the lock is given back all the same, and the next open is an unclean one.
     */
    @Override
    public void close() {
        if (isClosed) {
            return;
        }
        isClosed = true;
        try {
            partitions.endLoading();
            RuntimeException broken = partitions.close(failure.get() == null);
            if (failure.get() == null && marker.isRemoved()) {
                try {
                    checkpoints.write(partitions.all());
                    if (broken == null && mayBeMarked()) {
                        marker.putBack();
                    }
                } catch (final RuntimeException e) {
                    broken = Failures.joined(broken, e);
                }
            }
            Failures.throwIfAny(broken);
        } finally {
            lease.close();
        }
    }

    private boolean mayBeMarked() {
        return partitions.isClean() && (wasClean() || (isOwned && partitions.holds(folders.names())));
    }

    /** Before the first change: who finds the directory after a crash must not take it for a clean one. */
    private void beginWriting() {
        requireOnline();
        changing(marker::remove);
    }

    /** A failure of the disk here is one of the directory. */
    private void changing(final Runnable act) {
        try {
            act.run();
        } catch (final StorageException e) {
            fail(e);
            throw e;
        }
    }

    private void requireIdle() {
        if (!partitions.collect() || isClosed) {
            throw new IllegalStateException(this + (isClosed ? " is closed" : " is being loaded"));
        }
    }

    private void requireOnline() {
        final RuntimeException cause = failure.get();
        if (cause != null) {
            throw new StorageException(storage.describe(""), "use", "the data directory is offline", cause);
        }
    }

    private void fail(final RuntimeException cause) {
        failure.compareAndSet(null, cause);
    }
}
