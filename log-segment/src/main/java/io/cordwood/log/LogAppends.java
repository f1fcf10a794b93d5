package io.cordwood.log;

import io.cordwood.log.codec.Codecs;
import io.cordwood.log.record.BatchValidator;
import io.cordwood.log.record.Crc32c;
import io.cordwood.log.record.RecordBatchDescriptor;
import io.cordwood.log.record.RecordBatchFlyweight;
import io.cordwood.log.record.Refusal;
import io.cordwood.log.record.TimestampType;
import io.cordwood.log.record.ValidationRules;
import io.cordwood.log.store.StorageException;
import java.util.Arrays;
import java.util.List;
import org.agrona.DirectBuffer;
import org.agrona.concurrent.UnsafeBuffer;
import org.jspecify.annotations.Nullable;

/**
 * How batches get into a log: judged first, all of a run before any of it is placed; then each claimed, copied, given its
 * offset, epoch and time in place, and shown to the index and the derived states; published when the caller says so. Owns the
 * next offset. The writer's thread only; allocates nothing per batch.
 */
final class LogAppends {
    private static final long UNDEFINED = Long.MIN_VALUE;

    private final LogSegments segments;
    private final LogPositions positions;
    private final LogForces forces;
    private final DerivedState[] states;
    private final LeaderEpochTable epochs;
    private final BatchValidator validator;
    private final Codecs codecs;
    private final Crc32c crc = new Crc32c();
    private final RecordBatchFlyweight judged = new RecordBatchFlyweight();
    private final RecordBatchFlyweight placed = new RecordBatchFlyweight();
    private final UnsafeBuffer claimed = new UnsafeBuffer(0, 0);
    private final AppendResult result = new AppendResult();
    private final long jitterSeed;

    private LogConfig config;
    private @Nullable RunConverter converter;
    private ValidationRules clientRules;
    private ValidationRules coordinatorRules;
    private long nextOffset;
    private long position;
    private long jitterMs;
    private int roomBytes = Integer.MAX_VALUE;
    private int openClaimBytes;
    private long forcedEnd;
    private boolean isPending;

    /** A batch is claimed, but not everybody who must know of it does. */
    private boolean isTorn;

    private @Nullable RuntimeException fence;
    private String refusal = "";

    /** Max timestamps of the run's batches as the records have them, and how many headers say something else. */
    private long[] maxTimestamps = new long[8];

    private int wrongMaxTimestamps;

    LogAppends(
            final LogSegments segments,
            final LogPositions positions,
            final LogForces forces,
            final List<DerivedState> states,
            final LeaderEpochTable epochs,
            final Codecs codecs,
            final LogConfig config,
            final long jitterSeed) {
        this.segments = segments;
        this.positions = positions;
        this.forces = forces;
        this.states = states.toArray(new DerivedState[0]);
        this.epochs = epochs;
        this.validator = new BatchValidator(codecs);
        this.codecs = codecs;
        this.jitterSeed = jitterSeed;
        this.config = config;
        this.clientRules = rulesOf(config);
        this.coordinatorRules = clientRules.forCoordinator();
        this.converter = converterOf(config);
        resume();
    }

    private static ValidationRules rulesOf(final LogConfig config) {
        return new ValidationRules(
                config.timestampType(),
                config.timestampBeforeMaxMs(),
                config.timestampAfterMaxMs(),
                false,
                Math.max(config.maxMessageBytes(), RecordBatchDescriptor.HEADER_BYTES),
                config.decompressedBytesMax(),
                false);
    }

    private @Nullable RunConverter converterOf(final LogConfig config) {
        return config.compressionCodecId() == LogConfig.CODEC_OF_PRODUCER ? null : new RunConverter(codecs, config);
    }

    /** Takes the end of the log from the segments and positions, after an open or a truncation. */
    void resume() {
        nextOffset = positions.publishedEnd();
        position = segments.active().bytes();
        jitterMs = RollPolicy.jitterMs(config, jitterSeed, segments.active().baseOffset());
        isPending = false;
        openClaimBytes = 0;
        forcedEnd = Math.min(forcedEnd, nextOffset);
        // A mapping keeps the size that it was made with, also when the settings have changed since.
        roomBytes = segments.files().isRoomFixed() ? Math.min(roomBytes, config.segmentBytes()) : config.segmentBytes();
    }

