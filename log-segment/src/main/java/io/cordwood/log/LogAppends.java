package io.cordwood.log;

import io.cordwood.log.record.Crc32c;
import io.cordwood.log.record.RecordBatchDescriptor;
import io.cordwood.log.record.RecordBatchFlyweight;
import io.cordwood.log.record.Refusal;
import io.cordwood.log.record.TimestampType;
import io.cordwood.log.store.StorageException;
import java.lang.invoke.VarHandle;
import java.util.List;
import org.agrona.DirectBuffer;
import org.agrona.concurrent.UnsafeBuffer;
import org.jspecify.annotations.Nullable;

/**
 * How batches get into a log: what {@link BatchJudge} has accepted is claimed, copied, given its offset, epoch and time in
 * place, and shown to the index and the derived states, batch by batch; published when the caller says so. Owns the next
 * offset and when the log rolls. The writer's thread only; allocates nothing per batch.
 */
final class LogAppends implements AutoCloseable {
    private static final long UNDEFINED = Long.MIN_VALUE;

    private final LogSegments segments;
    private final LogPositions positions;
    private final LogForces forces;
    private final DerivedState[] states;
    private final BatchJudge judge;
    private final Crc32c crc = new Crc32c();
    private final RecordBatchFlyweight next = new RecordBatchFlyweight();
    private final RecordBatchFlyweight placed = new RecordBatchFlyweight();
    private final UnsafeBuffer claimed = new UnsafeBuffer(0, 0);
    private final AppendResult result = new AppendResult();
    private final long jitterSeed;

    private LogConfig config;
    private long nextOffset;

    /** Offset behind the last batch: below the log's end if a truncation came to end in a gap. */
    private long batchesEnd;

    private long position;
    private RollPolicy rollPolicy;
    private int roomBytes = Integer.MAX_VALUE;
    private int openClaimBytes;
    private long forcedEnd;
    private boolean isPending;

    /** A batch is claimed, but not everybody who must know of it does. */
    private boolean isTorn;

    private volatile @Nullable Throwable fence;

    LogAppends(
            final LogSegments segments,
            final LogPositions positions,
            final LogForces forces,
            final List<DerivedState> states,
            final BatchJudge judge,
            final LogConfig config,
            final long jitterSeed) {
        this.segments = segments;
        this.positions = positions;
        this.forces = forces;
        this.states = states.toArray(new DerivedState[0]);
        this.judge = judge;
        this.jitterSeed = jitterSeed;
        this.config = config;
        this.rollPolicy = RollPolicy.of(config, jitterSeed, segments.active().baseOffset());
        resume(positions.publishedEnd());
    }

    /**
     * Takes the end of the log from the segments and positions, after an open or a truncation.
     *
     * @param newBatchesEnd offset behind the last batch of the active segment.
     */
    void resume(final long newBatchesEnd) {
        batchesEnd = newBatchesEnd;
        nextOffset = positions.publishedEnd();
        position = segments.active().bytes();
        rollPolicy = RollPolicy.of(config, jitterSeed, segments.active().baseOffset());
        isPending = false;
        openClaimBytes = 0;
        forcedEnd = Math.min(forcedEnd, nextOffset);
        // A mapping keeps the size that it was made with, also when the settings have changed since.
        roomBytes = segments.files().isRoomFixed() ? Math.min(roomBytes, config.segmentBytes()) : config.segmentBytes();
    }

    void configure(final LogConfig newConfig) {
        config = newConfig;
        judge.configure(newConfig);
        // A mapping is as large as it was made.
        roomBytes = segments.files().isRoomFixed()
                ? Math.min(roomBytes, newConfig.segmentBytes())
                : newConfig.segmentBytes();
        rollPolicy = RollPolicy.of(newConfig, jitterSeed, segments.active().baseOffset());
    }

    AppendResult result() {
        return result;
    }

    /** Why the last refused append was refused. */
    String refusalReason() {
        return judge.refusalReason();
    }

    /** Whether nothing is appended until the log is opened anew. */
    boolean isFenced() {
        return fence != null || forces.failure() != null;
    }

    /** Why nothing is appended, if it is the disk's fault. Any thread. */
    @Nullable
    RuntimeException diskFailure() {
        return fence instanceof StorageException failed ? failed : forces.failure();
    }

