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
        return floor(buffer, entries, key, false);
    }

    /**
     * Last entry of a time index whose timestamp is at most {@code key}.
     *
     * @return number of the entry, or -1 if there is none.
     */
    static int timestamp(final DirectBuffer buffer, final int entries, final long key) {
        return floor(buffer, entries, key, true);
    }

    private static int floor(final DirectBuffer buffer, final int entries, final long key, final boolean isTime) {
        final int last = entries - 1;
        if (last < 0) {
            return -1;
        }
        final long lastKey = keyOf(buffer, last, isTime);
        if (key >= lastKey) {
            return last;
        }
        final long firstKey = keyOf(buffer, 0, isTime);
        if (key < firstKey) {
            return -1;
        }
        final double entriesPerKey = (double) last / (lastKey - firstKey);
        int low = moved(0, (key - firstKey) * entriesPerKey, last);
        for (int i = 0; i < REFINEMENTS; i++) {
            low = moved(low, (key - keyOf(buffer, low, isTime)) * entriesPerKey, last);
        }
        int high;
        int step = FIRST_STEP;
        if (keyOf(buffer, low, isTime) <= key) {
            high = Math.min(last, low + step);
            while (high < last && keyOf(buffer, high, isTime) <= key) {
                low = high;
                step <<= 2;
                high = Math.min(last, low + step);
            }
        } else {
            high = low;
            low = Math.max(0, high - step);
            while (low > 0 && keyOf(buffer, low, isTime) > key) {
                high = low;
                step <<= 2;
                low = Math.max(0, high - step);
            }
        }
        for (int left = high - low; left > 1; ) {
            final int half = left >>> 1;
            low = keyOf(buffer, low + half, isTime) <= key ? low + half : low;
            left -= half;
        }
        return low;
    }

    private static long keyOf(final DirectBuffer buffer, final int entry, final boolean isTime) {
        return isTime
                ? TimeIndexDescriptor.timestamp(buffer, entry)
                : OffsetIndexDescriptor.relativeOffset(buffer, entry);
    }

    /** An entry so many entries further, within the table. */
    private static int moved(final int entry, final double by, final int last) {
        return (int) Math.max(0, Math.min(last, entry + by));
    }
}
