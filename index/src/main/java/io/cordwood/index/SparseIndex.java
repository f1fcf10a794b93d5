package io.cordwood.index;

import io.cordwood.log.IndexLimits;
import io.cordwood.log.IndexLookUps;
import io.cordwood.log.LogFiles;
import io.cordwood.log.SegmentIndex;
import io.cordwood.log.store.FileView;
import io.cordwood.log.store.Storage;
import java.lang.invoke.VarHandle;
import org.agrona.CloseHelper;
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
 * <p>Threads and durability: see {@link SegmentIndex} and {@link IndexLookUps}. {@link #force} covers what is in the files; the last entries of an index
 * that grows may be missing there, and {@link #restore} asks for their batches again.
 */
public final class SparseIndex implements SegmentIndex, IndexLookUps {
    private final Storage storage;
    private final String directory;
    private final long baseOffset;
    private final IndexLimits limits;
    private final String offsetPath;
    private final String timePath;
    private volatile IndexTables tables;
    private volatile long sealedEnd = EntryKind.END_RELATIVE;

    /** Relative offset of the last time entry that was loaded, if nothing but its batch explains it; else -1. */
    private long lastFound = -1;

    private Finding finding = Finding.SOUND;
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
            final IndexFiles files = GrowingFiles.create(storage, offsetPath, timePath);
            this.tables = new ActiveIndex(limits, files);
        } else {
            this.tables = new SealedIndex(storage, this::logPath, this::sealedEnd, offsetPath, timePath);
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
    public IndexLookUps lookUps() {
        return this;
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
     * <p>What is cut, because it is beyond the ends or foreign, is gone durably on return. Other entries behind those that are
     * believed stay in the files, and are held against the batches that are given again. So of the two files the one that is
     * sound keeps its bytes, whatever the other one lacks and whatever the interval is now.
     */
    @Override
    public long restore(final long endOffset, final long endPosition) {
        requireOpen();
        if (tables instanceof ActiveIndex active) {
            if (!active.files().isReplacing()) {
                return cut(active, endOffset, endPosition);
            }
            tables = new SealedIndex(storage, this::logPath, this::sealedEnd, offsetPath, timePath);
            active.files().release();
        }
        return load(GrowingFiles.open(storage, offsetPath, timePath), endOffset, endPosition);
    }

    /**
     * {@inheritDoc}
     *
     * <p>Durable on return of {@link #seal}, with the names. The time index is replaced first: beside one that lacks entries an offset
     * index that was found damaged keeps its damage.
     *
     * @throws IllegalStateException if the index is not sealed.
     */
    @Override
    public long mend(final long endOffset, final long endPosition) {
        requireOpen();
        if (tables instanceof ActiveIndex) {
            throw new IllegalStateException("index of segment " + baseOffset + " is not sealed");
        }
        return load(
                new ReplacedFiles(storage, directory, offsetPath, timePath, endPosition, limits),
                endOffset,
                endPosition);
    }

    private void requireOpen() {
        if (isClosed) {
            throw new IllegalStateException("index of segment " + baseOffset + " is closed");
        }
    }

    @Override
    public void distrust() {
        distrust(false);
    }

    /** Same; with steps kept, an interval that is shorter now adds no entries between those that are true. */
    void distrust(final boolean areStepsKept) {
        final ActiveIndex active = active("distrust");
        final EntryTable offsets = active.offsets();
        final EntryTable times = active.times();
        goOn(
                active.files(),
                copy(EntryKind.OFFSET, offsets, 0, offsets.known()),
                copy(EntryKind.TIME, times, 0, times.known()),
                active.foundBelow(),
                true,
                areStepsKept ? longestStep(offsets, offsets.known()) : 0,
                true);
    }

    @Override
    public Finding finding() {
        return finding != Finding.GARBAGE && tables instanceof ActiveIndex active && active.isMended()
                ? Finding.MENDED
                : finding;
    }

    @Override
    public void endsAt(final long endOffset) {
        sealedEnd = endRelative(endOffset);
    }

    private long sealedEnd() {
        return sealedEnd;
    }

    @Override
    public void restored() {
        final ActiveIndex active = active("restored");
        active.restored();
        if (lastFound > active.lastGiven()) {
            finding = Finding.GARBAGE;
        }
    }

    @Override
    public void seal() {
        final ActiveIndex completed = active("seal");
        completed.seal();
        finding = finding();
        tables = new SealedIndex(storage, this::logPath, this::sealedEnd, offsetPath, timePath, completed);
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
        final long endRelative = endRelative(endOffset);
        final int offsetsBelow =
                EntryKind.OFFSET.believed(offsets.memory(), 0, offsets.known(), endRelative, endPosition);
        final int offsetsKept = Math.min(offsets.entries(), offsetsBelow);
        final int timesKept = timesUpTo(times, times.entries(), lastOf(offsets, offsetsKept));
        final boolean isFound = endPosition > 0 && (offsets.hasFound() || times.hasFound());
        // Found entries are still to be held against their batches; of others those below the ends are made again.
        return goOn(
                active.files(),
                copy(EntryKind.OFFSET, offsets, offsetsKept, isFound ? offsetsBelow : offsetsKept),
                copy(
                        EntryKind.TIME,
                        times,
                        timesKept,
                        isFound ? timesUpTo(times, times.known(), endRelative - 1) : timesKept),
                Math.min(endPosition, active.foundBelow()),
                active.isMended(),
                0,
                false);
    }

    /** The entries of the files that are in order, below the ends, and agree with each other. */
    private long load(final IndexFiles files, final long endOffset, final long endPosition) {
        final SealedIndex sealed = (SealedIndex) tables;
        try (FileView view = new FileView()) {
            final EntryTable offsets = new EntryTable(EntryKind.OFFSET);
            final EntryTable times = new EntryTable(EntryKind.TIME);
            final long endRelative = endRelative(endOffset);
            final boolean areOffsetsWhole =
                    offsets.load(files.offsets(), endRelative, endPosition, limits.bytesMax(), view);
            final boolean areTimesWhole =
                    times.load(files.times(), EntryKind.END_RELATIVE, Long.MAX_VALUE, limits.bytesMax(), view);
            // Where the damage is seen to be in one file, the other one is taken for sound as long as it can be.
            // After a crash both may lack what was written last, and at the next open that shows no more.
            final boolean wasSealed = endOffset != Long.MAX_VALUE;
            final boolean isTimesFault = wasSealed && areOffsetsWhole && (times.isDamaged() || times.entries() == 0);
            final boolean isOffsetsFault =
                    wasSealed && (offsets.isDamaged() || (offsets.entries() == 0 && times.entries() > 1));
            // A crash may leave entries behind the end of a log, but none behind that of a sealed segment.
            final boolean isBeyond = lastTime(times) >= sealedEnd;
            lastFound = wasSealed && endRelative == EntryKind.END_RELATIVE ? lastTime(times) : -1;
            finding = offsets.isGarbage() || times.isGarbage() || isBeyond ? Finding.GARBAGE : Finding.SOUND;
            final int shown = offsetsShown(offsets, times);
            // An entry at position 0 alone is of the first batch that will be given, and held against it.
            final int offsetsKept = shown == 1 && OffsetIndexDescriptor.position(offsets.memory(), 0) == 0 ? 0 : shown;
            final int timesKept = timesUpTo(times, times.entries(), lastOf(offsets, offsetsKept));
            final long feedFrom = goOn(
                    files,
                    copy(EntryKind.OFFSET, offsets, offsetsKept, offsets.entries()),
                    copy(
                            EntryKind.TIME,
                            times,
                            timesKept,
                            endPosition > 0 ? timesUpTo(times, times.entries(), endRelative - 1) : 0),
                    endPosition,
                    !areOffsetsWhole || !areTimesWhole,
                    isTimesFault ? longestStep(offsets, offsets.entries()) : 0,
                    isOffsetsFault);
            sealed.close();
            return feedFrom;
        } catch (final RuntimeException | Error e) {
            CloseHelper.close(e::addSuppressed, tables == sealed ? files::release : sealed::close);
            throw e;
        }
    }

    private static EntryTable copy(final EntryKind kind, final EntryTable from, final int count, final int withFound) {
        final EntryTable copy = new EntryTable(kind);
        copy.copy(from, count, withFound);
        return copy;
    }

    /** Goes on with other tables. What the files hold beyond these is gone durably before anything new can be written. */
    private long goOn(
            final IndexFiles files,
            final EntryTable offsets,
            final EntryTable times,
            final long foundBelow,
            final boolean isMended,
            final long missingAbove,
            final boolean areTimesSound) {
        final ActiveIndex restored = new ActiveIndex(limits, files, offsets, times, foundBelow);
        restored.restores(isMended, missingAbove, areTimesSound);
        tables = restored;
        files.cut(offsets, times);
        files.force();
        return restored.lastPosition();
    }

    /**
     * How many offset entries there are of which it is shown that no time entry was lost in front of them. A time entry is
     * written with the first offset entry that reaches its offset, or when the index is sealed; so it shows that all is there
     * for the offset entries below its offset, and for the one that has its offset.
     */
    private static int offsetsShown(final EntryTable offsets, final EntryTable times) {
        // What lies behind the last offset entry may be of sealing, or of nothing: that is seen when its batch is
        // given.
        final int inOrder = timesUpTo(times, times.entries(), lastOf(offsets, offsets.entries()));
        if (inOrder == 0) {
            return 0;
        }
        final int shown = TimeIndexDescriptor.relativeOffset(times.memory(), inOrder - 1);
        return FloorSearch.offset(offsets.memory(), offsets.entries(), shown) + 1;
    }

    /** Most bytes between two entries: more than the interval that they were written with, which may not be the present one. */
    private static long longestStep(final EntryTable offsets, final int entries) {
        long longest = 0;
        long before = 0;
        for (int i = 0; i < entries; i++) {
            final long position = OffsetIndexDescriptor.position(offsets.memory(), i);
            longest = Math.max(longest, position - before);
            before = position;
        }
        return longest;
    }

    /** How many of the first time entries speak of offsets up to one. */
    private static int timesUpTo(final EntryTable times, final int count, final long relative) {
        int kept = count;
        while (kept > 0 && TimeIndexDescriptor.relativeOffset(times.memory(), kept - 1) > relative) {
            kept--;
        }
        return kept;
    }

    /** Relative offset of the last of so many offset entries; -1 if there is none. */
    private static long lastOf(final EntryTable offsets, final int count) {
        return count == 0 ? -1 : OffsetIndexDescriptor.relativeOffset(offsets.memory(), count - 1);
    }

    /** Relative offset of the last time entry; -1 if there is none. */
    private static long lastTime(final EntryTable times) {
        return times.entries() == 0 ? -1 : TimeIndexDescriptor.relativeOffset(times.memory(), times.entries() - 1);
    }

    private String logPath() {
        return LogFiles.path(directory, baseOffset, LogFiles.LOG);
    }

    private long endRelative(final long endOffset) {
        return Math.max(0, Math.min(EntryKind.END_RELATIVE, endOffset - baseOffset));
    }
}
