package io.cordwood.jmh;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.file.Path;
import org.apache.kafka.common.record.internal.FileRecords;
import org.apache.kafka.common.record.internal.MemoryRecords;
import org.apache.kafka.common.record.internal.MutableRecordBatch;
import org.apache.kafka.common.record.internal.Records;
import org.apache.kafka.server.common.RequestLocal;
import org.apache.kafka.server.storage.log.FetchIsolation;
import org.apache.kafka.storage.internals.log.AppendOrigin;
import org.apache.kafka.storage.internals.log.UnifiedLog;
import org.apache.kafka.storage.internals.log.VerificationGuard;
import org.openjdk.jmh.annotations.Param;
import org.openjdk.jmh.annotations.Scope;
import org.openjdk.jmh.annotations.Setup;
import org.openjdk.jmh.annotations.State;
import org.openjdk.jmh.annotations.TearDown;

/** Kafka's log being appended to: it grows, rolls, and drops old segments by size. */
@State(Scope.Thread)
public class KafkaAppends implements Scanning.Scanned, Reads.Source {
    private static final short TRANSACTION_VERSION_UNKNOWN = -1;

    /** What is appended. */
    @Param
    public BatchShape shape = BatchShape.ONE_OF_100_B;

    /** How it is compressed, by Kafka's name for it. */
    @Param("none")
    public String codec = "none";

    private final RequestLocal requestLocal = RequestLocal.withThreadConfinedCaching();
    private Path root;
    private UnifiedLog log;
    private ByteBuffer batch;
    private final int segmentBytes;
    private long bytesUntilRetention;
    private long retentions;

    /** Made by JMH. */
    public KafkaAppends() {
        this(GrowingLog.SEGMENT_BYTES);
    }

    private KafkaAppends(final int segmentBytes) {
        this.segmentBytes = segmentBytes;
        this.bytesUntilRetention = segmentBytes;
    }

    /** The same with segments that roll soon. */
    public static class ShortSegments extends KafkaAppends {
        /** Made by JMH. */
        public ShortSegments() {
            super(GrowingLog.SHORT_SEGMENT_BYTES);
        }
    }

    /**
     * Begins an empty log.
     *
     * @throws IOException Kafka's own.
     */
    @Setup
    public void open() throws IOException {
        root = BenchDirectory.fresh();
        log = KafkaPeer.open(root.resolve("kafka-0"), GrowingLog.topic(segmentBytes));
        batch = shape.received(System.currentTimeMillis(), codec);
    }

    /** Removes the log. */
    @TearDown
    public void close() {
        GrowingLog.requireRetention(log.logStartOffset(), retentions);
        KafkaPeer.close(log);
        BenchDirectory.remove(root);
    }

    /** Bytes are checked as our reader does; who was overtaken by retention finds files closed under him, and begins anew. */
    @Override
    public Scanning.Scan newScan() {
        final ByteBuffer buffer = ByteBuffer.allocateDirect(ReadLog.READ_BYTES);
        return new Scanning.Scan() {
            private long next;

            @Override
            public long step() throws IOException {
                try {
                    final Records read = log.read(next, ReadLog.READ_BYTES, FetchIsolation.LOG_END, true).records;
                    if (read.sizeInBytes() == 0) {
                        next = log.logStartOffset();
                        return 0;
                    }
                    final FileRecords found = (FileRecords) read;
                    buffer.clear().limit(found.sizeInBytes());
                    found.readInto(buffer, 0);
                    for (final MutableRecordBatch one :
                            MemoryRecords.readableRecords(buffer).batches()) {
                        one.ensureValid();
                        next = one.nextOffset();
                    }
                    return found.sizeInBytes();
                } catch (final IOException | RuntimeException e) {
                    if (next >= log.logStartOffset()) {
                        throw e;
                    }
                    next = log.logStartOffset();
                    return 0;
                }
            }

            @Override
            public void close() {
                // It holds nothing.
            }
        };
    }

    @Override
    public Reads newReads() {
        return new KafkaReads(log);
    }

    long append() throws IOException {
        batch.putLong(0, 0);
        final long offset = log.appendAsLeader(
                        MemoryRecords.readableRecords(batch.duplicate()),
                        0,
                        AppendOrigin.CLIENT,
                        requestLocal,
                        VerificationGuard.SENTINEL,
                        TRANSACTION_VERSION_UNKNOWN)
                .firstOffset();
        bytesUntilRetention -= batch.limit();
        if (bytesUntilRetention <= 0) {
            bytesUntilRetention = segmentBytes;
            retentions++;
            log.updateHighWatermark(log.logEndOffset());
            log.deleteOldSegments();
        }
        return offset;
    }
}
