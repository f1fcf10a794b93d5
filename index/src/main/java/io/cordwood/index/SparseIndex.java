package io.cordwood.index;

import io.cordwood.log.IndexLimits;
import io.cordwood.log.LogFiles;
import io.cordwood.log.SegmentIndex;
import io.cordwood.log.store.FileView;
import io.cordwood.log.store.Storage;
import java.lang.invoke.VarHandle;
import org.jspecify.annotations.Nullable;

/**
 * Kafka's sparse offset index and time index of one segment.
 *
 * <p>While it grows, its entries lie in memory outside the heap and are written to the files in chunks of 4 KiB, with plain
 * writes: there is no mapping that a full disk could turn into a fault, and nothing is preallocated. Sealed or just opened, it
 * holds neither memory nor an open file until something is looked up; then each file is looked at in place, through what the
 * storage keeps mapped.
 *
 * <p>Complexity: an append is a comparison and, once per interval, an entry. A look-up searches about two pages of the index.
 * The first one after {@link SparseIndexes#open} reads the files through and believes them up to where they are cut or padded, or
 * not at all if their entries do not ascend: that costs time and gives no wrong answer, and {@link #damage} tells of it.
 *
 * <p>Threads and durability: see {@link SegmentIndex}. {@link #force} covers what is in the files; the last entries of an index
 * that grows may be missing there, and {@link #restore} asks for their batches again.
 */
public final class SparseIndex implements SegmentIndex {
    private final Storage storage;
    private final String directory;
    private final long baseOffset;
    private final IndexLimits limits;
    private final String offsetPath;
    private final String timePath;
    private volatile IndexTables tables;
    private boolean wasGarbage;
    private boolean isClosed;

    private SparseIndex(
            final Storage storage,
            final String directory,
            final long baseOffset,
            final IndexLimits limits,
            final boolean isNew) {
        this.storage = storage;
        this.directory = directory;
        this.baseOffset = baseOffset;
        this.limits = limits;
        this.offsetPath = LogFiles.path(directory, baseOffset, LogFiles.OFFSET_INDEX);
        this.timePath = LogFiles.path(directory, baseOffset, LogFiles.TIME_INDEX);
        if (isNew) {
            final IndexFiles files = IndexFiles.create(storage, offsetPath, timePath);
            this.tables =
                    new ActiveIndex(limits, files, new EntryTable(EntryKind.OFFSET), new EntryTable(EntryKind.TIME));
        } else {
            this.tables = new SealedIndex(storage, this::logPath, offsetPath, timePath);
        }
    }

    static SparseIndex create(
            final Storage storage, final String directory, final long baseOffset, final IndexLimits limits) {
        return new SparseIndex(storage, directory, baseOffset, limits, true);
    }

    static SparseIndex open(
            final Storage storage, final String directory, final long baseOffset, final IndexLimits limits) {
        return new SparseIndex(storage, directory, baseOffset, limits, false);
    }

    /**
     * {@inheritDoc}
     *
     * @throws IllegalArgumentException if the batch cannot follow those before it, or its offset lies more than 2^31-1 above
     *     the segment's base.
     * @throws IllegalStateException if the index is sealed or was only opened.
     * @throws io.cordwood.log.store.StorageException if a chunk cannot be written. The entry is kept, and the next chunk or
     *     {@link #seal} writes it.
     */
    @Override
    public void append(final long lastOffset, final long position, final long maxTimestamp) {
        active("append").append(lastOffset - baseOffset, position, maxTimestamp);
    }

    @Override
    public boolean isFull() {
        return tables instanceof ActiveIndex active && active.isFull();
    }

    @Override
    public long positionOf(final long offset, final FileView view) {
        if (offset < baseOffset) {
            return 0;
        }
        for (; ; ) {
            final IndexTables seen = tables;
            final long position = seen.positionOf(offset - baseOffset, view);
            if (isCurrent(seen)) {
                return Math.max(0, position);
            }
        }
    }