    void configure(final LogConfig newConfig) {
        config = newConfig;
        clientRules = rulesOf(newConfig);
        coordinatorRules = clientRules.forCoordinator();
        if (converter != null) {
            converter.close();
        }
        converter = converterOf(newConfig);
        // A mapping is as large as it was made.
        roomBytes = segments.files().isRoomFixed()
                ? Math.min(roomBytes, newConfig.segmentBytes())
                : newConfig.segmentBytes();
        jitterMs = RollPolicy.jitterMs(newConfig, jitterSeed, segments.active().baseOffset());
    }

    AppendResult result() {
        return result;
    }

    long nextOffset() {
        return nextOffset;
    }

    String refusal() {
        return refusal;
    }

    @Nullable
    RuntimeException fence() {
        return fence;
    }

    /** From here on nothing is appended until the log is opened anew. */
    void fence(final RuntimeException cause) {
        if (fence == null) {
            fence = cause;
        }
    }

    void requireUsable(final String operation) {
        final RuntimeException cause = fence;
        if (cause != null) {
            throw new StorageException(
                    segments.files().storage().describe(segments.files().directory()),
                    operation,
                    "the log takes no changes since an earlier failure and must be opened anew: " + cause.getMessage(),
                    cause);
        }
        if (openClaimBytes > 0) {
            throw new IllegalStateException(operation + " while a claim of " + openClaimBytes + " bytes is open");
        }
    }

    /** Appends without publishing. First offset, or a refusal; for a duplicate the offset it has. */
    long gather(final DirectBuffer buffer, final int index, final int length, final AppendAs as, final long nowMs) {
        requireUsable("append");
        final long verdict = judge(buffer, index, length, as, nowMs);
        if (verdict != Refusal.ACCEPTED) {
            return verdict;
        }
        DirectBuffer run = buffer;
        int at = index;
        int end = index + length;
        final RunConverter topicCodec = converter;
        if (topicCodec != null && as.origin() != Origin.REPLICA) {
            final long converted = topicCodec.convert(buffer, index, length, config);
            if (converted < 0) {
                return refuse(converted, topicCodec.reason());
            }
            run = topicCodec.buffer();
            at = 0;
            end = (int) converted;
        }
        final long first = placeRun(run, at, end, as, nowMs);
        final boolean isAppendTime =
                as.origin() != Origin.REPLICA && config.timestampType() == TimestampType.LOG_APPEND_TIME;
        result.appended(first, nextOffset - 1, isAppendTime ? nowMs : -1, as.durability());
        return first;
    }

    private long placeRun(final DirectBuffer run, final int from, final int to, final AppendAs as, final long nowMs) {
        long first = UNDEFINED;
        int at = from;
        try {
            for (int ordinal = 0; at < to; ordinal++) {
                judged.wrap(run, at);
                final int size = judged.sizeInBytes();
                final long base = place(run, at, size, maxTimestamps[ordinal], as, nowMs);
                first = first == UNDEFINED ? base : first;
                at += size;
            }
        } catch (final RuntimeException e) {
            // Before the first batch nothing has changed; behind it the states know batches that nobody will see.
            if (first != UNDEFINED || isTorn) {
                fence(e);
            }
            throw e;
        }
        return first;
    }

    private long judge(
            final DirectBuffer buffer, final int index, final int length, final AppendAs as, final long nowMs) {
        buffer.boundsCheck(index, length);
        if (length == 0) {
            return refuse(Refusal.CORRUPT_BATCH, "the run is empty");
        }
        final boolean isReplica = as.origin() == Origin.REPLICA;
        if (!isReplica && as.leaderEpoch() < epochs.latestEpoch()) {
            return refuse(Refusal.FENCED_LEADER_EPOCH, "leader epoch is older than the log's latest");
        }
        final int end = index + length;
        long expectedOffset = nextOffset;
        int expectedEpoch = epochs.latestEpoch();
        int count = 0;
        wrongMaxTimestamps = 0;
        for (int at = index; at < end; count++) {
            final long size = validator.header(buffer, at, end - at);
            if (size < 0) {
                refusal = "";
                return size;
            }
            judged.wrap(buffer, at);
            final long verdict =
                    isReplica ? judgeReplica(expectedOffset, expectedEpoch) : judgeClient(as, (int) size, nowMs);
            if (verdict != Refusal.ACCEPTED) {
                return verdict;
            }
            final long known = checkStates(as, size == length);
            if (known != Refusal.ACCEPTED) {
                return known;
            }
            noteMaxTimestamp(count, isReplica);
            expectedOffset = judged.nextOffset();
            expectedEpoch = Math.max(expectedEpoch, judged.partitionLeaderEpoch());
            at += (int) size;
        }
        return Refusal.ACCEPTED;
    }

