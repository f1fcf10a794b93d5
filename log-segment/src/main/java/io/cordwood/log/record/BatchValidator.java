package io.cordwood.log.record;

import static io.cordwood.log.record.RecordBatchDescriptor.*;

import io.cordwood.log.codec.Codec;
import io.cordwood.log.codec.CodecBuffer;
import io.cordwood.log.codec.CodecException;
import io.cordwood.log.codec.Codecs;
import org.agrona.DirectBuffer;
import org.agrona.concurrent.UnsafeBuffer;
import org.jspecify.annotations.Nullable;

/**
 * Says whether a batch may be trusted: {@link #header} for every batch, from wherever it comes; {@link #records} for those of
 * clients, whose every record is looked at.
 *
 * <p>One thread's, to be kept and reused. Answers are {@link Refusal} codes; neither success nor a refusal allocates, save for
 * compressed batches that cannot be decompressed. {@link #reason} then says in words what was wrong. Never reads a byte
 * outside the batch and never takes more memory than the bound for decompressed bytes, whatever the batch says.
 *
 * <p>Same rules as Kafka's {@code LogValidator}, and stricter in these: offset deltas must be 0, 1, 2 and so on (Kafka writes
 * a compressed batch anew in that case), a key or value length below -1 is not taken for null, all lengths of a record must be
 * exact to the byte (Kafka looks less closely at compressed batches), append time and delete horizon are the log's to set, a
 * timestamp must not overflow, a producer id needs an epoch, a transactional batch a producer id. Bits of the attributes that
 * are not in use are ignored, as Kafka does.
 */
public final class BatchValidator implements AutoCloseable {
    private static final long CRC_MASK = 0xFFFF_FFFFL;

    private final Codecs codecs;
    private final Crc32c crc = new Crc32c();
    private final Flaw flaw = new Flaw();
    private final RecordFlyweight record = new RecordFlyweight(flaw);
    private final RecordBatchFlyweight view = new RecordBatchFlyweight();
    private final BatchHeader header = new BatchHeader();
    private CodecBuffer decompressed = new CodecBuffer(0);
    private @Nullable CodecException codecFailure;

    private long earliestMs;
    private long latestMs;
    private long maxTimestamp;
    private int maxTimestampOffsetDelta;
    private boolean isMaxTimestampStored;

    /**
     * Creates the validator of one thread.
     *
     * @param codecs to decompress with.
     */
    public BatchValidator(final Codecs codecs) {
        this.codecs = codecs;
    }

    static int sizeMin(final byte magic) {
        return magic == MAGIC_V2
                ? HEADER_BYTES
                : magic == 0 ? LegacyDescriptor.SIZE_MIN_V0 : LegacyDescriptor.SIZE_MIN_V1;
    }

    /**
     * Checks the structure of a batch of any magic and its checksum.
     *
     * @param buffer of the batch.
     * @param index of its first byte.
     * @param available bytes from there on that may belong to it.
     * @return size of the batch in bytes, {@link Refusal#CORRUPT_BATCH} or {@link Refusal#UNSUPPORTED_MAGIC}.
     */
    public long header(final DirectBuffer buffer, final int index, final int available) {
        return available <= MAGIC_OFFSET ? cutShort(available) : header(header.read(buffer, index), available);
    }

    /**
     * Same as {@link #header(DirectBuffer, int, int)} for one who has read the header already.
     *
     * @param batch whose header it is, with its bytes still behind it.
     * @param available bytes from its first on that may belong to it.
     * @return size of the batch in bytes, {@link Refusal#CORRUPT_BATCH} or {@link Refusal#UNSUPPORTED_MAGIC}.
     */
    public long header(final BatchHeader batch, final int available) {
        final long size = structure(batch, available);
        if (size > 0) {
            final int computed = computedCrc(batch, (int) size);
            if (computed != batch.crc()) {
                final int at = batch.magic() == MAGIC_V2 ? CRC_OFFSET : LegacyDescriptor.CRC_OFFSET;
                flaw.note("CRC", batch.crc() & CRC_MASK, "must be", computed & CRC_MASK, at);
                return Refusal.CORRUPT_BATCH;
            }
        }
        return size;
    }

