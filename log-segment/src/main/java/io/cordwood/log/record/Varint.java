package io.cordwood.log.record;

import org.agrona.MutableDirectBuffer;
import org.jspecify.annotations.Nullable;

/**
 * The variable-length numbers of magic 2: zigzag, so that small negative numbers are short, then seven bits a byte,
 * low ones first. {@link RecordFlyweight} reads those that nobody has checked.
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

    /** Writes a number where there is room for it, and returns the address behind it. */
    static long put(final byte @Nullable [] array, final long address, final int value) {
        return putRaw(array, address, ((value << 1) ^ (value >> 31)) & 0xFFFF_FFFFL);
    }

    /** Writes a number where there is room for it, and returns the address behind it. */
    static long put(final byte @Nullable [] array, final long address, final long value) {
        return putRaw(array, address, (value << 1) ^ (value >> 63));
    }

    private static long putRaw(final byte @Nullable [] array, final long address, final long raw) {
        if (raw >>> 7 == 0) {
            RawBytes.put8(array, address, (byte) raw);
            return address + 1;
        }
        if (raw >>> 14 == 0) {
            RawBytes.put8(array, address, (byte) (raw | 0x80));
            RawBytes.put8(array, address + 1, (byte) (raw >>> 7));
            return address + 2;
        }
        return putLong(array, address, raw);
    }

    private static long putLong(final byte @Nullable [] array, final long address, final long raw) {
        long at = address;
        long rest = raw;
        while (rest >>> 7 != 0) {
            RawBytes.put8(array, at++, (byte) (rest | 0x80));
            rest >>>= 7;
        }
        RawBytes.put8(array, at++, (byte) rest);
        return at;
    }

    /** A number that was read and the index behind it, in one number: a walk keeps its place out of memory that way. */
    static long pair(final int value, final int behind) {
        return (long) value << Integer.SIZE | behind;
    }

    /** The number of a {@link #pair}. */
    static int value(final long pair) {
        return (int) (pair >> Integer.SIZE);
    }

    /** The index of a {@link #pair}. */
    static int behind(final long pair) {
        return (int) pair;
    }

    /** The raw number of a varint of one byte, or of two if that is as short as it gets; -1 for any other. Lowest byte first. */
    static int shortRaw(final int bytes) {
        if ((bytes & 0x80) == 0) {
            return bytes & 0x7F;
        }
        final int second = bytes & 0xFF00;
        return second == 0 || second > 0x7F00 ? -1 : (bytes & 0x7F) | (second >>> 1);
    }

    /** How many bytes a number of {@link #shortRaw} has. */
    static int bytesOfShort(final int raw) {
        return raw < 0x80 ? 1 : 2;
    }

    /** The signed number in the lowest seven bits: a varint of one byte. */
    static int ofSevenBits(final int bits) {
        return zigzag(bits & 0x7F);
    }

    /** The signed number that was written as an unsigned one. */
    static int zigzag(final int raw) {
        return (raw >>> 1) ^ -(raw & 1);
    }

    /** Reads a number that was checked before; one that does not end in front of {@code end} any more is 0, of no bytes. */
    static long read(final byte @Nullable [] array, final long address, final int from, final int end) {
        int raw = 0;
        int at = from;
        for (int shift = 0; shift < Integer.SIZE && at < end; shift += 7) {
            final byte next = RawBytes.int8(array, address + at++);
            raw |= (next & 0x7F) << shift;
            if (next >= 0) {
                return pair(zigzag(raw), at);
            }
        }
        return pair(0, from);
    }
}
