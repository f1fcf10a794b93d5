package io.cordwood.index;

import static java.nio.ByteOrder.BIG_ENDIAN;

import org.agrona.DirectBuffer;
import org.agrona.MutableDirectBuffer;

/**
 * Layout of an offset index file ({@code .index}): entries and nothing else, big-endian, sorted.
 *
 * <pre>
 *   0                   4                   8
 *   +-------------------+-------------------+
 *   |  relative offset  |     position      |
 *   +-------------------+-------------------+
 * </pre>
 *
 * <p>An entry says that the batch which begins at {@code position} of the segment's file ends with the offset
 * {@code base + relative offset}. Both fields grow from entry to entry. Kafka preallocates the file, so that zeros may follow
 * the last entry.
 */
public final class OffsetIndexDescriptor {
    /** Length of an entry. */
    public static final int ENTRY_BYTES = 8;

    /** Place of the last offset of the batch, less the base offset of the segment. */
    public static final int RELATIVE_OFFSET_OFFSET = 0;

    /** Place of the position of the batch's first byte. */
    public static final int POSITION_OFFSET = 4;

    private OffsetIndexDescriptor() {}

    /**
     * Relative offset of an entry.
     *
     * @param buffer that begins with the file's first byte.
     * @param entry number of the entry, from 0.
     * @return last offset of the batch, less the base offset.
     */
    public static int relativeOffset(final DirectBuffer buffer, final int entry) {
        return buffer.getInt(entry * ENTRY_BYTES + RELATIVE_OFFSET_OFFSET, BIG_ENDIAN);
    }

    /**
     * Position of an entry.
     *
     * @param buffer that begins with the file's first byte.
     * @param entry number of the entry, from 0.
     * @return position of the batch in the segment's file.
     */
    public static int position(final DirectBuffer buffer, final int entry) {
        return buffer.getInt(entry * ENTRY_BYTES + POSITION_OFFSET, BIG_ENDIAN);
    }

    /**
     * Writes an entry.
     *
     * @param buffer that begins with the file's first byte.
     * @param entry number of the entry, from 0.
     * @param relativeOffset last offset of the batch, less the base offset.
     * @param position of the batch in the segment's file.
     */
    public static void put(
            final MutableDirectBuffer buffer, final int entry, final int relativeOffset, final int position) {
        buffer.putInt(entry * ENTRY_BYTES + RELATIVE_OFFSET_OFFSET, relativeOffset, BIG_ENDIAN);
        buffer.putInt(entry * ENTRY_BYTES + POSITION_OFFSET, position, BIG_ENDIAN);
    }
}
