package io.cordwood.index;

import static java.nio.ByteOrder.BIG_ENDIAN;

import org.agrona.DirectBuffer;
import org.agrona.MutableDirectBuffer;

/**
 * Layout of a time index file ({@code .timeindex}): entries and nothing else, big-endian, sorted.
 *
 * <pre>
 *   0                                       8                   12
 *   +---------------------------------------+-------------------+
 *   |            timestamp in ms            |  relative offset  |
 *   +---------------------------------------+-------------------+
 * </pre>
 *
 * <p>An entry says that no record up to the offset {@code base + relative offset} is younger than {@code timestamp}, and that
 * the batch with that last offset was the first to hold a record as young. Timestamps grow from entry to entry, offsets do not
 * fall. Kafka preallocates the file, so that zeros may follow the last entry.
 */
public final class TimeIndexDescriptor {
    /** Length of an entry. */
    public static final int ENTRY_BYTES = 12;

    /** Place of the largest timestamp up to the offset. */
    public static final int TIMESTAMP_OFFSET = 0;

    /** Place of the last offset of the batch with that timestamp, less the base offset of the segment. */
    public static final int RELATIVE_OFFSET_OFFSET = 8;

    private TimeIndexDescriptor() {}

    /**
     * Timestamp of an entry.
     *
     * @param buffer that begins with the file's first byte.
     * @param entry number of the entry, from 0.
     * @return milliseconds since the epoch.
     */
    public static long timestamp(final DirectBuffer buffer, final int entry) {
        return buffer.getLong(entry * ENTRY_BYTES + TIMESTAMP_OFFSET, BIG_ENDIAN);
    }

    /**
     * Relative offset of an entry.
     *
     * @param buffer that begins with the file's first byte.
     * @param entry number of the entry, from 0.
     * @return last offset of the batch with the timestamp, less the base offset.
     */
    public static int relativeOffset(final DirectBuffer buffer, final int entry) {
        return buffer.getInt(entry * ENTRY_BYTES + RELATIVE_OFFSET_OFFSET, BIG_ENDIAN);
    }

    /**
     * Writes an entry.
     *
     * @param buffer that begins with the file's first byte.
     * @param entry number of the entry, from 0.
     * @param timestamp largest one up to the offset, in milliseconds.
     * @param relativeOffset last offset of the batch with that timestamp, less the base offset.
     */
    public static void put(
            final MutableDirectBuffer buffer, final int entry, final long timestamp, final int relativeOffset) {
        buffer.putLong(entry * ENTRY_BYTES + TIMESTAMP_OFFSET, timestamp, BIG_ENDIAN);
        buffer.putInt(entry * ENTRY_BYTES + RELATIVE_OFFSET_OFFSET, relativeOffset, BIG_ENDIAN);
    }
}
