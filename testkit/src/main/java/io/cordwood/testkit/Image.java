package io.cordwood.testkit;

import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import java.nio.ByteOrder;
import java.util.Arrays;

/**
 * Content of a file at one moment. Immutable, so that disks share it and its hash is computed once. A file that was
 * lengthened and not written to ends in zeros that take no memory.
 */
final class Image {
    /** What a disk writes whole or not at all. */
    static final int SECTOR_BYTES = 512;

    static final Image EMPTY = new Image(new byte[0], 0);

    private static final VarHandle WORDS = MethodHandles.byteArrayViewVarHandle(long[].class, ByteOrder.LITTLE_ENDIAN);
    private static final long PRIME = 0x9E3779B97F4A7C15L;

    private final byte[] bytes;
    private final long size;
    private final long hash;

    /** Takes the array over; its bytes behind {@code size} are left out. */
    Image(final byte[] bytes, final long size) {
        int length = (int) Math.min(bytes.length, size);
        while (length > 0 && bytes[length - 1] == 0) {
            length--;
        }
        this.bytes = length == bytes.length ? bytes : Arrays.copyOf(bytes, length);
        this.size = size;
        this.hash = hash(this.bytes, size);
    }

    long size() {
        return size;
    }

    /** Equal for equal contents, in each JVM. */
    long hash() {
        return hash;
    }

    /** The bytes but for the zeros at the end; not to be changed. */
    byte[] bytes() {
        return bytes;
    }

    static long mix(final long hash, final long word) {
        final long mixed = (hash ^ word) * PRIME;
        return mixed ^ (mixed >>> 29);
    }

    private static long hash(final byte[] bytes, final long size) {
        long hash = mix(PRIME, size);
        int i = 0;
        for (; i + Long.BYTES <= bytes.length; i += Long.BYTES) {
            hash = mix(hash, (long) WORDS.get(bytes, i));
        }
        for (; i < bytes.length; i++) {
            hash = mix(hash, bytes[i]);
        }
        return hash;
    }
}
