package io.cordwood.simulation.crash;

import io.cordwood.log.DerivedState;
import io.cordwood.log.DirectoryConfig;
import io.cordwood.log.Log;
import io.cordwood.log.LogDirectory;
import io.cordwood.log.MetaProperties;
import io.cordwood.log.PartitionName;
import io.cordwood.log.store.Storage;
import io.cordwood.simulation.Partitions;
import io.cordwood.testkit.LogExam;
import io.cordwood.testkit.LogHistory;
import io.cordwood.testkit.PowerCut;
import io.cordwood.testkit.SegmentCountState;
import io.cordwood.testkit.SimulatedStorage;
import java.util.Map;
import java.util.Objects;
import java.util.SplittableRandom;
import java.util.TreeMap;
import java.util.UUID;
import org.jspecify.annotations.Nullable;

/** A data directory as a script sees it, through several lives; tells the model which partitions must be there. */
final class DirectoryLife {
    private static final DirectoryConfig CONFIG = new DirectoryConfig(1_000_000, 100, 500);
    private static final MetaProperties FRESH = MetaProperties.fresh(new UUID(1, 2), "cluster", 1);

    private final boolean isMapped;
    private final long seed;
    private final SplittableRandom random;
    private final DirectoryModel model;
    private final Map<PartitionName, LogWriter> open = new TreeMap<>();
    private SimulatedStorage disk;
    private LogDirectory directory;
    private long nowMs = Batches.NOW;
    private long deletions;
    private int segmentsMost;

    DirectoryLife(final boolean isMapped, final DirectoryModel model, final SimulatedStorage disk, final long seed) {
        this.seed = seed;
        this.random = new SplittableRandom(~seed);
        this.isMapped = isMapped;
        this.model = model;
        this.disk = disk;
        this.directory = open(disk);
    }

    static LogDirectory open(final Storage disk) {
        return LogDirectory.openOwned(disk, CONFIG, FRESH);
    }

    static Log open(
            final LogDirectory directory, final PartitionName name, final boolean isMapped, final DerivedState state) {
        return Partitions.open(directory, name, LogScenario.CONFIG, isMapped, Batches.NOW, state);
    }

    static PartitionName name(final int partition) {
        return new PartitionName("t", partition);
    }

    /** A new partition, and its log. */
    LogWriter create(final int partition) {
        final PartitionName name = name(partition);
        model.creating(name);
        if (!directory.create(name, new UUID(3, partition))) {
            throw new IllegalStateException(name + " is there");
        }
        final LogHistory log = model.created(name);
        final LogWriter writer = new LogWriter(log, open(name), seed + partition);
        open.put(name, writer);
        return writer;
    }

    /** For a script that leaves to the seed what it does. */
    SplittableRandom random() {
        return random;
    }

    boolean has(final int partition) {
        return open.containsKey(name(partition));
    }

    LogWriter log(final int partition) {
        return Objects.requireNonNull(open.get(name(partition)));
    }

    /** The log is closed, in whichever way, and the partition goes. */
    DirectoryLife delete(final int partition, final boolean isClean) {
        final PartitionName name = name(partition);
        final LogWriter writer = Objects.requireNonNull(open.remove(name));
        segmentsMost = Math.max(segmentsMost, writer.segmentsMost());
        if (isClean) {
            writer.log().close();
            writer.model().forced(writer.model().nextOffset());
        } else {
            writer.log().closeUncleanly();
        }
        model.deleting(name);
        directory.delete(name, new UUID(5, ++deletions), nowMs);
        model.deleted(name);
        return this;
    }

    /** So much later: checkpoints are written, what was deleted is removed. */
    DirectoryLife work(final long laterMs) {
        nowMs += laterMs;
        for (int done = 1; done > 0; ) {
            done = directory.doWork(nowMs);
        }
        requireOnline();
        return this;
    }

    /** A clean close, and the next open. */
    DirectoryLife close() {
        endLives();
        directory.close();
        open.values().forEach(writer -> writer.model().forced(writer.model().nextOffset()));
        model.closed(true);
        directory = open(disk);
        if (!directory.wasClean()) {
            throw new AssertionError("a clean close is not seen");
        }
        model.closed(false);
        reopen();
        return this;
    }

    /** The process dies, or the machine, and starts again. */
    DirectoryLife die(final @Nullable PowerCut cut) {
        endLives();
        if (cut != null) {
            open.values().forEach(writer -> writer.model().powerGoes());
        }
        disk = cut == null ? disk.kill() : disk.powerCut(cut);
        directory = open(disk);
        reopen();
        for (final LogWriter writer : open.values()) {
            if (cut == null) {
                LogExam.goOnAfterKill(writer.log(), writer.model());
            } else {
                LogExam.goOn(writer.log(), writer.model());
            }
        }
        return this;
    }

    int segmentsMost() {
        endLives();
        return segmentsMost;
    }

    private void endLives() {
        open.values().forEach(writer -> segmentsMost = Math.max(segmentsMost, writer.segmentsMost()));
    }

    private void reopen() {
        open.forEach((name, writer) -> writer.goOn(open(name)));
    }

    private Log open(final PartitionName name) {
        return open(directory, name, isMapped, new SegmentCountState(disk, name.directory()));
    }

    private void requireOnline() {
        if (directory.failure() != null) {
            throw new IllegalStateException("the directory is offline", directory.failure());
        }
    }
}
