package io.cordwood.testkit;

import io.cordwood.log.AppendAs;
import io.cordwood.log.CorruptLogException;
import io.cordwood.log.Log;
import io.cordwood.log.LogBuilder;
import io.cordwood.log.LogConfig;
import io.cordwood.log.LogReader;
import io.cordwood.log.RecoveryReport.Kind;
import io.cordwood.log.codec.Codecs;
import io.cordwood.log.record.BatchBuilder;
import io.cordwood.log.record.RecordReader;
import io.cordwood.log.record.Refusal;
import io.cordwood.log.store.Storage;
import java.nio.charset.StandardCharsets;
import java.util.Map;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.stream.LongStream;
import org.agrona.concurrent.UnsafeBuffer;
import org.jspecify.annotations.Nullable;

/**
 * The production log through several lives of its disk, and what it owes: every record that it acknowledged as forced, in its
 * place, and nothing that was not appended. Records are numbered over all lives, so that one of an earlier life that comes back
 * is told from the one that took its offset.
 *
 * <p>Of what was not forced, a segment may have lost its end while the next one is there. The log keeps both, and a read in between
 * fails; the report of the open has to tell of the gap, and what was forced must not lie in it.
 */
final class LogLives {
    private static final LogConfig SMALL =
            LogConfig.of(Map.of("segment.bytes", "16384", "file.delete.delay.ms", "0", "preallocate", "false"));

    private final boolean isMapped;
    private final UnsafeBuffer memory = new UnsafeBuffer(new byte[16384]);
    private final SortedMap<Long, String> appended = new TreeMap<>();
    private int recordCount;
    private long forcedEnd;
    private boolean hasGap;
    private @Nullable Log log;

    LogLives(final boolean isMapped) {
        this.isMapped = isMapped;
    }

    /** Begins a life; what is wrong with the log that it finds, null if nothing is. */
    @Nullable
    String begin(final Storage disk) {
        final Log opened = open(disk, forcedEnd);
        log = opened;
        hasGap |= tellsOfGap(opened);
        final SortedMap<Long, String> found = records(opened, hasGap);
        final String wrong = wrong(found);
        appended.keySet().retainAll(found.keySet());
        return wrong;
    }

    /** What would be wrong with the log if it began on that disk. */
    @Nullable
    String wrongOn(final Storage disk, final long recoveryPoint) {
        final Log opened = open(disk, recoveryPoint);
        final boolean isGapTold = hasGap || tellsOfGap(opened);
        try {
            final SortedMap<Long, String> found = records(opened, isGapTold);
            opened.close();
            final String wrong = wrong(found);
            if (wrong != null) {
                return wrong;
            }
            return found.equals(records(open(disk, Long.MAX_VALUE), isGapTold))
                    ? null
                    : "a clean close and an open change the log";
        } catch (final CorruptLogException e) {
            return e.getMessage();
        }
    }

    void append(final int valueBytes) {
        final String value = (recordCount++ + " ").repeat(valueBytes / 2 + 1).substring(0, valueBytes);
        final BatchBuilder batch = new BatchBuilder(Codecs.standard()).wrap(memory, 0, memory.capacity());
        final UnsafeBuffer bytes = new UnsafeBuffer(value.getBytes(StandardCharsets.US_ASCII));
        batch.append(Disk.NOW, null, 0, -1, bytes, 0, valueBytes, null);
        final long offset = log().gather(memory, 0, batch.finish(), AppendAs.client(0), Disk.NOW);
        if (Refusal.isRefusal(offset) || appended.put(offset, value) != null) {
            throw new AssertionError("offset " + offset + ": " + log().refusalReason());
        }
    }

    void publish() {
        log().publish();
    }

    void flush() {
        log().publish();
        forcedEnd = log().flush();
    }

    void roll() {
        log().publish();
        log().roll(Disk.NOW);
    }

    /** Retention of no bytes at all; nothing is owed then. */
    void dropAll() {
        log().configure(SMALL.with("retention.bytes", "0"));
        log().retain(Disk.NOW, log().endOffset());
        forcedEnd = 0;
    }

    long endOffset() {
        return log().endOffset();
    }

    long forcedEnd() {
        return forcedEnd;
    }

    int segmentCount() {
        return log().segmentCount();
    }

    private Log open(final Storage disk, final long recoveryPoint) {
        final LogBuilder builder =
                new LogBuilder(disk, "topics/t-0").config(SMALL).recoveryPoint(recoveryPoint);
        return (isMapped ? builder.mapped() : builder).open(Disk.NOW);
    }

    private @Nullable String wrong(final SortedMap<Long, String> found) {
        for (final long owed : appended.headMap(forcedEnd).keySet()) {
            if (!found.containsKey(owed)) {
                return "forced up to " + forcedEnd + ", but offset " + owed + " is missing";
            }
        }
        for (final var record : found.entrySet()) {
            final String expected = appended.get(record.getKey());
            if (!record.getValue().equals(expected)) {
                return "at offset " + record.getKey() + " appended '" + expected + "', found '" + record.getValue()
                        + "'";
            }
        }
        return null;
    }

    private static boolean tellsOfGap(final Log opened) {
        return opened.recovery().entries().stream().anyMatch(entry -> entry.kind() == Kind.OFFSETS_MISSING);
    }

    private static SortedMap<Long, String> records(final Log log, final boolean isGapTold) {
        final SortedMap<Long, String> found = new TreeMap<>();
        try (LogReader reader = log.newReader();
                RecordReader records = new RecordReader(Codecs.standard(), 1 << 20)) {
            long next = log.startOffset();
            while (next < log.endOffset()) {
                if (!isReadAt(reader, next, isGapTold)) {
                    next = baseAbove(log, next);
                    continue;
                }
                reader.forEach(batch -> {
                    records.wrap(batch);
                    while (records.next()) {
                        final var record = records.record();
                        found.put(
                                record.offset(),
                                record.buffer().getStringWithoutLengthAscii(record.valueIndex(), record.valueLength()));
                    }
                    return true;
                });
                next = reader.nextOffset();
            }
        }
        return found;
    }

    /** False in a gap, of which a read says that it is damage, or nothing if all behind it is empty. */
    private static boolean isReadAt(final LogReader reader, final long offset, final boolean isGapTold) {
        try {
            if (reader.read(offset, Long.MAX_VALUE, 1 << 16) > 0) {
                return true;
            }
            if (!isGapTold) {
                throw new AssertionError("nothing is read at " + offset);
            }
        } catch (final CorruptLogException e) {
            if (!isGapTold || !String.valueOf(e.getMessage()).contains("are missing in front of")) {
                throw e;
            }
        }
        return false;
    }

    private static long baseAbove(final Log log, final long offset) {
        return LongStream.of(log.baseOffsets())
                .filter(base -> base > offset)
                .min()
                .orElseThrow();
    }

    private Log log() {
        final Log opened = log;
        if (opened == null) {
            throw new IllegalStateException("no life has begun");
        }
        return opened;
    }
}
