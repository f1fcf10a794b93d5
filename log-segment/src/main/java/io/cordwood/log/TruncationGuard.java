package io.cordwood.log;

/**
 * Whoever keeps offsets of a log outside the log: its recovery point, the end of what a cleaner has cleaned. Such an offset must
 * not outlive the records that it speaks of, or records that are appended in their place would pass for sound, or for
 * clean, after a crash.
 */
@FunctionalInterface
public interface TruncationGuard {
    /** That of a log of which nobody keeps anything. */
    TruncationGuard NONE = endOffset -> true;

    /**
     * Lowers what is above an offset, but for a start. Called by the log's writer before a truncation changes anything; nothing is forced or
     * truncated meanwhile.
     *
     * @param endOffset where the log will end, or in front of that the last batch, if it will end in a gap; 0 for a truncation to nothing.
     * @return true if nothing kept is above the offset, durably; false if that cannot be said now: the truncation is then
     *     not done, and whoever wants it tries again.
     * @throws io.cordwood.log.store.StorageException if the disk fails; the truncation is not done, and the log is fenced.
     */
    boolean lowered(long endOffset);

    /**
     * Lowers the start of the log, if what is kept of that is above an offset. Called by the log's writer when a truncation to
     * nothing has durably removed the old records and made the new beginning, before anything can be appended. Not before: until
     * the old records are gone the start tells which of them were deleted. May wait for another thread.
     *
     * @param startOffset where the log begins now.
     * @throws io.cordwood.log.store.StorageException if the disk fails; the log is fenced.
     */
    default void begins(final long startOffset) {
        // Nobody keeps a start.
    }
}
