package io.cordwood.log.record;

import static io.cordwood.log.record.RecordBatchDescriptor.*;
import static java.nio.ByteOrder.BIG_ENDIAN;

import io.cordwood.log.codec.CodecBuffer;
import io.cordwood.log.codec.CodecException;
import io.cordwood.log.codec.Codecs;
import io.cordwood.log.codec.CompressionType;
import org.agrona.DirectBuffer;
import org.agrona.ExpandableDirectByteBuffer;
import org.agrona.MutableDirectBuffer;
import org.agrona.UnsafeApi;
import org.agrona.concurrent.UnsafeBuffer;
import org.jspecify.annotations.Nullable;

/**
 * Encodes a batch of magic 2 in place, in memory that the caller owns: the bytes are those that Kafka's {@code
 * MemoryRecordsBuilder} makes of the same records. Base offset 0 and leader epoch -1 stand in the header until a log
 * assigns them.
 *
 * <p>One thread's, to be kept and reused; allocates nothing once its memory for compression has grown. Usage: {@link
 * #wrap}, then the batch's properties, then records while they are accepted, then {@link #finish}.
 *
 * <p>Compressed records are collected apart and compressed by {@link #finish}. The capacity bounds them before compression,
 * so that a batch always fits: should the codec make them longer than the region, they are stored uncompressed.
 */
public final class BatchBuilder {
    private static final DirectBuffer NOTHING = new UnsafeBuffer(0, 0);

    private final Codecs codecs;
    private final Crc32c crc = new Crc32c();
    private final ExpandableDirectByteBuffer collected = new ExpandableDirectByteBuffer();
    private final CodecBuffer compressed = new CodecBuffer(0);

    private MutableDirectBuffer buffer = new UnsafeBuffer(0, 0);
    private int index;
    private int recordsBytesMax;

    private CompressionType codec = CompressionType.NONE;
    private int level = CompressionType.DEFAULT_LEVEL;
    private int flags;
    private long producerId;
    private short producerEpoch;
    private int baseSequence;
    private long deleteHorizonMs;
    private long appendTimeMs;

    private MutableDirectBuffer target = buffer;
    private int targetIndex;
    private int recordsBytes;
    private int count;
    private int lastOffsetDelta;
    private long baseTimestamp;
    private long maxTimestamp;

    /**
     * Creates the builder of one thread.
     *
     * @param codecs to compress with.
     */
    public BatchBuilder(final Codecs codecs) {
        this.codecs = codecs;
    }

    /**
     * Begins a batch: uncompressed, of no producer, with the records' own timestamps.
     *
     * @param batchBuffer that the batch is encoded in.
     * @param batchIndex of its first byte.
     * @param capacity bytes that it may take, header included.
     * @return this.
     * @throws IllegalArgumentException if not even a header fits.
     */
    public BatchBuilder wrap(final MutableDirectBuffer batchBuffer, final int batchIndex, final int capacity) {
        if (capacity < HEADER_BYTES) {
            throw new IllegalArgumentException("capacity must be at least " + HEADER_BYTES + ": " + capacity);
        }
        buffer = batchBuffer;
        index = batchIndex;
        recordsBytesMax = capacity - HEADER_BYTES;
        flags = 0;
        producerId = NO_PRODUCER_ID;
        producerEpoch = NO_PRODUCER_EPOCH;
        baseSequence = NO_SEQUENCE;
        deleteHorizonMs = NO_TIMESTAMP;
        appendTimeMs = NO_TIMESTAMP;
        recordsBytes = 0;
        count = 0;
        lastOffsetDelta = -1;
        baseTimestamp = NO_TIMESTAMP;
        maxTimestamp = NO_TIMESTAMP;
        return compression(CompressionType.NONE, CompressionType.DEFAULT_LEVEL);
    }

    /**
     * Has the records compressed.
     *
     * @param type of compression.
     * @param compressionLevel of the type, or {@link CompressionType#DEFAULT_LEVEL}.
     * @return this.
     * @throws IllegalArgumentException if the type has no such level.
     */
    public BatchBuilder compression(final CompressionType type, final int compressionLevel) {
        beforeRecords();
        level = type.effectiveLevel(compressionLevel);
        codec = type;
        target = type == CompressionType.NONE ? buffer : collected;
        targetIndex = type == CompressionType.NONE ? index + HEADER_BYTES : 0;
        return this;
    }

