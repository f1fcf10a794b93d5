package io.cordwood.log;

/**
 * The index of a segment, as the log's writer keeps it: a sparse offset index and a time index, always rebuildable from the segment.
 * Readers have its {@link IndexLookUps}.
 *
 * <p>Threads: all belongs to the log's writer, but for {@link #lookUps}, and for {@link #force}, which may run beside the writer.
 *
 * <p>Durability: nothing before {@link #force}. An index that was lost, cut or spoiled costs time and never data.
 */
public interface SegmentIndex extends AutoCloseable {
    /**
     * Takes note of a batch that was just claimed at the end of the segment, or that a scan has read again.
     *
     * @param lastOffset of the batch.
     * @param position of its first byte.
     * @param maxTimestamp of its records in milliseconds, or -1.
     */
    void append(long lastOffset, long position, long maxTimestamp);

    /**
     * Whether the next entry might not fit: the segment is to be rolled before the next append.
     *
     * @return true if full.
     */
    boolean isFull();

    /**
     * What readers ask.
     *
     * @return the look-ups, the same ones always.
     */
    IndexLookUps lookUps();

    /**
     * Says where the segment ends, of one that is sealed: an entry at or behind that offset speaks of another segment's batches,
     * and is neither believed nor explained by a crash. To be called before anything is looked up.
     *
     * @param endOffset base offset of the next segment; {@code Long.MAX_VALUE} if there is none.
     */
    default void endsAt(final long endOffset) {
        // Who keeps no files has no such entries.
    }

    /**
     * Opens the index for appending after an open, a recovery or a truncation: keeps the first entries, as far as they can be
     * believed and lie below both ends. What is beyond them is gone durably on return; other entries stay in the files and are
     * held against the batches that are given next. A file that is missing or damaged is so built anew, and it alone.
     *
     * @param endOffset every kept entry is below this offset; {@code Long.MAX_VALUE} only if nothing was cut off the segment,
     *     since an entry of what was cut is then taken for a true one and not dropped durably. It also says that a crash may have
     *     come before the index was sealed durably: then no file is taken for whole because the other one is damaged.
     * @param endPosition every kept entry is below this position of the segment's file.
     * @return the position from which the batches of the segment must be given to {@link #append} again, and {@link #restored}
     *     be called then; at most {@code endPosition}.
     */
    long restore(long endOffset, long endPosition);

    /**
     * Same as {@link #restore}, for a segment that stays sealed below the recovery point, whose index no later open looks into if it
     * looks whole: its files stay as they are, or go, until {@link #seal}, which replaces those that are not right. So whatever an interruption
     * leaves is as damaged as it was seen to be, or right. A {@link #restore} that follows drops all that was begun.
     *
     * @param endOffset as in {@link #restore}.
     * @param endPosition as in {@link #restore}.
     * @return as in {@link #restore}; {@link #seal} is to be called then, and not {@link #restored}.
     */
    default long mend(final long endOffset, final long endPosition) {
        return restore(endOffset, endPosition);
    }

    /**
     * Says that the batch where {@link #restore} has answered that the index goes on is not the one of its last entry. Nothing is taken for granted then:
     * each entry is held against its batch, and the batches are given from position 0 on.
     */
    void distrust();

    /**
     * Says that after {@link #restore} all batches of the segment have been given: what is left in the files and belongs to none
     * of them is not true, and is gone durably on return. Later appends would make it look true.
     */
    void restored();

    /** What {@link #restore} and the batches after it found the files to be. */
    enum Finding {
        /** Nothing is wrong with them. */
        SOUND,
        /** Entries were missing, or were dropped: a crash can have left them so. */
        MENDED,
        /** They held what neither an append nor a crash leaves, such as entries that do not ascend. */
        GARBAGE
    }

    /**
     * How the files were found. It is known as a whole after {@link #restored} or {@link #seal}.
     *
     * @return the finding of the last {@link #restore}.
     */
    Finding finding();

    /**
     * Ends the index at a roll or clean close: writes what is not yet in the files, the last time entry among it, and cuts
     * the files to their entries. Look-ups go on; {@link #append} does not before the next {@link #restore}.
     */
    void seal();

    /**
     * Makes durable what is in the files, but for their names: everything after {@link #seal}; before it the last entries may
     * be missing, and {@link #restore} asks for their batches again.
     */
    void force();

    /** Gives back what is held. Nothing that was not sealed or forced is written. A second call does nothing. */
    @Override
    void close();
}
