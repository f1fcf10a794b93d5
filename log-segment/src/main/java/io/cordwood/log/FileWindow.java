package io.cordwood.log;

import io.cordwood.log.store.FileView;
import io.cordwood.log.store.StorageFile;
import java.util.Objects;
import org.agrona.DirectBuffer;
import org.jspecify.annotations.Nullable;

/** A piece of a file in memory, which moves forward in large steps and counts what it reads. Belongs to one thread. */
final class FileWindow implements AutoCloseable {
    private final FileView view = new FileView();
    private final int chunkBytes;
    private final long readBytesMax;
    private @Nullable StorageFile file;
    private long start;
    private int length;
    private long bytesRead;

    FileWindow(final int chunkBytes, final long readBytesMax) {
        this.chunkBytes = chunkBytes;
        this.readBytesMax = readBytesMax;
    }

    void open(final StorageFile nextFile) {
        view.release();
        file = nextFile;
        start = 0;
        length = 0;
    }

    /**
     * Sees to it that a run of bytes is in memory.
     *
     * @param position of the first byte.
     * @param bytes to show.
     * @param anyway also if it exceeds what may be read.
     * @return false if it would, or the file is shorter than it was.
     */
    boolean show(final long position, final int bytes, final boolean anyway) {
        if (position >= start && position + bytes <= start + length) {
            return true;
        }
        final long allowed = Math.max(readBytesMax - bytesRead, 0);
        if (allowed < bytes && !anyway) {
            return false;
        }
        final int wanted = (int) Math.max(bytes, Math.min(chunkBytes, allowed));
        start = position;
        length = view.show(Objects.requireNonNull(file), position, wanted);
        bytesRead += length;
        return length >= bytes;
    }

    DirectBuffer buffer() {
        return view.buffer();
    }

    int index(final long position) {
        return (int) (position - start);
    }

    int length() {
        return length;
    }

    long bytesRead() {
        return bytesRead;
    }

    boolean isLimited() {
        return readBytesMax != Long.MAX_VALUE;
    }

    @Override
    public void close() {
        view.close();
        length = 0;
    }
}
