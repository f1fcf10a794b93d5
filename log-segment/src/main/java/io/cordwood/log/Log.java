package io.cordwood.log;

import io.cordwood.log.record.Refusal;
import java.util.List;
import org.agrona.DirectBuffer;
import org.agrona.concurrent.UnsafeBuffer;
import org.jspecify.annotations.Nullable;

/**
 * One partition's log: the only truth, an append-only sequence of record batches in segment files that are Apache Kafka's.
 * Owns the log's start and end offset and its directory. Opened by a {@link LogBuilder}.
 *
 * <p>Threads: one thread at a time, the writer, calls everything that changes the log. Others ask for a change with
 * {@link #request}, read through a {@link #newReader reader of their own}, and look at the offsets. {@link #beginForce} is
 * for any one thread beside the writer.
 *
 * <p>Durability: what an append returned is in the page cache once it is published; it survives a power cut once
 * {@link #flushedOffset} has passed it.
 *
 * <p>Errors: an expected refusal is a code of {@link Refusal}, explained by {@link #refusalReason}. A
 * {@link io.cordwood.log.store.StorageException} from the middle of an append or from a force fences the log: it can be read,
 * but not appended to, until it is opened anew.
 */
public final class Log implements AutoCloseable {
    private final LogSegments segments;
    private final LogPositions positions;
    private final LogAppends appends;
    private final LogForces forces;
    private final LogShrinking shrinking;
    private final LeaderEpochTable epochs;
    private volatile RecoveryReport recovery;
    private final LogRequests requests = new LogRequests();
    private final LogEnding ending;
    private final LogParts parts;
    private volatile LogConfig config;

    Log(
            final LogBuilder builder,
            final List<DerivedState> states,
            final LeaderEpochTable epochs,
            final LogSegments segments,
            final RecoveryReport recovery,
            final long nowMs) {
        this.epochs = epochs;
        this.recovery = recovery;
        this.config = builder.config;
        this.parts = new LogParts(
                builder.storage,
                builder.directory,
                builder.indexes,
                builder.codecs,
                builder.appendUse,
                builder.config.decompressedBytesMax(),
                builder.guard);
        this.segments = segments;
        final long end = recovery.endOffset();
        this.positions = new LogPositions(recovery.startOffset(), end, Math.min(builder.recoveryPoint, end));
        this.forces = new LogForces(segments, positions, states, nowMs);
        final BatchJudge judge = new BatchJudge(states, epochs, builder.codecs, builder.config);
        this.appends = new LogAppends(segments, positions, forces, states, judge, builder.config, builder.jitterSeed);
        this.shrinking = new LogShrinking(parts, segments, positions, appends, forces, states);
        this.ending = new LogEnding(segments, positions, appends, forces, requests, states);
    }

    /**
     * Appends a run of one or more whole batches and publishes it, and whatever was gathered before, with one write.
     *
     * @param buffer that holds the batches; not kept.
     * @param index of the first batch.
     * @param length of the run in bytes.
     * @param as on whose behalf, and on what terms.
     * @param nowMs the time, milliseconds since the epoch.
     * @return offset of the first record (at least 0; details in {@link #lastAppend}), or a code of {@link Refusal}: then
     *     nothing of the run was appended. A duplicate gets the offset that it has, and is not appended.
     * @throws io.cordwood.log.store.StorageException if the disk fails.
     */
    public long append(
            final DirectBuffer buffer, final int index, final int length, final AppendAs as, final long nowMs) {
        final long result = gather(buffer, index, length, as, nowMs);
        if (result >= 0) {
            publish();
        }
        return result;
    }

    /**
     * The same as {@link #append} without publishing: several runs are gathered and published together, since the system
     * call is most of the cost of a small append. Derived states know the run at once; readers do not.
     *
     * @param buffer that holds the batches; not kept.
     * @param index of the first batch.
     * @param length of the run in bytes.
     * @param as on whose behalf, and on what terms.
     * @param nowMs the time, milliseconds since the epoch.
     * @return offset of the first record, or a code of {@link Refusal}.
     * @throws io.cordwood.log.store.StorageException if the disk fails.
     */
    public long gather(
            final DirectBuffer buffer, final int index, final int length, final AppendAs as, final long nowMs) {
        return appends.gather(buffer, index, length, as, nowMs);
    }

