package io.cordwood.log;

import io.cordwood.log.record.BatchHeader;
import io.cordwood.log.store.FileView;

/**
 * Asks the index whether what looks like a gap is one: behind a batch none lies with lower offsets. If the index knows one, then the batch is out
 * of its place, such as one in a block that the disk wrote where another belongs. The index is not trusted: what it leads to must say so
 * itself. One reader's; allocates nothing.
 */
final class IndexedGap implements AutoCloseable {
    private final FileView view = new FileView();
    private final BatchHeader header = new BatchHeader();
    private long base;

    /**
     * Looks for a batch that is in the wrong order.
     *
     * @param in segment.
     * @param position of a batch in front of which offsets seem to be missing.
     * @param first its base offset.
     * @return position of a batch behind it that begins at or below its base offset; -1 if none is known.
     */
    long lowerBehind(final Segment in, final long position, final long first) {
        final long indexed = in.lookUps().positionOf(first, view);
        final long bytes = in.bytes();
        if (indexed <= position || indexed + BatchHeader.BYTES > bytes) {
            return -1;
        }
        view.look(in.file(), indexed, BatchHeader.BYTES);
        if (!ReadRun.isWhole(header, view.buffer(), 0, bytes - indexed)) {
            return -1;
        }
        base = header.baseOffset();
        return base >= in.baseOffset() && base <= first && header.lastOffset() >= base ? indexed : -1;
    }

    /** Base offset of the batch that {@link #lowerBehind} found. */
    long base() {
        return base;
    }

    void release() {
        view.release();
    }

    @Override
    public void close() {
        view.close();
    }
}
