package io.cordwood.index;

import io.cordwood.log.store.FileUse;
import io.cordwood.log.store.FileView;
import io.cordwood.log.store.Storage;
import io.cordwood.log.store.StorageException;
import io.cordwood.log.store.StorageFile;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.LongSupplier;
import java.util.function.Supplier;
import org.agrona.CloseHelper;
import org.jspecify.annotations.Nullable;

/** An index that does not grow: its files are looked at in place, and are not touched before the first question. */
final class SealedIndex implements IndexTables {
    private static final long UNKNOWN = Long.MIN_VALUE;

    private final Storage storage;
    private final Supplier<String> logPath;
    private final LongSupplier endRelative;
    private final SealedTable offsets;
    private final SealedTable times;
    private final long largestTimestamp;

    /** Whether the files were written and not forced since. They are forced as they are read: nothing is held open for it. */
    private final AtomicBoolean isUnforced;

    /** An index of which nothing is known yet. */
    SealedIndex(
            final Storage storage,
            final Supplier<String> logPath,
            final LongSupplier endRelative,
            final String offsetPath,
            final String timePath) {
        this.storage = storage;
        this.logPath = logPath;
        this.endRelative = endRelative;
        this.offsets = new SealedTable(storage, offsetPath, EntryKind.OFFSET);
        this.times = new SealedTable(storage, timePath, EntryKind.TIME);
        this.largestTimestamp = UNKNOWN;
        this.isUnforced = new AtomicBoolean();
    }

    /** An index that was just completed. */
    SealedIndex(
            final Storage storage,
            final Supplier<String> logPath,
            final LongSupplier endRelative,
            final String offsetPath,
            final String timePath,
            final ActiveIndex completed) {
        this.storage = storage;
        this.logPath = logPath;
        this.endRelative = endRelative;
        this.offsets = new SealedTable(
                storage, offsetPath, EntryKind.OFFSET, completed.offsets().entries());
        this.times = new SealedTable(
                storage, timePath, EntryKind.TIME, completed.times().entries());
        this.largestTimestamp = completed.largestTimestamp();
        // Files that are sound and so were left alone may be those of a process that was killed before its force.
        this.isUnforced = new AtomicBoolean(true);
        // Under their present names: a force may come when they have others.
        try {
            offsets.enter();
            times.enter();
        } catch (final RuntimeException | Error e) {
            CloseHelper.close(e::addSuppressed, this::close);
            throw e;
        }
    }

    /** What is wrong with the files, as far as they were looked at; null if nothing is. */
    @Nullable
    String damage() {
        final String first = offsets.damage();
        return first == null ? times.damage() : first;
    }

    @Override
    public long positionOf(final long relativeOffset, final FileView view) {
        final int entries = offsets.show(this, view);
        if (entries == UNREADABLE) {
            return UNREADABLE;
        }
        final int floor = FloorSearch.offset(view.buffer(), entries, relativeOffset);
        return floor < 0 ? 0 : OffsetIndexDescriptor.position(view.buffer(), floor);
    }

    @Override
    public long positionOfTimestamp(final long timestampMs, final FileView view) {
        final int entries = times.show(this, view);
        if (entries == UNREADABLE) {
            return UNREADABLE;
        }
        final int floor = FloorSearch.timestamp(view.buffer(), entries, timestampMs);
        return floor < 0 ? 0 : positionOf(TimeIndexDescriptor.relativeOffset(view.buffer(), floor), view);
    }

    @Override
    public long largestTimestamp(final FileView view) {
        if (largestTimestamp != UNKNOWN) {
            return largestTimestamp;
        }
        final int entries = times.showLast(this, view);
        if (entries == UNREADABLE) {
            return UNREADABLE;
        }
        return entries == 0 ? -1 : TimeIndexDescriptor.timestamp(view.buffer(), entries - 1);
    }

    /** Relative offset of the segment's end, below which every entry must lie. */
    long endRelative() {
        return endRelative.getAsLong();
    }

    /** Length of the segment's file, below which every entry must point. */
    long endPosition() {
        try (StorageFile log = storage.open(logPath.get(), FileUse.READ, 0)) {
            return log.length();
        } catch (final StorageException e) {
            // Whoever reads the segment will meet the same trouble, and is the one to report it.
            return Long.MAX_VALUE;
        }
    }

    /** Makes what was written durable. */
    void force() {
        if (!isUnforced.compareAndSet(true, false)) {
            return;
        }
        try {
            times.force();
            offsets.force();
        } catch (final RuntimeException | Error e) {
            isUnforced.set(true);
            throw e;
        }
    }

    /** Lets go of everything. Who is looking at the files may go on. */
    void close() {
        isUnforced.set(false);
        CloseHelper.closeAll(offsets::close, times::close);
    }
}
