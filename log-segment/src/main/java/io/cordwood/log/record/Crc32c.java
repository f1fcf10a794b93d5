package io.cordwood.log.record;

import java.lang.ref.Reference;
import java.nio.Buffer;
import java.nio.ByteBuffer;
import java.util.zip.CRC32;
import java.util.zip.CRC32C;
import java.util.zip.Checksum;
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
        crc32c.reset();
        update(crc32c, buffer, index, length);
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
        crc32.reset();
        update(crc32, buffer, index, length);
        return crc32.getValue();
    }

    private void update(final Checksum checksum, final DirectBuffer buffer, final int index, final int length) {
        buffer.boundsCheck(index, length);
        final byte[] array = buffer.byteArray();
        if (array != null) {
            checksum.update(array, buffer.wrapAdjustment() + index, length);
            return;
        }
        try {
            UnsafeApi.putLong(window, ADDRESS_OFFSET, buffer.addressOffset() + index);
            window.limit(length).position(0);
            checksum.update(window);
        } finally {
            Reference.reachabilityFence(buffer);
        }
    }
}
