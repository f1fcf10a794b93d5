package io.cordwood.index.oracle;

import io.cordwood.index.SparseIndexes;
import io.cordwood.index.log.Holes;
import io.cordwood.log.AppendAs;
import io.cordwood.log.LeaderEpoch;
import io.cordwood.log.Log;
import io.cordwood.log.LogBuilder;
import io.cordwood.log.LogConfig;
import io.cordwood.log.LogReader;
import io.cordwood.log.codec.Codecs;
import io.cordwood.log.record.BatchBuilder;
import io.cordwood.log.record.RecordBatchFlyweight;
import io.cordwood.log.record.RecordReader;
import io.cordwood.log.record.Refusal;
import io.cordwood.log.store.DiskStorage;
import java.nio.ByteBuffer;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import org.agrona.concurrent.UnsafeBuffer;
import org.apache.kafka.common.record.internal.MemoryRecords;

/** The same directory in our own hands; each call goes to a method of {@link Log} and fails if it is refused. */
final class CordwoodLog implements AutoCloseable {
    private static final int READ_BYTES_MAX = 64 * 1024;

    private final DiskStorage storage;
    private final Log log;
    private final BatchBuilder builder = new BatchBuilder(Codecs.standard());
    private long nowMs;

    private CordwoodLog(final DiskStorage storage, final Log log, final long nowMs) {
        this.storage = storage;
        this.log = log;
        this.nowMs = nowMs;
    }

    /**
     * Opens a directory, or begins a log in an empty one.
     *
     * @param directory of the partition.
     * @param config the topic's properties.
     * @param isMapped whether segments are mapped for appending.
     * @param recoveryPoint {@link Long#MAX_VALUE} after a clean end.
     * @param startOffset of the checkpoint.
     * @param nowMs of the clock.
     * @return the log.
     */
    static CordwoodLog open(
            final Path directory,
            final Map<String, ?> config,
            final boolean isMapped,
            final long recoveryPoint,
            final long startOffset,
            final long nowMs) {
        final Map<String, String> properties = new HashMap<>();
        config.forEach((name, value) -> properties.put(name, value.toString()));
        final DiskStorage storage = new DiskStorage(Objects.requireNonNull(directory.getParent()));
        final LogBuilder builder = new LogBuilder(
                        storage, Objects.requireNonNull(directory.getFileName()).toString())
                .config(LogConfig.of(properties))
                .indexes(new SparseIndexes())
                .recoveryPoint(recoveryPoint)
                .startOffset(startOffset);
        return new CordwoodLog(storage, (isMapped ? builder.mapped() : builder).open(nowMs), nowMs);
    }

    /**
     * A log that somebody else has opened, and is going to close.
     *
     * @param log of a data directory.
     * @param storage of the directory.
     * @param nowMs of the clock.
     * @return the log.
     */
    static CordwoodLog over(final Log log, final DiskStorage storage, final long nowMs) {
        return new CordwoodLog(storage, log, nowMs);
    }

    void clock(final long newNowMs) {
        nowMs = newNowMs;
    }

    long startOffset() {
        return log.startOffset();
    }

    long endOffset() {
        return log.endOffset();
    }

    long[] segmentBases() {
        return log.baseOffsets();
    }

    List<LeaderEpoch> epochs() {
        return List.copyOf(log.leaderEpochs().entries());
    }

    List<String> recoveryActs() {
        return log.recovery().acts();
    }

    long appendAsLeader(final MemoryRecords records, final int epoch) {
        final UnsafeBuffer run = run(records);
        return accepted(log.append(run, 0, run.capacity(), AppendAs.client(epoch), nowMs));
    }

    long gatherAsLeader(final MemoryRecords records, final int epoch) {
        final UnsafeBuffer run = run(records);
        return accepted(log.gather(run, 0, run.capacity(), AppendAs.client(epoch), nowMs));
    }

    void appendAsFollower(final MemoryRecords records) {
        final UnsafeBuffer run = run(records);
        accepted(log.append(run, 0, run.capacity(), AppendAs.replica(), nowMs));
    }

    /** Encodes a batch in the log's own memory; not published. */
    long claimAndCommit(final ProducedBatch batch, final int epoch) {
        final UnsafeBuffer memory = new UnsafeBuffer(0, 0);
        final long claimed = log.claim(batch.bytesMax(), memory, nowMs);
        if (claimed != Refusal.ACCEPTED) {
            throw new IllegalStateException(log.refusalReason());
        }
        return accepted(log.commit(batch.encodeWith(builder, memory), AppendAs.client(epoch), nowMs));
    }

    void publish() {
        log.publish();
    }

    void flush() {
        accepted(log.flush());
    }

    void roll() {
        log.roll(nowMs);
    }

    long truncateTo(final long offset) {
        return accepted(log.truncateTo(offset, nowMs));
    }

    void deleteBefore(final long offset) {
        accepted(log.deletePrefix(offset, log.publish(), nowMs));
        log.doWork(nowMs);
    }

    /** Every record from the log start to the end. */
    List<LogRecord> readAll() {
        final List<LogRecord> found = new ArrayList<>();
        final RecordBatchFlyweight batch = new RecordBatchFlyweight();
        try (LogReader reader = log.newReader();
                RecordReader records = new RecordReader(Codecs.standard(), 1 << 20)) {
            long next = log.startOffset();
            while (next < log.endOffset()) {
                final long from = next;
                final int bytes =
                        (int) accepted(Holes.read(from, at -> reader.read(at, Long.MAX_VALUE, READ_BYTES_MAX)));
                if (bytes == 0) {
                    // A gap at the end: nothing was appended between the last record and the end of the log.
                    return found;
                }
                for (int at = 0; at < bytes; at += batch.sizeInBytes()) {
                    records.wrap(batch.wrap(reader.buffer(), at));
                    while (records.next()) {
                        if (records.record().offset() >= from) {
                            found.add(LogRecord.of(records.record(), batch.partitionLeaderEpoch()));
                        }
                    }
                }
                next = reader.nextOffset();
            }
        }
        return found;
    }

    long offsetForTimestamp(final long timestampMs) {
        try (LogReader reader = log.newReader()) {
            return reader.offsetForTimestamp(timestampMs, Long.MAX_VALUE);
        }
    }

    @Override
    public void close() {
        log.close();
        storage.close();
    }

    /** Leaves the files as the death of the process would. */
    void abandon() {
        log.closeUncleanly();
        storage.close();
    }

    private long accepted(final long result) {
        if (result < 0) {
            throw new IllegalStateException(Refusal.name(result) + ": " + log.refusalReason());
        }
        return result;
    }

    private static UnsafeBuffer run(final MemoryRecords records) {
        final ByteBuffer bytes = records.buffer();
        return new UnsafeBuffer(bytes, bytes.position(), bytes.remaining());
    }
}
