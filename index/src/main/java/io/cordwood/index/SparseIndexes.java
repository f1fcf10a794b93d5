package io.cordwood.index;

import io.cordwood.log.BatchCursor;
import io.cordwood.log.IndexLimits;
import io.cordwood.log.LogFiles;
import io.cordwood.log.SegmentIndexFactory;
import io.cordwood.log.record.RecordBatchFlyweight;
import io.cordwood.log.store.FileStatus;
import io.cordwood.log.store.FileUse;
import io.cordwood.log.store.Storage;
import io.cordwood.log.store.StorageFile;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** Makes Kafka's sparse indexes: gives a log the {@link SparseIndex} of each of its segments. Has no state. */
public final class SparseIndexes implements SegmentIndexFactory {
    /** No batch is shorter: a message of magic 0 with neither key nor value. */
    private static final int LEAST_BATCH_BYTES = 26;

    /** Kafka's largest batch, where no topic says otherwise: a segment that is not longer may have one that no entry is needed for. */
    private static final int BATCH_BYTES = (1 << 20) + 12;

    /** Creates the factory. */
    public SparseIndexes() {}

    @Override
    public SparseIndex create(
            final Storage storage, final String directory, final long baseOffset, final IndexLimits limits) {
        return SparseIndex.create(storage, directory, baseOffset, limits);
    }

    @Override
    public SparseIndex open(
            final Storage storage, final String directory, final long baseOffset, final IndexLimits limits) {
        return SparseIndex.open(storage, directory, baseOffset, limits);
    }

    /**
     * {@inheritDoc}
     *
     * <p>Both files must be there, unless the segment is empty; their sizes must be whole entries, and no more of them than the
     * segment can have batches; they must be shorter than they may become, since a file that was preallocated and not cut is as
     * long as that; the time index must have an entry, because sealing adds it, and the offset index one unless the segment is
     * short. A segment without any timestamp has none legally, one that consists of a very large batch neither, and a full index
     * has the length of a preallocated one: they are looked into, which is safe and rare.
     */
    @Override
    public boolean isPlausible(
            final List<FileStatus> files, final long baseOffset, final long logBytes, final IndexLimits limits) {
        final FileStatus offsets = find(files, LogFiles.name(baseOffset, LogFiles.OFFSET_INDEX));
        final FileStatus times = find(files, LogFiles.name(baseOffset, LogFiles.TIME_INDEX));
        if (logBytes == 0) {
            return (offsets == null || offsets.length() == 0) && (times == null || times.length() == 0);
        }
        return offsets != null
                && times != null
                && times.length() > 0
                && (offsets.length() > 0 || logBytes <= limits.intervalBytes() + BATCH_BYTES)
                && isPlausible(offsets.length(), OffsetIndexDescriptor.ENTRY_BYTES, logBytes, limits)
                && isPlausible(times.length(), TimeIndexDescriptor.ENTRY_BYTES, logBytes, limits);
    }

    @Override
    public List<String> suffixes() {
        return List.of(LogFiles.OFFSET_INDEX, LogFiles.TIME_INDEX);
    }

    /**
     * Builds one file of a segment's index anew from the segment, and leaves the other one as it is, but for entries of it that are
     * false. For a log that nobody has open. The open of a log does the same where it finds one of them damaged.
     *
     * <p>Durable on return. Costs a walk through the segment; batches that are damaged, or whose offsets cannot be, get no entry.
     *
     * @param storage of the log.
     * @param directory of the log in the storage.
     * @param baseOffset of the segment.
     * @param limits on bytes and interval.
     * @param suffix of the file: {@link LogFiles#OFFSET_INDEX} or {@link LogFiles#TIME_INDEX}.
     * @throws IllegalArgumentException if the suffix is no index file's.
     * @throws io.cordwood.log.store.StorageException if the segment is not there, or the disk fails.
     */
    public void rebuild(
            final Storage storage,
            final String directory,
            final long baseOffset,
            final IndexLimits limits,
            final String suffix) {
        if (!suffixes().contains(suffix)) {
            throw new IllegalArgumentException(
                    "an index of a segment has files that end in " + suffixes() + ", none in " + suffix);
        }
        try (StorageFile log = storage.open(LogFiles.path(directory, baseOffset, LogFiles.LOG), FileUse.READ, 0);
                SparseIndex index = open(storage, directory, baseOffset, limits);
                BatchCursor batches = new BatchCursor(BatchCursor.CHUNK_BYTES, Long.MAX_VALUE)) {
            final long end = log.length();
            storage.delete(LogFiles.path(directory, baseOffset, suffix));
            index.mend(Long.MAX_VALUE, end);
            index.distrust(true);
            long due = baseOffset;
            batches.open(log, baseOffset, 0, end);
            for (BatchCursor.Step step = batches.next(); step != BatchCursor.Step.END; step = batches.next()) {
                if (!batches.isCrcValid()) {
                    batches.resync();
                    continue;
                }
                final RecordBatchFlyweight batch = batches.batch();
                final long last = batch.lastOffset();
                if (batch.baseOffset() >= due && last >= batch.baseOffset() && last - baseOffset <= Integer.MAX_VALUE) {
                    index.append(last, batches.position(), batch.maxTimestamp());
                    due = last + 1;
                }
            }
            index.seal();
        }
    }

    /** Whether a file of a segment's index can have so many bytes. */
    static boolean isPlausible(final long length, final int entryBytes, final long logBytes, final IndexLimits limits) {
        final long entries = length / entryBytes;
        return length % entryBytes == 0
                && (entries - 1) * LEAST_BATCH_BYTES < logBytes
                && entries < limits.bytesMax() / entryBytes;
    }

    private static @Nullable FileStatus find(final List<FileStatus> files, final String name) {
        int low = 0;
        int high = files.size() - 1;
        while (low <= high) {
            final int middle = (low + high) >>> 1;
            final FileStatus status = files.get(middle);
            final int order = status.name().compareTo(name);
            if (order == 0) {
                return status.isDirectory() ? null : status;
            }
            if (order < 0) {
                low = middle + 1;
            } else {
                high = middle - 1;
            }
        }
        return null;
    }
}
