package io.cordwood.jmh;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.file.Path;
import org.apache.kafka.common.record.internal.MemoryRecords;
import org.apache.kafka.server.common.RequestLocal;
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
public class KafkaAppends {
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
    private long bytesUntilRetention = GrowingLog.SEGMENT_BYTES;

    /** Made by JMH. */
    public KafkaAppends() {}

    /**
     * Begins an empty log.
     *
     * @throws IOException Kafka's own.
     */
    @Setup
    public void open() throws IOException {
        root = BenchDirectory.fresh();
        log = KafkaPeer.open(root.resolve("kafka-0"), GrowingLog.TOPIC);
        batch = shape.received(System.currentTimeMillis(), codec);
    }

    /** Removes the log. */
    @TearDown
    public void close() {
        KafkaPeer.close(log);
        BenchDirectory.remove(root);
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
            bytesUntilRetention = GrowingLog.SEGMENT_BYTES;
            log.updateHighWatermark(log.logEndOffset());
            log.deleteOldSegments();
        }
        return offset;
    }
}
