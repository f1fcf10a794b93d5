package io.cordwood.testkit;

import java.util.Map;
import java.util.NavigableMap;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;

/**
 * Where a log is known to miss offsets: between batches as they were appended, which is no loss, and where a crash has left a hole that the
 * open told of. Each from its first offset up to the one behind its last.
 */
final class KnownGaps {
    private final NavigableMap<Long, Long> appended = new TreeMap<>();
    private final NavigableMap<Long, Long> found = new TreeMap<>();

    void appended(final long from, final long to) {
        appended.put(from, to);
    }

    boolean hasAppended() {
        return !appended.isEmpty();
    }

    /** Whether all of a range was left out when the batches around it were appended. */
    boolean isAppended(final long from, final long to) {
        return covers(appended.floorEntry(from), to);
    }

    boolean isKnown(final long offset) {
        return covers(found.floorEntry(offset), offset + 1) || isAppended(offset, offset + 1);
    }

    private static boolean covers(final Map.@Nullable Entry<Long, Long> gap, final long to) {
        return gap != null && to <= gap.getValue();
    }

    /** What lies at or above is gone, and may be appended without a gap. */
    void cutTo(final long end) {
        // A gap up to the end is one only with a batch behind it, and that is gone.
        appended.values().removeIf(to -> to >= end);
        found.tailMap(end, true).clear();
        final Map.Entry<Long, Long> last = found.lastEntry();
        if (last != null && last.getValue() > end) {
            found.put(last.getKey(), end);
        }
    }

    void clear() {
        appended.clear();
        found.clear();
    }

    /** All batches that an open has found, by their base offsets, in a log of which everything is owed from an offset on. */
    void found(final NavigableMap<Long, byte[]> batches, final long owedFrom, final long end) {
        appended.values().removeIf(to -> !batches.containsKey(to));
        found.clear();
        long next = batches.isEmpty() ? owedFrom : Math.min(owedFrom, batches.firstKey());
        for (final Map.Entry<Long, byte[]> batch : batches.entrySet()) {
            if (batch.getKey() != next) {
                found.put(next, batch.getKey());
            }
            next = LogHistory.lastOffset(batch.getValue()) + 1;
        }
        if (next != end) {
            found.put(next, end);
        }
    }
}
