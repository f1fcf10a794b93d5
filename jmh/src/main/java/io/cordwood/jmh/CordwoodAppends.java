package io.cordwood.jmh;

import io.cordwood.index.SparseIndexes;
import io.cordwood.log.AppendAs;
import io.cordwood.log.Log;
import io.cordwood.log.LogBuilder;
import io.cordwood.log.LogConfig;
import io.cordwood.log.LogReader;
import io.cordwood.log.ReserveAgent;
import io.cordwood.log.codec.Codecs;
import io.cordwood.log.record.BatchBuilder;
import io.cordwood.log.record.RecordBatchDescriptor;
import io.cordwood.log.record.Refusal;
import io.cordwood.log.store.DiskStorage;
import io.cordwood.log.store.Storage;
import java.nio.ByteBuffer;
import java.nio.file.Path;
import java.util.HashMap;
import java.util.Map;
import org.agrona.CloseHelper;
import org.agrona.concurrent.AgentRunner;
import org.agrona.concurrent.BackoffIdleStrategy;
import org.agrona.concurrent.SleepingMillisIdleStrategy;
import org.agrona.concurrent.UnsafeBuffer;
import org.jspecify.annotations.Nullable;
import org.openjdk.jmh.annotations.Param;
import org.openjdk.jmh.annotations.Scope;
import org.openjdk.jmh.annotations.Setup;
import org.openjdk.jmh.annotations.State;
import org.openjdk.jmh.annotations.TearDown;

/** Our log being appended to: it grows, rolls, and drops old segments by size. */
@State(Scope.Thread)
public class CordwoodAppends implements Scanning.Scanned, Reads.Source {
    private static final AppendAs TERMS = AppendAs.client(0);

    /** What a record without a key takes beside its value, at most. */
    private static final int RECORD_BYTES = 32;

    private static final long FREEING_MS = 10;

    /** What is appended. */
    @Param
    public BatchShape shape = BatchShape.ONE_OF_100_B;

    /** How it is compressed, by Kafka's name for it. */
    @Param("none")
    public String codec = "none";

    private final boolean isMapped;
    private final int segmentBytes;
    private final UnsafeBuffer batch = new UnsafeBuffer(0, 0);
    private final UnsafeBuffer claimed = new UnsafeBuffer(0, 0);
    private final UnsafeBuffer value = new UnsafeBuffer(0, 0);
    private Codecs codecs;
    private BatchBuilder builder;
    private Path root;
    private Storage storage;
    private Log log;
    private @Nullable AgentRunner reserving;
    private long bytesUntilRetention;
    private long retentions;

    /**
     * Chooses the store.
     *
     * @param isMapped whether segments are mapped; else they are written through a channel.
     * @param segmentBytes after which a segment is rolled.
     */
    protected CordwoodAppends(final boolean isMapped, final int segmentBytes) {
        this.isMapped = isMapped;
        this.segmentBytes = segmentBytes;
        this.bytesUntilRetention = segmentBytes;
    }

    /**
     * Begins an empty log.
     *
     * @param parts that it is made of.
     */
    @Setup
    public void open(final Parts parts) {
        root = BenchDirectory.fresh();
        storage = parts.storage(root);
        codecs = parts.codecs();
        builder = new BatchBuilder(codecs);
        final Map<String, String> topic = new HashMap<>();
        GrowingLog.topic(segmentBytes).forEach((name, value) -> topic.put(name, value.toString()));
        topic.put("file.delete.delay.ms", "0");
        final LogBuilder opening = new LogBuilder(storage, "cordwood-0")
                .config(LogConfig.of(topic))
                .codecs(codecs)
                .indexes(new SparseIndexes());
        if (isMapped) {
            opening.mapped();
        }
        // Another storage has its own way to be ahead of the writer, or none.
        if (storage instanceof DiskStorage disk) {
            reserving = new AgentRunner(
                    // Without mappings there are only deleted files to be freed.
                    isMapped
                            ? new BackoffIdleStrategy(0, 0, 50_000, 200_000)
                            : new SleepingMillisIdleStrategy(FREEING_MS),
                    Throwable::printStackTrace,
                    null,
                    new ReserveAgent(disk));
            AgentRunner.startOnThread(reserving);
        }
        log = opening.open(System.currentTimeMillis());
        CallsProfiler.countForces(log::forceCount);
        final ByteBuffer received = shape.received(System.currentTimeMillis(), codec);
        batch.wrap(ByteBuffer.allocateDirect(received.limit()).put(received));
        value.wrap(shape.value());
    }

