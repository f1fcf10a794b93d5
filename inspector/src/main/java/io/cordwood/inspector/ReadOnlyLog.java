package io.cordwood.inspector;

import io.cordwood.index.SparseIndex;
import io.cordwood.index.SparseIndexes;
import io.cordwood.inspector.PartitionFiles.SegmentFiles;
import io.cordwood.log.BatchCursor;
import io.cordwood.log.BatchCursor.Step;
import io.cordwood.log.CorruptLogException;
import io.cordwood.log.IndexLimits;
import io.cordwood.log.LogFiles;
import io.cordwood.log.codec.CodecException;
import io.cordwood.log.codec.Codecs;
import io.cordwood.log.record.CorruptRecordException;
import io.cordwood.log.record.RecordFlyweight;
import io.cordwood.log.record.RecordReader;
import io.cordwood.log.store.FileStatus;
import io.cordwood.log.store.FileUse;
import io.cordwood.log.store.FileView;
import io.cordwood.log.store.Storage;
import io.cordwood.log.store.StorageFile;
import java.io.IOException;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * Reads the records of a partition whose files may belong to a running broker: opens no log, recovers nothing, changes nothing.
 * Finds its place through the indexes, and by a scan where they do not lead to one.
 */
final class ReadOnlyLog implements AutoCloseable {
    /** Takes a record that readers get. */
    @FunctionalInterface
    interface Visitor {
        /** Answers whether to go on. */
        boolean record(RecordFlyweight record) throws IOException;
    }

    private static final IndexLimits LIMITS = new IndexLimits(10 << 20, 4096);

    private final Storage storage;
    private final String directory;
    private final List<SegmentFiles> segments;
    private final BatchCursor cursor;
    private final RecordReader records;
    private final FileView view = new FileView();
    private long endOffset;

    ReadOnlyLog(final Storage storage, final Place place) {
        this.storage = new LiveFiles(storage);
        this.directory = place.directory();
        segments = PartitionFiles.list(storage, place).segments();
        cursor = new BatchCursor(Memory.batchBytesMax(), Long.MAX_VALUE);
        records = new RecordReader(Codecs.standard(), Memory.decompressedBytesMax());
    }

    /** First offset of the files; 0 if there are none. */
    long startOffset() {
        return segments.isEmpty() ? 0 : segments.get(0).baseOffset();
    }

    /** Behind the last batch that a read has come to. */
    long endOffset() {
        return endOffset;
    }

    /** Gives the data records from an offset on to a visitor, until it has enough. */
    void fromOffset(final long offset, final Visitor visitor) throws IOException {
        int first = 0;
        while (first + 1 < segments.size() && segments.get(first + 1).baseOffset() <= offset) {
            first++;
        }
        endOffset = segments.isEmpty() ? 0 : segments.get(first).baseOffset();
        final Visitor fromThere = record -> record.offset() < offset || visitor.record(record);
        for (int i = first; i < segments.size(); i++) {
            final SegmentFiles segment = segments.get(i);
            final long position = i == first ? positionOf(segment, offset) : 0;
            if (!walk(segment, position, fromThere)) {
                return;
            }
        }
    }

    /** The offset of the first data record that is at least as young as a timestamp, or -1. */
    long offsetForTimestamp(final long timestampMs) throws IOException {
        final long[] found = {-1};
        for (int i = 0; i < segments.size() && found[0] < 0; i++) {
            final SegmentFiles segment = segments.get(i);
            final long position = positionOfTimestamp(segment, timestampMs, i == segments.size() - 1);
            if (position >= 0) {
                walk(segment, position, record -> {
                    if (record.timestamp() >= timestampMs) {
                        found[0] = record.offset();
                    }
                    return found[0] < 0;
                });
            }
        }
        return found[0];
    }

    /** The offset of the data record that has {@code count} - 1 others behind it; the first one's if there are fewer. */
    long offsetOfLast(final int count) throws IOException {
        final long[] offsets = new long[count];
        long start = startOffset();
        int wanted = count;
        for (int i = segments.size() - 1; i >= 0 && wanted > 0; i--) {
            final long[] seen = {0};
            final int keep = wanted;
            walk(segments.get(i), 0, record -> {
                offsets[(int) (seen[0]++ % keep)] = record.offset();
                return true;
            });
            if (seen[0] > 0) {
                start = seen[0] <= keep ? offsets[0] : offsets[(int) (seen[0] % keep)];
                wanted -= (int) Math.min(keep, seen[0]);
            }
        }
        return start;
    }

