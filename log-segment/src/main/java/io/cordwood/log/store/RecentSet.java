package io.cordwood.log.store;

import java.util.ArrayList;

/**
 * A bounded set that lets go of what was not used lately: a clock with one bit per entry, so that a use costs a reader one
 * load. Guarded by the lock of {@link OpenFiles}, but for {@link Entry#touch}.
 */
final class RecentSet {
    /** Something that can be let go of while nobody uses it, and be had again later. */
    abstract static class Entry {
        private volatile boolean isRecent;
        private int slot = -1;

        /** Tells that the entry is in use; by any thread. */
        final void touch() {
            if (!isRecent) {
                isRecent = true;
            }
        }

        /** Lets go of what the entry holds; false if it is in use just now. */
        abstract boolean tryEvict();
    }

    private final ArrayList<Entry> entries = new ArrayList<>();
    private int sizeMax;
    private int hand;

    RecentSet(final int sizeMax) {
        this.sizeMax = sizeMax;
    }

    int size() {
        return entries.size();
    }

    /** Evicts until one more entry fits; the bound gives way only where everything is in use. */
    void makeRoom() {
        boolean isEvicted = true;
        while (isEvicted && entries.size() >= sizeMax) {
            isEvicted = evictOne();
        }
    }

    /** Adds an entry, after {@link #makeRoom}. It counts as recent at its second use: a scan does not drive out the rest. */
    void add(final Entry entry) {
        entry.slot = entries.size();
        entries.add(entry);
    }

    /** Forgets an entry, if it is in the set. */
    void remove(final Entry entry) {
        final int slot = entry.slot;
        if (slot >= 0) {
            entry.slot = -1;
            final Entry last = entries.remove(entries.size() - 1);
            if (last != entry) {
                entries.set(slot, last);
                last.slot = slot;
            }
        }
    }

    /** Lowers the bound, because the system allows less than was configured; false if nothing could be evicted. */
    boolean shrink() {
        final int before = entries.size();
        final int target = before - (before + 3) / 4;
        boolean isEvicted = true;
        while (isEvicted && entries.size() > target) {
            isEvicted = evictOne();
        }
        if (entries.size() == before) {
            return false;
        }
        sizeMax = Math.max(1, entries.size());
        return true;
    }

    /** Evicts all that is not in use. */
    void clear() {
        for (int i = entries.size() - 1; i >= 0; i--) {
            final Entry entry = entries.get(i);
            if (entry.tryEvict()) {
                remove(entry);
            }
        }
    }

    private boolean evictOne() {
        // Two rounds: the first may do no more than clear every bit.
        for (int left = 2 * entries.size(); left > 0; left--) {
            hand = hand < entries.size() ? hand : 0;
            final Entry entry = entries.get(hand);
            if (entry.isRecent) {
                entry.isRecent = false;
                hand++;
            } else {
                // On to the next in any case: the newest entry moves into a slot that becomes free.
                hand++;
                if (entry.tryEvict()) {
                    remove(entry);
                    return true;
                }
            }
        }
        return false;
    }
}
