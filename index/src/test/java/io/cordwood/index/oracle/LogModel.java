package io.cordwood.index.oracle;

import java.util.ArrayList;
import java.util.List;
import java.util.SortedMap;
import java.util.SplittableRandom;
import java.util.TreeMap;

/** What a log must hold, kept in a list: whatever was appended, less what was truncated and what lies below the start. */
final class LogModel {
    private final List<List<LogRecord>> batches = new ArrayList<>();
    private long start;
    private long end;

    void append(final List<LogRecord> batch) {
        batches.add(batch);
        end = lastOffset(batch) + 1;
    }

    /** Batches that hold the offset, or lie behind it, go. */
    void truncateTo(final long offset) {
        batches.removeIf(batch -> lastOffset(batch) >= offset);
        end = Math.min(end, offset);
    }

    void deleteBefore(final long offset) {
        start = Math.max(start, offset);
    }

    /**
     * Takes over the end that a log has: gaps at the end, which a truncation may leave, are not kept in any file.
     *
     * @param found end of a log.
     */
    void settleEnd(final long found) {
        if (found < leastEnd() || found > end) {
            throw new AssertionError("the log ends at " + found + ", not between " + leastEnd() + " and " + end);
        }
        end = found;
    }

    /**
     * Takes back a start that was moved, if a crash came before the checkpoint.
     *
     * @param known start by the checkpoint, or the first segment if that lies above.
     */
    void settleStart(final long known) {
        if (known > start) {
            throw new AssertionError("the log starts at " + known + ", and " + start + " was asked for");
        }
        start = known;
    }

    /** Whether the start lies in a gap at the end: Kafka then warns that it deletes all segments, and rightly does so. */
    boolean startsBehindAllBatches() {
        return start > endOfBatches();
    }

    /** Where the log ends if the gap at its end is not kept. */
    long leastEnd() {
        return Math.max(start, endOfBatches());
    }

    private long endOfBatches() {
        return batches.isEmpty() ? 0 : lastOffset(batches.get(batches.size() - 1)) + 1;
    }

    long start() {
        return start;
    }

    long end() {
        return end;
    }

    List<LogRecord> readable() {
        return batches.stream()
                .flatMap(List::stream)
                .filter(record -> record.offset() >= start)
                .toList();
    }

    /** First record at least as young, -1 if there is none. */
    long offsetForTimestamp(final long timestampMs) {
        return readable().stream()
                .filter(record -> record.timestamp() >= timestampMs)
                .mapToLong(LogRecord::offset)
                .findFirst()
                .orElse(-1);
    }

    /** Where offsets are not consecutive between two batches of one segment. */
    SortedMap<Long, Long> gaps(final long[] segmentBases) {
        final SortedMap<Long, Long> gaps = new TreeMap<>();
        for (int i = 1; i < batches.size(); i++) {
            final long last = lastOffset(batches.get(i - 1));
            final long next = batches.get(i).get(0).offset();
            if (next != last + 1 && last >= segmentBases[0] && isOneSegment(segmentBases, last, next)) {
                gaps.put(last, next);
            }
        }
        return gaps;
    }

    private static boolean isOneSegment(final long[] segmentBases, final long last, final long next) {
        for (final long base : segmentBases) {
            if (base > last && base <= next) {
                return false;
            }
        }
        return true;
    }

    /** First offset of some batch that is still readable, or the end. */
    long someBoundary(final SplittableRandom random) {
        final List<Long> boundaries = new ArrayList<>(batches.stream()
                .map(batch -> batch.get(0).offset())
                .filter(offset -> offset >= start)
                .toList());
        boundaries.add(end);
        return boundaries.get(random.nextInt(boundaries.size()));
    }

    private static long lastOffset(final List<LogRecord> batch) {
        return batch.get(batch.size() - 1).offset();
    }
}
