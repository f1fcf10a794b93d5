package io.cordwood.log;

import io.cordwood.log.record.Crc32c;
import io.cordwood.log.record.RecordBatchFlyweight;
import io.cordwood.log.record.Refusal;
import io.cordwood.log.store.FileStatus;
import io.cordwood.log.store.FileUse;
import io.cordwood.log.store.Storage;
import io.cordwood.log.store.StorageFile;
import java.util.Arrays;
import java.util.Map;
import java.util.Queue;
import java.util.TreeMap;
import java.util.concurrent.ConcurrentLinkedQueue;
import org.agrona.concurrent.UnsafeBuffer;

/**
 * How many records each segment holds: a second derived state that keeps the whole contract, so that a log is tried with more
 * than the one that comes with it. Unlike the leader-epoch table it has a file for each offset that it was asked to keep, and it
 * uses the guard: a batch is refused if its guard is neither 0 nor the number of records so far.
 *
 * <pre>
 *   00000000000000000053.counts:   base offset, count | base offset, count | … | CRC-32C        8 + 8 bytes each, 4
 * </pre>
 */
final class RecordCountState implements DerivedState {
    static final String SUFFIX = ".counts";

    private static final int ENTRY_BYTES = 16;
    private static final int BYTES_MAX = 1 << 20;

    private final Storage storage;
    private final String directory;
    private final TreeMap<Long, Long> counts = new TreeMap<>();
    private final Queue<StorageFile> unforced = new ConcurrentLinkedQueue<>();
    private final Crc32c crc = new Crc32c();

    RecordCountState(final Storage storage, final String directory) {
        this.storage = storage;
        this.directory = directory;
    }

    /** Records by base offset of their segment; segments without records are left out. */
    Map<Long, Long> counts() {
        return new TreeMap<>(counts);
    }

    @Override
    public long check(final RecordBatchFlyweight batch, final Origin origin, final long guard) {
        final long total = counts.values().stream().mapToLong(Long::longValue).sum();
        return guard == 0 || guard == total ? Refusal.ACCEPTED : Refusal.INVALID_RECORD;
    }

    @Override
    public void apply(final RecordBatchFlyweight batch, final long segmentBase) {
        counts.merge(segmentBase, (long) batch.recordCount(), Long::sum);
    }

    @Override
    public void snapshot(final long offset) {
        final UnsafeBuffer content = new UnsafeBuffer(new byte[counts.size() * ENTRY_BYTES + Integer.BYTES]);
        int index = 0;
        for (final Map.Entry<Long, Long> count : counts.entrySet()) {
            content.putLong(index, count.getKey());
            content.putLong(index + Long.BYTES, count.getValue());
            index += ENTRY_BYTES;
        }
        content.putInt(index, (int) crc.crc32c(content, 0, index));
        final String path = path(offset);
        storage.delete(path);
        final StorageFile file = storage.open(path, FileUse.APPEND, 0);
        final UnsafeBuffer claim = new UnsafeBuffer(0, 0);
        file.claim(content.capacity(), claim);
        claim.putBytes(0, content, 0, content.capacity());
        file.publish();
        unforced.add(file);
    }

    @Override
    public void force(final long offset) {
        boolean isAny = false;
        for (StorageFile file = unforced.poll(); file != null; file = unforced.poll()) {
            file.force();
            file.close();
            isAny = true;
        }
        if (isAny) {
            storage.syncDirectory(directory);
        }
    }

    @Override
    public void retain(final long logStartOffset, final long[] bases) {
        counts.keySet().removeIf(base -> Arrays.binarySearch(bases, base) < 0);
        deleteSnapshots(0, bases[0]);
    }

    @Override
    public long restore(final long logStartOffset, final long[] bases, final long upTo) {
        close();
        boolean isCut = deleteSnapshots(0, bases[0]);
        isCut |= deleteSnapshots(upTo + 1, Long.MAX_VALUE);
        counts.clear();
        long from = bases[0];
        for (final FileStatus file : storage.list(directory)) {
            final long offset = LogFiles.offset(file.name(), SUFFIX);
            if (offset > from && read(file.name())) {
                from = offset;
            }
        }
        counts.keySet().removeIf(base -> Arrays.binarySearch(bases, base) < 0);
        if (isCut) {
            storage.syncDirectory(directory);
        }
        return from;
    }

    @Override
    public void close() {
        for (StorageFile file = unforced.poll(); file != null; file = unforced.poll()) {
            file.close();
        }
    }

    private boolean read(final String name) {
        final byte[] bytes = SmallFile.read(storage, directory, name, BYTES_MAX);
        if (bytes == null || bytes.length % ENTRY_BYTES != Integer.BYTES) {
            return false;
        }
        final UnsafeBuffer content = new UnsafeBuffer(bytes);
        final int end = bytes.length - Integer.BYTES;
        if (content.getInt(end) != (int) crc.crc32c(content, 0, end)) {
            return false;
        }
        counts.clear();
        for (int index = 0; index < end; index += ENTRY_BYTES) {
            counts.put(content.getLong(index), content.getLong(index + Long.BYTES));
        }
        return true;
    }

    private boolean deleteSnapshots(final long from, final long to) {
        boolean isAny = false;
        for (final FileStatus file : storage.list(directory)) {
            final long offset = LogFiles.offset(file.name(), SUFFIX);
            if (offset >= from && offset < to) {
                isAny |= storage.delete(LogFiles.path(directory, file.name()));
            }
        }
        return isAny;
    }

    private String path(final long offset) {
        return LogFiles.path(directory, LogFiles.name(offset, SUFFIX));
    }
}
