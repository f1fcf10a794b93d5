package io.cordwood.testkit;

import io.cordwood.log.CorruptLogException;
import io.cordwood.log.Log;
import io.cordwood.log.LogReader;
import io.cordwood.log.codec.Codecs;
import io.cordwood.log.record.CorruptRecordException;
import io.cordwood.log.record.RecordBatchFlyweight;
import io.cordwood.log.record.RecordReader;
import java.util.NavigableMap;
import java.util.TreeMap;
import java.util.function.LongPredicate;
import org.agrona.collections.LongArrayList;

/**
 * All that a log holds, read batch by batch from its start to its end: offsets rise without a hole but where one may be, and each batch
 * that was read is found by its offsets and by its time as well, so that an index that differs from a scan is noticed.
 *
 * <p>For batches of magic 2. One thread's, which is no reader's business: it makes a reader of its own. Takes memory for the whole log and for
 * 16 bytes for each record.
 */
public final class LogContents {
    private static final long NO_GAP = Long.MAX_VALUE;
    private static final int READ_BYTES = 1 << 16;
    private static final int DECOMPRESSED_BYTES_MAX = 1 << 26;

    private final Log log;
    private final LongPredicate mayBeGap;
    private final AppendedGaps appendedGaps;
    private long firstGap = NO_GAP;
    private final NavigableMap<Long, byte[]> batches = new TreeMap<>();

    /** Where offsets are missing as the batches were appended. */
    @FunctionalInterface
    interface AppendedGaps {
        /** Whether all of a range is missing. */
        boolean covers(long from, long to);
    }

    private LogContents(final Log log, final LongPredicate mayBeGap, final AppendedGaps appendedGaps) {
        this.log = log;
        this.mayBeGap = mayBeGap;
        this.appendedGaps = appendedGaps;
    }

    /**
     * Reads all batches.
     *
     * @param log that is open.
     * @param mayBeGap whether offsets may be missing from that one on, up to a segment's beginning.
     * @return the batches by their base offsets, copies.
     * @throws AssertionError if offsets are missing elsewhere, overlap, or do not rise.
     */
    public static NavigableMap<Long, byte[]> read(final Log log, final LongPredicate mayBeGap) {
        return read(log, mayBeGap, (from, to) -> false);
    }

    /** The same of a log in whose segments offsets are missing from some on, as they were appended. */
    static NavigableMap<Long, byte[]> read(
            final Log log, final LongPredicate mayBeGap, final AppendedGaps appendedGaps) {
        final LogContents contents = new LogContents(log, mayBeGap, appendedGaps);
        try (LogReader reader = log.newReader()) {
            contents.scan(reader);
        }
        return contents.batches;
    }

    /**
     * Reads all batches, and looks each up by its first and last offset and by the time of its first record.
     *
     * @param log that is open.
     * @param mayBeGap as of {@link #read}.
     * @return the batches by their base offsets, copies.
     * @throws AssertionError as {@link #read}, and if a look-up does not find what the scan has found.
     */
    public static NavigableMap<Long, byte[]> readAndLookUp(final Log log, final LongPredicate mayBeGap) {
        return readAndLookUp(log, mayBeGap, (from, to) -> false);
    }

    /** The same of a log in whose segments offsets are missing from some on, as they were appended. */
    static NavigableMap<Long, byte[]> readAndLookUp(
            final Log log, final LongPredicate mayBeGap, final AppendedGaps appendedGaps) {
        final LogContents contents = new LogContents(log, mayBeGap, appendedGaps);
        try (LogReader reader = log.newReader()) {
            contents.scan(reader);
            contents.lookUpOffsets(reader);
            contents.lookUpTimes(reader);
        }
        return contents.batches;
    }

    private void scan(final LogReader reader) {
        long next = log.startOffset();
        while (next < log.endOffset()) {
            try {
                if (reader.read(next, Long.MAX_VALUE, READ_BYTES) <= 0) {
                    next = behindGap(next, "nothing is read");
                    continue;
                }
            } catch (final CorruptLogException e) {
                next = behindGap(next, e.toString());
                continue;
            }
            final long wanted = next;
            reader.forEach(batch -> {
                add(batch, wanted);
                return true;
            });
            next = reader.nextOffset();
        }
    }

    private void add(final RecordBatchFlyweight batch, final long wanted) {
        final long expected = batches.isEmpty()
                ? wanted
                : Math.max(wanted, LogHistory.lastOffset(batches.lastEntry().getValue()) + 1);
        // The start of a log may lie within a batch, a gap ends with a segment.
        final boolean isFirst = batches.isEmpty() && batch.baseOffset() <= wanted && batch.lastOffset() >= wanted;
        final boolean isBehindGap = batch.baseOffset() > expected && isGapUpTo(expected, batch.baseOffset());
        if (batch.baseOffset() != expected && !isFirst && !isBehindGap) {
            throw new AssertionError("expected a batch at offset " + expected + ", found one at " + batch.baseOffset());
        }
        final byte[] bytes = new byte[batch.sizeInBytes()];
        batch.buffer().getBytes(batch.index(), bytes);
        batches.put(batch.baseOffset(), bytes);
    }

