package io.cordwood.index.oracle;

import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Properties;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.Delayed;
import java.util.concurrent.FutureTask;
import java.util.concurrent.ScheduledFuture;
import java.util.concurrent.TimeUnit;
import org.apache.kafka.common.record.internal.MemoryRecords;
import org.apache.kafka.common.record.internal.Record;
import org.apache.kafka.common.record.internal.RecordBatch;
import org.apache.kafka.common.utils.Time;
import org.apache.kafka.server.storage.log.FetchIsolation;
import org.apache.kafka.server.util.Scheduler;
import org.apache.kafka.storage.internals.log.EpochEntry;
import org.apache.kafka.storage.internals.log.FetchDataInfo;
import org.apache.kafka.storage.internals.log.LogConfig;
import org.apache.kafka.storage.internals.log.LogDirFailureChannel;
import org.apache.kafka.storage.internals.log.LogOffsetsListener;
import org.apache.kafka.storage.internals.log.LogSegment;
import org.apache.kafka.storage.internals.log.LogStartOffsetIncrementReason;
import org.apache.kafka.storage.internals.log.ProducerStateManagerConfig;
import org.apache.kafka.storage.internals.log.UnifiedLog;
import org.apache.kafka.storage.log.metrics.BrokerTopicStats;

/**
 * A partition directory in the hands of Kafka's own {@code UnifiedLog}, opened and closed as a broker does it. The clock
 * stands still unless a test moves it. Tasks run when they are scheduled, on the caller's thread: files that Kafka would
 * delete after a delay are gone when the call returns.
 */
final class KafkaLog implements AutoCloseable {
    private static final int READ_BYTES_MAX = 64 * 1024;

    private final UnifiedLog log;
    private final StandingClock clock;
    private final List<String> warnings;

    private KafkaLog(final UnifiedLog log, final StandingClock clock, final List<String> warnings) {
        this.log = log;
        this.clock = clock;
        this.warnings = warnings;
    }

    /**
     * How a broker comes to a directory: with which of its checkpoints, and after what kind of end.
     *
     * @param wasClean whether the clean-shutdown marker was there: nothing is scanned.
     * @param logStartOffset of the checkpoint.
     * @param recoveryPoint of the checkpoint: what is behind it is scanned after an unclean end.
     */
    record Arrival(boolean wasClean, long logStartOffset, long recoveryPoint) {
        /** After a clean shutdown of a log that starts at 0 or at its first segment. */
        static final Arrival CLEAN = new Arrival(true, 0, 0);

        /** After a crash that left no checkpoint: every batch is validated and every index built anew. */
        static final Arrival SCAN_ALL = new Arrival(false, 0, 0);
    }

    /**
     * Opens a directory, or begins a log in an empty one.
     *
     * @param directory named as Kafka names it, topic and partition.
     * @param config the topic's properties; {@code internal.segment.bytes} for segments below 1 MiB.
     * @param arrival what the broker knows.
     * @param nowMs of the clock.
     * @return the log.
     * @throws Exception Kafka's own.
     */
    static KafkaLog open(final Path directory, final Map<String, ?> config, final Arrival arrival, final long nowMs)
            throws Exception {
        final Properties properties = new Properties();
        config.forEach((name, value) -> properties.put(name, value.toString()));
        final LogConfig logConfig = new LogConfig(properties);
        final StandingClock clock = new StandingClock(nowMs);
        final UnifiedLog[] opened = new UnifiedLog[1];
        final List<String> warnings = Console.during(() -> opened[0] = create(directory, logConfig, arrival, clock));
        return new KafkaLog(opened[0], clock, warnings);
    }

    private static UnifiedLog create(
            final Path directory, final LogConfig config, final Arrival arrival, final Time clock) throws IOException {
        return UnifiedLog.create(
                directory.toFile(),
                config,
                arrival.logStartOffset(),
                arrival.recoveryPoint(),
                new InlineScheduler(),
                new BrokerTopicStats(),
                clock,
                5 * 60 * 1000,
                new ProducerStateManagerConfig(24 * 60 * 60 * 1000, false),
                10 * 60 * 1000,
                new LogDirFailureChannel(1),
                arrival.wasClean(),
                Optional.empty(),
                new ConcurrentHashMap<>(),
                false,
                LogOffsetsListener.NO_OP_OFFSETS_LISTENER);
    }

    /** What Kafka warned of while it opened the directory; empty for a sound one. */
    List<String> warnings() {
        return warnings;
    }

    void clock(final long nowMs) {
        clock.nowMs = nowMs;
    }

