package io.cordwood.log;

import io.cordwood.log.codec.Codecs;
import io.cordwood.log.codec.CompressionType;
import io.cordwood.log.record.BatchValidator;
import io.cordwood.log.record.RecordBatchDescriptor;
import io.cordwood.log.record.RecordBatchFlyweight;
import io.cordwood.log.record.Refusal;
import io.cordwood.log.record.ValidationRules;
import java.util.Arrays;
import java.util.List;
import org.agrona.DirectBuffer;
import org.agrona.concurrent.UnsafeBuffer;
import org.jspecify.annotations.Nullable;

/**
 * Decides whether a run of batches may enter a log, and in which form: all of it, before any of it is placed. Owns why the
 * last run was refused and what was learned about the run that was accepted; changes nothing in the log. The writer's thread
 * only; allocates nothing per batch.
 */
final class BatchJudge implements AutoCloseable {
    static final String NO_OFFSETS_LEFT = "the log would go beyond the largest offset";

    private final DerivedState[] states;
    private final LeaderEpochTable epochs;
    private final BatchValidator validator;
    private final Codecs codecs;
    private final RecordBatchFlyweight judged = new RecordBatchFlyweight();

    private LogConfig config;
    private @Nullable RunConverter converter;
    private ValidationRules clientRules;
    private ValidationRules coordinatorRules;
    private String refusal = "";
    private long duplicateEnd;

    // The accepted run, in the topic's codec.
    private DirectBuffer run = new UnsafeBuffer(0, 0);
    private int runStart;
    private int runEnd;

    /** Max timestamps of the run's batches as the records have them, and how many headers say something else. */
    private long[] maxTimestamps = new long[8];

    private int wrongMaxTimestamps;

    BatchJudge(
            final List<DerivedState> states,
            final LeaderEpochTable epochs,
            final Codecs codecs,
            final LogConfig config) {
        this.states = states.toArray(new DerivedState[0]);
        this.epochs = epochs;
        this.validator = new BatchValidator(codecs);
        this.codecs = codecs;
        this.config = config;
        this.clientRules = rulesOf(config);
        this.coordinatorRules = clientRules.forCoordinator();
        this.converter = converterOf(config);
    }

    void configure(final LogConfig newConfig) {
        config = newConfig;
        clientRules = rulesOf(newConfig);
        coordinatorRules = clientRules.forCoordinator();
        if (converter != null) {
            converter.close();
        }
        converter = converterOf(newConfig);
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

    /**
     * Judges a run and brings it into the topic's codec.
     *
     * @param nextOffset of the log.
     * @return {@link Refusal#ACCEPTED}, a refusal, or the offset that a duplicate has.
     */
    long judge(
            final DirectBuffer buffer,
            final int index,
            final int length,
            final AppendAs as,
            final long nextOffset,
            final long nowMs) {
        final long verdict = judgeAll(buffer, index, length, as, nextOffset, nowMs);
        if (verdict != Refusal.ACCEPTED) {
            return verdict;
        }
        if (converter != null && as.origin() != Origin.REPLICA) {
            return convert(converter, buffer, index, length);
        }
        run = buffer;
        runStart = index;
        runEnd = index + length;
        return Refusal.ACCEPTED;
    }

    private long judgeAll(
            final DirectBuffer buffer,
            final int index,
            final int length,
            final AppendAs as,
            final long nextOffset,
            final long nowMs) {
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
            if (!isReplica && !hasRoom(expectedOffset)) {
                return refuse(Refusal.OFFSET_OUT_OF_RANGE, NO_OFFSETS_LEFT);
            }
            noteMaxTimestamp(count, isReplica);
            expectedOffset = isReplica ? judged.nextOffset() : expectedOffset + judged.lastOffsetDelta() + 1;
            expectedEpoch = Math.max(expectedEpoch, judged.partitionLeaderEpoch());
            at += (int) size;
        }
        return Refusal.ACCEPTED;
    }

