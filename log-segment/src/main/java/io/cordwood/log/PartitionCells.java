package io.cordwood.log;

import java.util.concurrent.atomic.AtomicLong;
import org.jspecify.annotations.Nullable;

/**
 * One partition of an open data directory: its log, and the positions that others keep for it. Each value has one owner, who
 * stores it here; the directory writes them to its checkpoint files now and then and at the end. The start of the log and
 * its recovery point are the {@link Log}'s own.
 *
 * <p>Any thread may look; each position is stored by its owner's thread.
 */
public final class PartitionCells {
    /** Nobody has stored this position. */
    public static final long UNKNOWN = -1;

    private final PartitionName name;
    private final boolean wasClean;
    private final boolean areOffsetsKnown;
    private final long forcedOffset;
    private final long startOffset;
    private final long highWatermarkFound;
    private final AtomicLong highWatermark = new AtomicLong(UNKNOWN);
    private final AtomicLong cleanerOffset;
    private volatile long recoveryPoint;
    private volatile @Nullable Log log;
    private @Nullable LogRequest retention;

    PartitionCells(
            final PartitionName name,
            final boolean wasClean,
            final long forcedOffset,
            final long startOffset,
            final long highWatermarkFound,
            final long cleanerOffset,
            final boolean areOffsetsKnown) {
        this.name = name;
        this.wasClean = wasClean;
        this.areOffsetsKnown = areOffsetsKnown;
        this.forcedOffset = forcedOffset;
        this.recoveryPoint = wasClean ? Long.MAX_VALUE : forcedOffset;
        this.startOffset = startOffset;
        this.highWatermarkFound = highWatermarkFound;
        this.cleanerOffset = new AtomicLong(cleanerOffset);
    }

    /**
     * Which partition this is.
     *
     * @return its name.
     */
    public PartitionName name() {
        return name;
    }

    /**
     * The log. Its writer is whoever calls it first after the open; closing it, cleanly or not, is the writer's.
     *
     * @return the open or closed log.
     * @throws IllegalStateException if the open is not done.
     */
    public Log log() {
        final Log opened = log;
        if (opened == null) {
            throw new IllegalStateException("the log of " + name + " is not open yet");
        }
        return opened;
    }

    /**
     * Whether the directory was left cleanly, so that the log needed no scan.
     *
     * @return false after a crash, or if nobody vouched for this partition.
     */
    public boolean wasClean() {
        return wasClean;
    }

    /**
     * Where the open looks for damage from, as the directory found it.
     *
     * @return an offset; {@link Long#MAX_VALUE} after a clean close, 0 if nothing is known.
     */
    public long recoveryPoint() {
        return recoveryPoint;
    }

    /**
     * Overrules where the open looks for damage from; for a {@link LogSetup}.
     *
     * @param offset at least 0.
     */
    public void recoveryPoint(final long offset) {
        recoveryPoint = offset;
    }

    /** The recovery point of the checkpoint, after a clean close too; 0 if it has none. */
    long forcedOffset() {
        return forcedOffset;
    }

    /**
     * Whether the directory's checkpoints could all be read. If not, records below the start of the log may be readable again.
     *
     * @return false if one of the files was damaged.
     */
    public boolean areOffsetsKnown() {
        return areOffsetsKnown;
    }

    /**
     * Start of the log by the directory's checkpoint.
     *
     * @return an offset; 0 if it has none.
     */
    public long startOffset() {
        return startOffset;
    }

    /**
     * High watermark that the checkpoint held when the directory was opened. It may lie beyond the end of the log.
     *
     * @return an offset, or {@link #UNKNOWN}.
     */
    public long highWatermarkFound() {
        return highWatermarkFound;
    }

    /**
     * The bound of retention: what the replica stored last, or the end of the log as long as there is no replica.
     *
     * @return an offset, not above the end of the log.
     */
    public long highWatermark() {
        final long stored = highWatermark.get();
        final long end = log().endOffset();
        return stored == UNKNOWN ? end : Math.min(stored, end);
    }

    /**
     * Stores the high watermark; the replica's. Where nobody does, the checkpoint keeps what it had.
     *
     * @param offset all below which is committed.
     */
    public void highWatermark(final long offset) {
        highWatermark.setRelease(offset);
    }

    /**
     * Up to where the log was cleaned.
     *
     * @return an offset, or {@link #UNKNOWN}.
     */
    public long cleanerOffset() {
        return cleanerOffset.getAcquire();
    }

    /**
     * Stores up to where the log was cleaned; the cleaner's, once the swap is durable. A truncation lowers it.
     *
     * @param offset all below which is clean.
     */
    public void cleanerOffset(final long offset) {
        cleanerOffset.setRelease(offset);
    }

    void opened(final Log openedLog) {
        log = openedLog;
    }

    boolean isOpen() {
        final Log opened = log;
        return opened != null && !opened.isClosed();
    }

    boolean isClosedCleanly() {
        final Log opened = log;
        return opened != null && opened.isClosedCleanly();
    }

    void lowerCleanerOffset(final long endOffset) {
        cleanerOffset.accumulateAndGet(endOffset, Math::min);
    }

    /** Whether a replica has stored a high watermark. */
    boolean hasHighWatermark() {
        return highWatermark.get() != UNKNOWN;
    }

    /** The directory's: asks the log's writer for retention, unless it has not come to the last request yet. */
    void requestRetention() {
        if (isOpen() && (retention == null || retention.isDone())) {
            retention = log().request(LogRequest.unattendedRetain(highWatermark()));
        }
    }
}
