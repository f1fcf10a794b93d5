package io.cordwood.log.store;

import java.nio.ByteBuffer;
import java.util.concurrent.atomic.AtomicLong;
import org.agrona.BufferUtil;
import org.agrona.concurrent.ManyToManyConcurrentArrayQueue;
import org.jspecify.annotations.Nullable;

/**
 * Memory in which claimed bytes wait to be written. A file rents it from its first claim to its publication, so that
 * thousands of idle logs need none. Kept by size in powers of two, of all sizes together no more than {@link #IDLE_BYTES_MAX}.
 * Lock-free; every thread may rent and give back.
 */
final class StagingPool {
    static final long IDLE_BYTES_MAX = 64L << 20;

    private static final int KEPT_MAX = 64;

    private final int bytesMax;
    private final int firstShift;
    private final Shelf[] shelves;
    private final AtomicLong idleBytes = new AtomicLong();

    /** Idle memory of one size. */
    private static final class Shelf extends ManyToManyConcurrentArrayQueue<ByteBuffer> {
        Shelf() {
            super(KEPT_MAX);
        }
    }

    StagingPool(final int firstBytes, final int bytesMax) {
        this.bytesMax = bytesMax;
        this.firstShift = shiftOf(firstBytes);
        this.shelves = new Shelf[shiftOf(bytesMax) - firstShift + 1];
        for (int i = 0; i < shelves.length; i++) {
            shelves[i] = new Shelf();
        }
    }

    /** Smallest power of two that holds a number of bytes, as a shift. */
    private static int shiftOf(final long bytes) {
        return Long.SIZE - Long.numberOfLeadingZeros(Math.max(1, bytes - 1));
    }

    /**
     * Memory of a length or more.
     *
     * @param length that is needed.
     * @param usual length that will probably be needed.
     * @return null if the length is above the bound or the process has none left.
     */
    @Nullable
    ByteBuffer rent(final long length, final int usual) {
        if (length > bytesMax) {
            return null;
        }
        final int shelf = Math.max(0, shiftOf(Math.max(length, Math.min(usual, bytesMax))) - firstShift);
        final ByteBuffer kept = shelves[shelf].poll();
        if (kept != null) {
            idleBytes.addAndGet(-kept.capacity());
            return kept;
        }
        return allocate(1L << (firstShift + shelf));
    }

    /** Takes memory back; frees it if enough is kept. */
    void giveBack(final ByteBuffer memory) {
        final int bytes = memory.capacity();
        if (idleBytes.addAndGet(bytes) > IDLE_BYTES_MAX || !shelves[shiftOf(bytes) - firstShift].offer(memory)) {
            idleBytes.addAndGet(-bytes);
            BufferUtil.free(memory);
        }
    }

    /** Bytes that are kept for whoever comes next, for tests. */
    long idleBytes() {
        return idleBytes.get();
    }

    /** Frees what is idle. */
    void close() {
        for (final Shelf shelf : shelves) {
            for (ByteBuffer memory = shelf.poll(); memory != null; memory = shelf.poll()) {
                idleBytes.addAndGet(-memory.capacity());
                BufferUtil.free(memory);
            }
        }
    }

    private static @Nullable ByteBuffer allocate(final long bytes) {
        try {
            return ByteBuffer.allocateDirect((int) bytes);
        } catch (final OutOfMemoryError e) {
            // The limit of direct memory, not of the heap: this run is refused and the process goes on.
            return null;
        }
    }
}
