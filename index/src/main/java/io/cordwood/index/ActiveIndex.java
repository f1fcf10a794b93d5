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

    private int lastRelative = -1;
    private long lastPosition;
    private long lastTimestamp = -1;
    private long largestTimestamp = -1;
    private int largestRelative;

    /** Takes over tables and files; what is not in the files yet is pending. */
    ActiveIndex(final IndexLimits limits, final IndexFiles files, final EntryTable offsets, final EntryTable times) {
        this.limits = limits;
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

    /** Position of the last entry, behind which everything must be given again; 0 if there is none. */
    long lastPosition() {
        return lastPosition;
    }

    void append(final long relativeOffset, final long position, final long maxTimestamp) {
        if (relativeOffset < 0
                || relativeOffset > Integer.MAX_VALUE
                || relativeOffset < lastRelative
                || position < lastPosition
                || position > Integer.MAX_VALUE) {
            throw new IllegalArgumentException("batch with relative offset " + relativeOffset + " at position "
                    + position + " cannot follow relative offset " + lastRelative + " at position " + lastPosition);
        }
        if (maxTimestamp > largestTimestamp) {
            largestRelative = (int) relativeOffset;
            LARGEST_TIMESTAMP.setRelease(this, maxTimestamp);
        }
        if (position - lastPosition > limits.intervalBytes() && !isFull()) {
            addEntry((int) relativeOffset, (int) position);
        }
    }

    /** Whether Kafka's files of the size allowed would have no room; the last time entry's place is kept for sealing. */
    boolean isFull() {
        return offsets.entries() >= limits.bytesMax() / OffsetIndexDescriptor.ENTRY_BYTES
                || times.entries() >= limits.bytesMax() / TimeIndexDescriptor.ENTRY_BYTES - 1;
    }

    /** Adds the last time entry and writes everything. */
    void seal() {
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
        lastRelative = relativeOffset;
        lastPosition = position;
        addTimeEntry();
        if (offsets.pending() * OffsetIndexDescriptor.ENTRY_BYTES >= CHUNK_BYTES
                || times.pending() * TimeIndexDescriptor.ENTRY_BYTES >= CHUNK_BYTES) {
            files.write(offsets, times);
        }
    }

    private void addTimeEntry() {
        if (largestTimestamp > lastTimestamp) {
            TimeIndexDescriptor.put(times.room(), times.entries(), largestTimestamp, largestRelative);
            times.add();
            lastTimestamp = largestTimestamp;
        }
    }
}
