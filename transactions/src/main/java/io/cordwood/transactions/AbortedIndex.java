package io.cordwood.transactions;

import static io.cordwood.transactions.TransactionIndexDescriptor.ENTRY_BYTES;

import io.cordwood.log.LogFiles;
import io.cordwood.log.store.FileStatus;
import io.cordwood.log.store.FileUse;
import io.cordwood.log.store.FileView;
import io.cordwood.log.store.Storage;
import io.cordwood.log.store.StorageFile;
import java.util.Arrays;
import java.util.List;
import org.agrona.CloseHelper;
import org.agrona.DirectBuffer;
import org.agrona.concurrent.UnsafeBuffer;
import org.jspecify.annotations.Nullable;

/**
 * The {@code .txnindex} files of one log: which segments have entries, and the file that grows. An entry is in its file when {@link #append}
 * returns, and durable after the next {@link #force}. A segment's files go and come with the segment, which is the log's to do.
 *
 * <p>The writer's thread, but for {@link #force}, which may run beside it, and {@link #bases}, which any thread may ask.
 */
final class AbortedIndex {
    private static final long[] NO_BASES = {};
    private static final StorageFile[] NO_FILES = {};
    private static final int READ_ENTRIES = 1024;

    private final Storage storage;
    private final String directory;
    private final UnsafeBuffer claimed = new UnsafeBuffer(0, 0);
    private @Nullable StorageFile file;
    private long fileBase;

    /** Offset of the marker of the file's last entry; -1 if it has none. */
    private long lastMarker;

    /** Segments with entries, ascending; never changed, only replaced. */
    private volatile long[] bases = NO_BASES;

    /** What {@link #force} forces: the file that grows is the last, the others do not change any more. Never changed, only replaced. */
    private volatile StorageFile[] unforced = NO_FILES;

    private volatile StorageFile[] forced = NO_FILES;

    AbortedIndex(final Storage storage, final String directory) {
        this.storage = storage;
        this.directory = directory;
    }

    private String path(final long base) {
        return LogFiles.path(directory, base, LogFiles.TXN_INDEX);
    }

    /** Bases of the segments that have entries, ascending; not to be changed. Any thread. */
    long[] bases() {
        return bases;
    }

    /** Adds an entry, unless a replay meets a marker that has one. */
    void append(
            final long segmentBase,
            final long producerId,
            final long firstOffset,
            final long marker,
            final long lastStableOffset) {
        final StorageFile growing = grow(segmentBase);
        if (marker <= lastMarker) {
            return;
        }
        growing.claim(ENTRY_BYTES, claimed);
        TransactionIndexDescriptor.put(claimed, 0, producerId, firstOffset, marker, lastStableOffset);
        growing.publish();
        lastMarker = marker;
        if (Arrays.binarySearch(bases, segmentBase) < 0) {
            final long[] more = Arrays.copyOf(bases, bases.length + 1);
            more[bases.length] = segmentBase;
            Arrays.sort(more);
            bases = more;
        }
    }

    private StorageFile grow(final long segmentBase) {
        final StorageFile current = file;
        if (current != null && fileBase == segmentBase) {
            return current;
        }
        final StorageFile opened = storage.open(path(segmentBase), FileUse.APPEND, 0);
        file = opened;
        fileBase = segmentBase;
        lastMarker = lastMarkerOf(opened);
        unforced = withoutForced(opened);
        return opened;
    }

    private static long lastMarkerOf(final StorageFile opened) {
        final long entries = opened.length() / ENTRY_BYTES;
        if (entries == 0) {
            return -1;
        }
        try (FileView view = new FileView()) {
            view.show(opened, (entries - 1) * ENTRY_BYTES, ENTRY_BYTES);
            return TransactionIndexDescriptor.lastOffset(view.buffer(), 0);
        }
    }

    /** Closes those that were forced since they grew last: all but the last of what the last force has seen. */
    private StorageFile[] withoutForced(final StorageFile opened) {
        final StorageFile[] seen = forced;
        final StorageFile[] left = new StorageFile[unforced.length + 1];
        int count = 0;
        for (final StorageFile old : unforced) {
            final int place = Arrays.asList(seen).indexOf(old);
            if (place >= 0 && place < seen.length - 1) {
                old.close();
            } else {
                left[count++] = old;
            }
        }
        left[count++] = opened;
        return Arrays.copyOf(left, count);
    }