    long startOffset() {
        return log.logStartOffset();
    }

    long endOffset() {
        return log.logEndOffset();
    }

    long[] segmentBases() {
        return log.logSegments().stream().mapToLong(LogSegment::baseOffset).toArray();
    }

    List<EpochEntry> epochs() {
        return log.leaderEpochCache().epochEntries();
    }

    /**
     * Every record from the log start to the end, read through {@code UnifiedLog.read} with a bound of 64 KiB.
     *
     * @return the records; their batches' checksums were checked.
     * @throws IOException Kafka's own.
     */
    List<LogRecord> readAll() throws IOException {
        final List<LogRecord> records = new ArrayList<>();
        long next = log.logStartOffset();
        while (next < log.logEndOffset()) {
            final FetchDataInfo read = log.read(next, READ_BYTES_MAX, FetchIsolation.LOG_END, true);
            final long from = next;
            for (final RecordBatch batch : read.records.batches()) {
                batch.ensureValid();
                for (final Record record : batch) {
                    if (record.offset() >= from) {
                        records.add(LogRecord.of(record, batch.partitionLeaderEpoch()));
                    }
                }
                next = batch.nextOffset();
            }
            if (next == from) {
                // A gap at the end: nothing was appended between the last record and the end of the log.
                return records;
            }
        }
        return records;
    }

    /**
     * Offset of the first record that is at least as young as a timestamp.
     *
     * @param timestampMs to look for.
     * @return its offset; -1 if there is none.
     */
    long offsetForTimestamp(final long timestampMs) {
        return log.fetchOffsetByTimestamp(timestampMs, Optional.empty())
                .timestampAndOffsetOpt()
                .map(found -> found.offset)
                .orElse(-1L);
    }

    long appendAsLeader(final MemoryRecords records, final int epoch) throws IOException {
        return log.appendAsLeader(records, epoch).firstOffset();
    }

    void appendAsFollower(final MemoryRecords records, final int epoch) {
        log.appendAsFollower(records, epoch);
    }

    void roll() throws IOException {
        log.roll();
    }

    /** Kafka warns if it has to go below the high watermark, which nobody minds here. */
    void truncateTo(final long offset) throws Exception {
        Console.during(() -> log.truncateTo(offset));
    }

    /** Moves the log start and removes the segments that lie below it. */
    void deleteBefore(final long offset) throws Exception {
        log.updateHighWatermark(log.logEndOffset());
        log.maybeIncrementLogStartOffset(offset, LogStartOffsetIncrementReason.ClientRecordDeletion);
        log.deleteOldSegments();
    }

    /** Forces all that was appended, which moves the recovery point. */
    void flush() {
        log.flush(false);
    }

    long recoveryPoint() {
        return log.recoveryPoint();
    }

    /** Closes as a broker does on a clean shutdown: indexes trimmed, everything forced, a producer snapshot written. */
    @Override
    public void close() {
        log.prepareActiveSegmentForClose();
        log.flush(true);
        log.close();
    }

    /** Leaves the files as the death of the process would. */
    void abandon() {
        log.closeQuietly();
    }

    private static final class StandingClock implements Time {
        private long nowMs;

        StandingClock(final long nowMs) {
            this.nowMs = nowMs;
        }

        @Override
        public long milliseconds() {
            return nowMs;
        }

        @Override
        public long nanoseconds() {
            return nowMs * 1_000_000;
        }

        @Override
        public void sleep(final long ms) {
            nowMs += ms;
        }
    }

    private static final class InlineScheduler implements Scheduler {
        @Override
        public void startup() {}

        @Override
        public void shutdown() {}

        @Override
        public ScheduledFuture<?> schedule(
                final String name, final Runnable task, final long delayMs, final long periodMs) {
            final ScheduledTask scheduled = new ScheduledTask(task);
            if (periodMs <= 0) {
                scheduled.run();
            }
            return scheduled;
        }

        @Override
        public void resizeThreadPool(final int threads) {}
    }

    /** Kafka cancels its periodic task at close, so there must be one; a task that fails fails the call that scheduled it. */
    private static final class ScheduledTask extends FutureTask<Void> implements ScheduledFuture<Void> {
        ScheduledTask(final Runnable task) {
            super(task, null);
        }

        @Override
        protected void setException(final Throwable failure) {
            super.setException(failure);
            throw new IllegalStateException(failure);
        }

        @Override
        public long getDelay(final TimeUnit unit) {
            return 0;
        }

        @Override
        public int compareTo(final Delayed other) {
            return 0;
        }
    }
}
