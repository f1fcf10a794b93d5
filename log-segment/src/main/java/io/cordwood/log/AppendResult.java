package io.cordwood.log;

/**
 * What became of the last append of a log; reused for each. Belongs to the log's writer thread.
 */
public final class AppendResult {
    private long firstOffset = -1;
    private long lastOffset = -1;
    private long appendTimeMs = -1;
    private boolean isDuplicate;
    private Durability durability = Durability.PAGE_CACHE;

    AppendResult() {}

    void appended(final long first, final long last, final long timeMs, final Durability promised) {
        firstOffset = first;
        lastOffset = last;
        appendTimeMs = timeMs;
        durability = promised;
        isDuplicate = false;
    }

    void duplicate(final long first, final long last) {
        firstOffset = first;
        lastOffset = last;
        appendTimeMs = -1;
        isDuplicate = true;
    }

    /**
     * Offset of the first record.
     *
     * @return the offset, or the one that a duplicate got when it was appended first.
     */
    public long firstOffset() {
        return firstOffset;
    }

    /**
     * Offset of the last record. An append with {@link Durability#FORCED} is acknowledged when {@link Log#flushedOffset} is
     * above it, one with {@link Durability#PAGE_CACHE} when {@link Log#endOffset} is.
     *
     * @return the offset.
     */
    public long lastOffset() {
        return lastOffset;
    }

    /**
     * The time that was written into the batches.
     *
     * @return milliseconds since the epoch, or -1 if the records keep their own timestamps.
     */
    public long appendTimeMs() {
        return appendTimeMs;
    }

    /**
     * Whether the batch had been appended before, and nothing was appended now.
     *
     * @return true for a duplicate.
     */
    public boolean isDuplicate() {
        return isDuplicate;
    }

    /**
     * When the append counts as acknowledged.
     *
     * @return what was asked for.
     */
    public Durability durability() {
        return durability;
    }
}
