package io.cordwood.log;

import io.cordwood.log.record.BatchValidator;
import io.cordwood.log.record.RecordBatchDescriptor;
import io.cordwood.log.record.RecordBatchFlyweight;
import io.cordwood.log.record.Refusal;
import io.cordwood.log.store.FileView;
import io.cordwood.log.store.StorageFile;
import java.nio.ByteOrder;
import org.agrona.DirectBuffer;
import org.agrona.concurrent.UnsafeBuffer;
import org.jspecify.annotations.Nullable;

/**
 * Walks the batches of one file in large chunks and checks the header and checksum of each, so that a scan costs per byte and
 * not per batch. One thread's; allocates nothing per batch.
 */
final class BatchScan implements AutoCloseable {
    private final int chunkBytes;
    private final FileView view = new FileView();
    private final UnsafeBuffer chunk = new UnsafeBuffer(0, 0);
    private final BatchValidator validator;
    private final RecordBatchFlyweight batch = new RecordBatchFlyweight();

    private @Nullable StorageFile file;
    private long chunkPosition;
    private long position;
    private long endPosition;
    private int sizeInBytes;
    private @Nullable String damage;

    BatchScan(final int chunkBytes, final BatchValidator validator) {
        this.chunkBytes = chunkBytes;
        this.validator = validator;
    }

    /** Begins in front of a batch; the scan ends at the given position at the latest. */
    void start(final StorageFile scanned, final long from, final long to) {
        file = scanned;
        position = from;
        endPosition = to;
        sizeInBytes = 0;
        damage = null;
        chunkPosition = from;
        chunk.wrap(0, 0);
        view.release();
    }

    /** Lets go of the memory that is looked at; the scan can be started again. */
    void release() {
        file = null;
        endPosition = position;
        sizeInBytes = 0;
        chunk.wrap(0, 0);
        view.release();
    }

    /** Moves to the next batch. False at the end, and where no whole and sound batch begins: then {@link #damage} says why. */
    boolean next() {
        position += sizeInBytes;
        sizeInBytes = 0;
        final long left = endPosition - position;
        if (left <= 0 || !isHeaderInChunk(left)) {
            return false;
        }
        final int declared = chunk.getInt(
                (int) (position - chunkPosition) + RecordBatchDescriptor.LENGTH_OFFSET, ByteOrder.BIG_ENDIAN);
        final long wanted = declared + (long) RecordBatchDescriptor.LOG_OVERHEAD;
        if (wanted > left) {
            damage = "the batch claims " + wanted + " bytes, but only " + left + " are left in the file";
            return false;
        }
        if (declared > 0 && position + wanted > chunkPosition + chunk.capacity()) {
            fill((int) Math.max(wanted, Math.min(left, chunkBytes)));
        }
        final int index = (int) (position - chunkPosition);
        final long size = validator.header(chunk, index, chunk.capacity() - index);
        if (size < 0) {
            damage = Refusal.name(size) + ": " + validator.reason();
            return false;
        }
        sizeInBytes = (int) size;
        batch.wrap(chunk, index);
        return true;
    }

    private boolean isHeaderInChunk(final long left) {
        if (left < RecordBatchDescriptor.LOG_OVERHEAD) {
            damage = left + " bytes are left in the file, fewer than the start of a batch has";
            return false;
        }
        if (position + RecordBatchDescriptor.LOG_OVERHEAD > chunkPosition + chunk.capacity()) {
            fill((int) Math.min(left, chunkBytes));
            if (chunk.capacity() < RecordBatchDescriptor.LOG_OVERHEAD) {
                damage = "the file ends " + chunk.capacity() + " bytes behind this position, but should have " + left;
                return false;
            }
        }
        return true;
    }

    private void fill(final int length) {
        if (file == null) {
            throw new IllegalStateException("the scan was not started");
        }
        final int shown = file.view(position, length, view);
        chunk.wrap(view.buffer(), 0, shown);
        chunkPosition = position;
    }

    /** The batch that {@link #next} found; valid until the next call. */
    RecordBatchFlyweight batch() {
        return batch;
    }

    /** The memory that holds the batch, which begins at {@code batch().index()}. */
    DirectBuffer buffer() {
        return chunk;
    }

    /** Position of the batch, or of the place where the scan ended. */
    long position() {
        return position;
    }

    /** Position behind the batch. */
    long nextPosition() {
        return position + sizeInBytes;
    }

    /** Why the scan ended before its end position; null if it did not. */
    @Nullable
    String damage() {
        return damage;
    }

    @Override
    public void close() {
        chunk.wrap(0, 0);
        view.close();
    }
}