    /**
     * Publishes what was gathered: readable, and acknowledged from the page cache, on return.
     *
     * @return the end of the log.
     * @throws io.cordwood.log.store.StorageException if the write fails; the log is fenced then.
     */
    public long publish() {
        appends.requireUsable("publish");
        appends.publish();
        forces.request(appends.forcedEnd());
        return positions.publishedEnd();
    }

    /**
     * Claims memory in the log itself, in which the caller encodes one batch and then calls {@link #commit} or
     * {@link #abort}. No other change of the log may come between.
     *
     * @param length most bytes that the batch may take.
     * @param view wrapped around the memory.
     * @param nowMs the time, milliseconds since the epoch.
     * @return {@link Refusal#ACCEPTED}, or why there is no room.
     * @throws io.cordwood.log.store.StorageException if the disk has no room; nothing was appended then.
     */
    public long claim(final int length, final UnsafeBuffer view, final long nowMs) {
        return claim(length, view, nowMs, nowMs);
    }

    /**
     * The same for a batch that does not end with a record of now: roll by time goes by the batch's own largest timestamp.
     *
     * @param length most bytes that the batch may take.
     * @param view wrapped around the memory.
     * @param maxTimestamp largest timestamp that the batch is going to have, -1 if none.
     * @param nowMs the time, milliseconds since the epoch.
     * @return {@link Refusal#ACCEPTED}, or why there is no room.
     * @throws io.cordwood.log.store.StorageException if the disk has no room; nothing was appended then.
     */
    public long claim(final int length, final UnsafeBuffer view, final long maxTimestamp, final long nowMs) {
        return appends.claim(length, view, maxTimestamp, nowMs);
    }

    /**
     * Seals the batch in the claimed memory (offset, epoch, append time, CRC) and appends it without publishing. The records
     * inside are the caller's own and are not checked one by one. Where {@code compression.type} wants another codec than the
     * batch's, the batch is converted, which costs a copy.
     *
     * @param length bytes that the batch took, from the start of the claim.
     * @param as on whose behalf, and on what terms; not a replica.
     * @param nowMs the time, milliseconds since the epoch.
     * @return offset of the first record, or a code of {@link Refusal}; then the claim is given back.
     */
    public long commit(final int length, final AppendAs as, final long nowMs) {
        return appends.commit(length, as, nowMs);
    }

    /** Gives the claimed memory back. */
    public void abort() {
        appends.abort();
    }

    /**
     * More about the append that returned an offset last.
     *
     * @return reused by the next append.
     */
    public AppendResult lastAppend() {
        return appends.result();
    }

    /**
     * Why the last refused append was refused.
     *
     * @return a sentence with the values.
     */
    public String refusalReason() {
        return appends.refusalReason();
    }

    /**
     * Ends the active segment and begins a new one behind its last batch. An empty active segment stays as it is.
     *
     * @param nowMs the time, milliseconds since the epoch.
     * @return base offset of the active segment.
     * @throws io.cordwood.log.store.StorageException if the disk fails.
     */
    public long roll(final long nowMs) {
        publish();
        // Behind the largest offset nothing follows that a segment could hold.
        if (segments.active().bytes() > 0 && positions.publishedEnd() <= LogFiles.BASE_MAX) {
            appends.roll(nowMs);
        }
        return segments.active().baseOffset();
    }

    /**
     * Drops segments that are too old, too many bytes, or wholly below the start of the log, from the front and only as far
     * as a high watermark.
     *
     * @param nowMs the time, milliseconds since the epoch.
     * @param highWatermark no record at or above it is dropped; the log's end where nothing is replicated.
     * @return what was dropped and why, and what stands in the way.
     * @throws io.cordwood.log.store.StorageException if the disk fails.
     */
    public RetentionResult retain(final long nowMs, final long highWatermark) {
        publish();
        return shrinking.retain(config, nowMs, highWatermark);
    }

