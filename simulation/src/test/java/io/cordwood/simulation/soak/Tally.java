package io.cordwood.simulation.soak;

import java.util.HashMap;
import java.util.Map;
import java.util.TreeMap;
import org.agrona.collections.LongHashSet;

/** What the campaigns of one goal have looked at. Any thread's. */
public final class Tally {
    private final Map<String, Long> counts = new TreeMap<>();
    private final Map<String, LongHashSet> seen = new HashMap<>();

    /**
     * Counts.
     *
     * @param what in the plural, such as {@code flips}.
     * @param count how many more.
     */
    public synchronized void add(final String what, final long count) {
        counts.merge(what, count, Long::sum);
    }

    /**
     * Counts what was not seen before.
     *
     * @param what in the plural, such as {@code states}.
     * @param hash of the thing.
     */
    public synchronized void addDistinct(final String what, final long hash) {
        if (seen.computeIfAbsent(what, w -> new LongHashSet()).add(hash)) {
            add(what, 1);
        }
    }

    /**
     * Tells how many there were.
     *
     * @param what was counted.
     * @return the count; 0 if there was none.
     */
    public synchronized long count(final String what) {
        return counts.getOrDefault(what, 0L);
    }

    /**
     * Tells everything.
     *
     * @return a copy, sorted.
     */
    public synchronized Map<String, Long> counts() {
        return new TreeMap<>(counts);
    }
}