    /** From here on nothing is appended until the log is opened anew. */
    void fence(final Throwable cause) {
        if (fence == null) {
            fence = cause;
        }
    }

    void requireUsable(final String operation) {
        final RuntimeException poison = forces.failure();
        if (poison != null) {
            fence(poison);
        }
        final Throwable cause = fence;
        if (cause != null) {
            throw new StorageException(
                    segments.files().storage().describe(segments.files().directory()),
                    operation,
                    "the log takes no changes since an earlier failure and must be opened anew: "
                            + (cause instanceof Error ? cause : cause.getMessage()),
                    cause);
        }
        if (openClaimBytes > 0) {
            throw new IllegalStateException(operation + " while a claim of " + openClaimBytes + " bytes is open");
        }
    }

    /** Appends without publishing. First offset, or a refusal; for a duplicate the offset it has. */
    long gather(final DirectBuffer buffer, final int index, final int length, final AppendAs as, final long nowMs) {
        requireUsable("append");
        final long verdict = judge.judge(buffer, index, length, as, nextOffset, nowMs);
        return verdict == Refusal.ACCEPTED ? placeRun(as, nowMs) : told(verdict, as);
    }

    /** A verdict that is not an acceptance; for a duplicate its offsets are noted. */
    private long told(final long verdict, final AppendAs as) {
        if (verdict >= 0) {
            result.duplicate(verdict, judge.duplicateEnd() - 1);
            if (as.durability() == Durability.FORCED) {
                forcedEnd = Math.max(forcedEnd, judge.duplicateEnd());
            }
        }
        return verdict;
    }

    private long placeRun(final AppendAs as, final long nowMs) {
        final DirectBuffer run = judge.run();
        final int end = judge.runEnd();
        long first = UNDEFINED;
        int at = judge.runStart();
        try {
            for (int ordinal = 0; at < end; ordinal++) {
                next.wrap(run, at);
                final int size = next.sizeInBytes();
                final long base = place(run, at, size, judge.maxTimestamp(ordinal), as, nowMs);
                first = first == UNDEFINED ? base : first;
                at += size;
            }
        } catch (final RuntimeException | Error e) {
            // Before the first batch nothing has changed; behind it the states know batches that nobody will see.
            if (first != UNDEFINED || isTorn) {
                fence(e);
            }
            throw e;
        }
        return appended(first, as, nowMs);
    }

    private long appended(final long first, final AppendAs as, final long nowMs) {
        result.appended(first, nextOffset - 1, isAppendTime(as) ? nowMs : -1, as.durability());
        return first;
    }

    private boolean isAppendTime(final AppendAs as) {
        return as.origin() != Origin.REPLICA && config.timestampType() == TimestampType.LOG_APPEND_TIME;
    }

    private long place(
            final DirectBuffer run,
            final int at,
            final int size,
            final long createdMaxTimestamp,
            final AppendAs as,
            final long nowMs) {
        final boolean isReplica = as.origin() == Origin.REPLICA;
        final boolean isAppendTime = isAppendTime(as);
        final long base = isReplica ? next.baseOffset() : nextOffset;
        final long last = isReplica ? next.lastOffset() : base + next.lastOffsetDelta();
        final long maxTimestamp = isAppendTime ? nowMs : createdMaxTimestamp;
        rollIfDue(size, base, last, maxTimestamp, nowMs);
        segments.active().file().claim(size, claimed);
        isTorn = true;
        // In a mapping each byte may survive as soon as it is written: the checksum that makes the batch one comes
        // last.
        claimed.putInt(RecordBatchDescriptor.CRC_OFFSET, 0);
        claimed.putBytes(0, run, at, RecordBatchDescriptor.CRC_OFFSET);
        final int covered = RecordBatchDescriptor.ATTRIBUTES_OFFSET;
        claimed.putBytes(covered, run, at + covered, size - covered);
        boolean isAltered = false;
        if (!isReplica) {
            RecordBatchDescriptor.putBaseOffset(claimed, 0, base);
            RecordBatchDescriptor.putPartitionLeaderEpoch(claimed, 0, as.leaderEpoch());
            isAltered = isAppendTime || judge.isMaxTimestampWrong();
            if (isAppendTime) {
                RecordBatchDescriptor.putLogAppendTime(claimed, 0, nowMs);
            } else if (isAltered) {
                RecordBatchDescriptor.putMaxTimestamp(claimed, 0, maxTimestamp);
            }
        }
        if (isAltered) {
            RecordBatchDescriptor.sealCrc(claimed, 0, size, crc);
        } else {
            VarHandle.storeStoreFence();
            claimed.putBytes(
                    RecordBatchDescriptor.CRC_OFFSET, run, at + RecordBatchDescriptor.CRC_OFFSET, Integer.BYTES);
        }
        placed(size, last, maxTimestamp, as.durability());
        return base;
    }