    @Override
    public long positionOfTimestamp(final long timestampMs, final FileView view) {
        for (; ; ) {
            final IndexTables seen = tables;
            final long position = seen.positionOfTimestamp(timestampMs, view);
            if (isCurrent(seen)) {
                return Math.max(0, position);
            }
        }
    }

    @Override
    public long largestTimestamp(final FileView view) {
        for (; ; ) {
            final IndexTables seen = tables;
            final long timestamp = seen.largestTimestamp(view);
            if (isCurrent(seen)) {
                return Math.max(-1, timestamp);
            }
        }
    }

    @Override
    public @Nullable String damage() {
        return tables instanceof SealedIndex sealed ? sealed.damage() : null;
    }

    /**
     * {@inheritDoc}
     *
     * <p>Of the files, offset entries are believed as far as the time index reaches, since nothing else shows that no time entry
     * was lost, and with it the largest timestamp. In a log whose largest timestamp has long not grown, that may be far in front
     * of the end.
     *
     * <p>What is cut, because it is beyond the ends or foreign, is gone durably on return. Entries that are true but must be fed
     * again, such as the last time entry that sealing adds, stay in the files until the next entries are written.
     */
    @Override
    public long restore(final long endOffset, final long endPosition) {
        if (isClosed) {
            throw new IllegalStateException("index of segment " + baseOffset + " is closed");
        }
        return tables instanceof ActiveIndex active
                ? cut(active, endOffset, endPosition)
                : load((SealedIndex) tables, endOffset, endPosition);
    }

    @Override
    public boolean wasGarbage() {
        return wasGarbage;
    }

    @Override
    public void endsAt(final long endOffset) {
        final ActiveIndex active = active("endsAt");
        active.files().endsAt(endRelative(endOffset), active.offsets(), active.times());
    }

    @Override
    public void seal() {
        final ActiveIndex completed = active("seal");
        completed.seal();
        tables = new SealedIndex(storage, this::logPath, offsetPath, timePath, completed);
        completed.files().release();
    }

    @Override
    public void force() {
        for (; ; ) {
            final IndexTables seen = tables;
            if (seen instanceof SealedIndex sealed) {
                sealed.force();
                return;
            }
            final IndexFiles files = ((ActiveIndex) seen).files();
            if (files.retain()) {
                try {
                    files.force();
                } finally {
                    files.release();
                }
                return;
            }
            if (seen == tables) {
                return;
            }
        }
    }

    @Override
    public void close() {
        if (isClosed) {
            return;
        }
        isClosed = true;
        if (tables instanceof SealedIndex sealed) {
            sealed.close();
        } else {
            ((ActiveIndex) tables).files().release();
        }
    }

    /** Whether all that was read of some tables was read before others took their place, and their files were cut. */
    private boolean isCurrent(final IndexTables seen) {
        VarHandle.acquireFence();
        return seen == tables;
    }

    private ActiveIndex active(final String operation) {
        if (tables instanceof ActiveIndex active && !isClosed) {
            return active;
        }
        throw new IllegalStateException(operation + " on the index of segment " + baseOffset + " in " + directory
                + ", which is " + (isClosed ? "closed" : "sealed"));
    }

    /** Fewer entries of an index that grows: in memory of its own, since readers may be searching in the present one. */
    private long cut(final ActiveIndex active, final long endOffset, final long endPosition) {
        final EntryTable offsets = active.offsets();
        final EntryTable times = active.times();
        final int offsetsKept =
                EntryKind.OFFSET.believed(offsets.memory(), 0, offsets.entries(), endRelative(endOffset), endPosition);
        final int timesKept = timesUpTo(times, times.entries(), offsets, offsetsKept);
        // What an earlier call left or cut unforced, since it was true, may have become false.
        final boolean isFalse = offsetsKept < offsets.entries()
                || timesKept < times.entries()
                || offsets.isFollowed()
                || times.isFollowed()
                || active.files().isDirty();
        return goOn(active.files(), offsets, offsetsKept, times, timesKept, isFalse);
    }

