package io.cordwood.simulation.damage;

import io.cordwood.log.CorruptLogException;
import io.cordwood.log.record.RecordBatchDescriptor;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.zip.CRC32C;
import org.jspecify.annotations.Nullable;

/**
 * A segment with a false block, as its bytes are now: which batches of the log it has no more, and what whole batches it has in their place.
 * Nothing of the engine's readers is used.
 */
final class SwappedFile {
    private final String path;
    private final byte[] content;
    private final int begin;
    private final int end;
    private final List<Whole> strangers = new ArrayList<>();

    /** A whole batch with a right checksum where the log had none or another one. */
    private record Whole(int position, int end, long baseOffset, long lastOffset) {}

    /**
     * Looks for whole batches wherever the block can have made one.
     *
     * @param from position of the block.
     * @param to behind the block.
     */
    SwappedFile(
            final String path, final byte[] content, final List<PlacedBatch> batches, final int from, final int to) {
        this.path = path;
        this.content = content;
        int first = from;
        int last = to;
        for (final PlacedBatch batch : batches) {
            if (isHit(batch)) {
                first = Math.min(first, batch.position());
                last = Math.max(last, batch.end());
            }
        }
        begin = first;
        end = last;
        for (int at = begin; at < Math.min(to, content.length); at++) {
            final Whole whole = wholeAt(at);
            if (whole != null && whole.end() > from && batches.stream().noneMatch(each -> isPlaced(each, whole))) {
                strangers.add(whole);
            }
        }
    }

    private boolean isPlaced(final PlacedBatch batch, final Whole whole) {
        return batch.path().equals(path) && batch.position() == whole.position() && !isHit(batch);
    }

    /** Whether a batch of the log is no more what it was. */
    boolean isHit(final PlacedBatch batch) {
        return batch.path().equals(path)
                && !Arrays.equals(batch.bytes(), 0, batch.bytes().length, content, batch.position(), batch.end());
    }

    /** Whether whole batches claim all offsets of a batch, or the bytes say that they are a gap; then nothing tells that it was there. */
    boolean hides(final PlacedBatch batch) {
        return isClaimed(batch) || (isHit(batch) && isGap(batch));
    }

    /** Another one has an offset of it. */
    boolean isClaimed(final PlacedBatch batch) {
        return strangers.stream()
                .anyMatch(each -> each.baseOffset() <= batch.lastOffset() && each.lastOffset() >= batch.baseOffset());
    }

    /** At its place, or in front of it, lies one that begins later, and no whole batch behind that one says otherwise. */
    private boolean isGap(final PlacedBatch batch) {
        return strangers.stream()
                .anyMatch(each -> each.position() <= batch.position()
                        && each.baseOffset() > batch.lastOffset()
                        && !isContradicted(each));
    }

    /**
     * What is damaged contradicts nobody: a gap in front of it is as good as any. Nor does the same batch once more, which says no
     * more than that one of the two is too much.
     */
    private boolean isContradicted(final Whole whole) {
        final Whole next = wholeAt(whole.end());
        return next != null && next.baseOffset() <= whole.lastOffset() && !isSame(next, whole);
    }

    private boolean isSame(final Whole one, final Whole other) {
        return Arrays.equals(content, one.position(), one.end(), content, other.position(), other.end());
    }

    /** Whether a position is that of a batch that was hit, or in the block, or one of which the block makes a doubtful one. */
    boolean isDamageAt(final MemoryDisk disk, final List<PlacedBatch> batches, final CorruptLogException e) {
        return e.file().equals(disk.describe(path))
                && ((e.position() >= begin && e.position() <= end)
                        || batches.stream()
                                .anyMatch(each -> each.position() == e.position() && isAloneInItsEpoch(each)));
    }

    /** A sound one between batches of an older epoch: which of the two epochs is wrong cannot be told. */
    private boolean isAloneInItsEpoch(final PlacedBatch batch) {
        return batch.path().equals(path)
                && !isHit(batch)
                && batch.end() >= begin
                && batch.end() <= end
                && epochAt(batch.end()) < epochAt(batch.position());
    }

    private int epochAt(final int position) {
        final int at = position + RecordBatchDescriptor.PARTITION_LEADER_EPOCH_OFFSET;
        return at + Integer.BYTES > content.length
                ? Integer.MAX_VALUE
                : ByteBuffer.wrap(content).getInt(at);
    }

    private @Nullable Whole wholeAt(final int at) {
        if (content.length - at < RecordBatchDescriptor.HEADER_BYTES
                || content[at + RecordBatchDescriptor.MAGIC_OFFSET] != RecordBatchDescriptor.MAGIC_V2) {
            return null;
        }
        final ByteBuffer bytes = ByteBuffer.wrap(content);
        final long size =
                (long) bytes.getInt(at + RecordBatchDescriptor.LENGTH_OFFSET) + RecordBatchDescriptor.LOG_OVERHEAD;
        if (size < RecordBatchDescriptor.HEADER_BYTES || size > content.length - at) {
            return null;
        }
        final CRC32C crc = new CRC32C();
        crc.update(
                content,
                at + RecordBatchDescriptor.ATTRIBUTES_OFFSET,
                (int) size - RecordBatchDescriptor.ATTRIBUTES_OFFSET);
        if ((int) crc.getValue() != bytes.getInt(at + RecordBatchDescriptor.CRC_OFFSET)) {
            return null;
        }
        final long base = bytes.getLong(at);
        return new Whole(
                at, at + (int) size, base, base + bytes.getInt(at + RecordBatchDescriptor.LAST_OFFSET_DELTA_OFFSET));
    }
}