    /** Tells index and states of the batch in the claimed memory. */
    private void placed(final int size, final long last, final long maxTimestamp, final Durability durability) {
        final Segment active = segments.active();
        active.index().append(last, position, maxTimestamp);
        active.appended(maxTimestamp);
        placed.wrap(claimed, 0);
        for (final DerivedState state : states) {
            state.apply(placed, active.baseOffset());
        }
        position += size;
        nextOffset = last + 1;
        batchesEnd = nextOffset;
        isPending = true;
        isTorn = false;
        if (durability == Durability.FORCED) {
            forcedEnd = nextOffset;
        }
    }

    /** End of what was appended with {@link Durability#FORCED}. */
    long forcedEnd() {
        return forcedEnd;
    }

    private void rollIfDue(
            final int size, final long base, final long last, final long maxTimestamp, final long nowMs) {
        final Segment active = segments.active();
        if ((position > 0 && position + size > roomBytes)
                || rollPolicy.isRollDue(active, position, size, last, maxTimestamp, nowMs)) {
            if (position == 0 && base == active.baseOffset()) {
                throw new IllegalStateException("a batch from " + base + " to " + last + " fits no segment");
            }
            roll(baseOfNext(base, last), size, nowMs);
        } else if (position == 0 && size > roomBytes) {
            // A leader's batch from times with larger segments gets a segment of its own, with room for it.
            enlargeActive(size, nowMs);
        }
    }

    /**
     * A new segment begins behind the last batch, also if its own first one leaves a gap there, as one of a leader whose log was cleaned may:
     * a gap between two segments would look like a segment that is missing. Not so one up to where the active segment cannot reach. Where all
     * batches of the active segment are out of their places, it is the batch's own offset.
     */
    private long baseOfNext(final long base, final long last) {
        final boolean isFar = base - segments.active().baseOffset() > Integer.MAX_VALUE;
        final boolean isNone = position == 0 || batchesEnd <= segments.active().baseOffset();
        return isNone || isFar || last - batchesEnd > Integer.MAX_VALUE ? base : batchesEnd;
    }

    /** Begins a new segment although the active one has room; false if there is no name for one. */
    boolean roll(final long nowMs) {
        final long base = baseOfNext(positions.publishedEnd(), positions.publishedEnd());
        if (base <= segments.active().baseOffset()) {
            return false;
        }
        roll(base, 0, nowMs);
        return true;
    }

    private void enlargeActive(final int size, final long nowMs) {
        // A force may look at the empty file at this moment; such batches are rare.
        forces.exclude();
        try {
            segments.replaceEmptyActive(config, size, nowMs);
        } catch (final RuntimeException | Error e) {
            // The old file is closed, and perhaps gone.
            fence(e);
            throw e;
        } finally {
            forces.include();
        }
        for (final DerivedState state : states) {
            state.snapshot(segments.active().baseOffset());
        }
    }

    /**
     * Publishes what is pending, seals the active segment and begins a new one at an offset. If the new files cannot be made
     * nothing has changed; a failure behind that leaves the log between two segments, and fences it.
     */
    void roll(final long newBase, final long bytesMin, final long nowMs) {
        if (newBase <= segments.active().baseOffset()) {
            // Its file would be taken for a left-over and deleted.
            throw new IllegalStateException("no segment can begin at " + newBase + " behind "
                    + segments.active().path() + ", of whose batches none is in its place");
        }
        publish();
        if (forces.tryExclude()) {
            try {
                segments.closeForced(positions.recoveryPoint());
            } finally {
                forces.include();
            }
        }
        final Segment next = segments.files().create(newBase, config, bytesMin, nowMs);
        try {
            segments.rollTo(next, config, nowMs);
            for (final DerivedState state : states) {
                state.snapshot(newBase);
            }
        } catch (final RuntimeException | Error e) {
            fence(e);
            throw e;
        }
        position = 0;
        roomBytes = config.segmentBytes();
        rollPolicy = RollPolicy.of(config, jitterSeed, newBase);
    }

