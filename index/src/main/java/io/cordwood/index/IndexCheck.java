package io.cordwood.index;

import io.cordwood.log.Fault;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * Holds the index files of one segment against its batches: whoever walks the segment tells of each batch, in order, and then
 * asks for the faults.
 *
 * <p>A fault is what could make a look-up or the retention wrong, or cannot have been written by anybody: a size that is no
 * whole number of entries, entries that do not ascend, an offset entry that leads to no batch or to another one, a time entry
 * whose timestamp is not the largest up to its offset. Entries that could be there and are not, and zeros behind the last
 * entry, are no faults.
 *
 * <p>If somebody appends to the segment, its indexes must be read before it is walked. Of one file at most 100 faults are told,
 * and one more that counts the rest.
 */
public final class IndexCheck {
    private final long baseOffset;
    private final Entries offsets;
    private final Entries times;
    private long largestTimestamp = -1;
    private boolean isEmpty = true;

    /**
     * Begins a check.
     *
     * @param baseOffset of the segment.
     * @param offsetFile path of the offset index, for the faults.
     * @param offsets what it holds, or null if there is no such file.
     * @param timeFile path of the time index, for the faults.
     * @param times what it holds, or null if there is no such file.
     */
    public IndexCheck(
            final long baseOffset,
            final String offsetFile,
            final @Nullable IndexDump offsets,
            final String timeFile,
            final @Nullable IndexDump times) {
        this.baseOffset = baseOffset;
        this.offsets = new Entries(EntryKind.OFFSET, offsetFile, offsets);
        this.times = new Entries(EntryKind.TIME, timeFile, times);
    }

    /**
     * Tells of the next batch of the segment.
     *
     * @param lastOffset of the batch.
     * @param position of its first byte.
     * @param maxTimestamp of its records in milliseconds, or -1.
     */
    public void batch(final long lastOffset, final long position, final long maxTimestamp) {
        isEmpty = false;
        largestTimestamp = Math.max(largestTimestamp, maxTimestamp);
        while (offsets.hasNext() && offsets.value() < position) {
            offsets.fault(offsets.key(), "leads to position " + offsets.value() + ", where no batch begins");
            offsets.next();
        }
        while (offsets.hasNext() && offsets.value() == position) {
            if (offsets.key() != lastOffset) {
                offsets.fault(
                        offsets.key(),
                        "leads to the batch at position " + position + ", whose last offset is " + lastOffset);
            }
            offsets.next();
        }
        while (times.hasNext() && times.value() <= lastOffset) {
            if (times.key() != largestTimestamp) {
                times.fault(
                        times.value(),
                        "says timestamp " + times.key() + ", but the largest up to there is " + largestTimestamp);
            }
            times.next();
        }
    }

    /**
     * Ends the check, after the last batch.
     *
     * @param isSealed true if nothing will be appended to the segment, so that its time index has to end with the largest
     *     timestamp.
     * @return the faults of the offset index and then those of the time index.
     */
    public List<Fault> finish(final boolean isSealed) {
        for (; offsets.hasNext(); offsets.next()) {
            offsets.fault(offsets.key(), "leads to position " + offsets.value() + ", behind the last batch");
        }
        for (; times.hasNext(); times.next()) {
            times.fault(times.value(), "says timestamp " + times.key() + " of an offset behind the last batch");
        }
        if (!isEmpty) {
            offsets.requireFile();
            times.requireFile();
            if (isSealed) {
                requireLargestTimestamp();
            }
        }
        final List<Fault> faults = new ArrayList<>();
        offsets.addTo(faults);
        times.addTo(faults);
        return faults;
    }

    private void requireLargestTimestamp() {
        // One entry of zeros may be padding, or what a batch of one record at time 0 left.
        final long last = times.lastKey() < 0 && times.hasPadding() ? Math.min(0, largestTimestamp) : times.lastKey();
        if (times.isThere() && last < largestTimestamp) {
            times.faultAtEnd("ends with timestamp " + last + ", but the segment has " + largestTimestamp);
        }
    }

    /** The entries of one file, of which those that do not ascend are reported and passed over. */
    private final class Entries {
        private static final int FAULTS_MAX = 100;

        private final EntryKind kind;
        private final String file;
        private final @Nullable IndexDump dump;
        private final List<Fault> faults = new ArrayList<>();
        private long untold;
        private int entry = -1;
        private long key = -1;
        private long value = -1;

        Entries(final EntryKind kind, final String file, final @Nullable IndexDump dump) {
            this.kind = kind;
            this.file = file;
            this.dump = dump;
            if (dump != null && dump.sizeInBytes() % kind.bytes() != 0) {
                final long end = dump.sizeInBytes() - dump.sizeInBytes() % kind.bytes();
                add(new Fault(
                        Fault.Kind.INDEX_SIZE,
                        file,
                        end,
                        -1,
                        "the size " + dump.sizeInBytes() + " is no multiple of " + kind.bytes()));
            }
            next();
        }

        boolean isThere() {
            return dump != null;
        }

        boolean hasNext() {
            return dump != null && entry < dump.entries();
        }

        boolean hasPadding() {
            return dump != null && dump.unusedEntries() > 0;
        }

        long key() {
            return key;
        }

        long value() {
            return value;
        }

        /** Key of the last entry that ascends, or -1. */
        long lastKey() {
            return key;
        }

        void next() {
            if (dump == null) {
                return;
            }
            while (++entry < dump.entries()) {
                if (isAscending(dump.key(entry), dump.value(entry))) {
                    key = dump.key(entry);
                    value = dump.value(entry);
                    return;
                }
                final long offset = kind == EntryKind.OFFSET ? dump.key(entry) : dump.value(entry);
                add(new Fault(
                        Fault.Kind.INDEX_ORDER,
                        file,
                        (long) entry * kind.bytes(),
                        Math.max(-1, offset),
                        "entry " + dump.key(entry) + " -> " + dump.value(entry) + " does not ascend from " + key
                                + " -> " + value));
            }
        }

        private boolean isAscending(final long nextKey, final long nextValue) {
            if (kind == EntryKind.OFFSET) {
                return nextKey > key && nextValue > value && nextKey >= baseOffset && nextValue >= 0;
            }
            return nextKey > key && nextValue >= value && nextValue >= baseOffset;
        }

        void fault(final long offset, final String reason) {
            add(new Fault(Fault.Kind.INDEX_ENTRY, file, (long) entry * kind.bytes(), offset, "the entry " + reason));
        }

        void faultAtEnd(final String reason) {
            final long end = dump == null ? 0 : (long) dump.entries() * kind.bytes();
            add(new Fault(Fault.Kind.INDEX_ENTRY, file, end, -1, "the index " + reason));
        }

        void requireFile() {
            if (dump == null) {
                add(new Fault(Fault.Kind.INDEX_MISSING, file, 0, baseOffset, "there is no such file"));
            }
        }

        private void add(final Fault fault) {
            if (faults.size() < FAULTS_MAX) {
                faults.add(fault);
            } else {
                untold++;
            }
        }

        void addTo(final List<Fault> all) {
            all.addAll(faults);
            if (untold > 0) {
                final Fault last = faults.get(faults.size() - 1);
                all.add(new Fault(last.kind(), file, last.position(), -1, "and " + untold + " faults more"));
            }
        }
    }
}