    private int computedCrc(final BatchHeader batch, final int size) {
        final DirectBuffer buffer = batch.buffer();
        final int index = batch.index();
        return batch.magic() == MAGIC_V2
                ? (int) crcOf(buffer, index, size, crc)
                : (int) crc.crc32(buffer, index + MAGIC_OFFSET, size - MAGIC_OFFSET);
    }

    /**
     * Same as {@link #header}, but without the checksum: constant time.
     *
     * @param buffer of the batch.
     * @param index of its first byte.
     * @param available bytes from there on that may belong to it.
     * @return size of the batch in bytes, {@link Refusal#CORRUPT_BATCH} or {@link Refusal#UNSUPPORTED_MAGIC}.
     */
    public long structure(final DirectBuffer buffer, final int index, final int available) {
        return available <= MAGIC_OFFSET ? cutShort(available) : structure(header.read(buffer, index), available);
    }

    private long cutShort(final int available) {
        codecFailure = null;
        return corrupt("bytes of a batch", available, "must be more than", MAGIC_OFFSET, 0);
    }

    private long structure(final BatchHeader batch, final int available) {
        codecFailure = null;
        final byte magic = batch.magic();
        if (magic < 0 || magic > MAGIC_V2) {
            flaw.note("magic", magic, "must be 0 to", MAGIC_V2, MAGIC_OFFSET);
            return Refusal.UNSUPPORTED_MAGIC;
        }
        final int length = batch.batchLength();
        final int lengthMin = sizeMin(magic) - LOG_OVERHEAD;
        if (length < lengthMin) {
            return corrupt("batch length", length, "must be at least", lengthMin, LENGTH_OFFSET);
        }
        if (length > available - LOG_OVERHEAD) {
            return corrupt("batch length", length, "must be at most", available - LOG_OVERHEAD, LENGTH_OFFSET);
        }
        final int size = LOG_OVERHEAD + length;
        return magic == MAGIC_V2 ? counts(batch, size) : size;
    }

    /**
     * Whether a batch of a later magic than we know has the checksum that magic 2 would have: the magic lies outside it, so one
     * flipped bit makes such a batch.
     *
     * @param buffer with the batch.
     * @param index of its first byte.
     * @param size of it in bytes.
     * @return true if all that the checksum covers is right.
     */
    public boolean isSealedByUnknownMagic(final DirectBuffer buffer, final int index, final int size) {
        return size >= HEADER_BYTES
                && buffer.getByte(index + MAGIC_OFFSET) > MAGIC_V2
                && view.wrap(buffer, index).isCrcValid(crc);
    }

    private long counts(final BatchHeader batch, final int size) {
        final int lastOffsetDelta = batch.lastOffsetDelta();
        if (lastOffsetDelta < 0) {
            return corrupt("last offset delta", lastOffsetDelta, "must be at least", 0, LAST_OFFSET_DELTA_OFFSET);
        }
        final int count = batch.recordCount();
        final int codecId = batch.attributes() & CODEC_MASK;
        // A count that the bytes cannot hold; of compressed bytes nobody can tell yet.
        final boolean isTooMany = codecId == 0 && count * (long) RecordFlyweight.RECORD_BYTES_MIN > size - HEADER_BYTES;
        if (count < 0 || isTooMany || count - 1 > lastOffsetDelta) {
            final long room =
                    codecId == 0 ? (size - HEADER_BYTES) / RecordFlyweight.RECORD_BYTES_MIN : Integer.MAX_VALUE;
            final long countMax = Math.min(room, lastOffsetDelta + 1L);
            return corrupt("record count", count, "must be 0 to", countMax, RECORD_COUNT_OFFSET);
        }
        return size;
    }

    /**
     * Checks a client's or coordinator's batch and every record in it. {@link #header} must have accepted it.
     *
     * @param batch to check.
     * @param rules of the topic.
     * @param nowMs the clock, which the bounds for timestamps count from.
     * @return {@link Refusal#ACCEPTED}, or the code of the first thing that is wrong.
     */
    public long records(final RecordBatchFlyweight batch, final ValidationRules rules, final long nowMs) {
        codecFailure = null;
        maxTimestamp = NO_TIMESTAMP;
        maxTimestampOffsetDelta = -1;
        isMaxTimestampStored = true;
        long result = batchFields(batch, rules);
        if (result == Refusal.ACCEPTED) {
            result = beginRecords(batch, rules.decompressedBytesMax());
        }
        if (result == Refusal.ACCEPTED) {
            boundTimestamps(rules, nowMs);
            result = everyRecord(batch.recordCount(), batch.baseTimestamp(), rules.keysRequired());
            isMaxTimestampStored = maxTimestamp == batch.maxTimestamp();
        }
        return result;
    }

