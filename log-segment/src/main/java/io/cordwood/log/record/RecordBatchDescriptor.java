package io.cordwood.log.record;

import static java.nio.ByteOrder.BIG_ENDIAN;

import java.lang.invoke.VarHandle;
import org.agrona.DirectBuffer;
import org.agrona.MutableDirectBuffer;

/**
 * Layout of a record batch, magic 2, as it lies in a segment file and on Kafka's wire; and of the few fields that a log
 * patches when it appends a batch. All numbers are big endian.
 *
 * <pre>
 *    0                   1                   2                   3
 *    0 1 2 3 4 5 6 7 8 9 0 1 2 3 4 5 6 7 8 9 0 1 2 3 4 5 6 7 8 9 0 1
 *   +---------------------------------------------------------------+
 *   |                          base offset                          |  0
 *   |                                                               |
 *   +---------------------------------------------------------------+
 *   |          batch length: bytes after this field, 49 or more     |  8
 *   +---------------------------------------------------------------+
 *   |                     partition leader epoch                    | 12
 *   +---------------+-----------------------------------------------+
 *   |   magic = 2   |                    CRC-32C                     16, 17
 *   +---------------+---------------+-------------------------------+
 *                   |          attributes           |  last offset   21, 23
 *   +---------------+-------------------------------+---------------+
 *        delta                      |                base timestamp  27
 *   +-------------------------------+-------------------------------+
 *                                   |                max timestamp   35
 *   +-------------------------------+-------------------------------+
 *                                   |                  producer id   43
 *   +-------------------------------+-------------------------------+
 *                                   |        producer epoch         | 51
 *   +-------------------------------+-------------------------------+
 *   |                         base sequence                         | 53
 *   +---------------------------------------------------------------+
 *   |                          record count                         | 57
 *   +---------------------------------------------------------------+
 *   |      records, or one compressed block of them            ...  | 61
 *   +---------------------------------------------------------------+
 *
 *   attributes:   | unused | delete horizon | control | transactional | append time | codec |
 *                   15..7          6             5            4              3        2..0
 * </pre>
 *
 * <p>Columns are not to scale from offset 17 on; the numbers at the right are the byte offsets. The CRC covers all bytes from
 * the attributes to the end. Base offset, length, leader epoch and magic lie outside it, so that a log can set them without
 * touching the rest; setting the append time needs a new CRC.
 *
 * <p>With the delete horizon bit, the base timestamp field holds the horizon: the time after which the cleaner may drop the
 * batch's tombstones or its marker.
 */
public final class RecordBatchDescriptor {
    /** Offset field and length field, which every magic has and which the length does not count. */
    public static final int LOG_OVERHEAD = 12;

    /** Bytes before the first record, magic 2. */
    public static final int HEADER_BYTES = 61;

    /** The magic of this layout. */
    public static final byte MAGIC_V2 = 2;

    /** Offset of the first record; 8 bytes. */
    public static final int BASE_OFFSET_OFFSET = 0;

    /** Bytes that follow the length field; 4 bytes. */
    public static final int LENGTH_OFFSET = 8;

    /** Epoch of the leader that appended the batch; 4 bytes. */
    public static final int PARTITION_LEADER_EPOCH_OFFSET = 12;

    /** Version of the layout; 1 byte, at the same place in every version. */
    public static final int MAGIC_OFFSET = 16;

    /** CRC-32C of the bytes from {@link #ATTRIBUTES_OFFSET} to the end; 4 bytes. */
    public static final int CRC_OFFSET = 17;

    /** Bit field; 2 bytes. */
    public static final int ATTRIBUTES_OFFSET = 21;

    /** Last record's offset minus the base offset, kept when the cleaner removes records; 4 bytes. */
    public static final int LAST_OFFSET_DELTA_OFFSET = 23;

    /** Timestamp that the records' deltas count from, or the delete horizon; 8 bytes. */
    public static final int BASE_TIMESTAMP_OFFSET = 27;

    /** Largest timestamp, or the append time; 8 bytes. */
    public static final int MAX_TIMESTAMP_OFFSET = 35;

    /** Producer id or -1; 8 bytes. */
    public static final int PRODUCER_ID_OFFSET = 43;

    /** Producer epoch or -1; 2 bytes. */
    public static final int PRODUCER_EPOCH_OFFSET = 51;

    /** Sequence of the first record or -1; 4 bytes. */
    public static final int BASE_SEQUENCE_OFFSET = 53;

    /** Number of records; 4 bytes. */
    public static final int RECORD_COUNT_OFFSET = 57;

    /** Attributes: codec id. */
    public static final int CODEC_MASK = 0x07;

