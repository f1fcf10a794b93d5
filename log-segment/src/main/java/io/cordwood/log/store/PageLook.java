package io.cordwood.log.store;

import java.io.FileDescriptor;
import java.nio.Buffer;
import java.nio.ByteBuffer;
import java.nio.MappedByteBuffer;
import org.agrona.UnsafeApi;

/**
 * Asks the system which pages of a mapping are in memory ({@code mincore}), which costs less than to have them brought when they
 * are. One view's, and so one thread's.
 *
 * <p>The JDK asks on behalf of its own mapped buffers alone, and ours are an address. So this class has one such buffer, whose address
 * it moves, as {@code Crc32c} does.
 */
final class PageLook {
    private static final long ADDRESS_OFFSET = UnsafeApi.objectFieldOffset(Buffer.class, "address");
    private static final long CAPACITY_OFFSET = UnsafeApi.objectFieldOffset(Buffer.class, "capacity");
    private static final long FILE_OFFSET = UnsafeApi.objectFieldOffset(MappedByteBuffer.class, "fd");

    // A duplicate frees no memory, wherever it points.
    private final MappedByteBuffer window =
            (MappedByteBuffer) ByteBuffer.allocateDirect(1).duplicate();

    PageLook() {
        // A buffer without a file counts as loaded. Nobody reads through this one, nor forces it.
        UnsafeApi.putReference(window, FILE_OFFSET, new FileDescriptor());
    }

    /** Whether all pages of a piece of a mapping are in memory at this moment. */
    boolean isInMemory(final long first, final int bytes) {
        UnsafeApi.putLong(window, ADDRESS_OFFSET, first);
        UnsafeApi.putInt(window, CAPACITY_OFFSET, bytes);
        return window.isLoaded();
    }
}
