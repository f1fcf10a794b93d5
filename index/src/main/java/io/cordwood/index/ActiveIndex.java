package io.cordwood.index;

import io.cordwood.log.IndexLimits;
import io.cordwood.log.store.FileView;
import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;

/**
 * An index that grows: decides which batches get an entry, keeps the entries in memory and writes them to the files in chunks.
 *
 * <p>The rule is Kafka's, so that the bytes are: an entry when a batch begins more than the interval behind the last entry's,
 * and with it a time entry if the largest timestamp has grown since the last one.
 *
 * <p>Entries that were found in a file, and are not known to be true, are held against the batches that are given again: those
 * that are as the batches say keep their bytes, from the first other one on the file is cut. While one table has such entries
 * it gets no other ones, so that of two files, one of which is damaged, the other one stays as it is.
 */
final class ActiveIndex implements IndexTables {
    /** Entries are written when so many bytes of one file are pending. */
    static final int CHUNK_BYTES = 4096;

    private static final VarHandle LARGEST_TIMESTAMP;

    static {
        try {
            LARGEST_TIMESTAMP = MethodHandles.lookup().findVarHandle(ActiveIndex.class, "largestTimestamp", long.class);
        } catch (final ReflectiveOperationException e) {
            throw new ExceptionInInitializerError(e);
        }
    }

    private final IndexLimits limits;
    private final IndexFiles files;
    private final EntryTable offsets;
    private final EntryTable times;

    /** What was found speaks of batches below this position, if it is true. */
    private final long foundBelow;

    /** Whether old batches are given: until all are, nothing is written, so that a file that an interruption leaves is not half. */
    private boolean isRestoring;

    private boolean isMended;

    /** Time entries, those among them that were found and are true, but that no offset entry has reached yet. */
    private int timesHeld;

    /** Whether found time entries stay where an offset entry is missing; else they lack what goes with that. */
    private boolean areTimesSound;

    /** Behind the last entry of the file one is missing only if a batch begins more than so many bytes behind it. */
    private long tailBytes;

    private int lastGiven = -1;
    private int lastRelative = -1;
    private long lastPosition;
    private long lastTimestamp = -1;
    private long largestTimestamp = -1;
    private int largestRelative;

    /** A new index. */
    ActiveIndex(final IndexLimits limits, final IndexFiles files) {
        this(limits, files, new EntryTable(EntryKind.OFFSET), new EntryTable(EntryKind.TIME), 0);
    }

    /** Takes over tables and files; what is not in the files yet is pending. */
    ActiveIndex(
            final IndexLimits limits,
            final IndexFiles files,
            final EntryTable offsets,
            final EntryTable times,
            final long foundBelow) {
        this.foundBelow = foundBelow;
        this.limits = limits;
        this.tailBytes = limits.intervalBytes();
        this.files = files;
        this.offsets = offsets;
        this.times = times;
        final int offsetEntries = offsets.entries();
        if (offsetEntries > 0) {
            lastRelative = OffsetIndexDescriptor.relativeOffset(offsets.memory(), offsetEntries - 1);
            lastPosition = OffsetIndexDescriptor.position(offsets.memory(), offsetEntries - 1);
        }
        final int timeEntries = times.entries();
        if (timeEntries > 0) {
            lastTimestamp = TimeIndexDescriptor.timestamp(times.memory(), timeEntries - 1);
            largestRelative = TimeIndexDescriptor.relativeOffset(times.memory(), timeEntries - 1);
            largestTimestamp = lastTimestamp;
        }
    }

    IndexFiles files() {
        return files;
    }

    EntryTable offsets() {
        return offsets;
    }

    EntryTable times() {
        return times;
    }

    long foundBelow() {
        return foundBelow;
    }

    /** Position of the last entry, behind which everything must be given again; 0 if there is none. */
    long lastPosition() {
        return lastPosition;
    }

    /** Relative offset of the last batch that was given; -1 if none was. */
    int lastGiven() {
        return lastGiven;
    }

