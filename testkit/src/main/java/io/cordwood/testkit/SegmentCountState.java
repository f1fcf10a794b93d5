package io.cordwood.testkit;

import io.cordwood.log.DerivedState;
import io.cordwood.log.LogFiles;
import io.cordwood.log.Origin;
import io.cordwood.log.record.RecordBatchFlyweight;
import io.cordwood.log.record.Refusal;
import io.cordwood.log.store.FileStatus;
import io.cordwood.log.store.FileUse;
import io.cordwood.log.store.FileView;
import io.cordwood.log.store.Storage;
import io.cordwood.log.store.StorageFile;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.zip.CRC32;
import org.agrona.concurrent.UnsafeBuffer;

/**
 * A derived state to test with, and to copy: the sum of the last offsets and leader epochs of each segment's batches, in a file for each
 * snapshot. A log that applies a batch too often, not at all or to the wrong segment, or restores what it has cut, makes another sum than a
 * replay of its batches does: {@link DiskExam#requireReplayed}, {@link LogChecker#state}.
 *
 * <pre>
 *   {@literal <offset>}.sums    checksum (8) | base offset (8) | sum (8) | base offset (8) | sum (8) ...
 * </pre>
 *
 * <p>Threads and errors as {@link DerivedState} says. What was forced survives a power cut; each file is as long as 16 bytes for each segment.
 */
public final class SegmentCountState implements DerivedState {
    private static final String SUFFIX = ".sums";
    private static final int PAIR_BYTES = 16;

    private final Storage storage;
    private final String directory;
    private final TreeMap<Long, Long> sums = new TreeMap<>();
    private final List<String> unforced = new ArrayList<>();

    /**
     * Creates a state that is not restored yet.
     *
     * @param storage that holds the log.
     * @param directory of the log.
     */
    public SegmentCountState(final Storage storage, final String directory) {
        this.storage = storage;
        this.directory = directory;
    }

    /**
     * What it knows.
     *
     * @return the sums by the base offsets of their segments, a copy.
     */
    public Map<Long, Long> sums() {
        return new TreeMap<>(sums);
    }

    @Override
    public long check(final RecordBatchFlyweight batch, final Origin origin, final long guard) {
        return Refusal.ACCEPTED;
    }

    @Override
    public void apply(final RecordBatchFlyweight batch, final long segmentBase) {
        sums.merge(segmentBase, batch.lastOffset() + batch.partitionLeaderEpoch(), Long::sum);
    }

    @Override
    public void snapshot(final long offset) {
        final String path = LogFiles.path(directory, LogFiles.name(offset, SUFFIX));
        final UnsafeBuffer content = new UnsafeBuffer(new byte[Long.BYTES + sums.size() * PAIR_BYTES]);
        int index = Long.BYTES;
        for (final Map.Entry<Long, Long> sum : sums.entrySet()) {
            content.putLong(index, sum.getKey());
            content.putLong(index + Long.BYTES, sum.getValue());
            index += PAIR_BYTES;
        }
        content.putLong(0, checksum(content.byteArray()));
        storage.delete(path);
        try (StorageFile file = storage.open(path, FileUse.APPEND, 0)) {
            final UnsafeBuffer claimed = new UnsafeBuffer(0, 0);
            file.claim(content.capacity(), claimed);
            claimed.putBytes(0, content, 0, content.capacity());
            file.publish();
        }
        unforced.add(path);
    }

    @Override
    public void force(final long offset) {
        for (final String path : unforced) {
            if (storage.status(path) != null) {
                try (StorageFile file = storage.open(path, FileUse.READ, 0)) {
                    file.force();
                }
            }
        }
        unforced.clear();
        storage.syncDirectory(directory);
    }

    @Override
    public void retain(final long logStartOffset, final long[] bases) {
        sums.keySet().removeIf(base -> Arrays.binarySearch(bases, base) < 0);
        delete(0, bases[0]);
    }

    @Override
    public long restore(final long logStartOffset, final long[] bases, final long upTo) {
        sums.clear();
        delete(0, bases[0]);
        delete(upTo + 1, Long.MAX_VALUE);
        storage.syncDirectory(directory);
        long from = bases[0];
        for (final FileStatus file : storage.list(directory)) {
            final long offset = LogFiles.offset(file.name(), SUFFIX);
            if (offset > from && read(LogFiles.path(directory, file.name()), offset, bases)) {
                from = offset;
            }
        }
        sums.keySet().removeIf(base -> Arrays.binarySearch(bases, base) < 0);
        return from;
    }

    /** A snapshot that lacks one of the segments below it was made when that was dropped; a power cut has brought it back. */
    private boolean read(final String path, final long offset, final long[] bases) {
        final byte[] bytes;
        try (StorageFile file = storage.open(path, FileUse.READ, 0);
                FileView view = new FileView()) {
            bytes = new byte[view.show(file, 0, 1 << 20)];
            view.buffer().getBytes(0, bytes);
        }
        final UnsafeBuffer content = new UnsafeBuffer(bytes);
        if (bytes.length % PAIR_BYTES != Long.BYTES || content.getLong(0) != checksum(bytes)) {
            return false;
        }
        final Map<Long, Long> read = new TreeMap<>();
        for (int index = Long.BYTES; index < bytes.length; index += PAIR_BYTES) {
            read.put(content.getLong(index), content.getLong(index + Long.BYTES));
        }
        if (!Arrays.stream(bases).allMatch(base -> base >= offset || read.containsKey(base))) {
            return false;
        }
        sums.clear();
        sums.putAll(read);
        return true;
    }

    /** Never 0, so that zeros are no content. */
    private static long checksum(final byte[] bytes) {
        final CRC32 crc = new CRC32();
        crc.update(bytes, Long.BYTES, bytes.length - Long.BYTES);
        return crc.getValue() + 1;
    }

    private void delete(final long from, final long to) {
        for (final FileStatus file : storage.list(directory)) {
            final long offset = LogFiles.offset(file.name(), SUFFIX);
            if (offset >= from && offset < to) {
                storage.delete(LogFiles.path(directory, file.name()));
            }
        }
    }

    @Override
    public void close() {
        unforced.clear();
    }
}