    /** The entries of the files that are in order, below the ends, and agree with each other. */
    private long load(final SealedIndex sealed, final long endOffset, final long endPosition) {
        final IndexFiles files = IndexFiles.open(storage, offsetPath, timePath);
        try (FileView view = new FileView()) {
            final EntryTable offsets = new EntryTable(EntryKind.OFFSET);
            final EntryTable times = new EntryTable(EntryKind.TIME);
            final long endRelative = endRelative(endOffset);
            boolean isFalse = !offsets.load(files.offsets(), endRelative, endPosition, limits.bytesMax(), view);
            isFalse |= !times.load(files.times(), EntryKind.END_RELATIVE, Long.MAX_VALUE, limits.bytesMax(), view);
            final int inOrder = times.entries();
            isFalse |= inOrder > 0 && TimeIndexDescriptor.relativeOffset(times.memory(), inOrder - 1) >= endRelative;
            wasGarbage = offsets.isGarbage() || times.isGarbage();
            final int offsetsKept = offsetsShown(offsets, times);
            final int timesKept = timesUpTo(times, inOrder, offsets, offsetsKept);
            final long feedFrom = goOn(files, offsets, offsetsKept, times, timesKept, isFalse);
            sealed.close();
            return feedFrom;
        } catch (final RuntimeException | Error e) {
            if (tables == sealed) {
                files.release();
            }
            throw e;
        }
    }

    /** Goes on with the first entries of two tables. What is false is gone durably before anything new can be written. */
    private long goOn(
            final IndexFiles files,
            final EntryTable offsets,
            final int offsetsKept,
            final EntryTable times,
            final int timesKept,
            final boolean isFalse) {
        final EntryTable keptOffsets = new EntryTable(EntryKind.OFFSET);
        keptOffsets.copy(offsets, offsetsKept);
        final EntryTable keptTimes = new EntryTable(EntryKind.TIME);
        keptTimes.copy(times, timesKept);
        final ActiveIndex restored = new ActiveIndex(limits, files, keptOffsets, keptTimes);
        tables = restored;
        if (isFalse) {
            files.cut(keptOffsets, keptTimes);
            files.force();
        } else {
            files.leave(
                    keptOffsets, keptTimes, Math.max(lastOf(offsets, EntryKind.OFFSET), lastOf(times, EntryKind.TIME)));
        }
        return restored.lastPosition();
    }

    /**
     * How many offset entries there are of which it is shown that no time entry was lost in front of them. A time entry is
     * written with the first offset entry that reaches its offset, or when the index is sealed; so it shows that all is there
     * for the offset entries below its offset, and for the one that has its offset.
     */
    private static int offsetsShown(final EntryTable offsets, final EntryTable times) {
        final int inOrder = times.entries();
        if (inOrder == 0) {
            return 0;
        }
        final int shown = TimeIndexDescriptor.relativeOffset(times.memory(), inOrder - 1);
        return FloorSearch.offset(offsets.memory(), offsets.entries(), shown) + 1;
    }

    private static int timesUpTo(
            final EntryTable times, final int inOrder, final EntryTable offsets, final int offsetsKept) {
        final int last =
                offsetsKept == 0 ? -1 : OffsetIndexDescriptor.relativeOffset(offsets.memory(), offsetsKept - 1);
        int kept = inOrder;
        while (kept > 0 && TimeIndexDescriptor.relativeOffset(times.memory(), kept - 1) > last) {
            kept--;
        }
        return kept;
    }

    private static long lastOf(final EntryTable table, final EntryKind kind) {
        final int last = table.entries() - 1;
        if (last < 0) {
            return -1;
        }
        return kind == EntryKind.OFFSET
                ? OffsetIndexDescriptor.relativeOffset(table.memory(), last)
                : TimeIndexDescriptor.relativeOffset(table.memory(), last);
    }

    private String logPath() {
        return LogFiles.path(directory, baseOffset, LogFiles.LOG);
    }

    private long endRelative(final long endOffset) {
        return Math.max(0, Math.min(EntryKind.END_RELATIVE, endOffset - baseOffset));
    }
}