    private long batchFields(final RecordBatchFlyweight batch, final ValidationRules rules) {
        if (batch.magic() != MAGIC_V2) {
            flaw.note("magic", batch.magic(), "must be", MAGIC_V2, MAGIC_OFFSET);
            return Refusal.UNSUPPORTED_MAGIC;
        }
        if (batch.sizeInBytes() > rules.maxBatchBytes()) {
            flaw.note("batch size", batch.sizeInBytes(), "must be at most", rules.maxBatchBytes(), LENGTH_OFFSET);
            return Refusal.BATCH_TOO_LARGE;
        }
        final int attributes = batch.attributes();
        if ((attributes & APPEND_TIME_MASK) != 0) {
            flaw.note("append time attribute", APPEND_TIME_MASK, "must be", 0, ATTRIBUTES_OFFSET);
            return Refusal.INVALID_TIMESTAMP;
        }
        if ((attributes & CONTROL_MASK) != 0 && !rules.coordinatorOrigin()) {
            return invalid("control attribute of a client", CONTROL_MASK, "must be", 0, ATTRIBUTES_OFFSET);
        }
        if ((attributes & DELETE_HORIZON_MASK) != 0) {
            return invalid("delete horizon attribute", DELETE_HORIZON_MASK, "must be", 0, ATTRIBUTES_OFFSET);
        }
        final int count = batch.recordCount();
        if (count <= 0) {
            return invalid("record count", count, "must be at least", 1, RECORD_COUNT_OFFSET);
        }
        if (batch.lastOffsetDelta() != count - 1) {
            final int delta = batch.lastOffsetDelta();
            return invalid("last offset delta", delta, "must be", count - 1, LAST_OFFSET_DELTA_OFFSET);
        }
        return producerFields(batch, rules.coordinatorOrigin());
    }

    private long producerFields(final RecordBatchFlyweight batch, final boolean coordinatorOrigin) {
        final long producerId = batch.producerId();
        if (producerId > NO_PRODUCER_ID) {
            if (batch.producerEpoch() < 0) {
                final short epoch = batch.producerEpoch();
                return invalid(
                        "producer epoch with a producer id", epoch, "must be at least", 0, PRODUCER_EPOCH_OFFSET);
            }
            if (batch.baseSequence() < 0 && !coordinatorOrigin) {
                final int sequence = batch.baseSequence();
                return invalid(
                        "base sequence with a producer id", sequence, "must be at least", 0, BASE_SEQUENCE_OFFSET);
            }
        } else if (batch.isTransactional()) {
            return invalid("producer id of a transaction", producerId, "must be at least", 0, PRODUCER_ID_OFFSET);
        }
        return Refusal.ACCEPTED;
    }

    private long beginRecords(final RecordBatchFlyweight batch, final int decompressedBytesMax) {
        final int index = batch.index() + HEADER_BYTES;
        final int length = batch.sizeInBytes() - HEADER_BYTES;
        final int codecId = batch.codecId();
        if (codecId == 0) {
            record.beginWithin(batch.buffer(), index, length);
            return Refusal.ACCEPTED;
        }
        final Codec codec = codecs.forId(codecId);
        if (codec == null) {
            flaw.note("codec", codecId, "must be 0 to", 4, ATTRIBUTES_OFFSET);
            return Refusal.UNSUPPORTED_CODEC;
        }
        decompressed.reset(decompressedBytesMax);
        try {
            codec.decompress(batch.buffer(), index, length, MAGIC_V2, decompressed);
        } catch (final CodecException failure) {
            codecFailure = failure;
            return refusalOf(failure);
        }
        record.begin(decompressed.buffer(), 0, decompressed.length());
        return Refusal.ACCEPTED;
    }

    private static long refusalOf(final CodecException failure) {
        return switch (failure.kind()) {
            case CORRUPT -> Refusal.CORRUPT_BATCH;
            case TOO_LARGE -> Refusal.DECOMPRESSED_TOO_LARGE;
            case LIBRARY_MISSING -> Refusal.CODEC_LIBRARY_MISSING;
        };
    }