    /**
     * Says who produces the batch.
     *
     * @param id of the producer.
     * @param epoch of the producer.
     * @param sequence of the first record.
     * @return this.
     */
    public BatchBuilder producer(final long id, final short epoch, final int sequence) {
        producerId = id;
        producerEpoch = epoch;
        baseSequence = sequence;
        return this;
    }

    /**
     * Makes the batch part of a transaction.
     *
     * @param isTransactional true if it is.
     * @return this.
     */
    public BatchBuilder transactional(final boolean isTransactional) {
        return flag(TRANSACTIONAL_MASK, isTransactional);
    }

    /**
     * Makes the batch a control batch, see {@link ControlRecord}.
     *
     * @param isControl true if it is.
     * @return this.
     */
    public BatchBuilder control(final boolean isControl) {
        return flag(CONTROL_MASK, isControl);
    }

    /**
     * Sets the time after which the cleaner may drop tombstones or a marker.
     *
     * @param horizonMs the time, or -1 for none.
     * @return this.
     */
    public BatchBuilder deleteHorizon(final long horizonMs) {
        beforeRecords();
        deleteHorizonMs = horizonMs;
        baseTimestamp = horizonMs;
        return flag(DELETE_HORIZON_MASK, horizonMs != NO_TIMESTAMP);
    }

    /**
     * Sets the append time: the header then says that all records have it.
     *
     * @param nowMs the time, or -1 for none.
     * @return this.
     */
    public BatchBuilder appendTime(final long nowMs) {
        appendTimeMs = nowMs;
        return flag(APPEND_TIME_MASK, nowMs != NO_TIMESTAMP);
    }

    /**
     * Takes producer, transaction and control attributes and an append time from another batch, as the cleaner does when it
     * leaves out records. Codec and delete horizon are not taken.
     *
     * @param other to be like.
     * @return this.
     */
    public BatchBuilder like(final RecordBatchFlyweight other) {
        appendTime(other.timestampType() == TimestampType.LOG_APPEND_TIME ? other.maxTimestamp() : NO_TIMESTAMP);
        return producer(other.producerId(), other.producerEpoch(), other.baseSequence())
                .transactional(other.isTransactional())
                .control(other.isControl());
    }

    private BatchBuilder flag(final int mask, final boolean isSet) {
        flags = isSet ? flags | mask : flags & ~mask;
        return this;
    }

    private void beforeRecords() {
        if (count != 0) {
            throw new IllegalStateException("the batch has " + count + " records already");
        }
    }

    /**
     * Appends a record behind the last one.
     *
     * @param timestamp of the record, or -1.
     * @param key of the record; may be null if the length is -1.
     * @param keyIndex of the first byte.
     * @param keyLength bytes; -1 for a null key.
     * @param value of the record; may be null if the length is -1.
     * @param valueIndex of the first byte.
     * @param valueLength bytes; -1 for a null value.
     * @param headers of the record, or null for none.
     * @return false if there is no room for it; the batch is as before then.
     */
    public boolean append(
            final long timestamp,
            final @Nullable DirectBuffer key,
            final int keyIndex,
            final int keyLength,
            final @Nullable DirectBuffer value,
            final int valueIndex,
            final int valueLength,
            final @Nullable RecordHeaders headers) {
        return encode(
                lastOffsetDelta + 1,
                timestamp,
                key,
                keyIndex,
                keyLength,
                value,
                valueIndex,
                valueLength,
                headers == null ? NOTHING : headers.buffer(),
                0,
                headers == null ? 0 : headers.length(),
                headers == null ? 0 : headers.count());
    }