    /**
     * Moves the start of the log, and drops the segments that lie wholly below it.
     *
     * @param offset new start; one at or below the present start changes nothing.
     * @param highWatermark the start does not pass it.
     * @param nowMs the time, milliseconds since the epoch.
     * @return the start of the log, or {@link Refusal#OFFSET_OUT_OF_RANGE} if the offset is above the high watermark.
     * @throws io.cordwood.log.store.StorageException if the disk fails.
     */
    public long deletePrefix(final long offset, final long highWatermark, final long nowMs) {
        publish();
        return shrinking.deletePrefix(config, offset, highWatermark, nowMs);
    }

    /**
     * Takes back everything at and above an offset; durable on return. A batch that holds the offset goes as a whole. If that begins
     * below the start, the log is empty and ends at the start; as long as its owner has not made that durable, a crash may end the log at
     * the base offset of the batch.
     *
     * @param offset at least the start of the log.
     * @param nowMs the time, milliseconds since the epoch.
     * @return the end of the log; or {@link Refusal#FORCE_UNDER_WAY}, try again; or {@link Refusal#OFFSET_OUT_OF_RANGE} for
     *     an offset below the start.
     * @throws io.cordwood.log.store.StorageException if the disk fails; the log is fenced then.
     */
    public long truncateTo(final long offset, final long nowMs) {
        publish();
        final long end = shrinking.truncateTo(config, offset, nowMs);
        recovery = recovery.with(shrinking.takeFindings());
        return end;
    }

    /**
     * Takes back everything and begins anew at an offset; durable on return.
     *
     * @param offset start and end of the log then, at least 0.
     * @param nowMs the time, milliseconds since the epoch.
     * @return the offset; or {@link Refusal#FORCE_UNDER_WAY}, try again.
     * @throws io.cordwood.log.store.StorageException if the disk fails; the log is fenced then.
     */
    public long truncateFullyAndStartAt(final long offset, final long nowMs) {
        publish();
        return shrinking.truncateFullyAndStartAt(config, offset, nowMs);
    }

    /**
     * Begins a force of everything that is published. The caller runs it, on any thread; appends go on meanwhile.
     *
     * @return the force; null if another one or a truncation is under way.
     */
    public @Nullable ForceTarget beginForce() {
        return forces.begin();
    }

    /**
     * Forces everything that is published, on the calling thread.
     *
     * @return the flushed offset; or {@link Refusal#FORCE_UNDER_WAY}, try again.
     * @throws io.cordwood.log.store.StorageException if the system reports a failure, or did so before; the log is poisoned.
     */
    public long flush() {
        appends.requireUsable("flush");
        return forces.flush();
    }

    /**
     * Whether a force is due: an append asked for one, or {@code flush.messages} or {@code flush.ms} says so. For the one
     * thread that forces the log.
     *
     * @param nowMs the time, milliseconds since the epoch.
     * @return true if {@link #beginForce} should be called.
     */
    public boolean isFlushDue(final long nowMs) {
        return forces.isDue(config, nowMs);
    }

    /**
     * The writer's duty cycle: carries out what others have requested, deletes files whose delay is over, closes what a
     * force has covered.
     *
     * @param nowMs the time, milliseconds since the epoch.
     * @return how much was done; 0 if the caller may idle.
     * @throws io.cordwood.log.store.StorageException if the disk refuses to rename or delete a dropped segment; all the rest
     *     was done, and the refused act is tried again a little later; or if it refuses the retention that the data directory asked for.
     */
    public int doWork(final long nowMs) {
        int done = 0;
        RuntimeException failure = null;
        try {
            done = tidy(nowMs);
        } catch (final RuntimeException e) {
            failure = e;
        }
        return done + requests.carryOutNext(this, nowMs, failure);
    }

    private int tidy(final long nowMs) {
        // What a force looks at must not be closed under it; the next cycle comes soon.
        if (!forces.tryExclude()) {
            return 0;
        }
        try {
            return segments.tidy(nowMs, positions.flushedEnd());
        } finally {
            forces.include();
        }
    }

    /**
     * Asks the writer's thread for a change; it is made in one of its next {@link #doWork} cycles. If the log is closed before,
     * the request has failed. Any thread.
     *
     * @param request that tells the outcome; used once.
     * @return the same.
     */
    public LogRequest request(final LogRequest request) {
        requests.add(request);
        return request;
    }

