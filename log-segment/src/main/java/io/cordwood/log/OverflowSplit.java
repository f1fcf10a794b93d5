package io.cordwood.log;

import io.cordwood.log.codec.CodecException;
import io.cordwood.log.codec.Codecs;
import io.cordwood.log.record.CorruptRecordException;
import io.cordwood.log.record.RecordBatchDescriptor;
import io.cordwood.log.record.RecordBatchFlyweight;
import io.cordwood.log.record.RecordReader;
import io.cordwood.log.store.FileStatus;
import io.cordwood.log.store.FileUse;
import io.cordwood.log.store.FileView;
import io.cordwood.log.store.Storage;
import io.cordwood.log.store.StorageException;
import io.cordwood.log.store.StorageFile;
import java.util.List;
import org.agrona.concurrent.UnsafeBuffer;
import org.jspecify.annotations.Nullable;

/**
 * Splits a segment whose batches reach more than 2^31-1 above its base offset, as cleaners of old Kafka versions left some:
 * neither index can name such offsets. What tells it from a batch with a wrong base offset is written in {@code docs/FORMAT.md}.
 *
 * <p>The batches from there on are written into a file of their own, which gets its name when it is durable, and only then are
 * they cut off the old one. An open that was interrupted in between finds both, and they are equal: it cuts.
 */
final class OverflowSplit {
    private static final int CHUNK_BYTES = 1 << 20;

    /**
     * Where a segment is to be split.
     *
     * @param path of the segment's file.
     * @param segmentBase its base offset.
     * @param position of the first batch that does not belong into it.
     * @param bytes of the file.
     * @param baseOffset of that batch, and of the segment that it begins.
     * @param isCopied whether that segment is there already.
     */
    record Place(String path, long segmentBase, long position, long bytes, long baseOffset, boolean isCopied) {}

    private final Storage storage;
    private final String directory;
    private final List<String> indexSuffixes;

    OverflowSplit(final Storage storage, final String directory, final List<String> indexSuffixes) {
        this.storage = storage;
        this.directory = directory;
        this.indexSuffixes = indexSuffixes;
    }

    /** Whether a batch with such a last offset is too far from the base of its segment. */
    static boolean isTooFar(final long base, final long lastOffset) {
        return lastOffset >= base && lastOffset - base > Integer.MAX_VALUE;
    }

    /**
     * Judges a batch that is too far from the base of its segment.
     *
     * @param position of the batch, whose checksum is right.
     * @param due offset behind the batch before it, -1 if there is none.
     * @param next segment, null if there is none.
     * @param reached offset that the log has reached by what other files say.
     * @return where to split; null if it is the batch that is wrong.
     */
    static @Nullable Place judge(
            final Segment segment,
            final long position,
            final long due,
            final @Nullable Segment next,
            final long reached) {
        final long base = segment.baseOffset();
        final long bytes = segment.bytes();
        try (BatchCursor cursor = new BatchCursor(CHUNK_BYTES, Long.MAX_VALUE)) {
            cursor.open(segment.file(), base + Integer.MAX_VALUE, position, bytes);
            cursor.next();
            final long last = cursor.batch().lastOffset();
            final long first = firstOffset(segment.file(), position, cursor.batch());
            if (first <= base
                    || first < due
                    || last < first
                    || (position == 0 && next != null && first == next.baseOffset())) {
                return null;
            }
            if (next != null && first == next.baseOffset()) {
                final boolean isCopied = isCopy(segment.file(), position, bytes, next.file());
                return isCopied ? new Place(segment.path(), base, position, bytes, first, true) : null;
            }
            final long end = next == null ? Long.MAX_VALUE : next.baseOffset();
            final boolean isOne = last < end && isOverflow(cursor, base, last, end, first ^ due, reached);
            return isOne ? new Place(segment.path(), base, position, bytes, first, false) : null;
        }
    }

    /** Whether what follows goes on from the batch, and nothing goes back. */
    private static boolean isOverflow(
            final BatchCursor cursor,
            final long base,
            final long last,
            final long end,
            final long difference,
            final long reached) {
        boolean isFollowed = false;
        for (BatchCursor.Step step = cursor.next(); step != BatchCursor.Step.END; step = cursor.next()) {
            if (!cursor.isCrcValid()) {
                cursor.resync();
                continue;
            }
            final RecordBatchFlyweight batch = cursor.batch();
            if (!isTooFar(base, batch.lastOffset())
                    || batch.lastOffset() >= end
                    || (!isFollowed && batch.lastOffset() - batch.lastOffsetDelta() <= last)) {
                return false;
            }
            isFollowed = true;
        }
        return isFollowed || (reached > last && Long.bitCount(difference) != 1);
    }

