package io.cordwood.index;

import io.cordwood.log.LogFiles;
import io.cordwood.log.store.FileUse;
import io.cordwood.log.store.Storage;
import io.cordwood.log.store.StorageFile;
import java.util.concurrent.atomic.AtomicInteger;
import org.agrona.CloseHelper;

/**
 * The two files of an index that grows. The index holds them, and so does each force that is under way; the last one to let go
 * closes them, so that sealing an index never closes a file under a force.
 */
final class GrowingFiles implements IndexFiles {
    private final StorageFile offsets;
    private final StorageFile times;
    private final AtomicInteger holds = new AtomicInteger(1);
    private volatile boolean isDirty;

    private GrowingFiles(final StorageFile offsets, final StorageFile times) {
        this.offsets = offsets;
        this.times = times;
    }

    /** Makes both files; others of their names go. */
    static GrowingFiles create(final Storage storage, final String offsetPath, final String timePath) {
        return withTimes(LogFiles.openNew(storage, offsetPath, FileUse.APPEND, 0), storage, timePath, true);
    }

    /** Opens both files and creates those that are missing. */
    static GrowingFiles open(final Storage storage, final String offsetPath, final String timePath) {
        return withTimes(storage.open(offsetPath, FileUse.APPEND, 0), storage, timePath, false);
    }

    private static GrowingFiles withTimes(
            final StorageFile offsets, final Storage storage, final String timePath, final boolean isNew) {
        try {
            return new GrowingFiles(
                    offsets,
                    isNew
                            ? LogFiles.openNew(storage, timePath, FileUse.APPEND, 0)
                            : storage.open(timePath, FileUse.APPEND, 0));
        } catch (final RuntimeException | Error e) {
            CloseHelper.close(e::addSuppressed, offsets);
            throw e;
        }
    }

    @Override
    public StorageFile offsets() {
        return offsets;
    }

    @Override
    public StorageFile times() {
        return times;
    }

    @Override
    public boolean isReplacing() {
        return false;
    }

    /** Time entries first: an offset entry without the time entries before it would be believed too far. */
    @Override
    public void write(final EntryTable offsetTable, final EntryTable timeTable) {
        try {
            timeTable.write(times);
            offsetTable.write(offsets);
        } finally {
            isDirty = true;
        }
    }

    @Override
    public void cut(final EntryTable offsetTable, final EntryTable timeTable) {
        if (offsets.length() > offsetTable.bytesInFile()) {
            offsets.truncate(offsetTable.bytesInFile());
            isDirty = true;
        }
        if (times.length() > timeTable.bytesInFile()) {
            times.truncate(timeTable.bytesInFile());
            isDirty = true;
        }
    }

    @Override
    public void force() {
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

    @Override
    public boolean retain() {
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

    @Override
    public void release() {
        if (holds.decrementAndGet() == 0) {
            CloseHelper.closeAll(offsets, times);
        }
    }
}
