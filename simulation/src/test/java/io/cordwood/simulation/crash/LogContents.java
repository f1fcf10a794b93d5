package io.cordwood.simulation.crash;

import io.cordwood.log.CorruptLogException;
import io.cordwood.log.Log;
import io.cordwood.log.LogReader;
import io.cordwood.log.record.RecordBatchFlyweight;
import java.util.NavigableMap;
import java.util.TreeMap;
import java.util.function.LongPredicate;
import org.agrona.concurrent.UnsafeBuffer;

/** Reads all of a log, and asks it for each batch by offset and by time. */
final class LogContents {
    private static final int READ_BYTES = 1 << 16;

    private final Log log;
    private final LongPredicate mayBeGap;
    private final NavigableMap<Long, byte[]> batches = new TreeMap<>();

    private LogContents(final Log log, final LongPredicate mayBeGap) {
        this.log = log;
        this.mayBeGap = mayBeGap;
    }

    /**
     * All batches by their base offsets.
     *
     * @param mayBeGap whether offsets may be missing from that one on.
     */
    static NavigableMap<Long, byte[]> read(final Log log, final LongPredicate mayBeGap) {
        final LogContents contents = new LogContents(log, mayBeGap);
        try (LogReader reader = log.newReader()) {
            contents.scan(reader);
        }
        return contents.batches;
    }

    /** The same, and throws if a look-up does not find what the scan has found. */
    static NavigableMap<Long, byte[]> readAndLookUp(final Log log, final LongPredicate mayBeGap) {
        final LogContents contents = new LogContents(log, mayBeGap);
        try (LogReader reader = log.newReader()) {
            contents.scan(reader);
            contents.lookUp(reader);
        }
        return contents.batches;
    }

    /** With gaps anywhere, or nowhere. */
    static NavigableMap<Long, byte[]> read(final Log log, final boolean mayHaveGaps) {
        return read(log, offset -> mayHaveGaps);
    }

    /** With gaps anywhere, or nowhere. */
    static NavigableMap<Long, byte[]> readAndLookUp(final Log log, final boolean mayHaveGaps) {
        return readAndLookUp(log, offset -> mayHaveGaps);
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
                : Math.max(wanted, LogModel.lastOffset(batches.lastEntry().getValue()) + 1);
        // The start of a log may lie within a batch, a gap ends with a segment.
        final boolean isFirst = batches.isEmpty() && batch.baseOffset() <= wanted && batch.lastOffset() >= wanted;
        if (batch.baseOffset() != expected && !isFirst) {
            throw new AssertionError("expected a batch at offset " + expected + ", found one at " + batch.baseOffset());
        }
        final byte[] bytes = new byte[batch.sizeInBytes()];
        batch.buffer().getBytes(batch.index(), bytes);
        batches.put(batch.baseOffset(), bytes);
    }

    private long behindGap(final long offset, final String reason) {
        if (mayBeGap.test(offset)) {
            for (final long base : log.baseOffsets()) {
                if (base > offset) {
                    return base;
                }
            }
        }
        throw new AssertionError("at offset " + offset + " of a log from " + log.startOffset() + " to "
                + log.endOffset() + ": " + reason);
    }

    private void lookUp(final LogReader reader) {
        final UnsafeBuffer bytes = new UnsafeBuffer(0, 0);
        final RecordBatchFlyweight batch = new RecordBatchFlyweight();
        batches.forEach((offset, expected) -> {
            bytes.wrap(expected);
            batch.wrap(bytes, 0);
            final long first = Math.max(offset, log.startOffset());
            requireAt(reader, first, offset);
            requireAt(reader, batch.lastOffset(), offset);
            final long time = batch.baseTimestamp() + (first - offset);
            final long found = reader.offsetForTimestamp(time, Long.MAX_VALUE);
            if (found != first) {
                throw new AssertionError(
                        "offset " + first + " has the time " + time + ", but a look-up finds " + found);
            }
        });
        if (!batches.isEmpty()) {
            bytes.wrap(batches.lastEntry().getValue());
            final long behind = batch.wrap(bytes, 0).maxTimestamp() + 1;
            final long found = reader.offsetForTimestamp(behind, Long.MAX_VALUE);
            if (found != -1) {
                throw new AssertionError("no record is as young as " + behind + ", but a look-up finds " + found);
            }
        }
    }

    private static void requireAt(final LogReader reader, final long offset, final long base) {
        final long read = reader.read(offset, Long.MAX_VALUE, 1);
        final long found = read <= 0
                ? -1
                : new RecordBatchFlyweight().wrap(reader.buffer(), 0).baseOffset();
        if (found != base) {
            throw new AssertionError(
                    "offset " + offset + " lies in the batch at " + base + ", but a look-up finds " + found);
        }
    }
}
