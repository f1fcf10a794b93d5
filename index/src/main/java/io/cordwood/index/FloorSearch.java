package io.cordwood.index;

import org.agrona.DirectBuffer;

/**
 * Finds the last entry whose key is at most the one sought, among sorted entries.
 *
 * <p>The keys of an index grow about evenly, so the place is guessed from the first and the last key, the guess is widened in
 * doubling steps until it encloses the key, and what is enclosed is halved. Most searches touch two or three pages of a large
 * index instead of one for each halving; if keys grow unevenly, a search costs at most twice the halvings. A key behind the
 * last entry, which is what readers at the end of a log ask for, costs one comparison.
 *
 * <p>Every search ends, also in a file that is being cut: then its entries turn to zeros meanwhile, and the answer, which is
 * some entry, is not used.
 */
final class FloorSearch {
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
        int low = (int) (last * ((double) (key - firstKey) / (lastKey - firstKey)));
        int high;
        int step = 1;
        if (OffsetIndexDescriptor.relativeOffset(buffer, low) <= key) {
            high = Math.min(last, low + step);
            while (high < last && OffsetIndexDescriptor.relativeOffset(buffer, high) <= key) {
                low = high;
                step <<= 1;
                high = Math.min(last, low + step);
            }
        } else {
            high = low;
            low = Math.max(0, high - step);
            while (low > 0 && OffsetIndexDescriptor.relativeOffset(buffer, low) > key) {
                high = low;
                step <<= 1;
                low = Math.max(0, high - step);
            }
        }
        while (high - low > 1) {
            final int middle = (low + high) >>> 1;
            if (OffsetIndexDescriptor.relativeOffset(buffer, middle) <= key) {
                low = middle;
            } else {
                high = middle;
            }
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
        int low = (int) (last * ((double) (key - firstKey) / (double) (lastKey - firstKey)));
        int high;
        int step = 1;
        if (TimeIndexDescriptor.timestamp(buffer, low) <= key) {
            high = Math.min(last, low + step);
            while (high < last && TimeIndexDescriptor.timestamp(buffer, high) <= key) {
                low = high;
                step <<= 1;
                high = Math.min(last, low + step);
            }
        } else {
            high = low;
            low = Math.max(0, high - step);
            while (low > 0 && TimeIndexDescriptor.timestamp(buffer, low) > key) {
                high = low;
                step <<= 1;
                low = Math.max(0, high - step);
            }
        }
        while (high - low > 1) {
            final int middle = (low + high) >>> 1;
            if (TimeIndexDescriptor.timestamp(buffer, middle) <= key) {
                low = middle;
            } else {
                high = middle;
            }
        }
        return low;
    }
}