    /**
     * Makes durable what was appended before the call. A new file's name is not: only a snapshot behind its markers spares the replay that would
     * bring it back, and to write one makes all names durable.
     */
    void force() {
        final StorageFile[] files = unforced;
        for (final StorageFile each : files) {
            each.force();
        }
        forced = files;
    }

    /** Forgets the segments that are gone. */
    void retain(final long[] segmentBases) {
        final long[] left = Arrays.stream(bases)
                .filter(base -> Arrays.binarySearch(segmentBases, base) >= 0)
                .toArray();
        if (left.length < bases.length) {
            bases = left;
        }
    }

    /**
     * Durably voids what speaks of offsets at or above an offset, and what is no entry, with all behind it in the same file.
     *
     * @return base of the first segment whose file had something that is no entry, from which on a replay must bring entries back; {@link
     *     Long#MAX_VALUE} if none had.
     */
    long restore(final long[] segmentBases, final long upTo) {
        close();
        long damaged = Long.MAX_VALUE;
        boolean isSwept = false;
        final long[] found = new long[segmentBases.length];
        int count = 0;
        for (final FileStatus status : list()) {
            final long base = LogFiles.offset(status.name(), LogFiles.TXN_INDEX);
            if (base < 0) {
                continue;
            }
            if (base >= upTo || Arrays.binarySearch(segmentBases, base) < 0) {
                isSwept |= storage.delete(path(base));
                continue;
            }
            final long sound = soundBytes(base, Long.MAX_VALUE);
            if (sound < status.length()) {
                damaged = Math.min(damaged, base);
            }
            final long kept = sound == 0 ? 0 : soundBytes(base, upTo);
            if (kept < status.length()) {
                cut(base, kept);
            }
            if (kept > 0) {
                found[count++] = base;
            }
        }
        if (isSwept) {
            storage.syncDirectory(directory);
        }
        bases = Arrays.copyOf(found, count);
        return damaged;
    }

    private List<FileStatus> list() {
        return storage.list(directory).stream()
                .filter(status -> !status.isDirectory())
                .toList();
    }

    private void cut(final long base, final long bytes) {
        try (StorageFile cut = storage.open(path(base), FileUse.APPEND, 0)) {
            cut.truncate(bytes);
            cut.force();
        }
    }

    /** Bytes of the entries at the beginning of a file that are sound and speak of offsets below one. */
    private long soundBytes(final long base, final long upTo) {
        try (StorageFile read = storage.open(path(base), FileUse.READ, 0);
                FileView view = new FileView()) {
            final long length = read.length();
            long last = base - 1;
            for (long at = 0; at < length; ) {
                final int wanted = (int) Math.min((long) READ_ENTRIES * ENTRY_BYTES, length - at);
                final int shown = view.show(read, at, wanted);
                for (int i = 0; i < shown; i += ENTRY_BYTES) {
                    if (shown - i < ENTRY_BYTES || !isSound(view.buffer(), i, last, upTo)) {
                        return at + i;
                    }
                    last = TransactionIndexDescriptor.lastOffset(view.buffer(), i);
                }
                at += Math.max(1, shown);
            }
            return length;
        }
    }

    /** Whether an entry is one that can follow on another. */
    static boolean isSound(final DirectBuffer entries, final int at, final long lastMarker, final long upTo) {
        final long first = TransactionIndexDescriptor.firstOffset(entries, at);
        final long last = TransactionIndexDescriptor.lastOffset(entries, at);
        final long stable = TransactionIndexDescriptor.lastStableOffset(entries, at);
        return TransactionIndexDescriptor.version(entries, at) == TransactionIndexDescriptor.VERSION
                && TransactionIndexDescriptor.producerId(entries, at) >= 0
                && first >= 0
                && first < last
                && last > lastMarker
                && last < upTo
                && stable >= 0
                && stable <= last + 1;
    }

    /** Closes the files; nothing may be forced meanwhile. */
    void close() {
        CloseHelper.closeAll(Arrays.asList(unforced));
        unforced = NO_FILES;
        forced = NO_FILES;
        file = null;
    }
}
