package io.cordwood.log.record;

import java.nio.ByteOrder;
import org.agrona.UnsafeApi;
import org.jspecify.annotations.Nullable;

/**
 * Reads and writes bytes whose bounds were checked before, once for all of them; what Agrona's own buffers do behind their check. An
 * address counts from the start of the array, or is one of memory where there is none.
 */
final class RawBytes {
    private static final boolean IS_LITTLE_ENDIAN = ByteOrder.nativeOrder() == ByteOrder.LITTLE_ENDIAN;

    private RawBytes() {}

    static byte int8(final byte @Nullable [] array, final long address) {
        return array == null ? UnsafeApi.getByte(address) : UnsafeApi.getByte(array, address);
    }

    static void put8(final byte @Nullable [] array, final long address, final byte value) {
        if (array == null) {
            UnsafeApi.putByte(address, value);
        } else {
            UnsafeApi.putByte(array, address, value);
        }
    }

    static short int16(final byte @Nullable [] array, final long address) {
        final short bits = array == null ? UnsafeApi.getShort(address) : UnsafeApi.getShort(array, address);
        return IS_LITTLE_ENDIAN ? Short.reverseBytes(bits) : bits;
    }

    static int int32(final byte @Nullable [] array, final long address) {
        final int bits = array == null ? UnsafeApi.getInt(address) : UnsafeApi.getInt(array, address);
        return IS_LITTLE_ENDIAN ? Integer.reverseBytes(bits) : bits;
    }

    static long int64(final byte @Nullable [] array, final long address) {
        final long bits = array == null ? UnsafeApi.getLong(address) : UnsafeApi.getLong(array, address);
        return IS_LITTLE_ENDIAN ? Long.reverseBytes(bits) : bits;
    }

    /** Two bytes, the first one lowest: for who takes a number of varying length apart. */
    static short int16Little(final byte @Nullable [] array, final long address) {
        final short bits = array == null ? UnsafeApi.getShort(address) : UnsafeApi.getShort(array, address);
        return IS_LITTLE_ENDIAN ? bits : Short.reverseBytes(bits);
    }

    /** Eight bytes, the first one lowest. */
    static long int64Little(final byte @Nullable [] array, final long address) {
        final long bits = array == null ? UnsafeApi.getLong(address) : UnsafeApi.getLong(array, address);
        return IS_LITTLE_ENDIAN ? bits : Long.reverseBytes(bits);
    }
}
