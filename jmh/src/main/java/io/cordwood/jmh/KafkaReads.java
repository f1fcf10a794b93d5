package io.cordwood.jmh;

import java.io.IOException;
import java.nio.ByteBuffer;
import org.apache.kafka.common.record.internal.FileRecords;
import org.apache.kafka.common.record.internal.MemoryRecords;
import org.apache.kafka.common.record.internal.MutableRecordBatch;
import org.apache.kafka.common.record.internal.Record;
import org.apache.kafka.server.storage.log.FetchIsolation;
import org.apache.kafka.storage.internals.log.UnifiedLog;

/** Reads Kafka's log into one buffer that is used again. */
final class KafkaReads implements Reads {
    private final ByteBuffer buffer = ByteBuffer.allocateDirect(ReadLog.READ_BYTES);
    private final UnifiedLog log;
    private long next;

    KafkaReads(final UnifiedLog log) {
        this.log = log;
    }

    @Override
    public long read(final long offset) throws IOException {
        final FileRecords found =
                (FileRecords) log.read(offset, ReadLog.READ_BYTES, FetchIsolation.LOG_END, true).records;
        buffer.clear().limit(found.sizeInBytes());
        found.readInto(buffer, 0);
        long sum = 0;
        for (final MutableRecordBatch batch :
                MemoryRecords.readableRecords(buffer).batches()) {
            batch.ensureValid();
            for (final Record record : batch) {
                sum += record.offset() + record.timestamp() + record.valueSize();
            }
            next = batch.nextOffset();
        }
        return sum;
    }

    @Override
    public long nextOffset() {
        return next;
    }

    @Override
    public void close() {
        // It holds nothing.
    }
}