    /** Attributes: timestamps were given by the log. */
    public static final int APPEND_TIME_MASK = 0x08;

    /** Attributes: part of a transaction. */
    public static final int TRANSACTIONAL_MASK = 0x10;

    /** Attributes: one control record, which consumers do not see. */
    public static final int CONTROL_MASK = 0x20;

    /** Attributes: the base timestamp field holds the delete horizon. */
    public static final int DELETE_HORIZON_MASK = 0x40;

    /** No producer id. */
    public static final long NO_PRODUCER_ID = -1;

    /** No producer epoch. */
    public static final short NO_PRODUCER_EPOCH = -1;

    /** No sequence. */
    public static final int NO_SEQUENCE = -1;

    /** No timestamp. */
    public static final long NO_TIMESTAMP = -1;

    /** No leader epoch. */
    public static final int NO_PARTITION_LEADER_EPOCH = -1;

    private RecordBatchDescriptor() {}

    /**
     * Assigns the offset of the first record. Outside the CRC.
     *
     * @param buffer of the batch.
     * @param index of the batch's first byte.
     * @param baseOffset to set.
     */
    public static void putBaseOffset(final MutableDirectBuffer buffer, final int index, final long baseOffset) {
        buffer.putLong(index + BASE_OFFSET_OFFSET, baseOffset, BIG_ENDIAN);
    }

    /**
     * Assigns the leader epoch. Outside the CRC.
     *
     * @param buffer of the batch.
     * @param index of the batch's first byte.
     * @param leaderEpoch to set.
     */
    public static void putPartitionLeaderEpoch(
            final MutableDirectBuffer buffer, final int index, final int leaderEpoch) {
        buffer.putInt(index + PARTITION_LEADER_EPOCH_OFFSET, leaderEpoch, BIG_ENDIAN);
    }

    /**
     * Turns the batch's timestamps into append time: sets the attribute and the max timestamp. The base timestamp and the
     * records' deltas stay, as Kafka leaves them. {@link #sealCrc} must follow.
     *
     * @param buffer of the batch.
     * @param index of the batch's first byte.
     * @param nowMs the append time.
     */
    public static void putLogAppendTime(final MutableDirectBuffer buffer, final int index, final long nowMs) {
        final int attributesIndex = index + ATTRIBUTES_OFFSET;
        final int attributes = buffer.getShort(attributesIndex, BIG_ENDIAN) | APPEND_TIME_MASK;
        buffer.putShort(attributesIndex, (short) attributes, BIG_ENDIAN);
        buffer.putLong(index + MAX_TIMESTAMP_OFFSET, nowMs, BIG_ENDIAN);
    }

    /**
     * Sets the largest timestamp. {@link #sealCrc} must follow.
     *
     * @param buffer of the batch.
     * @param index of the batch's first byte.
     * @param maxTimestamp to set.
     */
    public static void putMaxTimestamp(final MutableDirectBuffer buffer, final int index, final long maxTimestamp) {
        buffer.putLong(index + MAX_TIMESTAMP_OFFSET, maxTimestamp, BIG_ENDIAN);
    }

    /**
     * Computes the CRC over a complete batch and stores it.
     *
     * @param buffer of the batch.
     * @param index of the batch's first byte.
     * @param sizeInBytes of the whole batch.
     * @param crc of the calling thread.
     */
    public static void sealCrc(
            final MutableDirectBuffer buffer, final int index, final int sizeInBytes, final Crc32c crc) {
        final int sum = (int) crcOf(buffer, index, sizeInBytes, crc);
        // Where the memory is a file's, no other byte may come into it behind this.
        VarHandle.storeStoreFence();
        buffer.putInt(index + CRC_OFFSET, sum, BIG_ENDIAN);
    }

    /**
     * Computes the CRC that a batch should have.
     *
     * @param buffer of the batch.
     * @param index of the batch's first byte.
     * @param sizeInBytes of the whole batch, at least {@link #HEADER_BYTES}.
     * @param crc of the calling thread.
     * @return the unsigned CRC-32C from the attributes to the end.
     */
    public static long crcOf(final DirectBuffer buffer, final int index, final int sizeInBytes, final Crc32c crc) {
        return crc.crc32c(buffer, index + ATTRIBUTES_OFFSET, sizeInBytes - ATTRIBUTES_OFFSET);
    }

    /**
     * The sequence that lies some records after another one. Sequences wrap from 2^31-1 to 0.
     *
     * @param sequence to start from.
     * @param increment records to go, at least 0.
     * @return the sequence there.
     */
    public static int sequenceAfter(final int sequence, final int increment) {
        return (sequence + increment) & Integer.MAX_VALUE;
    }
}