    /**
     * Changes the settings; what exists keeps its form.
     *
     * @param newConfig the settings from now on.
     */
    public void configure(final LogConfig newConfig) {
        config = newConfig;
        appends.configure(newConfig);
    }

    /**
     * Makes a reader, for one thread at a time.
     *
     * @return the reader, to be closed by its user.
     */
    public LogReader newReader() {
        return new LogReader(segments, positions, parts, epochs);
    }

    /**
     * First offset that may be read. Any thread.
     *
     * @return the offset.
     */
    public long startOffset() {
        return positions.startOffset();
    }

    /**
     * The log end offset: the next record gets it or a higher one. Any thread.
     *
     * @return the offset, all below which is published.
     */
    public long endOffset() {
        return positions.publishedEnd();
    }

    /**
     * Everything below is durable; the recovery point of the next open. Above the last batch if a truncation has ended in a gap, of which no file
     * tells: then that open reports an end that is too low, where no {@link LogDirectory} keeps the number. Any thread.
     *
     * @return the offset.
     */
    public long flushedOffset() {
        return positions.flushedEnd();
    }

    /**
     * The leader epochs of the log.
     *
     * @return the table, for readers on any thread.
     */
    public LeaderEpochTable leaderEpochs() {
        return epochs;
    }

    /**
     * What the open has found and done, and behind that what each truncation since has found damaged. Any thread.
     *
     * @return the report.
     */
    public RecoveryReport recovery() {
        return recovery;
    }

    /**
     * Settings in force. The writer's.
     *
     * @return the settings.
     */
    public LogConfig config() {
        return config;
    }

    /**
     * How many segments the log has. Any thread.
     *
     * @return at least 1.
     */
    public int segmentCount() {
        return segments.list().size();
    }

    /**
     * Bytes in the segment files. Any thread.
     *
     * @return the sum of their lengths.
     */
    public long sizeInBytes() {
        return segments.list().sizeInBytes();
    }

    /**
     * Base offsets of the segments. Any thread.
     *
     * @return ascending; a copy.
     */
    public long[] baseOffsets() {
        return segments.list().bases();
    }

    /**
     * The largest timestamp of the log's records.
     *
     * @return milliseconds since the epoch, or -1 if there is none.
     */
    public long largestTimestamp() {
        return segments.list().largestTimestamp();
    }

    /**
     * Forces that have succeeded since the log was opened: a counter for tools. Any thread.
     *
     * @return the count.
     */
    public long forceCount() {
        return forces.count();
    }

    /**
     * Why a force has failed, after which the log takes no append until it is opened anew. Any thread.
     *
     * @return the failure, or null if there was none.
     */
    public @Nullable RuntimeException forceFailure() {
        return forces.failure();
    }

    /** Why the disk takes no more of this log: the failure of a write or a force; null if there was none. Any thread. */
    @Nullable
    RuntimeException diskFailure() {
        return appends.diskFailure();
    }

    /** The lowest offset that a truncation has cut to since the last call; the writer's, for who completes its appends. */
    long takeLowestCut() {
        return positions.takeLowestCut();
    }

    /**
     * Closes the log cleanly: publishes, seals the active segment's index, snapshots the derived states and forces everything.
     * What is left needs no scan at the next open with this end as recovery point. Waits for a force that is under way.
     *
     * @throws io.cordwood.log.store.StorageException if the disk fails; all is given back all the same, and the next open
     *     must be an unclean one.
     */
    @Override
    public void close() {
        ending.close();
    }

    /** Whether the log is closed, in whichever way. Any thread. */
    boolean isClosed() {
        return ending.isClosed();
    }

    /** Whether the log was closed and needs no scan at the next open. Any thread. */
    boolean isClosedCleanly() {
        return ending.isClosedCleanly();
    }

    /** What any thread may look at. */
    LogPositions positions() {
        return positions;
    }

    /** Gives everything back and writes nothing: what a crash would leave, but for the page cache. */
    public void closeUncleanly() {
        ending.closeUncleanly();
    }
}
