package io.cordwood.testkit;

import io.cordwood.log.store.FileView;
import io.cordwood.log.store.StorageException;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.WritableByteChannel;

/** Reading, alike for those who append to a file and those who only read it. */
final class Spans {
    private Spans() {}

    /** Bytes of a piece that are content; 0 for one that begins at the end or behind it. */
    static long clip(final long position, final long length, final long contentEnd) {
        if (position < 0 || length < 0) {
            throw new IllegalArgumentException("position " + position + ", length " + length);
        }
        return Math.min(length, Math.max(0, contentEnd - position));
    }

    /** Under the lock. */
    static int show(final FileNode node, final long position, final int length, final FileView view) {
        if (length == 0) {
            view.release();
        } else {
            node.read(position, view.showCopy(length));
        }
        return length;
    }

    /** Under the lock: a copy to be sent without it, since a target may keep its sender waiting. */
    static ByteBuffer copy(final FileNode node, final long position, final long length) {
        final ByteBuffer copied = ByteBuffer.allocate(Math.toIntExact(length));
        node.read(position, copied);
        return copied.flip();
    }

    static long send(final ByteBuffer bytes, final WritableByteChannel target, final String file) {
        final long length = bytes.remaining();
        try {
            while (bytes.hasRemaining() && target.write(bytes) > 0) {
                // As long as the target takes some.
            }
        } catch (final IOException e) {
            throw new StorageException(file, "send", String.valueOf(e.getMessage()), e);
        }
        return length - bytes.remaining();
    }
}
