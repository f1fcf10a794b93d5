package io.cordwood.log;

import io.cordwood.log.record.RecordBatchFlyweight;

/**
 * Something that follows from the batches of one log and can be had again by a replay: the leader-epoch table, the producer
 * table. The log advances it at each append, cuts it back at a truncation and rebuilds it at an open, through the same
 * methods.
 *
 * <p>Threads: all methods are called on the log's writer thread, but for {@link #force}, which may run beside them.
 *
 * <p>Errors: an exception from any method fences the log until it is opened anew.
 */
public interface DerivedState extends AutoCloseable {
    /**
     * Judges a batch before it is appended. Must not change anything: the batch may still be refused for another reason. The
     * batches of one run are all judged before the first of them is applied.
     *
     * @param batch with its offsets not assigned yet, unless it comes from a leader.
     * @param origin of the batch.
     * @param guard an opaque value of the integrator, handed on as it is.
     * @return {@code Refusal.ACCEPTED}, another code of {@code Refusal}, or the offset (at least 0) that the same batch got
     *     when it was appended before.
     */
    long check(RecordBatchFlyweight batch, Origin origin, long guard);

    /**
     * Takes note of a batch that was appended, or that a replay reads again. What was applied may not be published yet.
     *
     * @param batch with its final offsets; valid during the call.
     * @param segmentBase base offset of the segment that holds the batch.
     */
    void apply(RecordBatchFlyweight batch, long segmentBase);

    /**
     * Keeps the state as of an offset in a file, if the state has such files: at a roll (the new base), at a clean close (the
     * end), and at each segment base that a replay crosses. Durable only after {@link #force}.
     *
     * @param offset up to which everything was applied.
     */
    void snapshot(long offset);

    /**
     * Makes the files of the state durable up to an offset: before the recovery point moves to it, and before a truncation.
     *
     * @param offset up to which replay will not be possible any more.
     */
    void force(long offset);

    /**
     * Forgets what belongs to segments that are gone: the front was dropped, segments were replaced, or the start moved.
     *
     * @param logStartOffset first offset of the log.
     * @param bases base offsets of the segments that are left, ascending.
     */
    void retain(long logStartOffset, long[] bases);

    /**
     * Goes back to what the files say of the log below an offset: at an open, a recovery and a truncation. What the files say
     * of later offsets is made void durably, so that it cannot come back. A log that is thrown away to begin anew at an offset
     * first calls this with {@code upTo} 0, which voids everything, and then with the new offset.
     *
     * <p>A segment that {@link #retain} was told is gone may be among {@code bases} again: a power cut may undo a deletion that is not
     * durable yet, while a file that was written after it survives. A state that counts by segment must not believe such a file.
     *
     * @param logStartOffset first offset of the log.
     * @param bases base offsets of the segments, ascending, at least one.
     * @param upTo nothing at or above this offset may be believed.
     * @return the offset from which batches must be applied again, from {@code bases[0]} to {@code upTo}.
     */
    long restore(long logStartOffset, long[] bases, long upTo);

    /** Gives back what is held; writes nothing. A second call does nothing. */
    @Override
    void close();
}
