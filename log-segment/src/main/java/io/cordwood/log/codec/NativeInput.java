package io.cordwood.log.codec;

import java.nio.ByteBuffer;
import org.agrona.DirectBuffer;

/**
 * A caller's bytes as a direct {@link ByteBuffer}, which is what native libraries take: in place where they lie in one,
 * copied where they lie in an array or a bare mapping.
 *
 * <p>Pooled by the codecs; belongs to one thread between taking and giving back.
 */
final class NativeInput {
    /** An input this large or smaller leaves its scratch memory for the next. */
    private static final int KEPT_BYTES = 1024 * 1024;

    private static final int FIRST_BYTES = 4096;
    private static final ByteBuffer NOTHING = ByteBuffer.allocateDirect(0);

    private ByteBuffer scratch = NOTHING;
    private ByteBuffer memory = NOTHING;
    private int start;

    /** Shows the bytes in place if possible. The memory may be the caller's own: only absolute indexes may be used on it. */
    void open(final DirectBuffer source, final int index, final int length) {
        final ByteBuffer own = source.byteBuffer();
        if (own != null && own.isDirect()) {
            final int at = source.wrapAdjustment() + index;
            if (at >= 0 && at + length <= own.limit()) {
                memory = own;
                start = at;
                return;
            }
        }
        copy(source, index, length);
    }

    /** Shows a copy of the bytes, from position 0 to limit, so that relative reading is allowed too. */
    ByteBuffer copy(final DirectBuffer source, final int index, final int length) {
        if (scratch.capacity() < length) {
            scratch = ByteBuffer.allocateDirect(Math.max(FIRST_BYTES, length));
        }
        scratch.clear().limit(length);
        source.getBytes(index, scratch, 0, length);
        memory = scratch;
        start = 0;
        return scratch;
    }

    ByteBuffer memory() {
        return memory;
    }

    /** Index of the first byte in {@link #memory}. */
    int start() {
        return start;
    }

    /** Lets go of the caller's memory, and of its own if that is large. */
    void close() {
        memory = NOTHING;
        if (scratch.capacity() > KEPT_BYTES) {
            scratch = NOTHING;
        }
    }
}
