package io.cordwood.log.record;

import java.lang.ref.Reference;
import java.nio.Buffer;
import java.nio.ByteBuffer;
import java.util.zip.CRC32;
import java.util.zip.CRC32C;
import org.agrona.DirectBuffer;
import org.agrona.UnsafeApi;

/**
 * Checksums of buffers at the speed of the JDK's intrinsic and without allocation: CRC-32C for magic 2, CRC-32 for magic
 * 0 and 1.
 *
 * <p>Belongs to one thread; make one and keep it.
 *
 * <p>The JDK computes a checksum of an array or of a {@link ByteBuffer}, and most of our buffers are an address in a mapping
 * and nothing else. So this class has one direct buffer whose address it moves, through the same internal access that
 * Agrona's own buffers need: no view to make for each call, no further JVM flag.
 */
public final class Crc32c {
    private static final long ADDRESS_OFFSET = UnsafeApi.objectFieldOffset(Buffer.class, "address");
    private static final long CAPACITY_OFFSET = UnsafeApi.objectFieldOffset(Buffer.class, "capacity");
    private static final long LIMIT_OFFSET = UnsafeApi.objectFieldOffset(Buffer.class, "limit");
    private static final long POSITION_OFFSET = UnsafeApi.objectFieldOffset(Buffer.class, "position");

    private final CRC32C crc32c = new CRC32C();
    private final CRC32 crc32 = new CRC32();

    // A duplicate keeps its origin reachable, and only the origin frees memory: moving the duplicate frees nothing
    // wrong.
    private final ByteBuffer window = ByteBuffer.allocateDirect(1).duplicate();

    /** Creates the checksums of one thread. */
    public Crc32c() {
        UnsafeApi.putInt(window, CAPACITY_OFFSET, Integer.MAX_VALUE);
    }

    /**
     * CRC-32C (Castagnoli) of a run of bytes.
     *
     * @param buffer of the bytes.
     * @param index of the first byte.
     * @param length bytes, at least 0.
     * @return the unsigned value.
     * @throws IndexOutOfBoundsException if the run leaves the buffer.
     */
    public long crc32c(final DirectBuffer buffer, final int index, final int length) {
        buffer.boundsCheck(index, length);
        return crc32cUnchecked(buffer, index, length);
    }

    /** Same, for who knows that the run lies within the buffer. */
    long crc32cUnchecked(final DirectBuffer buffer, final int index, final int length) {
        crc32c.reset();
        final byte[] array = buffer.byteArray();
        if (array != null) {
            crc32c.update(array, buffer.wrapAdjustment() + index, length);
        } else {
            try {
                crc32c.update(show(buffer.addressOffset() + index, length));
            } finally {
                Reference.reachabilityFence(buffer);
            }
        }
        return crc32c.getValue();
    }

    /**
     * CRC-32 (the one of zip) of a run of bytes.
     *
     * @param buffer of the bytes.
     * @param index of the first byte.
     * @param length bytes, at least 0.
     * @return the unsigned value.
     * @throws IndexOutOfBoundsException if the run leaves the buffer.
     */
    public long crc32(final DirectBuffer buffer, final int index, final int length) {
        buffer.boundsCheck(index, length);
        crc32.reset();
        final byte[] array = buffer.byteArray();
        if (array != null) {
            crc32.update(array, buffer.wrapAdjustment() + index, length);
        } else {
            try {
                crc32.update(show(buffer.addressOffset() + index, length));
            } finally {
                Reference.reachabilityFence(buffer);
            }
        }
        return crc32.getValue();
    }

    private ByteBuffer show(final long address, final int length) {
        UnsafeApi.putLong(window, ADDRESS_OFFSET, address);
        UnsafeApi.putInt(window, LIMIT_OFFSET, length);
        UnsafeApi.putInt(window, POSITION_OFFSET, 0);
        return window;
    }
}