    private void noteMaxTimestamp(final int ordinal, final boolean isReplica) {
        if (ordinal == maxTimestamps.length) {
            maxTimestamps = Arrays.copyOf(maxTimestamps, ordinal * 2);
        }
        final boolean isStored = isReplica || validator.isMaxTimestampStored();
        maxTimestamps[ordinal] = isStored ? judged.maxTimestamp() : validator.maxTimestamp();
        wrongMaxTimestamps += isStored ? 0 : 1;
    }

    private long judgeClient(final AppendAs as, final int size, final long nowMs) {
        if (size > config.maxMessageBytes()) {
            return refuse(Refusal.BATCH_TOO_LARGE, "the batch exceeds max.message.bytes");
        }
        if (size > config.segmentBytes()) {
            return refuse(Refusal.BATCH_LARGER_THAN_SEGMENT, "the batch exceeds segment.bytes");
        }
        final long verdict =
                validator.records(judged, as.origin() == Origin.CLIENT ? clientRules : coordinatorRules, nowMs);
        refusal = "";
        return verdict;
    }

    private long judgeReplica(final long expectedOffset, final int expectedEpoch) {
        if (judged.baseOffset() < expectedOffset
                || judged.lastOffset() < judged.baseOffset()
                || judged.lastOffset() == Long.MAX_VALUE) {
            return refuse(
                    Refusal.OFFSETS_OUT_OF_ORDER, "the batch's offsets are below the end of the log, fall, or end");
        }
        final int epoch = judged.partitionLeaderEpoch();
        if (epoch >= 0 && epoch < expectedEpoch) {
            return refuse(Refusal.FENCED_LEADER_EPOCH, "the batch's leader epoch is below the latest");
        }
        return Refusal.ACCEPTED;
    }

    /**
     * Asks the derived states. Since all batches of a run are judged before any is applied, a batch that depends on the one
     * before it in the run, or is known already, can only be appended alone.
     */
    private long checkStates(final AppendAs as, final boolean isAlone) {
        if (!isAlone && as.origin() != Origin.REPLICA && judged.hasProducerId()) {
            return refuse(Refusal.INVALID_RECORD, "a batch of an idempotent producer is appended alone");
        }
        for (final DerivedState state : states) {
            final long verdict = state.check(judged, as.origin(), as.guard());
            if (verdict >= 0 && !isAlone) {
                return refuse(Refusal.INVALID_RECORD, "one batch of the run was appended before");
            }
            if (verdict >= 0) {
                result.duplicate(verdict, verdict + judged.lastOffsetDelta());
                if (as.durability() == Durability.FORCED) {
                    forcedEnd = Math.max(forcedEnd, verdict + judged.lastOffsetDelta() + 1);
                }
                return verdict;
            }
            if (verdict != Refusal.ACCEPTED) {
                return refuse(verdict, "a derived state has refused the batch");
            }
        }
        return Refusal.ACCEPTED;
    }

    private long refuse(final long code, final String reason) {
        refusal = reason;
        return code;
    }

    /** Why the last append was refused, in words; built here so that a refusal itself allocates nothing. */
    String refusalReason() {
        return refusal.isEmpty() ? validator.reason() : refusal;
    }

    private long place(
            final DirectBuffer run,
            final int at,
            final int size,
            final long createdMaxTimestamp,
            final AppendAs as,
            final long nowMs) {
        final boolean isReplica = as.origin() == Origin.REPLICA;
        final boolean isAppendTime = !isReplica && config.timestampType() == TimestampType.LOG_APPEND_TIME;
        final long base = isReplica ? judged.baseOffset() : nextOffset;
        final long last = isReplica ? judged.lastOffset() : base + judged.lastOffsetDelta();
        final long maxTimestamp = isAppendTime ? nowMs : createdMaxTimestamp;
        rollIfDue(size, base, last, maxTimestamp, nowMs);
        segments.active().file().claim(size, claimed);
        isTorn = true;
        claimed.putBytes(0, run, at, size);
        if (!isReplica) {
            RecordBatchDescriptor.putBaseOffset(claimed, 0, base);
            RecordBatchDescriptor.putPartitionLeaderEpoch(claimed, 0, as.leaderEpoch());
            if (isAppendTime) {
                RecordBatchDescriptor.putLogAppendTime(claimed, 0, nowMs);
                RecordBatchDescriptor.sealCrc(claimed, 0, size, crc);
            } else if (wrongMaxTimestamps > 0) {
                RecordBatchDescriptor.putMaxTimestamp(claimed, 0, maxTimestamp);
                RecordBatchDescriptor.sealCrc(claimed, 0, size, crc);
            }
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
                || RollPolicy.isRollDue(active, position, size, last, maxTimestamp, config, jitterMs, nowMs)) {
            if (position == 0 && base == active.baseOffset()) {
                throw new IllegalStateException("a batch from " + base + " to " + last + " fits no segment");
            }
            roll(base, size, nowMs);
        } else if (position == 0 && size > roomBytes) {
            // A leader's batch from times with larger segments gets a segment of its own, with room for it.
            enlargeActive(size, nowMs);
        }
    }