    /** A gap as it was appended, or one up to a segment, behind which there may be another. */
    private boolean isGapUpTo(final long from, final long to) {
        if (appendedGaps.covers(from, to)) {
            return true;
        }
        if (mayBeGap.test(from)) {
            for (final long base : log.baseOffsets()) {
                if (base > from && base <= to && (base == to || appendedGaps.covers(base, to))) {
                    return true;
                }
            }
        }
        return false;
    }

    private long behindGap(final long offset, final String reason) {
        if (mayBeGap.test(offset)) {
            firstGap = Math.min(firstGap, offset);
            for (final long base : log.baseOffsets()) {
                if (base > offset) {
                    return base;
                }
            }
        }
        throw new AssertionError("at offset " + offset + " of a log from " + log.startOffset() + " to "
                + log.endOffset() + ": " + reason);
    }

    private void lookUpOffsets(final LogReader reader) {
        batches.forEach((offset, bytes) -> {
            requireAt(reader, Math.max(offset, log.startOffset()), offset);
            requireAt(reader, LogHistory.lastOffset(bytes), offset);
        });
    }

    private static void requireAt(final LogReader reader, final long offset, final long base) {
        final String expected = "offset " + offset + " lies in the batch at " + base + ", but a look-up ";
        try {
            final long read = reader.read(offset, Long.MAX_VALUE, 1);
            final long found = read <= 0
                    ? -1
                    : new RecordBatchFlyweight().wrap(reader.buffer(), 0).baseOffset();
            if (found != base) {
                throw new AssertionError(expected + "finds " + found);
            }
        } catch (final CorruptLogException e) {
            throw new AssertionError(expected + "fails: " + e, e);
        }
    }

    /** The answer to each time is the first record, of all there are, that is as young. */
    private void lookUpTimes(final LogReader reader) {
        final LongArrayList offsets = new LongArrayList();
        final LongArrayList youngest = new LongArrayList();
        final LongArrayList wanted = new LongArrayList();
        final long[] latest = {Long.MIN_VALUE};
        try (RecordReader records = new RecordReader(Codecs.standard(), DECOMPRESSED_BYTES_MAX)) {
            batches.forEach((base, bytes) -> {
                boolean isFirst = true;
                begin(records, base, bytes);
                while (hasNext(records, base)) {
                    final long time = records.record().timestamp();
                    if (records.record().offset() < log.startOffset()) {
                        continue;
                    }
                    if (isFirst) {
                        wanted.addLong(time);
                        isFirst = false;
                    }
                    if (time > latest[0]) {
                        latest[0] = time;
                        offsets.addLong(records.record().offset());
                        youngest.addLong(time);
                    }
                }
            });
        }
        wanted.forEachLong(time -> requireTime(reader, time, offsets.getLong(firstAtLeast(youngest, time))));
        if (latest[0] != Long.MIN_VALUE) {
            requireTime(reader, latest[0] + 1, -1);
        }
    }

    private static void begin(final RecordReader records, final long base, final byte[] bytes) {
        try {
            records.wrap(LogHistory.batch(bytes));
        } catch (final CorruptRecordException e) {
            throw new AssertionError("the records of the batch at " + base + " are damaged: " + e, e);
        }
    }

    private static boolean hasNext(final RecordReader records, final long base) {
        try {
            return records.next();
        } catch (final CorruptRecordException e) {
            throw new AssertionError("the records of the batch at " + base + " are damaged: " + e, e);
        }
    }

    /** Index of the first value that is as large, in values that rise. */
    private static int firstAtLeast(final LongArrayList values, final long value) {
        int low = 0;
        int high = values.size() - 1;
        while (low < high) {
            final int middle = (low + high) >>> 1;
            if (values.getLong(middle) >= value) {
                high = middle;
            } else {
                low = middle + 1;
            }
        }
        return low;
    }

    private void requireTime(final LogReader reader, final long time, final long expected) {
        final String there = "of the time " + time + " or younger "
                + (expected == -1 ? "there is no record" : "the first record is at offset " + expected)
                + ", but a look-up ";
        try {
            final long found = reader.offsetForTimestamp(time, Long.MAX_VALUE);
            if (found != expected) {
                throw new AssertionError(there + "finds " + found);
            }
        } catch (final CorruptLogException e) {
            // What is missing may have been as young.
            if (firstGap == NO_GAP || (expected >= 0 && expected < firstGap)) {
                throw new AssertionError(there + "fails: " + e, e);
            }
        }
    }
}
