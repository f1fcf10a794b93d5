package io.cordwood.log.record;

import org.agrona.MutableDirectBuffer;

/**
 * Writes the variable-length numbers of magic 2: zigzag, so that small negative numbers are short, then seven bits a byte,
 * low ones first. {@link RecordFlyweight} reads them.
 */
final class Varint {
    private Varint() {}

    static int sizeOf(final int value) {
        return sizeOfRaw((value << 1) ^ (value >> 31));
    }

    static int sizeOf(final long value) {
        final long raw = (value << 1) ^ (value >> 63);
        return (70 - Long.numberOfLeadingZeros(raw | 1)) / 7;
    }

    private static int sizeOfRaw(final int raw) {
        return (38 - Integer.numberOfLeadingZeros(raw | 1)) / 7;
    }

    /** Writes a number and returns the index behind it. */
    static int put(final MutableDirectBuffer buffer, final int index, final int value) {
        return putRaw(buffer, index, ((value << 1) ^ (value >> 31)) & 0xFFFF_FFFFL);
    }

    /** Writes a number and returns the index behind it. */
    static int put(final MutableDirectBuffer buffer, final int index, final long value) {
        return putRaw(buffer, index, (value << 1) ^ (value >> 63));
    }

    private static int putRaw(final MutableDirectBuffer buffer, final int index, final long raw) {
        int at = index;
        long rest = raw;
        while ((rest & ~0x7FL) != 0) {
            buffer.putByte(at++, (byte) (rest | 0x80));
            rest >>>= 7;
        }
        buffer.putByte(at++, (byte) rest);
        return at;
    }
}
