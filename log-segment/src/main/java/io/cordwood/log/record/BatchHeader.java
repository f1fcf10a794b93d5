package io.cordwood.log.record;

import static io.cordwood.log.record.RecordBatchDescriptor.*;

import java.nio.ByteOrder;
import org.agrona.DirectBuffer;
import org.agrona.concurrent.UnsafeBuffer;

/**
 * The fields of a batch's header that place it in a log, read at once: for those who walk over many batches. Unlike {@link
 * RecordBatchFlyweight} it has copies, which stay as they were read; and it judges nothing.
 *
 * <p>One thread's, to be kept and reused. Format: Kafka record batch v2, and Kafka's message of magic 0 and 1.
 */
public final class BatchHeader {
    /** Bytes from which {@link #read} takes all that it takes of a batch of magic 2; a legacy message needs less. */
    public static final int BYTES = LAST_OFFSET_DELTA_OFFSET + Integer.BYTES;

    private DirectBuffer buffer = new UnsafeBuffer(0, 0);
    private int index;
    private long baseOffset;
    private int batchLength;
    private int partitionLeaderEpoch;
    private byte magic;
    private int crc;
    private short attributes;
    private int lastOffsetDelta;
    private int recordCount;
    private boolean hasCount;

    /** Creates a header that nothing was read into. */
    public BatchHeader() {}

    /**
     * Reads the fields.
     *
     * @param from buffer of the batch.
     * @param at index of its first byte.
     * @return this. Of a batch of magic 2 of which the buffer has fewer than {@link #BYTES}, and of a magic that we do not
     *     know, only the base offset, the length, the epoch and the magic are right.
     * @throws IndexOutOfBoundsException if the buffer has no magic there.
     */
    public BatchHeader read(final DirectBuffer from, final int at) {
        final boolean isWhole = from.capacity() - at >= BYTES;
        from.boundsCheck(at, isWhole ? BYTES : MAGIC_OFFSET + 1);
        final byte[] array = from.byteArray();
        final long address = from.addressOffset() + at;
        // Most often the buffer of the batch before; a reference that is not written costs the collector nothing.
        if (buffer != from) {
            buffer = from;
        }
        index = at;
        baseOffset = RawBytes.int64(array, address + BASE_OFFSET_OFFSET);
        batchLength = RawBytes.int32(array, address + LENGTH_OFFSET);
        magic = RawBytes.int8(array, address + MAGIC_OFFSET);
        partitionLeaderEpoch = magic < MAGIC_V2
                ? NO_PARTITION_LEADER_EPOCH
                : RawBytes.int32(array, address + PARTITION_LEADER_EPOCH_OFFSET);
        if (isWhole && magic == MAGIC_V2) {
            crc = RawBytes.int32(array, address + CRC_OFFSET);
            attributes = RawBytes.int16(array, address + ATTRIBUTES_OFFSET);
            lastOffsetDelta = RawBytes.int32(array, address + LAST_OFFSET_DELTA_OFFSET);
            hasCount = from.capacity() - at >= HEADER_BYTES;
            if (hasCount) {
                recordCount = RawBytes.int32(array, address + RECORD_COUNT_OFFSET);
            }
        } else {
            hasCount = false;
            crc = RawBytes.int32(array, address + LegacyDescriptor.CRC_OFFSET);
            attributes = 0;
            lastOffsetDelta = 0;
        }
        return this;
    }

    /**
     * Where the header was read.
     *
     * @return the buffer.
     */
    DirectBuffer buffer() {
        return buffer;
    }

    int index() {
        return index;
    }

    int crc() {
        return crc;
    }

    /** Of magic 2 alone. */
    int attributes() {
        return attributes;
    }

    int lastOffsetDelta() {
        return lastOffsetDelta;
    }

    /**
     * Number of records, of magic 2 alone.
     *
     * @return the field, whatever it claims.
     * @throws IndexOutOfBoundsException if the buffer has less than the whole header.
     */
    public int recordCount() {
        return hasCount ? recordCount : buffer.getInt(index + RECORD_COUNT_OFFSET, ByteOrder.BIG_ENDIAN);
    }

    /**
     * Whether the base timestamp is the time from which a cleaner may drop the batch's tombstones, of magic 2 alone.
     *
     * @return true if the attribute is set.
     */
    public boolean hasDeleteHorizon() {
        return (attributes & DELETE_HORIZON_MASK) != 0;
    }

    /**
     * Offset that the batch begins with; of a legacy wrapper, its last.
     *
     * @return the field.
     */
    public long baseOffset() {
        return baseOffset;
    }

    /**
     * Bytes behind the length field.
     *
     * @return the field, whatever it claims.
     */
    public int batchLength() {
        return batchLength;
    }

    /**
     * Version of the format.
     *
     * @return the field.
     */
    public byte magic() {
        return magic;
    }

    /**
     * Epoch of the leader that took the batch.
     *
     * @return the field; -1 if the batch has none.
     */
    public int partitionLeaderEpoch() {
        return partitionLeaderEpoch;
    }

    /**
     * Offset of the batch's last record.
     *
     * @return the offset, as the header has it.
     */
    public long lastOffset() {
        return baseOffset + lastOffsetDelta;
    }

    /**
     * Offset behind the batch.
     *
     * @return {@link #lastOffset} and one.
     */
    public long nextOffset() {
        return lastOffset() + 1;
    }
}