    void append(final long relativeOffset, final long position, final long maxTimestamp) {
        if (relativeOffset < 0
                || relativeOffset > Integer.MAX_VALUE
                || relativeOffset < lastRelative
                || position < lastPosition) {
            throw new IllegalArgumentException("batch with relative offset " + relativeOffset + " at position "
                    + position + " cannot follow relative offset " + lastRelative + " at position " + lastPosition);
        }
        lastGiven = (int) relativeOffset;
        if (maxTimestamp > largestTimestamp) {
            largestRelative = (int) relativeOffset;
            LARGEST_TIMESTAMP.setRelease(this, maxTimestamp);
        }
        if (isRestoring && (offsets.hasFound() || times.hasFound())) {
            holdFound((int) relativeOffset, position);
        }
        // No entry can name a larger position, nor can an append reach one: a segment that was found so large is read
        // on from the last entry.
        if (position - lastPosition > tailBytes && position <= Integer.MAX_VALUE && !offsets.hasFound() && !isFull()) {
            tailBytes = limits.intervalBytes();
            addEntry((int) relativeOffset, (int) position);
        }
    }

    /** Says that the batches which the segment has already will be given now. */
    void restores(final boolean isCut, final long missingAbove, final boolean areSound) {
        isRestoring = true;
        areTimesSound = areSound;
        isMended = isCut;
        tailBytes = Math.max(missingAbove, limits.intervalBytes());
    }

    /** Says that they have been given: what was found and is not among them is not true. */
    void restored() {
        dropFalse(offsets, offsets.entries());
        dropFalse(times, Math.max(times.entries(), timesHeld));
        isRestoring = false;
        tailBytes = limits.intervalBytes();
        if (isMended) {
            // The next open must not find one file emptied and the other not: it would mend them in another way.
            files.write(offsets, times);
        } else {
            writeChunk();
        }
    }

    /** Whether since {@link #restores} something was dropped from the files or is missing in them. */
    boolean isMended() {
        return isMended;
    }

    private void holdFound(final int relativeOffset, final long position) {
        if (position >= foundBelow) {
            dropFalse(offsets, offsets.entries());
            dropHeld();
            return;
        }
        timesHeld = Math.max(timesHeld, times.entries());
        if (timesHeld < times.known()) {
            final int found = TimeIndexDescriptor.relativeOffset(times.memory(), timesHeld);
            if (found == relativeOffset
                    && largestRelative == relativeOffset
                    && largestTimestamp == TimeIndexDescriptor.timestamp(times.memory(), timesHeld)) {
                timesHeld++;
            } else if (found <= relativeOffset) {
                confirmHeld();
                dropFalse(times, times.entries());
            }
        }
        if (offsets.hasFound()) {
            final int found = OffsetIndexDescriptor.relativeOffset(offsets.memory(), offsets.entries());
            final int foundAt = OffsetIndexDescriptor.position(offsets.memory(), offsets.entries());
            if (found == relativeOffset && foundAt == position) {
                offsets.confirm();
                indexed(relativeOffset, position, true);
            } else if (found <= relativeOffset || foundAt <= position) {
                dropFalse(offsets, offsets.entries());
            }
        }
    }

    private void confirmHeld() {
        while (times.entries() < timesHeld) {
            lastTimestamp = TimeIndexDescriptor.timestamp(times.memory(), times.entries());
            times.confirm();
        }
    }

    /** Whether entries are held, and the last of them does not say what the one of the present offset entry must say. */
    private boolean isHeldShort() {
        return timesHeld > times.entries()
                && TimeIndexDescriptor.timestamp(times.memory(), timesHeld - 1) != largestTimestamp;
    }

    private void dropHeld() {
        timesHeld = times.entries();
        dropFalse(times, timesHeld);
    }

    /** Durably, before others can be written in their place. */
    private void dropFalse(final EntryTable table, final int from) {
        if (from < table.known()) {
            isMended = true;
            table.dropFound(from);
            files.cut(offsets, times);
            files.force();
        }
    }

