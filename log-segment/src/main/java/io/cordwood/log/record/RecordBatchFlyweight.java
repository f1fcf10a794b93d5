package io.cordwood.log.record;

import static io.cordwood.log.record.RecordBatchDescriptor.*;
import static java.nio.ByteOrder.BIG_ENDIAN;

import org.agrona.DirectBuffer;
import org.agrona.concurrent.UnsafeBuffer;

/**
 * A view on the header of one record batch: of magic 2 in full, of magic 0 and 1 as far as walking a log needs it.
 *
 * <p>Reusable, belongs to one thread, allocates nothing and copies nothing: it shows whatever the bytes are at the moment.
 * It trusts them, too: {@link BatchValidator#header} says first whether it may. Fields that a magic does not have answer -1
 * or false.
 */
public final class RecordBatchFlyweight {
    private DirectBuffer buffer = new UnsafeBuffer(0, 0);
    private int index;

    /** Creates a view on nothing; {@link #wrap} comes before all else. */
    public RecordBatchFlyweight() {}

    /**
     * Shows another batch.
     *
     * @param batchBuffer of the batch.
     * @param batchIndex of its first byte.
     * @return this.
     */
    public RecordBatchFlyweight wrap(final DirectBuffer batchBuffer, final int batchIndex) {
        // Most often the buffer of the batch before; a reference that is not written costs the collector nothing.
        if (buffer != batchBuffer) {
            buffer = batchBuffer;
        }
        index = batchIndex;
        return this;
    }

    /**
     * Where the batch is.
     *
     * @return the buffer given to {@link #wrap}.
     */
    public DirectBuffer buffer() {
        return buffer;
    }

    /**
     * Where in the buffer the batch begins.
     *
     * @return the index given to {@link #wrap}.
     */
    public int index() {
        return index;
    }

    /**
     * The offset field as stored: the first record's offset in magic 2; in magic 0 and 1 the record's, which in a wrapper is
     * the <em>last</em> inner record's ({@link RecordReader#firstOffset} finds the first).
     *
     * @return the field.
     */
    public long baseOffset() {
        return buffer.getLong(index + BASE_OFFSET_OFFSET, BIG_ENDIAN);
    }

    /**
     * The length field as stored.
     *
     * @return bytes that follow the field.
     */
    public int batchLength() {
        return buffer.getInt(index + LENGTH_OFFSET, BIG_ENDIAN);
    }

    /**
     * Bytes of the whole batch.
     *
     * @return length field plus 12.
     */
    public int sizeInBytes() {
        return LOG_OVERHEAD + batchLength();
    }

    /**
     * Version of the layout.
     *
     * @return 0, 1 or 2 in a sound batch.
     */
    public byte magic() {
        return buffer.getByte(index + MAGIC_OFFSET);
    }

    private boolean isLegacy() {
        return magic() < MAGIC_V2;
    }

    /**
     * Epoch of the leader that appended the batch.
     *
     * @return the epoch; -1 for none and below magic 2.
     */
    public int partitionLeaderEpoch() {
        return isLegacy() ? NO_PARTITION_LEADER_EPOCH : int32(PARTITION_LEADER_EPOCH_OFFSET);
    }

    /**
     * The checksum as stored: CRC-32C in magic 2, CRC-32 below.
     *
     * @return the unsigned value.
     */
    public long crc() {
        return int32(isLegacy() ? LegacyDescriptor.CRC_OFFSET : CRC_OFFSET) & 0xFFFF_FFFFL;
    }

    /**
     * The bit field.
     *
     * @return all bits as stored.
     */
    public short attributes() {
        return isLegacy()
                ? buffer.getByte(index + LegacyDescriptor.ATTRIBUTES_OFFSET)
                : buffer.getShort(index + ATTRIBUTES_OFFSET, BIG_ENDIAN);
    }

    /**
     * How far the last record's offset lies behind the base offset.
     *
     * @return the field; 0 below magic 2.
     */
    public int lastOffsetDelta() {
        return isLegacy() ? 0 : int32(LAST_OFFSET_DELTA_OFFSET);
    }

    /**
     * Offset of the last record, also of one that the cleaner took away.
     *
     * @return the offset.
     */
    public long lastOffset() {
        return baseOffset() + lastOffsetDelta();
    }

    /**
     * Offset that the next batch may begin with.
     *
     * @return last offset plus 1.
     */
    public long nextOffset() {
        return lastOffset() + 1;
    }

    /**
     * The base timestamp field as stored; with {@link #hasDeleteHorizon} it holds the horizon.
     *
     * @return the field; the message's timestamp in magic 1, -1 in magic 0.
     */
    public long baseTimestamp() {
        return isLegacy() ? legacyTimestamp() : int64(BASE_TIMESTAMP_OFFSET);
    }

