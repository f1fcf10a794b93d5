package io.cordwood.log.store;

import java.nio.ByteBuffer;
import org.agrona.BufferUtil;
import org.agrona.concurrent.ManyToManyConcurrentArrayQueue;
import org.jspecify.annotations.Nullable;

/**
 * Memory in which claimed bytes wait to be written. A file rents it from its first claim to its publication, so that
 * thousands of idle logs need none. Lock-free; every thread may rent and give back.
 */
final class StagingPool {
    private static final int KEPT_MAX = 64;

    private final int firstBytes;
    private final int bytesMax;
    private final ManyToManyConcurrentArrayQueue<ByteBuffer> idle = new ManyToManyConcurrentArrayQueue<>(KEPT_MAX);

    StagingPool(final int firstBytes, final int bytesMax) {
        this.firstBytes = firstBytes;
        this.bytesMax = bytesMax;
    }

    /** Memory of {@code length} bytes or more; null if that is above the bound or the process has none left. */
    @Nullable
    ByteBuffer rent(final long length) {
        if (length <= firstBytes) {
            final ByteBuffer kept = idle.poll();
            return kept != null ? kept : allocate(firstBytes);
        }
        if (length > bytesMax) {
            return null;
        }
        long bytes = firstBytes;
        while (bytes < length) {
            bytes <<= 1;
        }
        return allocate((int) Math.min(bytes, bytesMax));
    }

    /** Takes memory back. What was grown for one large run is freed. */
    void giveBack(final ByteBuffer memory) {
        if (memory.capacity() != firstBytes || !idle.offer(memory)) {
            BufferUtil.free(memory);
        }
    }

    /** Frees what is idle. */
    void close() {
        for (ByteBuffer memory = idle.poll(); memory != null; memory = idle.poll()) {
            BufferUtil.free(memory);
        }
    }

    private static @Nullable ByteBuffer allocate(final int bytes) {
        try {
            return ByteBuffer.allocateDirect(bytes);
        } catch (final OutOfMemoryError e) {
            // The limit of direct memory, not of the heap: this run is refused and the process goes on.
            return null;
        }
    }
}