    private void enlargeActive(final int size, final long nowMs) {
        // A force may look at the empty file at this moment; it is short, and such batches are rare.
        while (!forces.tryExclude()) {
            Thread.onSpinWait();
        }
        try {
            segments.replaceEmptyActive(config, size, nowMs);
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
        publish();
        if (forces.tryExclude()) {
            segments.closeForced(positions.flushedEnd());
            forces.include();
        }
        final Segment next = segments.files().create(newBase, config, bytesMin, nowMs);
        try {
            segments.rollTo(next, config, nowMs);
            for (final DerivedState state : states) {
                state.snapshot(newBase);
            }
        } catch (final RuntimeException e) {
            fence(e);
            throw e;
        }
        position = 0;
        roomBytes = config.segmentBytes();
        jitterMs = RollPolicy.jitterMs(config, jitterSeed, newBase);
    }

    /** Makes everything gathered readable. */
    void publish() {
        if (!isPending) {
            return;
        }
        positions.appendedEnd(nextOffset);
        try {
            segments.active().file().publish();
        } catch (final RuntimeException e) {
            fence(e);
            throw e;
        }
        isPending = false;
        positions.publishedEnd(nextOffset);
    }

    /** Memory for one batch of at most that many bytes; {@link Refusal#ACCEPTED} or a refusal. */
    long claim(final int length, final UnsafeBuffer view, final long nowMs) {
        requireUsable("claim");
        if (length > config.maxMessageBytes()) {
            return refuse(Refusal.BATCH_TOO_LARGE, "the claim exceeds max.message.bytes");
        }
        if (length > config.segmentBytes()) {
            return refuse(Refusal.BATCH_LARGER_THAN_SEGMENT, "the claim exceeds segment.bytes");
        }
        // A record takes more than one byte, so the batch ends below this offset.
        rollIfDue(length, nextOffset, nextOffset + length, nowMs, nowMs);
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
        final boolean isAppendTime = config.timestampType() == TimestampType.LOG_APPEND_TIME;
        if (isAppendTime) {
            RecordBatchDescriptor.putLogAppendTime(claimed, 0, nowMs);
        }
        RecordBatchDescriptor.putBaseOffset(claimed, 0, 0);
        RecordBatchDescriptor.putPartitionLeaderEpoch(claimed, 0, as.leaderEpoch());
        RecordBatchDescriptor.sealCrc(claimed, 0, size, crc);
        long verdict = validator.header(claimed, 0, size);
        refusal = "";
        if (verdict >= 0 && verdict != size) {
            verdict = refuse(Refusal.CORRUPT_BATCH, "the committed bytes are not one whole batch");
        }
        if (verdict >= 0) {
            judged.wrap(claimed, 0);
            if (judged.lastOffsetDelta() >= open) {
                abort();
                return refuse(Refusal.INVALID_RECORD, "the batch spans more offsets than it has bytes");
            }
            verdict = as.leaderEpoch() < epochs.latestEpoch()
                    ? refuse(Refusal.FENCED_LEADER_EPOCH, "leader epoch is older than the log's latest")
                    : checkStates(as, true);
        }
        if (verdict != Refusal.ACCEPTED) {
            abort();
            return verdict;
        }
        openClaimBytes = 0;
        final long base = nextOffset;
        RecordBatchDescriptor.putBaseOffset(claimed, 0, base);
        try {
            placed(size, base + judged.lastOffsetDelta(), judged.maxTimestamp(), as.durability());
        } catch (final RuntimeException e) {
            fence(e);
            throw e;
        }
        if (size < open) {
            segments.active().file().unclaim(open - size);
        }
        result.appended(base, nextOffset - 1, isAppendTime ? nowMs : -1, as.durability());
        return base;
    }

    /** Gives the claim back. */
    void abort() {
        if (openClaimBytes > 0) {
            segments.active().file().unclaim(openClaimBytes);
            openClaimBytes = 0;
        }
    }

    void close() {
        validator.close();
        if (converter != null) {
            converter.close();
        }
    }
}
