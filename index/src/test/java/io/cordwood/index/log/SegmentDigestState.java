package io.cordwood.index.log;

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
import java.util.Arrays;
import java.util.Map;
import java.util.TreeMap;
import org.agrona.concurrent.UnsafeBuffer;

/**
 * A derived state for tests that notices each batch that is applied twice, not at all, out of order or with another segment: it
 * keeps a digest of the batches of each segment. Files as {@code 00000000000000000053.digests}: pairs of base offset and digest.
 * Tries the contract of a log in one process' life and after a process was killed; not after a power cut.
 */
final class SegmentDigestState implements DerivedState {
    static final String SUFFIX = ".digests";

    private final Storage storage;
    private final String directory;
    private final TreeMap<Long, Long> digests = new TreeMap<>();

    SegmentDigestState(final Storage storage, final String directory) {
        this.storage = storage;
        this.directory = directory;
    }

    /** Digest with one more batch. */
    static long with(final long digest, final long baseOffset, final long lastOffset, final int epoch) {
        return ((digest * 31 + baseOffset) * 31 + lastOffset) * 31 + epoch;
    }

    Map<Long, Long> digests() {
        return new TreeMap<>(digests);
    }

    @Override
    public long check(final RecordBatchFlyweight batch, final Origin origin, final long guard) {
        return Refusal.ACCEPTED;
    }

    @Override
    public void apply(final RecordBatchFlyweight batch, final long segmentBase) {
        final long before = digests.getOrDefault(segmentBase, 1L);
        digests.put(segmentBase, with(before, batch.baseOffset(), batch.lastOffset(), batch.partitionLeaderEpoch()));
    }

    @Override
    public void snapshot(final long offset) {
        final UnsafeBuffer claim = new UnsafeBuffer(0, 0);
        final String path = LogFiles.path(directory, LogFiles.name(offset, SUFFIX));
        storage.delete(path);
        try (StorageFile file = storage.open(path, FileUse.APPEND, 0)) {
            for (final Map.Entry<Long, Long> entry : digests.entrySet()) {
                file.claim(2 * Long.BYTES, claim);
                claim.putLong(0, entry.getKey());
                claim.putLong(Long.BYTES, entry.getValue());
            }
            file.publish();
        }
    }

    @Override
    public void force(final long offset) {
        // Power cuts are tried elsewhere, with a state that does this.
    }

    @Override
    public void retain(final long logStartOffset, final long[] bases) {
        digests.keySet().removeIf(base -> Arrays.binarySearch(bases, base) < 0);
        deleteSnapshots(0, bases[0]);
    }

    @Override
    public long restore(final long logStartOffset, final long[] bases, final long upTo) {
        deleteSnapshots(0, bases[0]);
        deleteSnapshots(upTo + 1, Long.MAX_VALUE);
        digests.clear();
        long from = -1;
        for (final FileStatus file : storage.list(directory)) {
            from = Math.max(from, LogFiles.offset(file.name(), SUFFIX));
        }
        if (from < 0) {
            return bases[0];
        }
        read(LogFiles.path(directory, LogFiles.name(from, SUFFIX)));
        digests.keySet().removeIf(base -> Arrays.binarySearch(bases, base) < 0);
        return from;
    }

    private void read(final String path) {
        try (StorageFile file = storage.open(path, FileUse.READ, 0);
                FileView view = new FileView()) {
            final int bytes = file.view(0, (int) file.length(), view);
            for (int i = 0; i < bytes; i += 2 * Long.BYTES) {
                digests.put(view.buffer().getLong(i), view.buffer().getLong(i + Long.BYTES));
            }
        }
    }

    private void deleteSnapshots(final long from, final long to) {
        for (final FileStatus file : storage.list(directory)) {
            final long offset = LogFiles.offset(file.name(), SUFFIX);
            if (offset >= from && offset < to) {
                storage.delete(LogFiles.path(directory, file.name()));
            }
        }
    }

    @Override
    public void close() {
        digests.clear();
    }
}
