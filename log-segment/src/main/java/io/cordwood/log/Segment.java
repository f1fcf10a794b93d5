package io.cordwood.log;

import io.cordwood.log.record.RecordBatchDescriptor;
import io.cordwood.log.record.RecordBatchFlyweight;
import io.cordwood.log.store.FileUse;
import io.cordwood.log.store.FileView;
import io.cordwood.log.store.Storage;
import io.cordwood.log.store.StorageFile;
import org.agrona.CloseHelper;
import org.jspecify.annotations.Nullable;

/**
 * One segment: the batches from its base offset up to the next segment's. Readers see what is final; the rest belongs to
 * the log's writer.
 */
final class Segment implements AutoCloseable {
    private static final long UNKNOWN = Long.MIN_VALUE;

    private final long baseOffset;
    private final String path;
    private final StorageFile file;
    private final SegmentIndex index;
    private final IndexLookUps lookUps;

    /** The file through which a sealed segment was written, kept until a force has covered it; null when it was. */
    private final @Nullable StorageFile unforced;

    private final long modifiedMs;
    private long firstTimestamp = UNKNOWN;

    Segment(
            final long baseOffset,
            final String path,
            final StorageFile file,
            final SegmentIndex index,
            final @Nullable StorageFile unforced,
            final long modifiedMs) {
        this.baseOffset = baseOffset;
        this.path = path;
        this.file = file;
        this.index = index;
        this.lookUps = index.lookUps();
        this.unforced = unforced;
        this.modifiedMs = modifiedMs;
    }

    long baseOffset() {
        return baseOffset;
    }

    /** Least offset that is too far above the base to lie in a segment, wherever the next one begins. */
    long reach() {
        final long beyond = 1L << 31;
        return baseOffset > Long.MAX_VALUE - beyond ? Long.MAX_VALUE : baseOffset + beyond;
    }

    String path() {
        return path;
    }

    StorageFile file() {
        return file;
    }

    /** The index, for the writer. */
    SegmentIndex index() {
        return index;
    }

    /** The index, for readers. */
    IndexLookUps lookUps() {
        return lookUps;
    }

    @Nullable
    StorageFile unforced() {
        return unforced;
    }

    /** When the segment was created or found changed: stands in where no record has a timestamp. */
    long modifiedMs() {
        return modifiedMs;
    }

    long bytes() {
        return file.length();
    }

    /** Timestamp of the segment's first batch, or -1; roll by time is measured from it. */
    long firstTimestamp() {
        return firstTimestamp == UNKNOWN ? -1 : firstTimestamp;
    }

    /** Remembers the max timestamp of the first batch; later batches change nothing. */
    void appended(final long maxTimestamp) {
        if (firstTimestamp == UNKNOWN) {
            firstTimestamp = maxTimestamp;
        }
    }

    /** Takes the timestamp of the first batch from the file, after that was opened or cut. */
    void readFirstTimestamp() {
        firstTimestamp = UNKNOWN;
        try (FileView view = new FileView()) {
            if (view.show(file, 0, RecordBatchDescriptor.HEADER_BYTES) == RecordBatchDescriptor.HEADER_BYTES) {
                appended(new RecordBatchFlyweight().wrap(view.buffer(), 0).maxTimestamp());
            }
        }
    }

    /**
     * Position at or before the batch that holds an offset, as the index has it; 0 where what the index points to is no batch or
     * one behind the offset: an index may be wrong and must not lead a reader past anything.
     */
    long floorPosition(final long offset, final FileView view) {
        final long position = offset <= baseOffset ? 0 : lookUps.positionOf(offset, view);
        final long left = file.length() - position;
        if (position <= 0 || left < RecordBatchDescriptor.HEADER_BYTES) {
            return 0;
        }
        view.show(file, position, RecordBatchDescriptor.HEADER_BYTES);
        if (view.buffer().capacity() < RecordBatchDescriptor.HEADER_BYTES) {
            return 0;
        }
        final RecordBatchFlyweight batch = new RecordBatchFlyweight().wrap(view.buffer(), 0);
        final boolean isBatch = batch.magic() >= 0
                && batch.magic() <= RecordBatchDescriptor.MAGIC_V2
                && batch.sizeInBytes() > RecordBatchDescriptor.LOG_OVERHEAD
                && batch.sizeInBytes() <= left
                && batch.baseOffset() >= baseOffset
                && batch.lastOffset() <= offset;
        return isBatch ? position : 0;
    }

    /** Cuts the file durably; what it is read through does not know of that. */
    void truncate(final Storage storage, final long position) {
        try (StorageFile cut = storage.open(path, FileUse.APPEND, 0)) {
            cut.truncate(position);
            cut.force();
        }
    }

    /** The same segment, read through another file. */
    Segment through(final StorageFile other, final @Nullable StorageFile stillUnforced, final long lastModifiedMs) {
        final Segment segment = new Segment(baseOffset, path, other, index, stillUnforced, lastModifiedMs);
        segment.firstTimestamp = firstTimestamp;
        return segment;
    }

    /** Closes what is open, all of it also if something fails. Readers that look at the segment keep their bytes. */
    @Override
    public void close() {
        CloseHelper.closeAll(file, index, unforced);
    }
}
