package io.cordwood.index;

import org.agrona.DirectBuffer;

/**
 * Finds the last entry whose key is at most the one sought, among sorted entries.
 *
 * <p>The keys of an index grow about evenly, so the place is guessed from the first and the last key, and moved twice by what
 * the guess was off; then it is widened in growing steps until it encloses the key, and what is enclosed is halved, by a
 * choice and not by a jump that would be guessed wrong every other time. Most searches touch four or five cache lines of a
 * large index instead of one for each halving; if keys grow unevenly, a search costs about twice the halvings. A key behind the last entry, which is what readers at the end of a log ask for, costs one
 * comparison.
 *
 * <p>Every search ends, also in a file that is being cut: then its entries turn to zeros meanwhile, and the answer, which is
 * some entry, is not used.
 */
final class FloorSearch {
    private static final int REFINEMENTS = 2;
    private static final int FIRST_STEP = 4;

    private FloorSearch() {}

    /**
     * Last entry of an offset index whose relative offset is at most {@code key}.
     *
     * @return number of the entry, or -1 if there is none.
     */
    static int offset(final DirectBuffer buffer, final int entries, final long key) {
        final int last = entries - 1;
        if (last < 0) {
            return -1;
        }
        final long lastKey = OffsetIndexDescriptor.relativeOffset(buffer, last);
        if (key >= lastKey) {
            return last;
        }
        final long firstKey = OffsetIndexDescriptor.relativeOffset(buffer, 0);
        if (key < firstKey) {
            return -1;
        }
        final double entriesPerKey = (double) last / (lastKey - firstKey);
        int low = moved(0, (key - firstKey) * entriesPerKey, last);
        for (int i = 0; i < REFINEMENTS; i++) {
            low = moved(low, (key - OffsetIndexDescriptor.relativeOffset(buffer, low)) * entriesPerKey, last);
        }
        int high;
        int step = FIRST_STEP;
        if (OffsetIndexDescriptor.relativeOffset(buffer, low) <= key) {
            high = Math.min(last, low + step);
            while (high < last && OffsetIndexDescriptor.relativeOffset(buffer, high) <= key) {
                low = high;
                step <<= 2;
                high = Math.min(last, low + step);
            }
        } else {
            high = low;
            low = Math.max(0, high - step);
            while (low > 0 && OffsetIndexDescriptor.relativeOffset(buffer, low) > key) {
                high = low;
                step <<= 2;
                low = Math.max(0, high - step);
            }
        }
        for (int left = high - low; left > 1; ) {
            final int half = left >>> 1;
            low = OffsetIndexDescriptor.relativeOffset(buffer, low + half) <= key ? low + half : low;
            left -= half;
        }
        return low;
    }

    /**
     * Last entry of a time index whose timestamp is at most {@code key}.
     *
     * @return number of the entry, or -1 if there is none.
     */
    static int timestamp(final DirectBuffer buffer, final int entries, final long key) {
        final int last = entries - 1;
        if (last < 0) {
            return -1;
        }
        final long lastKey = TimeIndexDescriptor.timestamp(buffer, last);
        if (key >= lastKey) {
            return last;
        }
        final long firstKey = TimeIndexDescriptor.timestamp(buffer, 0);
        if (key < firstKey) {
            return -1;
        }
        final double entriesPerKey = (double) last / (lastKey - firstKey);
        int low = moved(0, (key - firstKey) * entriesPerKey, last);
        for (int i = 0; i < REFINEMENTS; i++) {
            low = moved(low, (key - TimeIndexDescriptor.timestamp(buffer, low)) * entriesPerKey, last);
        }
        int high;
        int step = FIRST_STEP;
        if (TimeIndexDescriptor.timestamp(buffer, low) <= key) {
            high = Math.min(last, low + step);
            while (high < last && TimeIndexDescriptor.timestamp(buffer, high) <= key) {
                low = high;
                step <<= 2;
                high = Math.min(last, low + step);
            }
        } else {
            high = low;
            low = Math.max(0, high - step);
            while (low > 0 && TimeIndexDescriptor.timestamp(buffer, low) > key) {
                high = low;
                step <<= 2;
                low = Math.max(0, high - step);
            }
        }
        for (int left = high - low; left > 1; ) {
            final int half = left >>> 1;
            low = TimeIndexDescriptor.timestamp(buffer, low + half) <= key ? low + half : low;
            left -= half;
        }
        return low;
    }

    /** An entry so many entries further, within the table. */
    private static int moved(final int entry, final double by, final int last) {
        return (int) Math.max(0, Math.min(last, entry + by));
    }
}
