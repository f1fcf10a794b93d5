package io.cordwood.log;

import io.cordwood.log.record.BatchHeader;
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
    private static final int HEADROOM = RecordBatchDescriptor.HEADER_BYTES;
    /** Twice the block that a file system writes. */
    private static final int AHEAD_BYTES = 1 << 13;

    private final int chunkBytes;
    private final FileView view = new FileView();
    private final UnsafeBuffer chunk = new UnsafeBuffer(0, 0);
    private final BatchValidator validator;
    private final RecordBatchFlyweight batch = new RecordBatchFlyweight();
    private final BatchHeader header = new BatchHeader();
    private final BatchHeader ahead = new BatchHeader();

    private @Nullable StorageFile file;
    private long chunkPosition;
    private long position;
    private long endPosition;
    private int sizeInBytes;
    private long declaredBytes;
    private boolean isForeignMagic;
    private @Nullable String damage;

    /** Up to where headers were seen to be in order, and the last offset there: none is looked at twice. */
    private long orderedPosition = -1;

    private long orderedLast;

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
        declaredBytes = 0;
        isForeignMagic = false;
        damage = null;
        orderedPosition = -1;
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
        declaredBytes = 0;
        isForeignMagic = false;
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
        if (wanted > Integer.MAX_VALUE) {
            damage = "the batch claims " + wanted + " bytes, but none has more than " + Integer.MAX_VALUE;
            return false;
        }
        if (declared > 0 && position + wanted > chunkPosition + chunk.capacity()) {
            fill((int) Math.max(wanted, Math.min(left, chunkBytes)));
        }
        final int index = (int) (position - chunkPosition);
        declaredBytes = wanted;
        final int shown = chunk.capacity() - index;
        final long size = shown > RecordBatchDescriptor.MAGIC_OFFSET
                ? validator.header(header.read(chunk, index), shown)
                : validator.header(chunk, index, shown);
        if (size < 0) {
            damage = Refusal.name(size) + ": " + validator.reason();
            if (size == Refusal.UNSUPPORTED_MAGIC && wanted <= shown) {
                isForeignMagic = validator.isSealedByUnknownMagic(chunk, index, (int) wanted);
            }
            batch.wrap(chunk, index);
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
        final int shown = view.show(file, position, length);
        chunk.wrap(view.buffer(), 0, shown);
        chunkPosition = position;
    }

    /** After damage: goes on at a position behind it, which {@link #next} then looks at. */
    void skipTo(final long next) {
        position = next;
        sizeInBytes = 0;
        damage = null;
    }

    /** After damage: how many bytes the batch claims to have, if so many are there; else 0. */
    long declaredBytes() {
        return declaredBytes;
    }

    /** After damage: whether the magic alone is wrong, a later one than we know, and the checksum of magic 2 is right. */
    boolean isForeignMagic() {
        return isForeignMagic;
    }

    /** Base offset of the batch behind the one that was found; -1 if there is none. */
    long followingOffset() {
        final long at = position + sizeInBytes;
        if (endPosition - at < RecordBatchDescriptor.LOG_OVERHEAD) {
            return -1;
        }
        if (at + RecordBatchDescriptor.LOG_OVERHEAD > chunkPosition + chunk.capacity()) {
            refill(HEADROOM);
        }
        final int index = (int) (at - chunkPosition);
        // Zeros are no batch: neither are they one that begins at offset 0.
        return chunk.capacity() - index >= RecordBatchDescriptor.LOG_OVERHEAD
                        && chunk.getInt(index + Long.BYTES, ByteOrder.BIG_ENDIAN) > 0
                ? chunk.getLong(index, ByteOrder.BIG_ENDIAN)
                : -1;
    }

    /**
     * Position of the first header in the next few KiB behind the batch that is none, or whose offsets are not above those in front of it and below a
     * bound; -1 if all are in order.
     */
    long disorderAhead(final long last, final long bound) {
        final long behind = position + sizeInBytes;
        if (orderedPosition < behind) {
            orderedPosition = behind;
            orderedLast = last;
        }
        final long to = Math.min(endPosition, behind + AHEAD_BYTES);
        if (to > chunkPosition + chunk.capacity()) {
            refill(AHEAD_BYTES);
        }
        while (orderedPosition < to) {
            final int index = (int) (orderedPosition - chunkPosition);
            if (chunk.capacity() - index < HEADROOM) {
                return -1;
            }
            final boolean isBatch = ReadRun.isWhole(ahead, chunk, index, endPosition - orderedPosition);
            final long lastAhead = isBatch ? ahead.lastOffset() : -1;
            if (!isBatch || ahead.baseOffset() <= orderedLast || lastAhead < ahead.baseOffset() || lastAhead >= bound) {
                return orderedPosition;
            }
            orderedLast = lastAhead;
            orderedPosition += ahead.batchLength() + (long) RecordBatchDescriptor.LOG_OVERHEAD;
        }
        return -1;
    }

    /** Last offset in front of what {@link #disorderAhead} found. */
    long orderedLast() {
        return orderedLast;
    }

    /** Shows the batch and some bytes behind it. */
    private void refill(final int headroom) {
        final long wanted = Math.max(chunkBytes, sizeInBytes + (long) headroom);
        fill((int) Math.min(endPosition - position, Math.min(Integer.MAX_VALUE, wanted)));
        batch.wrap(chunk, 0);
    }

    /** The batch that {@link #next} found; valid until the next call. */
    RecordBatchFlyweight batch() {
        return batch;
    }

    /** The fields that place the batch which {@link #next} found, read already. */
    BatchHeader header() {
        return header;
    }

    /** The memory that holds the batch, which begins at {@code batch().index()}. */
    DirectBuffer buffer() {
        return chunk;
    }

    /** Position of the batch, or of the place where the scan ended. */
    long position() {
        return position;
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