    /** Whether Kafka's files of the size allowed would have no room; the last time entry's place is kept for sealing. */
    boolean isFull() {
        return offsets.entries() >= limits.bytesMax() / OffsetIndexDescriptor.ENTRY_BYTES
                || times.entries() >= limits.bytesMax() / TimeIndexDescriptor.ENTRY_BYTES - 1;
    }

    /** Adds the last time entry and writes everything. */
    void seal() {
        if (isRestoring) {
            dropFalse(offsets, offsets.entries());
            dropFalse(times, Math.max(times.entries(), timesHeld));
            confirmHeld();
        } else {
            settleHeld(times.hasFound()
                    && TimeIndexDescriptor.timestamp(times.memory(), timesHeld - 1) == largestTimestamp);
        }
        addTimeEntry();
        files.write(offsets, times);
    }

    @Override
    public long positionOf(final long relativeOffset, final FileView view) {
        final int entries = offsets.entries();
        final int floor = FloorSearch.offset(offsets.memory(), entries, relativeOffset);
        return floor < 0 ? 0 : OffsetIndexDescriptor.position(offsets.memory(), floor);
    }

    @Override
    public long positionOfTimestamp(final long timestampMs, final FileView view) {
        final int entries = times.entries();
        final int floor = FloorSearch.timestamp(times.memory(), entries, timestampMs);
        return floor < 0 ? 0 : positionOf(TimeIndexDescriptor.relativeOffset(times.memory(), floor), view);
    }

    @Override
    public long largestTimestamp(final FileView view) {
        return largestTimestamp();
    }

    long largestTimestamp() {
        return (long) LARGEST_TIMESTAMP.getAcquire(this);
    }

    private void addEntry(final int relativeOffset, final int position) {
        if (relativeOffset == lastRelative) {
            throw new IllegalArgumentException("relative offset " + relativeOffset + " at position " + position
                    + " has an entry already, at position " + lastPosition);
        }
        OffsetIndexDescriptor.put(offsets.room(), offsets.entries(), relativeOffset, position);
        offsets.add();
        isMended |= isRestoring;
        indexed(relativeOffset, position, false);
        writeChunk();
    }

    /** Adds the time entry that goes with an offset entry, unless those that were found in the file are enough. */
    private void indexed(final int relativeOffset, final long position, final boolean isFound) {
        lastRelative = relativeOffset;
        lastPosition = position;
        if (isFound && isRestoring && !areTimesSound && isHeldShort()) {
            // A sealing added them before the segment grew on; what was written over them then was lost.
            dropHeld();
        } else if (isFound || (isRestoring && areTimesSound)) {
            confirmHeld();
        }
        if (times.hasFound() && !(isRestoring && areTimesSound) && (!isFound || largestTimestamp > lastTimestamp)) {
            // What was written behind this entry would go with it, and so lacks as much as the offset index did.
            dropFalse(times, Math.max(times.entries(), timesHeld));
            settleHeld(false);
        }
        if (!times.hasFound()) {
            addTimeEntry();
        }
    }

    /**
     * Takes over the time entries that were found to be true but lie behind the last offset entry, as the one that sealing adds
     * does; or, if the segment has grown since, drops them in favour of one that says the same of more batches.
     */
    private void settleHeld(final boolean isKept) {
        if (isKept) {
            confirmHeld();
        } else if (times.hasFound()) {
            times.dropFound(times.entries());
        }
    }

    private void writeChunk() {
        if (isRestoring) {
            return;
        }
        if (offsets.pending() * OffsetIndexDescriptor.ENTRY_BYTES >= CHUNK_BYTES
                || times.pending() * TimeIndexDescriptor.ENTRY_BYTES >= CHUNK_BYTES) {
            files.write(offsets, times);
        }
    }

    private void addTimeEntry() {
        if (largestTimestamp > lastTimestamp) {
            TimeIndexDescriptor.put(times.room(), times.entries(), largestTimestamp, largestRelative);
            times.add();
            isMended |= isRestoring;
            lastTimestamp = largestTimestamp;
        }
    }
}