    /**
     * Largest timestamp of the records, or the append time.
     *
     * @return the field; the message's timestamp in magic 1, -1 in magic 0.
     */
    public long maxTimestamp() {
        return isLegacy() ? legacyTimestamp() : int64(MAX_TIMESTAMP_OFFSET);
    }

    private long legacyTimestamp() {
        return magic() == 0 ? NO_TIMESTAMP : int64(LegacyDescriptor.TIMESTAMP_OFFSET);
    }

    /**
     * Who produced the batch.
     *
     * @return the producer id, or -1.
     */
    public long producerId() {
        return isLegacy() ? NO_PRODUCER_ID : int64(PRODUCER_ID_OFFSET);
    }

    /**
     * Whether an idempotent or transactional producer made the batch.
     *
     * @return true if there is a producer id.
     */
    public boolean hasProducerId() {
        return producerId() > NO_PRODUCER_ID;
    }

    /**
     * Epoch of the producer.
     *
     * @return the epoch, or -1.
     */
    public short producerEpoch() {
        return isLegacy() ? NO_PRODUCER_EPOCH : buffer.getShort(index + PRODUCER_EPOCH_OFFSET, BIG_ENDIAN);
    }

    /**
     * Sequence of the first record.
     *
     * @return the sequence, or -1.
     */
    public int baseSequence() {
        return isLegacy() ? NO_SEQUENCE : int32(BASE_SEQUENCE_OFFSET);
    }

    /**
     * Sequence of the last record. Sequences wrap from 2^31-1 to 0.
     *
     * @return the sequence, or -1.
     */
    public int lastSequence() {
        final int first = baseSequence();
        return first == NO_SEQUENCE ? NO_SEQUENCE : sequenceAfter(first, lastOffsetDelta());
    }

    /**
     * Number of records in the batch, which the cleaner may have made smaller than the offsets say.
     *
     * @return the field; -1 below magic 2, which does not store it.
     */
    public int recordCount() {
        return isLegacy() ? -1 : int32(RECORD_COUNT_OFFSET);
    }

    /**
     * How the records are compressed.
     *
     * @return codec id, 0 to 7.
     */
    public int codecId() {
        return attributes() & CODEC_MASK;
    }

    /**
     * What the timestamps mean.
     *
     * @return the type.
     */
    public TimestampType timestampType() {
        if (magic() == 0) {
            return TimestampType.NO_TIMESTAMP_TYPE;
        }
        return has(APPEND_TIME_MASK) ? TimestampType.LOG_APPEND_TIME : TimestampType.CREATE_TIME;
    }

    /**
     * Whether the batch is part of a transaction.
     *
     * @return true if so.
     */
    public boolean isTransactional() {
        return !isLegacy() && has(TRANSACTIONAL_MASK);
    }

    /**
     * Whether the batch holds a {@link ControlRecord} instead of data.
     *
     * @return true if so.
     */
    public boolean isControl() {
        return !isLegacy() && has(CONTROL_MASK);
    }

    /**
     * Whether the base timestamp field holds a delete horizon.
     *
     * @return true if so.
     */
    public boolean hasDeleteHorizon() {
        return !isLegacy() && has(DELETE_HORIZON_MASK);
    }

    /**
     * The time after which the cleaner may drop the batch's tombstones or its marker.
     *
     * @return the horizon, or -1 for none.
     */
    public long deleteHorizonMs() {
        return hasDeleteHorizon() ? int64(BASE_TIMESTAMP_OFFSET) : NO_TIMESTAMP;
    }

    /**
     * Computes the checksum and compares.
     *
     * @param crc of the calling thread.
     * @return true if the stored checksum is right.
     */
    public boolean isCrcValid(final Crc32c crc) {
        return crc() == computedCrc(crc);
    }

    /**
     * Computes the checksum that the batch should have.
     *
     * @param crc of the calling thread.
     * @return the unsigned value.
     */
    public long computedCrc(final Crc32c crc) {
        final int size = sizeInBytes();
        return isLegacy()
                ? crc.crc32(buffer, index + MAGIC_OFFSET, size - MAGIC_OFFSET)
                : crcOf(buffer, index, size, crc);
    }

    private boolean has(final int mask) {
        return (attributes() & mask) != 0;
    }

    private int int32(final int field) {
        return buffer.getInt(index + field, BIG_ENDIAN);
    }

    private long int64(final int field) {
        return buffer.getLong(index + field, BIG_ENDIAN);
    }
}
