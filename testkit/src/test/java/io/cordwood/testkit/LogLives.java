package io.cordwood.testkit;

import io.cordwood.log.AppendAs;
import io.cordwood.log.DerivedState;
import io.cordwood.log.Log;
import io.cordwood.log.LogBuilder;
import io.cordwood.log.LogConfig;
import io.cordwood.log.codec.Codecs;
import io.cordwood.log.record.BatchBuilder;
import io.cordwood.log.record.Refusal;
import io.cordwood.log.store.Storage;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.Map;
import org.agrona.concurrent.UnsafeBuffer;
import org.jspecify.annotations.Nullable;

/**
 * The production log through several lives of its disk, and its history. Records are numbered over all lives, so that one of an earlier
 * life that comes back is told from the one that took its offset.
 */
final class LogLives {
    private static final String DIRECTORY = "topics/t-0";
    private static final LogConfig SMALL =
            LogConfig.of(Map.of("segment.bytes", "16384", "file.delete.delay.ms", "0", "preallocate", "false"));

    private final boolean isMapped;
    private final UnsafeBuffer memory = new UnsafeBuffer(new byte[16384]);
    private final LogHistory history = new LogHistory();
    private final LogChecker checker =
            new LogChecker(DIRECTORY, history, this::open).state(SegmentCountState::new, SegmentCountState::sums);
    private int recordCount;
    private @Nullable Log log;

    LogLives(final boolean isMapped) {
        this.isMapped = isMapped;
    }

    /** Begins a life on what the last one has left, which must be what is owed. */
    void begin(final Storage disk) {
        final Log opened = checker.open(disk, history.recoveryPoint());
        new LogExam(opened, history);
        LogExam.goOn(opened, history);
        log = opened;
    }

    /** Throws if something is wrong with the log when it begins on that disk. */
    void check(final SimulatedStorage disk) {
        // A recovery that trusts nothing finds the same.
        try (Log untrusting = checker.open(disk.afterPowerCut(PowerCut.nothing()), 0)) {
            new LogExam(untrusting, history);
        }
        checker.check(disk);
    }

    /** What is wrong with the log on that disk, null if nothing is. */
    @Nullable
    String wrongOn(final SimulatedStorage disk) {
        try {
            check(disk);
            return null;
        } catch (final AssertionError e) {
            return String.valueOf(e.getMessage());
        }
    }

    void append(final int valueBytes) {
        final String value = (recordCount++ + " ").repeat(valueBytes / 2 + 1).substring(0, valueBytes);
        final BatchBuilder batch = new BatchBuilder(Codecs.standard()).wrap(memory, 0, memory.capacity());
        final UnsafeBuffer bytes = new UnsafeBuffer(value.getBytes(StandardCharsets.US_ASCII));
        batch.append(Disk.NOW, null, 0, -1, bytes, 0, valueBytes, null);
        final int length = batch.finish();
        final long next = history.nextOffset();
        history.appending(memory, 0, length, 0);
        final long offset = log().gather(memory, 0, length, AppendAs.client(0), Disk.NOW);
        if (Refusal.isRefusal(offset) || offset != next) {
            throw new AssertionError("offset " + offset + ", expected " + next + ": " + log().refusalReason());
        }
    }

    void publish() {
        log().publish();
    }

    void flush() {
        log().publish();
        history.forced(log().flush());
    }

    void roll() {
        log().publish();
        log().roll(Disk.NOW);
    }

    /** Retention of no bytes at all. */
    void dropAll() {
        log().configure(SMALL.with("retention.bytes", "0"));
        history.droppingBelow(log().endOffset());
        log().retain(Disk.NOW, log().endOffset());
        history.keptFrom(log().startOffset());
    }

    long endOffset() {
        return log().endOffset();
    }

    int segmentCount() {
        return log().segmentCount();
    }

    private Log open(final Storage disk, final long recoveryPoint, final List<DerivedState> states) {
        final LogBuilder builder =
                new LogBuilder(disk, DIRECTORY).config(SMALL).guard(history).recoveryPoint(recoveryPoint);
        states.forEach(builder::state);
        return (isMapped ? builder.mapped() : builder).open(Disk.NOW);
    }

    private Log log() {
        final Log opened = log;
        if (opened == null) {
            throw new IllegalStateException("no life has begun");
        }
        return opened;
    }
}