    /**
     * Appends a copy of a record at an offset of its own, as the cleaner does.
     *
     * @param offsetDelta from the base offset, larger than the last record's.
     * @param record to copy.
     * @return false if there is no room for it; the batch is as before then.
     * @throws IllegalArgumentException if the offset does not rise.
     */
    public boolean append(final int offsetDelta, final RecordFlyweight record) {
        if (offsetDelta <= lastOffsetDelta) {
            throw new IllegalArgumentException(
                    "offset delta must be more than the last one, " + lastOffsetDelta + ": " + offsetDelta);
        }
        final DirectBuffer source = record.buffer();
        return encode(
                offsetDelta,
                record.timestamp(),
                source,
                record.keyIndex(),
                record.keyLength(),
                source,
                record.valueIndex(),
                record.valueLength(),
                source,
                record.headersIndex(),
                record.headersLength(),
                record.headerCount());
    }

    private boolean encode(
            final int offsetDelta,
            final long timestamp,
            final @Nullable DirectBuffer key,
            final int keyIndex,
            final int keyLength,
            final @Nullable DirectBuffer value,
            final int valueIndex,
            final int valueLength,
            final DirectBuffer headers,
            final int headersIndex,
            final int headersLength,
            final int headerCount) {
        if (timestamp < NO_TIMESTAMP) {
            throw new IllegalArgumentException("timestamp must be at least -1: " + timestamp);
        }
        final long base = count == 0 && deleteHorizonMs == NO_TIMESTAMP ? timestamp : baseTimestamp;
        final long timestampDelta = timestamp - base;
        final long body = sizeOfNumbers(timestampDelta, offsetDelta, keyLength, valueLength, headerCount)
                + Math.max(keyLength, 0)
                + Math.max(valueLength, 0)
                + headersLength;
        if (body + Varint.sizeOf(body) > recordsBytesMax - recordsBytes) {
            return false;
        }
        final int size = (int) body + Varint.sizeOf((int) body);
        reserve(size);
        final byte[] array = target.byteArray();
        long at = Varint.put(array, target.addressOffset() + targetIndex + recordsBytes, (int) body);
        RawBytes.put8(array, at++, (byte) 0);
        at = Varint.put(array, at, timestampDelta);
        at = Varint.put(array, at, offsetDelta);
        at = putBytes(array, at, key, keyIndex, keyLength);
        at = putBytes(array, at, value, valueIndex, valueLength);
        at = Varint.put(array, at, headerCount);
        copy(array, at, headers, headersIndex, headersLength);
        recordsBytes += size;
        baseTimestamp = base;
        maxTimestamp = Math.max(maxTimestamp, timestamp);
        lastOffsetDelta = offsetDelta;
        count++;
        return true;
    }

    /** Attributes and all numbers of a record but its length. A long, since lengths are added to it. */
    private static long sizeOfNumbers(
            final long timestampDelta,
            final int offsetDelta,
            final int keyLength,
            final int valueLength,
            final int headerCount) {
        return 1L
                + Varint.sizeOf(timestampDelta)
                + Varint.sizeOf(offsetDelta)
                + Varint.sizeOf(keyLength)
                + Varint.sizeOf(valueLength)
                + Varint.sizeOf(headerCount);
    }

    /** The room is looked at once: a check for each byte costs more than the byte. */
    private void reserve(final int size) {
        final int begin = targetIndex + recordsBytes;
        if (target.isExpandable()) {
            target.checkLimit(Math.addExact(begin, size));
        } else {
            target.boundsCheck(begin, size);
        }
    }

    private static long putBytes(
            final byte @Nullable [] array,
            final long at,
            final @Nullable DirectBuffer source,
            final int sourceIndex,
            final int length) {
        final long begin = Varint.put(array, at, length);
        if (length <= 0) {
            return begin;
        }
        if (source == null) {
            throw new IllegalArgumentException("a buffer is needed for " + length + " bytes");
        }
        return copy(array, begin, source, sourceIndex, length);
    }

    private static long copy(
            final byte @Nullable [] array,
            final long at,
            final DirectBuffer source,
            final int sourceIndex,
            final int length) {
        if (length > 0) {
            source.boundsCheck(sourceIndex, length);
            UnsafeApi.copyMemory(source.byteArray(), source.addressOffset() + sourceIndex, array, at, length);
        }
        return at + length;
    }