    private void boundTimestamps(final ValidationRules rules, final long nowMs) {
        if (rules.timestampType() == TimestampType.LOG_APPEND_TIME) {
            earliestMs = Long.MIN_VALUE;
            latestMs = Long.MAX_VALUE;
        } else {
            final long earliest = nowMs - rules.timestampBeforeMaxMs();
            final long latest = nowMs + rules.timestampAfterMaxMs();
            earliestMs = earliest > nowMs ? Long.MIN_VALUE : earliest;
            latestMs = latest < nowMs ? Long.MAX_VALUE : latest;
        }
    }

    private long everyRecord(final int count, final long baseTimestamp, final boolean keysRequired) {
        for (int i = 0; i < count; i++) {
            if (!record.decode()) {
                flaw.ofRecord(i, record.beginIndex());
                return Refusal.CORRUPT_BATCH;
            }
            if (record.offsetDelta() != i) {
                return invalidRecord(i, "offset delta", record.offsetDelta(), i);
            }
            if (keysRequired && !record.hasKey()) {
                return invalidRecord(i, "key length in a compacted topic", record.keyLength(), 0);
            }
            final long timestamp = baseTimestamp + record.timestampDelta();
            if (timestamp > maxTimestamp) {
                maxTimestamp = timestamp;
                maxTimestampOffsetDelta = i;
            }
            final boolean isOverflow = ((baseTimestamp ^ timestamp) & (record.timestampDelta() ^ timestamp)) < 0;
            if (isOverflow || ((timestamp < earliestMs || timestamp > latestMs) && timestamp != NO_TIMESTAMP)) {
                return invalidTimestamp(i, timestamp);
            }
        }
        if (record.remaining() != 0) {
            final int left = record.remaining();
            final int at = HEADER_BYTES + record.position() - record.beginIndex();
            return corrupt("bytes after the last record", left, "must be", 0, at);
        }
        return Refusal.ACCEPTED;
    }

    private long invalidTimestamp(final int number, final long timestamp) {
        final boolean isEarly = timestamp < earliestMs;
        flaw.note(
                "timestamp",
                timestamp,
                isEarly ? "must be at least" : "must be at most",
                isEarly ? earliestMs : latestMs,
                record.index());
        flaw.ofRecord(number, record.beginIndex());
        return Refusal.INVALID_TIMESTAMP;
    }

    private long invalidRecord(final int number, final String field, final long found, final long expected) {
        flaw.note(field, found, "must be", expected, record.index());
        flaw.ofRecord(number, record.beginIndex());
        return Refusal.INVALID_RECORD;
    }

    private long invalid(final String field, final long found, final String rule, final long bound, final int at) {
        flaw.note(field, found, rule, bound, at);
        return Refusal.INVALID_RECORD;
    }

    private long corrupt(final String field, final long found, final String rule, final long bound, final int at) {
        flaw.note(field, found, rule, bound, at);
        return Refusal.CORRUPT_BATCH;
    }

    /**
     * The largest timestamp that {@link #records} found in the batch that it accepted.
     *
     * @return milliseconds; -1 if no record has a timestamp.
     */
    public long maxTimestamp() {
        return maxTimestamp;
    }

    /**
     * Which record has the largest timestamp: the first of them.
     *
     * @return its offset minus the base offset; -1 if no record has a timestamp.
     */
    public int maxTimestampOffsetDelta() {
        return maxTimestampOffsetDelta;
    }

    /**
     * Whether the accepted batch's header has the largest timestamp that its records have. If not, the log must put the right
     * one there ({@link RecordBatchDescriptor#putMaxTimestamp}), as Kafka does, and not refuse the batch; with append time it
     * puts that.
     *
     * @return true if the header is right.
     */
    public boolean isMaxTimestampStored() {
        return isMaxTimestampStored;
    }

    /**
     * Says what was wrong with the batch that was refused last: record, field, value found and rule. Allocates.
     *
     * @return one line without a full stop.
     */
    public String reason() {
        final CodecException failure = codecFailure;
        return failure == null ? flaw.words() : String.valueOf(failure.getMessage());
    }

    /** Lets go of the memory for decompressed records. The validator may be used again. */
    @Override
    public void close() {
        record.begin(new UnsafeBuffer(0, 0), 0, 0);
        decompressed = new CodecBuffer(0);
    }
}
