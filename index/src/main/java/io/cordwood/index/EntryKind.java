package io.cordwood.index;

import org.agrona.DirectBuffer;

/** The two kinds of index entries, and which sequences of them are lawful: what cannot be is not believed. */
enum EntryKind {
    /** Entries of an offset index. */
    OFFSET(OffsetIndexDescriptor.ENTRY_BYTES) {
        @Override
        boolean isLawful(
                final DirectBuffer buffer,
                final int before,
                final int entry,
                final long endRelative,
                final long endPosition) {
            final int offset = OffsetIndexDescriptor.relativeOffset(buffer, entry);
            final int position = OffsetIndexDescriptor.position(buffer, entry);
            return offset < endRelative
                    && position < endPosition
                    && offset > (before < 0 ? -1 : OffsetIndexDescriptor.relativeOffset(buffer, before))
                    && position > (before < 0 ? -1 : OffsetIndexDescriptor.position(buffer, before));
        }
    },

    /** Entries of a time index. */
    TIME(TimeIndexDescriptor.ENTRY_BYTES) {
        @Override
        boolean isLawful(
                final DirectBuffer buffer,
                final int before,
                final int entry,
                final long endRelative,
                final long endPosition) {
            final long timestamp = TimeIndexDescriptor.timestamp(buffer, entry);
            final int offset = TimeIndexDescriptor.relativeOffset(buffer, entry);
            return offset < endRelative
                    && timestamp > (before < 0 ? -1 : TimeIndexDescriptor.timestamp(buffer, before))
                    && offset >= (before < 0 ? 0 : TimeIndexDescriptor.relativeOffset(buffer, before));
        }
    };

    /** Relative offsets have four bytes, and none is negative. */
    static final long END_RELATIVE = 1L << 31;

    private final int bytes;

    EntryKind(final int bytes) {
        this.bytes = bytes;
    }

    /** Length of an entry. */
    int bytes() {
        return bytes;
    }

    /** Whether an entry lies below the ends and may stand somewhere behind another, or be the first if that is negative. */
    abstract boolean isLawful(DirectBuffer buffer, int before, int entry, long endRelative, long endPosition);

    /**
     * How many entries can be believed, the first {@code from} of which were found to be in order. A file that was cut, that has
     * zeros at its end or lost a page to them, or that reaches beyond the ends is believed up to there. One with an entry that
     * does not ascend is not believed at all: no crash explains it, so nobody knows which of its entries are true.
     */
    int believed(
            final DirectBuffer buffer, final int from, final int to, final long endRelative, final long endPosition) {
        final int entry = inOrder(buffer, from, to, endRelative, endPosition);
        return entry == to || isExplained(buffer, entry) ? entry : 0;
    }

    /** Up to which entry each is lawful behind the one before it. */
    int inOrder(
            final DirectBuffer buffer, final int from, final int to, final long endRelative, final long endPosition) {
        int entry = from;
        while (entry < to && isLawful(buffer, entry - 1, entry, endRelative, endPosition)) {
            entry++;
        }
        return entry;
    }

    /** Whether an entry that is not in order is padding, or only beyond the ends. */
    boolean isExplained(final DirectBuffer buffer, final int entry) {
        return isZero(buffer, entry) || isLawful(buffer, entry - 1, entry, Long.MAX_VALUE, Long.MAX_VALUE);
    }

    /**
     * Whether the only entry in order is one of zeros with more behind it: then it is padding like them. With greater ones behind
     * it, it is an entry: of a first batch with one record of time 0, or at position 0 as old brokers indexed it. Alone in its
     * file, one of time 0 is not believed: it would say that all records are as old as that.
     */
    boolean isPadding(final DirectBuffer buffer, final int inOrder, final long inFile) {
        return inOrder == 1 && (inFile > 1 || this == TIME) && isZero(buffer, 0);
    }

    /** Whether an entry is of zeros, as what was never written is. */
    boolean isZero(final DirectBuffer buffer, final int entry) {
        for (int i = 0; i < bytes; i++) {
            if (buffer.getByte(entry * bytes + i) != 0) {
                return false;
            }
        }
        return true;
    }
}
