package io.cordwood.log;

import io.cordwood.log.codec.Codecs;
import io.cordwood.log.store.FileUse;
import io.cordwood.log.store.Storage;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;

/**
 * Says what a {@link Log} is made of, and opens it. Used once, by one thread.
 */
public final class LogBuilder {
    final Storage storage;
    final String directory;
    final List<DerivedState> states = new ArrayList<>();
    LogConfig config = LogConfig.defaults();
    SegmentIndexFactory indexes = new ScanIndexes();
    Codecs codecs = Codecs.standard();
    FileUse appendUse = FileUse.APPEND;
    TruncationGuard guard = TruncationGuard.NONE;
    RecoveryProgress progress = new RecoveryProgress();
    long recoveryPoint;
    long forcedOffset;
    long startOffset;
    long jitterSeed;

    /**
     * Begins with the defaults: Kafka's default settings, no index files, all codecs, channel writes, recovery point 0.
     *
     * @param storage that holds the log; stays open when the log is closed.
     * @param directory of the log in the storage; made if it is missing. Kafka's name is {@code <topic>-<partition>}.
     */
    public LogBuilder(final Storage storage, final String directory) {
        this.storage = Objects.requireNonNull(storage, "storage");
        this.directory = Objects.requireNonNull(directory, "directory");
    }

    /**
     * Settings of the log.
     *
     * @param logConfig the settings.
     * @return this.
     */
    public LogBuilder config(final LogConfig logConfig) {
        config = Objects.requireNonNull(logConfig, "config");
        return this;
    }

    /**
     * Indexes of the segments. Without this call nothing is indexed, look-ups scan, and the index files of segments that
     * change are removed.
     *
     * @param factory that makes them.
     * @return this.
     */
    public LogBuilder indexes(final SegmentIndexFactory factory) {
        indexes = Objects.requireNonNull(factory, "indexes");
        return this;
    }

    /**
     * Codecs for validation and recompression.
     *
     * @param table of the codecs.
     * @return this.
     */
    public LogBuilder codecs(final Codecs table) {
        codecs = Objects.requireNonNull(table, "codecs");
        return this;
    }

    /**
     * Adds a derived state, beside the leader-epoch table that every log has. The log closes it.
     *
     * @param state not yet restored.
     * @return this.
     */
    public LogBuilder state(final DerivedState state) {
        states.add(Objects.requireNonNull(state, "state"));
        return this;
    }

    /**
     * Appends through one mapping per segment instead of channel writes: faster for small batches that are published one by
     * one. Where the disk cannot be reserved ahead, channel writes are used all the same.
     *
     * @return this.
     */
    public LogBuilder mapped() {
        appendUse = FileUse.APPEND_MAPPED;
        return this;
    }

    /**
     * Up to where the log is known to be sound and durable: damage below is not looked for.
     *
     * @param offset the last recovery point, 0 if nothing is known, {@link Long#MAX_VALUE} after a clean close.
     * @return this.
     */
    public LogBuilder recoveryPoint(final long offset) {
        if (offset < 0) {
            throw new IllegalArgumentException("recovery point is " + offset + ", but the least is 0");
        }
        recoveryPoint = offset;
        return this;
    }

    /** Up to where the log is known to have been forced, whatever a clean close spares: an end below is a loss. */
    LogBuilder forcedOffset(final long offset) {
        forcedOffset = offset;
        return this;
    }

    /**
     * First offset that may be read, if the log's start was moved into a segment.
     *
     * @param offset at least 0 and below {@link Long#MAX_VALUE}; a log without files begins here.
     * @return this.
     */
    public LogBuilder startOffset(final long offset) {
        if (offset < 0) {
            throw new IllegalArgumentException("start offset is " + offset + ", but the least is 0");
        }
        if (offset > LogFiles.BASE_MAX) {
            throw new IllegalArgumentException("start offset is " + offset
                    + ", behind which nothing can follow; the largest is " + LogFiles.BASE_MAX);
        }
        startOffset = offset;
        return this;
    }

    /**
     * Seed of the jitter of roll by time.
     *
     * @param seed any number; logs with different seeds do not roll together.
     * @return this.
     */
    public LogBuilder jitterSeed(final long seed) {
        jitterSeed = seed;
        return this;
    }

    /**
     * Keeps elsewhere what depends on the log's end, and lowers it before a truncation. Without this call nobody does; the
     * recovery point of the next open must then be 0 if the log was truncated.
     *
     * @param truncationGuard that is asked.
     * @return this.
     */
    public LogBuilder guard(final TruncationGuard truncationGuard) {
        guard = Objects.requireNonNull(truncationGuard, "guard");
        return this;
    }

    /**
     * Lets others see how far the open is, and interrupt it.
     *
     * @param recoveryProgress used for one open.
     * @return this.
     */
    public LogBuilder progress(final RecoveryProgress recoveryProgress) {
        progress = Objects.requireNonNull(recoveryProgress, "progress");
        return this;
    }

    /**
     * Opens the log, on the thread that is going to append: lists the directory, recovers what a crash has left, and creates
     * a first segment if there is none.
     *
     * @param nowMs the time, milliseconds since the epoch.
     * @return the log, ready for appends and reads.
     * @throws io.cordwood.log.store.StorageException if the disk fails.
     * @throws CorruptLogException if the directory holds what no recovery can put right.
     * @throws RecoveryInterruptedException if the progress was told so; the next open scans from the same recovery point.
     */
    public Log open(final long nowMs) {
        return LogOpening.open(this, nowMs);
    }
}