    /**
     * Sets the last offset where it is not the last record's: the cleaner keeps it when the last records go.
     *
     * @param delta from the base offset, at least the last record's.
     * @return this.
     * @throws IllegalArgumentException if a record lies behind it.
     */
    public BatchBuilder lastOffsetDelta(final int delta) {
        if (delta < lastOffsetDelta) {
            throw new IllegalArgumentException(
                    "last offset delta must be at least the last record's, " + lastOffsetDelta + ": " + delta);
        }
        lastOffsetDelta = delta;
        return this;
    }

    /**
     * How many records the batch has.
     *
     * @return records that were accepted.
     */
    public int recordCount() {
        return count;
    }

    /**
     * How long the batch is without compression.
     *
     * @return bytes, header included.
     */
    public int uncompressedBytes() {
        return HEADER_BYTES + recordsBytes;
    }

    /**
     * Completes the batch: compresses, writes the header, seals it.
     *
     * @return size in bytes, at most the capacity.
     * @throws IllegalStateException if there are no records.
     * @throws CodecException if the codec's library is missing.
     */
    public int finish() {
        if (count == 0) {
            throw new IllegalStateException("a batch needs a record");
        }
        int codecId = codec.id();
        int length = recordsBytes;
        if (codecId != 0) {
            if (compress()) {
                length = compressed.length();
                buffer.putBytes(index + HEADER_BYTES, compressed.buffer(), 0, length);
            } else {
                codecId = 0;
                buffer.putBytes(index + HEADER_BYTES, collected, 0, length);
            }
        }
        final long timestampMax = (flags & APPEND_TIME_MASK) != 0 ? appendTimeMs : maxTimestamp;
        putHeader(HEADER_BYTES + length, flags | codecId, timestampMax);
        return HEADER_BYTES + length;
    }

    private boolean compress() {
        compressed.reset(recordsBytesMax);
        try {
            codecs.of(codec).compress(collected, 0, recordsBytes, level, compressed);
            return true;
        } catch (final CodecException failure) {
            if (failure.kind() == CodecException.Kind.TOO_LARGE) {
                return false;
            }
            throw failure;
        }
    }

    /**
     * Completes the batch as an empty one: the cleaner keeps a producer's last batch without its records, so that sequences
     * are not forgotten. Base timestamp -1, no horizon, no codec, as Kafka writes it.
     *
     * @param other whose last offset and largest timestamp the batch has; {@link #like} has taken the rest.
     * @return size in bytes, always {@link RecordBatchDescriptor#HEADER_BYTES}.
     */
    public int finishEmpty(final RecordBatchFlyweight other) {
        beforeRecords();
        lastOffsetDelta = other.lastOffsetDelta();
        baseTimestamp = NO_TIMESTAMP;
        putHeader(HEADER_BYTES, flags & ~DELETE_HORIZON_MASK, other.maxTimestamp());
        return HEADER_BYTES;
    }

    private void putHeader(final int size, final int attributes, final long timestampMax) {
        putBaseOffset(buffer, index, 0);
        buffer.putInt(index + LENGTH_OFFSET, size - LOG_OVERHEAD, BIG_ENDIAN);
        putPartitionLeaderEpoch(buffer, index, NO_PARTITION_LEADER_EPOCH);
        buffer.putByte(index + MAGIC_OFFSET, MAGIC_V2);
        buffer.putShort(index + ATTRIBUTES_OFFSET, (short) attributes, BIG_ENDIAN);
        buffer.putInt(index + LAST_OFFSET_DELTA_OFFSET, lastOffsetDelta, BIG_ENDIAN);
        buffer.putLong(index + BASE_TIMESTAMP_OFFSET, baseTimestamp, BIG_ENDIAN);
        putMaxTimestamp(buffer, index, timestampMax);
        buffer.putLong(index + PRODUCER_ID_OFFSET, producerId, BIG_ENDIAN);
        buffer.putShort(index + PRODUCER_EPOCH_OFFSET, producerEpoch, BIG_ENDIAN);
        buffer.putInt(index + BASE_SEQUENCE_OFFSET, baseSequence, BIG_ENDIAN);
        buffer.putInt(index + RECORD_COUNT_OFFSET, count, BIG_ENDIAN);
        sealCrc(buffer, index, size, crc);
    }
}