    /** Removes the log; nothing is forced for it. */
    @TearDown
    public void close() {
        GrowingLog.requireRetention(log.startOffset(), retentions);
        log.closeUncleanly();
        CloseHelper.close(reserving);
        storage.close();
        BenchDirectory.remove(root);
    }

    long append() {
        final long nowMs = System.currentTimeMillis();
        final long offset = accepted(log.append(batch, 0, batch.capacity(), TERMS, nowMs));
        retain(batch.capacity(), nowMs);
        return offset;
    }

    long gather(final int count) {
        final long nowMs = System.currentTimeMillis();
        for (int i = 0; i < count; i++) {
            accepted(log.gather(batch, 0, batch.capacity(), TERMS, nowMs));
        }
        final long end = log.publish();
        retain(count * batch.capacity(), nowMs);
        return end;
    }

    /** Encodes the batch in the log's own memory: no copy of it is anywhere else. */
    long claim() {
        final long nowMs = System.currentTimeMillis();
        final int room = RecordBatchDescriptor.HEADER_BYTES + shape.records() * (shape.valueBytes() + RECORD_BYTES);
        accepted(log.claim(room, claimed, nowMs) == Refusal.ACCEPTED ? 0 : -1);
        builder.wrap(claimed, 0, room);
        for (int i = 0; i < shape.records(); i++) {
            builder.append(nowMs, null, 0, -1, value, 0, value.capacity(), null);
        }
        final int length = builder.finish();
        final long offset = accepted(log.commit(length, TERMS, nowMs));
        log.publish();
        retain(length, nowMs);
        return offset;
    }

    @Override
    public Scanning.Scan newScan() {
        final LogReader reader = log.newReader();
        return new Scanning.Scan() {
            private long next;

            @Override
            public long step() {
                final long bytes = reader.read(next, Long.MAX_VALUE, ReadLog.READ_BYTES);
                next = bytes > 0 ? reader.nextOffset() : log.startOffset();
                return Math.max(0, bytes);
            }

            @Override
            public void close() {
                reader.close();
            }
        };
    }

    @Override
    public Reads newReads() {
        return new CordwoodReads(log, codecs);
    }

    private long accepted(final long result) {
        if (result < 0) {
            throw new IllegalStateException(log.refusalReason());
        }
        return result;
    }

    private void retain(final int bytes, final long nowMs) {
        bytesUntilRetention -= bytes;
        if (bytesUntilRetention <= 0) {
            bytesUntilRetention = segmentBytes;
            retentions++;
            log.retain(nowMs, log.endOffset());
            log.doWork(nowMs);
        }
    }

    /** Written through a channel. */
    public static class Channel extends CordwoodAppends {
        /** Made by JMH. */
        public Channel() {
            super(false, GrowingLog.SEGMENT_BYTES);
        }
    }

    /** The same with segments that roll soon. */
    public static class ShortChannel extends CordwoodAppends {
        /** Made by JMH. */
        public ShortChannel() {
            super(false, GrowingLog.SHORT_SEGMENT_BYTES);
        }
    }

    /** Mapped, with a helper that reserves ahead. */
    public static class Mapped extends CordwoodAppends {
        /** Made by JMH. */
        public Mapped() {
            super(true, GrowingLog.SEGMENT_BYTES);
        }
    }

    /** The same with segments that roll soon. */
    public static class ShortMapped extends CordwoodAppends {
        /** Made by JMH. */
        public ShortMapped() {
            super(true, GrowingLog.SHORT_SEGMENT_BYTES);
        }
    }
}
