package io.cordwood.index;

import io.cordwood.log.IndexLimits;
import io.cordwood.log.LogFiles;
import io.cordwood.log.store.FileUse;
import io.cordwood.log.store.Storage;
import io.cordwood.log.store.StorageFile;
import org.agrona.CloseHelper;
import org.jspecify.annotations.Nullable;

/**
 * The two files of a sealed segment's index that is mended. What is there stays as it is, with the damage that shows, until all is known; then
 * other files take the place of those that are not right. A file has no other way to change without looking whole on the way, and nobody
 * looks into a sealed index that looks whole.
 */
final class ReplacedFiles implements IndexFiles {
    private final Storage storage;
    private final String directory;
    private final String offsetPath;
    private final String timePath;
    private final long logBytes;
    private final IndexLimits limits;
    private final @Nullable StorageFile offsets;
    private final @Nullable StorageFile times;

    ReplacedFiles(
            final Storage storage,
            final String directory,
            final String offsetPath,
            final String timePath,
            final long logBytes,
            final IndexLimits limits) {
        this.storage = storage;
        this.logBytes = logBytes;
        this.limits = limits;
        this.directory = directory;
        this.offsetPath = offsetPath;
        this.timePath = timePath;
        this.offsets = found(storage, offsetPath);
        try {
            this.times = found(storage, timePath);
        } catch (final RuntimeException | Error e) {
            CloseHelper.close(e::addSuppressed, offsets);
            throw e;
        }
    }

    /** A file for reading is not touched before it is read, and so holds nothing yet. */
    private static @Nullable StorageFile found(final Storage storage, final String path) {
        return storage.status(path) == null ? null : storage.open(path, FileUse.READ, 0);
    }

    @Override
    public @Nullable StorageFile offsets() {
        return offsets;
    }

    @Override
    public @Nullable StorageFile times() {
        return times;
    }

    @Override
    public boolean isReplacing() {
        return true;
    }

    /**
     * Puts files of all entries in the place of those that hold others, each durably before the next. A file whose damage shows is the last one:
     * the other may lack whole entries, which shows nowhere.
     */
    @Override
    public void write(final EntryTable offsetTable, final EntryTable timeTable) {
        if (isTimesDamageSeen()) {
            replace(offsets, offsetPath, offsetTable);
            replace(times, timePath, timeTable);
        } else {
            replace(times, timePath, timeTable);
            replace(offsets, offsetPath, offsetTable);
        }
    }

    private boolean isTimesDamageSeen() {
        return times == null
                || times.length() == 0
                || !SparseIndexes.isPlausible(times.length(), TimeIndexDescriptor.ENTRY_BYTES, logBytes, limits);
    }

    private void replace(final @Nullable StorageFile old, final String path, final EntryTable table) {
        if (old != null && table.isWholeIn(old)) {
            return;
        }
        final String unfinished = path + LogFiles.TEMPORARY;
        try (StorageFile file = LogFiles.openNew(storage, unfinished, FileUse.APPEND, 0)) {
            table.writeAll(file);
            file.force();
        }
        storage.rename(unfinished, path);
        storage.syncDirectory(directory);
    }

    @Override
    public void cut(final EntryTable offsetTable, final EntryTable timeTable) {
        // Replaced as a whole later.
    }

    @Override
    public void force() {
        // Nothing is written that is not forced.
    }

    @Override
    public boolean retain() {
        return false;
    }

    @Override
    public void release() {
        CloseHelper.closeAll(offsets, times);
    }
}