    /** Makes everything gathered readable. */
    void publish() {
        if (!isPending) {
            return;
        }
        positions.appendedEnd(nextOffset);
        try {
            segments.active().file().publish();
        } catch (final RuntimeException | Error e) {
            fence(e);
            throw e;
        }
        isPending = false;
        positions.publishedEnd(nextOffset);
    }

    /**
     * Memory for one batch of at most that many bytes; {@link Refusal#ACCEPTED} or a refusal.
     *
     * @param maxTimestamp that the batch is going to have, or -1.
     */
    long claim(final int length, final UnsafeBuffer view, final long maxTimestamp, final long nowMs) {
        requireUsable("claim");
        if (length > config.maxMessageBytes()) {
            return judge.refuse(Refusal.BATCH_TOO_LARGE, "the claim exceeds max.message.bytes");
        }
        if (length > config.segmentBytes()) {
            return judge.refuse(Refusal.BATCH_LARGER_THAN_SEGMENT, "the claim exceeds segment.bytes");
        }
        if (nextOffset > LogFiles.BASE_MAX) {
            return judge.refuse(Refusal.OFFSET_OUT_OF_RANGE, BatchJudge.NO_OFFSETS_LEFT);
        }
        final boolean isAppendTime = config.timestampType() == TimestampType.LOG_APPEND_TIME;
        // A record takes more than one byte, so the batch ends below this offset.
        rollIfDue(length, nextOffset, nextOffset + length, isAppendTime ? nowMs : maxTimestamp, nowMs);
        segments.active().file().claim(length, view);
        claimed.wrap(view, 0, length);
        openClaimBytes = length;
        return Refusal.ACCEPTED;
    }

    /** Seals the batch that was encoded into the claim and appends it without publishing. */
    long commit(final int size, final AppendAs as, final long nowMs) {
        final int open = openClaimBytes;
        if (open == 0 || size <= 0 || size > open) {
            throw new IllegalArgumentException("commit of " + size + " bytes, but the claim has " + open);
        }
        if (as.origin() == Origin.REPLICA) {
            throw new IllegalArgumentException("a claim is not for a replica's batch, which keeps its offsets");
        }
        if (isAppendTime(as)) {
            RecordBatchDescriptor.putLogAppendTime(claimed, 0, nowMs);
        }
        // The base first, for a process that is killed here: a batch in its place may be kept by the next open, or cut.
        // One
        // that has an epoch of this log and the base 0 would stay as damage.
        RecordBatchDescriptor.putBaseOffset(claimed, 0, nextOffset);
        VarHandle.storeStoreFence();
        RecordBatchDescriptor.putPartitionLeaderEpoch(claimed, 0, as.leaderEpoch());
        RecordBatchDescriptor.sealCrc(claimed, 0, size, crc);
        final long verdict;
        try {
            verdict = judge.judgeClaimed(claimed, size, open, as, nextOffset);
        } catch (final RuntimeException | Error e) {
            abort();
            throw e;
        }
        if (verdict != Refusal.ACCEPTED) {
            abort();
            return told(verdict, as);
        }
        if (judge.run() != claimed) {
            // In the topic's codec the batch lies elsewhere, and may need more room than was claimed.
            abort();
            return placeRun(as, nowMs);
        }
        openClaimBytes = 0;
        final long base = nextOffset;
        next.wrap(claimed, 0);
        try {
            placed(size, base + next.lastOffsetDelta(), next.maxTimestamp(), as.durability());
        } catch (final RuntimeException | Error e) {
            fence(e);
            throw e;
        }
        if (size < open) {
            segments.active().file().unclaim(open - size);
        }
        return appended(base, as, nowMs);
    }

    /** Gives the claim back. */
    void abort() {
        if (openClaimBytes > 0) {
            // What was encoded may be a whole batch, and in a mapping it is in the file.
            claimed.setMemory(0, openClaimBytes, (byte) 0);
            segments.active().file().unclaim(openClaimBytes);
            openClaimBytes = 0;
        }
    }

    @Override
    public void close() {
        judge.close();
    }
}