    private long positionOf(final SegmentFiles segment, final long offset) {
        if (!isReadable(segment.offsetIndex()) || offset <= segment.baseOffset()) {
            return 0;
        }
        try (SparseIndex index = new SparseIndexes().open(storage, directory, segment.baseOffset(), LIMITS)) {
            final long position = index.positionOf(offset, view);
            return isBatchBefore(segment, position, offset) ? position : 0;
        }
    }

    /** Where to begin in a segment; -1 if all of it is older, which its time index tells once it is sealed. */
    private long positionOfTimestamp(final SegmentFiles segment, final long timestampMs, final boolean isLast) {
        if (!isReadable(segment.timeIndex()) || !isReadable(segment.offsetIndex())) {
            return 0;
        }
        try (SparseIndex index = new SparseIndexes().open(storage, directory, segment.baseOffset(), LIMITS)) {
            final long largest = index.largestTimestamp(view);
            if (!isLast && largest >= 0 && largest < timestampMs) {
                return -1;
            }
            final long position = index.positionOfTimestamp(timestampMs, view);
            // An entry that names a batch farther behind than its offset would lead past something.
            return isBatchBefore(segment, position, Long.MAX_VALUE)
                            && index.positionOf(cursor.batch().lastOffset() - 1, view) < position
                    ? position
                    : 0;
        }
    }

    /** Whether there is an index that can be held in memory. */
    private static boolean isReadable(final @Nullable FileStatus index) {
        return index != null && index.length() <= Memory.indexBytesMax();
    }

    /** Whether a good batch begins at a position that an index gave, at or below an offset. */
    private boolean isBatchBefore(final SegmentFiles segment, final long position, final long offset) {
        try (StorageFile file = storage.open(path(segment), FileUse.READ, 0)) {
            final long end = Math.min(segment.log().length(), file.length());
            if (position < 0 || position >= end) {
                return false;
            }
            cursor.open(file, segment.baseOffset(), position, end);
            return cursor.next() == Step.BATCH
                    && cursor.isCrcValid()
                    && cursor.batch().baseOffset() <= offset;
        }
    }

    private String path(final SegmentFiles segment) {
        return LogFiles.path(directory, segment.log().name());
    }

    private boolean walk(final SegmentFiles segment, final long from, final Visitor visitor) throws IOException {
        try (StorageFile file = storage.open(path(segment), FileUse.READ, 0)) {
            cursor.open(file, segment.baseOffset(), from, Math.min(segment.log().length(), file.length()));
            for (Step step = cursor.next(); step != Step.END; step = cursor.next()) {
                if (step == Step.DAMAGE) {
                    throw damaged(segment, cursor.reason());
                }
                if (!cursor.isCrcValid()) {
                    throw damaged(segment, "the checksum is wrong");
                }
                if (step == Step.LARGE_BATCH) {
                    throw damaged(segment, "the batch has " + cursor.size() + " bytes, more than can be held here");
                }
                endOffset = cursor.batch().nextOffset();
                if (!cursor.batch().isControl() && !batch(segment, visitor)) {
                    return false;
                }
            }
        }
        return true;
    }

    private boolean batch(final SegmentFiles segment, final Visitor visitor) throws IOException {
        try {
            records.wrap(cursor.batch());
            while (records.next()) {
                if (!visitor.record(records.record())) {
                    return false;
                }
            }
            return true;
        } catch (final CodecException e) {
            if (e.kind() == CodecException.Kind.LIBRARY_MISSING) {
                throw CommandFailure.io(
                        storage.describe(path(segment)) + " at position " + cursor.position() + ": " + e.getMessage());
            }
            throw damaged(segment, String.valueOf(e.getMessage()));
        } catch (final CorruptRecordException e) {
            throw damaged(segment, String.valueOf(e.getMessage()));
        }
    }

    private CorruptLogException damaged(final SegmentFiles segment, final String reason) {
        return new CorruptLogException(storage.describe(path(segment)), cursor.position(), reason);
    }

    @Override
    public void close() {
        cursor.close();
        records.close();
        view.close();
    }
}