    /**
     * Judges the one batch that was encoded into a claim; its records are the caller's own and not looked at. If the topic wants
     * another codec, the run that is accepted is a copy.
     *
     * @param size of the batch.
     * @param claimBytes of the claim.
     * @param nextOffset of the log.
     * @return {@link Refusal#ACCEPTED}, a refusal, or the offset that a duplicate has.
     */
    long judgeClaimed(
            final DirectBuffer claimed,
            final int size,
            final int claimBytes,
            final AppendAs as,
            final long nextOffset) {
        final long found = validator.header(claimed, 0, size);
        if (found < 0) {
            refusal = "";
            return found;
        }
        if (found != size) {
            return refuse(Refusal.CORRUPT_BATCH, "the committed bytes are not one whole batch");
        }
        judged.wrap(claimed, 0);
        if (judged.codecId() > CompressionType.ZSTD.id()) {
            return refuse(Refusal.UNSUPPORTED_CODEC, "the committed batch has an unknown codec");
        }
        if (judged.lastOffsetDelta() >= claimBytes) {
            return refuse(Refusal.INVALID_RECORD, "the batch spans more offsets than it has bytes");
        }
        if (as.leaderEpoch() < epochs.latestEpoch()) {
            return refuse(Refusal.FENCED_LEADER_EPOCH, "leader epoch is older than the log's latest");
        }
        final long known = checkStates(as, true);
        if (known != Refusal.ACCEPTED) {
            return known;
        }
        if (!hasRoom(nextOffset)) {
            return refuse(Refusal.OFFSET_OUT_OF_RANGE, NO_OFFSETS_LEFT);
        }
        wrongMaxTimestamps = 0;
        maxTimestamps[0] = judged.maxTimestamp();
        if (converter != null && converter.isDue(judged)) {
            return convert(converter, claimed, 0, size);
        }
        run = claimed;
        runStart = 0;
        runEnd = size;
        return Refusal.ACCEPTED;
    }

    /** Whether the batch, put at an offset, ends where another offset can follow. */
    private boolean hasRoom(final long offset) {
        return judged.lastOffsetDelta() <= LogFiles.BASE_MAX - offset;
    }

    private long convert(final RunConverter topicCodec, final DirectBuffer buffer, final int index, final int length) {
        final long converted = topicCodec.convert(buffer, index, length, config);
        if (converted < 0) {
            return refuse(converted, topicCodec.reason());
        }
        run = topicCodec.buffer();
        runStart = 0;
        runEnd = (int) converted;
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
                duplicateEnd = verdict + judged.lastOffsetDelta() + 1;
                return verdict;
            }
            if (verdict != Refusal.ACCEPTED) {
                return refuse(verdict, "a derived state has refused the batch");
            }
        }
        return Refusal.ACCEPTED;
    }

    /** Refuses; the reason is told by {@link #refusalReason}. */
    long refuse(final long code, final String reason) {
        refusal = reason;
        return code;
    }

    /** Why the last append was refused, in words; built here so that a refusal itself allocates nothing. */
    String refusalReason() {
        return refusal.isEmpty() ? validator.reason() : refusal;
    }

    /** The accepted run's memory. */
    DirectBuffer run() {
        return run;
    }

    int runStart() {
        return runStart;
    }

    int runEnd() {
        return runEnd;
    }

    /** Largest timestamp of the records of one of the accepted batches. */
    long maxTimestamp(final int ordinal) {
        return maxTimestamps[ordinal];
    }

    /** Whether some header of the accepted run has another largest timestamp than its records. */
    boolean isMaxTimestampWrong() {
        return wrongMaxTimestamps > 0;
    }

    /** Offset behind the duplicate that was found last. */
    long duplicateEnd() {
        return duplicateEnd;
    }

    @Override
    public void close() {
        validator.close();
        if (converter != null) {
            converter.close();
        }
    }
}