    /** Offset of a batch's first record; -1 if a legacy wrapper cannot be opened to tell. */
    private static long firstOffset(final StorageFile file, final long position, final RecordBatchFlyweight batch) {
        if (batch.magic() >= RecordBatchDescriptor.MAGIC_V2) {
            return batch.baseOffset();
        }
        try (FileView view = new FileView();
                RecordReader reader = new RecordReader(Codecs.standard(), Integer.MAX_VALUE)) {
            view.show(file, position, batch.sizeInBytes());
            return reader.wrap(new RecordBatchFlyweight().wrap(view.buffer(), 0))
                    .firstOffset();
        } catch (final CorruptRecordException | CodecException e) {
            return -1;
        }
    }

    private static boolean isCopy(
            final StorageFile file, final long position, final long bytes, final StorageFile copy) {
        if (copy.length() < bytes - position) {
            return false;
        }
        try (FileView left = new FileView();
                FileView right = new FileView()) {
            for (long at = position; at < bytes; ) {
                final int length = (int) Math.min(CHUNK_BYTES, bytes - at);
                final int shown = left.show(file, at, length);
                if (shown != length
                        || right.show(copy, at - position, length) != length
                        || !new UnsafeBuffer(left.buffer(), 0, length)
                                .equals(new UnsafeBuffer(right.buffer(), 0, length))) {
                    return false;
                }
                at += length;
            }
        }
        return true;
    }

    /** Splits there. The files must not be open; each can be missing or there twice after an interruption, and no batch is. */
    void split(final Place place) {
        // Without an index the old segment is looked into by each open until it is cut.
        for (final String suffix : indexSuffixes) {
            storage.delete(LogFiles.path(directory, place.segmentBase(), suffix));
        }
        storage.syncDirectory(directory);
        if (!place.isCopied()) {
            moveTransactions(place);
            nameNewSegment(place);
            storage.syncDirectory(directory);
        }
        cutTransactions(place);
        if (place.position() > 0) {
            try (StorageFile file = storage.open(place.path(), FileUse.APPEND, 0)) {
                file.truncate(place.position());
                file.force();
            }
        }
    }

    private void nameNewSegment(final Place place) {
        final String name = LogFiles.path(directory, place.baseOffset(), LogFiles.LOG);
        if (place.position() == 0) {
            storage.rename(place.path(), name);
            return;
        }
        copy(place.path(), place.position(), place.bytes(), name);
    }

    /** An aborted transaction is noted beside the segment that has its marker. Before the segment: alone it is deleted. */
    private void moveTransactions(final Place place) {
        final String path = LogFiles.path(directory, place.segmentBase(), LogFiles.TXN_INDEX);
        final FileStatus status = storage.status(path);
        if (status == null || status.isDirectory()) {
            return;
        }
        final long kept = SegmentTails.txnBytesBelow(storage, path, status.length(), place.baseOffset());
        if (kept < status.length()) {
            copy(path, kept, status.length(), LogFiles.path(directory, place.baseOffset(), LogFiles.TXN_INDEX));
            storage.syncDirectory(directory);
        }
    }

    private void cutTransactions(final Place place) {
        final String path = LogFiles.path(directory, place.segmentBase(), LogFiles.TXN_INDEX);
        final FileStatus status = storage.status(path);
        if (status != null && !status.isDirectory() && status.length() > 0) {
            SegmentTails.cutTxnIndex(storage, path, status.length(), place.baseOffset());
        }
    }

    /** Under a name that an open deletes, until all of it is durable. */
    private void copy(final String from, final long position, final long bytes, final String to) {
        final String unfinished = to + LogFiles.TEMPORARY;
        try (StorageFile source = storage.open(from, FileUse.READ, 0);
                StorageFile target = LogFiles.openNew(storage, unfinished, FileUse.APPEND, 0);
                FileView view = new FileView()) {
            final UnsafeBuffer claimed = new UnsafeBuffer(0, 0);
            for (long at = position; at < bytes; ) {
                final int length = (int) Math.min(CHUNK_BYTES, bytes - at);
                if (view.show(source, at, length) < length) {
                    throw new StorageException(storage.describe(from), "split", "the file has become shorter", null);
                }
                target.claim(length, claimed);
                claimed.putBytes(0, view.buffer(), 0, length);
                target.publish();
                at += length;
            }
            target.force();
        }
        storage.rename(unfinished, to);
    }
}
