package io.cordwood.transactions;

import static java.nio.ByteOrder.BIG_ENDIAN;

import org.agrona.DirectBuffer;
import org.agrona.MutableDirectBuffer;

/**
 * Layout of an index of aborted transactions ({@code .txnindex}), Kafka's: entries and nothing else, big-endian, ascending by last offset.
 *
 * <pre>
 *   0         2             10             18            26                   34
 *   +---------+-------------+--------------+-------------+--------------------+
 *   | version | producer id | first offset | last offset | last stable offset |
 *   +---------+-------------+--------------+-------------+--------------------+
 * </pre>
 *
 * <p>An entry says that the producer's records from the first offset on were aborted by the marker at the last offset, which lies in the segment
 * of the file. The last stable offset is where it stood when the marker was written: no transaction that began below it was aborted later, so a search
 * may end at an entry whose last stable offset reaches the bound.
 */
public final class TransactionIndexDescriptor {
    /** Length of an entry. */
    public static final int ENTRY_BYTES = 34;

    /** The only version there is. */
    public static final short VERSION = 0;

    private static final int PRODUCER_ID_OFFSET = 2;
    private static final int FIRST_OFFSET_OFFSET = 10;
    private static final int LAST_OFFSET_OFFSET = 18;
    private static final int LAST_STABLE_OFFSET_OFFSET = 26;

    private TransactionIndexDescriptor() {}

    /**
     * Version of an entry.
     *
     * @param buffer of the entry.
     * @param index of its first byte.
     * @return {@link #VERSION} in a sound entry.
     */
    public static short version(final DirectBuffer buffer, final int index) {
        return buffer.getShort(index, BIG_ENDIAN);
    }

    /**
     * Who wrote the transaction.
     *
     * @param buffer of the entry.
     * @param index of its first byte.
     * @return the producer id.
     */
    public static long producerId(final DirectBuffer buffer, final int index) {
        return buffer.getLong(index + PRODUCER_ID_OFFSET, BIG_ENDIAN);
    }

    /**
     * First offset of the transaction.
     *
     * @param buffer of the entry.
     * @param index of its first byte.
     * @return the offset.
     */
    public static long firstOffset(final DirectBuffer buffer, final int index) {
        return buffer.getLong(index + FIRST_OFFSET_OFFSET, BIG_ENDIAN);
    }

    /**
     * Offset of the marker that aborted the transaction.
     *
     * @param buffer of the entry.
     * @param index of its first byte.
     * @return the offset.
     */
    public static long lastOffset(final DirectBuffer buffer, final int index) {
        return buffer.getLong(index + LAST_OFFSET_OFFSET, BIG_ENDIAN);
    }

    /**
     * The last stable offset once the marker is replicated.
     *
     * @param buffer of the entry.
     * @param index of its first byte.
     * @return the offset.
     */
    public static long lastStableOffset(final DirectBuffer buffer, final int index) {
        return buffer.getLong(index + LAST_STABLE_OFFSET_OFFSET, BIG_ENDIAN);
    }

    /**
     * Writes an entry.
     *
     * @param buffer with room for it.
     * @param index of its first byte.
     * @param producerId who wrote the transaction.
     * @param firstOffset of the transaction.
     * @param lastOffset of its marker.
     * @param lastStableOffset once the marker is replicated.
     */
    public static void put(
            final MutableDirectBuffer buffer,
            final int index,
            final long producerId,
            final long firstOffset,
            final long lastOffset,
            final long lastStableOffset) {
        buffer.putShort(index, VERSION, BIG_ENDIAN);
        buffer.putLong(index + PRODUCER_ID_OFFSET, producerId, BIG_ENDIAN);
        buffer.putLong(index + FIRST_OFFSET_OFFSET, firstOffset, BIG_ENDIAN);
        buffer.putLong(index + LAST_OFFSET_OFFSET, lastOffset, BIG_ENDIAN);
        buffer.putLong(index + LAST_STABLE_OFFSET_OFFSET, lastStableOffset, BIG_ENDIAN);
    }
}
