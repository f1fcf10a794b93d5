package io.cordwood.transactions;

import io.cordwood.log.LogFiles;
import io.cordwood.log.record.Crc32c;
import io.cordwood.log.store.FileStatus;
import io.cordwood.log.store.FileUse;
import io.cordwood.log.store.FileView;
import io.cordwood.log.store.Storage;
import io.cordwood.log.store.StorageException;
import io.cordwood.log.store.StorageFile;
import java.util.ArrayDeque;
import java.util.Arrays;
import java.util.Deque;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicReference;
import org.agrona.DirectBuffer;
import org.agrona.concurrent.UnsafeBuffer;
import org.jspecify.annotations.Nullable;

/**
 * The {@code .snapshot} files of one log. A snapshot is made on the writer's thread and waits in memory until {@link #write}, which any thread
 * may call, so that the appender does not wait for the disk: two that call it work one after the other.
 */
final class SnapshotFiles {
    /** Of more that wait the writer writes some itself: nobody else does. */
    private static final int WAITING_MOST = 2;

    private final Storage storage;
    private final String directory;
    private final AtomicReference<@Nullable Waiting> waiting = new AtomicReference<>();
    private final AtomicBoolean isWriting = new AtomicBoolean();
    private final Crc32c crc = new Crc32c();

    /** The last one on top. */
    private record Waiting(
            ProducerSnapshot snapshot, int count, @Nullable Waiting before) {}

    SnapshotFiles(final Storage storage, final String directory) {
        this.storage = storage;
        this.directory = directory;
    }

    private String path(final long offset) {
        return LogFiles.path(directory, offset, LogFiles.SNAPSHOT);
    }

    /** Takes a snapshot, to be written later. The writer's thread. */
    void add(final ProducerSnapshot snapshot) {
        Waiting before;
        Waiting all;
        do {
            before = waiting.get();
            all = new Waiting(snapshot, before == null ? 1 : before.count + 1, before);
        } while (!waiting.compareAndSet(before, all));
        if (all.count > WAITING_MOST) {
            write();
        }
    }

    /** Writes what waits; all that was added before the call is durable on return. Any thread. */
    void write() {
        while (!isWriting.compareAndSet(false, true)) {
            Thread.onSpinWait();
        }
        try {
            final Deque<ProducerSnapshot> oldestFirst = new ArrayDeque<>();
            for (Waiting next = waiting.getAndSet(null); next != null; next = next.before) {
                oldestFirst.push(next.snapshot);
            }
            for (final ProducerSnapshot snapshot : oldestFirst) {
                write(path(snapshot.offset()), snapshot.content(crc));
            }
            if (!oldestFirst.isEmpty()) {
                storage.syncDirectory(directory);
            }
        } finally {
            isWriting.set(false);
        }
    }

    private void write(final String path, final UnsafeBuffer content) {
        final String temporary = path + LogFiles.TEMPORARY;
        storage.delete(temporary);
        try (StorageFile file = storage.open(temporary, FileUse.APPEND, 0)) {
            final UnsafeBuffer claim = new UnsafeBuffer(0, 0);
            file.claim(content.capacity(), claim);
            claim.putBytes(0, content, 0, content.capacity());
            file.publish();
            file.force();
        }
        if (!storage.rename(temporary, path)) {
            throw new StorageException(storage.describe(temporary), "rename", "the file has vanished", null);
        }
    }

    /**
     * Fills an empty table from the newest snapshot that can be believed, and durably drops those that say something of later offsets, are damaged, or
     * belong to no segment.
     *
     * @param bases of the segments.
     * @param upTo nothing above may be believed.
     * @param soundTo snapshots above stay, but are not taken.
     * @param table to fill.
     * @return offset of the snapshot; -1 if there is none.
     */
    long restore(final long[] bases, final long upTo, final long soundTo, final ProducerTable table) {
        waiting.set(null);
        final long[] offsets = storage.list(directory).stream()
                .filter(status -> !status.isDirectory())
                .map(FileStatus::name)
                .mapToLong(name -> LogFiles.offset(name, LogFiles.SNAPSHOT))
                .filter(offset -> offset >= 0)
                .sorted()
                .toArray();
        long taken = -1;
        boolean isSwept = false;
        for (int i = offsets.length - 1; i >= 0; i--) {
            final long offset = offsets[i];
            final boolean isPossible = offset >= bases[0] && offset <= upTo;
            boolean isKept = isPossible && Arrays.binarySearch(bases, offset) >= 0;
            if (isPossible && taken < 0 && offset <= soundTo) {
                isKept = read(offset, table) == null;
                taken = isKept ? offset : taken;
            }
            if (!isKept) {
                isSwept |= storage.delete(path(offset));
            }
        }
        if (isSwept) {
            storage.syncDirectory(directory);
        }
        return taken;
    }

    private @Nullable String read(final long offset, final ProducerTable table) {
        try (StorageFile file = storage.open(path(offset), FileUse.READ, 0);
                FileView view = new FileView()) {
            final long length = file.length();
            if (length > Integer.MAX_VALUE) {
                return "has " + length + " bytes, more than a snapshot can have";
            }
            final int shown = length == 0 ? 0 : view.show(file, 0, (int) length);
            final DirectBuffer content = view.buffer();
            final String wrong = ProducerSnapshot.read(content, shown, offset, table, crc);
            if (wrong != null) {
                table.clear();
            }
            return wrong;
        }
    }

    /** Forgets what waits. */
    void close() {
        waiting.set(null);
    }
}
