package io.cordwood.simulation.damage;

import io.cordwood.log.CorruptLogException;
import io.cordwood.log.record.RecordBatchDescriptor;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.stream.IntStream;
import java.util.stream.LongStream;
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

    /** Why a batch that is missing may be missing in silence. */
    enum Hiding {
        CLAIMED("not to be told: batches whose offsets a batch of another history claims"),
        CLAIMED_IN_PART("not to be told: batches some of whose offsets a batch of another history claims"),
        GAP("not to be told: batches where one lies now that begins later");

        private final String words;

        Hiding(final String words) {
            this.words = words;
        }

        String words() {
            return words;
        }
    }

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

    /**
     * Why nothing tells that a batch was there.
     *
     * @return null if something does.
     */
    @Nullable
    Hiding hiding(final PlacedBatch batch) {
        final long claimed = LongStream.rangeClosed(batch.baseOffset(), batch.lastOffset())
                .filter(offset ->
                        strangers.stream().anyMatch(each -> each.baseOffset() <= offset && each.lastOffset() >= offset))
                .count();
        if (claimed == batch.lastOffset() - batch.baseOffset() + 1) {
            return Hiding.CLAIMED;
        }
        if (claimed > 0) {
            return Hiding.CLAIMED_IN_PART;
        }
        return isHit(batch) && isGap(batch) ? Hiding.GAP : null;
    }

    /** At its place, or in front of it, lies one that begins later, and no whole batch behind that one says otherwise. */
    private boolean isGap(final PlacedBatch batch) {
        return strangers.stream()
                .anyMatch(each -> each.position() <= batch.position()
                        && each.baseOffset() > batch.lastOffset()
                        && !isContradicted(each));
    }

    /** What is damaged contradicts nobody: a gap in front of it is as good as any. */
    private boolean isContradicted(final Whole whole) {
        final Whole next = wholeAt(whole.end());
        return next != null && next.baseOffset() <= whole.lastOffset();
    }

    /** Whether a position is that of a batch that was hit, or in the block, or one of which the block makes a doubtful one. */
    boolean isDamageAt(final MemoryDisk disk, final List<PlacedBatch> batches, final CorruptLogException e) {
        return e.file().equals(disk.describe(path))
                && ((e.position() >= begin && e.position() <= end)
                        || IntStream.range(0, batches.size())
                                .anyMatch(i ->
                                        batches.get(i).position() == e.position() && isAloneInItsEpoch(batches, i)));
    }

    /** A sound one between whole batches of an older epoch, the one behind it in the block: which epoch is wrong cannot be told. */
    private boolean isAloneInItsEpoch(final List<PlacedBatch> batches, final int index) {
        final PlacedBatch batch = batches.get(index);
        return batch.path().equals(path)
                && !isHit(batch)
                && batch.end() >= begin
                && batch.end() <= end
                && wholeAt(batch.end()) != null
                && epoch(content, batch.end()) < epoch(batch.bytes(), 0)
                && index > 0
                && epoch(batches.get(index - 1).bytes(), 0) < epoch(batch.bytes(), 0);
    }

    private static int epoch(final byte[] bytes, final int position) {
        return ByteBuffer.wrap(bytes).getInt(position + RecordBatchDescriptor.PARTITION_LEADER_EPOCH_OFFSET);
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
