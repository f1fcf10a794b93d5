package io.cordwood.index;

import io.cordwood.log.LogFiles;
import io.cordwood.log.store.FileUse;
import io.cordwood.log.store.Storage;
import io.cordwood.log.store.StorageFile;
import java.util.concurrent.atomic.AtomicInteger;

/**
 * The two files of an index that grows. The index holds them, and so does each force that is under way; the last one to let go
 * closes them, so that sealing an index never closes a file under a force.
 */
final class IndexFiles {
    private final StorageFile offsets;
    private final StorageFile times;
    private final AtomicInteger holds = new AtomicInteger(1);
    private volatile boolean isDirty;

    /** Greatest relative offset of the entries that were left; the writer's. */
    private long leftRelative = -1;

    private IndexFiles(final StorageFile offsets, final StorageFile times) {
        this.offsets = offsets;
        this.times = times;
    }

    /** Makes both files; others of their names go. */
    static IndexFiles create(final Storage storage, final String offsetPath, final String timePath) {
        return withTimes(LogFiles.openNew(storage, offsetPath, FileUse.APPEND, 0), storage, timePath, true);
    }

    /** Opens both files and creates those that are missing. */
    static IndexFiles open(final Storage storage, final String offsetPath, final String timePath) {
        return withTimes(storage.open(offsetPath, FileUse.APPEND, 0), storage, timePath, false);
    }

    private static IndexFiles withTimes(
            final StorageFile offsets, final Storage storage, final String timePath, final boolean isNew) {
        try {
            return new IndexFiles(
                    offsets,
                    isNew
                            ? LogFiles.openNew(storage, timePath, FileUse.APPEND, 0)
                            : storage.open(timePath, FileUse.APPEND, 0));
        } catch (final RuntimeException | Error e) {
            offsets.close();
            throw e;
        }
    }

    StorageFile offsets() {
        return offsets;
    }

    StorageFile times() {
        return times;
    }

    /**
     * Writes what is pending in two tables. Time entries first: an offset entry without the time entries before it would be
     * believed too far.
     */
    void write(final EntryTable offsetTable, final EntryTable timeTable) {
        try {
            timeTable.write(times);
            offsetTable.write(offsets);
        } finally {
            isDirty = true;
        }
    }

    /** Leaves in the files no more than the entries that two tables count as written. */
    void cut(final EntryTable offsetTable, final EntryTable timeTable) {
        if (offsets.length() > offsetTable.writtenBytes()) {
            offsets.truncate(offsetTable.writtenBytes());
            isDirty = true;
        }
        if (times.length() > timeTable.writtenBytes()) {
            times.truncate(timeTable.writtenBytes());
            isDirty = true;
        }
    }

    /**
     * Leaves in the files what two tables do not count, since it is true, until something is written: to cut it costs more than
     * all else of a clean open.
     */
    void leave(final EntryTable offsetTable, final EntryTable timeTable, final long lastRelative) {
        leftRelative = lastRelative;
        if (offsets.length() > offsetTable.writtenBytes()) {
            offsetTable.followed();
        }
        if (times.length() > timeTable.writtenBytes()) {
            timeTable.followed();
        }
    }

    /** Cuts durably what was left, if it is not below an end. */
    void endsAt(final long endRelative, final EntryTable offsetTable, final EntryTable timeTable) {
        if (leftRelative >= endRelative) {
            leftRelative = -1;
            cut(offsetTable, timeTable);
            force();
        }
    }

    /** Whether something was written or cut since the last force. */
    boolean isDirty() {
        return isDirty;
    }

    /** Makes what was written durable; does nothing if that has been done. */
    void force() {
        if (!isDirty) {
            return;
        }
        isDirty = false;
        try {
            times.force();
            offsets.force();
        } catch (final RuntimeException | Error e) {
            isDirty = true;
            throw e;
        }
    }

    /** Holds the files once more. False if they are closed. */
    boolean retain() {
        for (; ; ) {
            final int seen = holds.get();
            if (seen == 0) {
                return false;
            }
            if (holds.compareAndSet(seen, seen + 1)) {
                return true;
            }
        }
    }

    /** Lets go of the files. */
    void release() {
        if (holds.decrementAndGet() == 0) {
            offsets.close();
            times.close();
        }
    }
}
