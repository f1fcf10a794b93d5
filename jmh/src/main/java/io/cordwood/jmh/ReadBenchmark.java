package io.cordwood.jmh;

import io.cordwood.log.LogReader;
import io.cordwood.log.record.RecordBatchFlyweight;
import io.cordwood.log.record.RecordFlyweight;
import io.cordwood.log.record.RecordReader;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.util.concurrent.TimeUnit;
import org.apache.kafka.common.record.internal.FileRecords;
import org.apache.kafka.common.record.internal.MemoryRecords;
import org.apache.kafka.common.record.internal.MutableRecordBatch;
import org.apache.kafka.common.record.internal.Record;
import org.apache.kafka.server.storage.log.FetchIsolation;
import org.apache.kafka.storage.internals.log.UnifiedLog;
import org.openjdk.jmh.annotations.Benchmark;
import org.openjdk.jmh.annotations.BenchmarkMode;
import org.openjdk.jmh.annotations.Mode;
import org.openjdk.jmh.annotations.OutputTimeUnit;
import org.openjdk.jmh.annotations.Param;
import org.openjdk.jmh.annotations.Scope;
import org.openjdk.jmh.annotations.Setup;
import org.openjdk.jmh.annotations.State;
import org.openjdk.jmh.annotations.TearDown;

/** Reads of 64 KiB: the checksum of each batch is checked, and each record is looked at. */
@BenchmarkMode(Mode.AverageTime)
@OutputTimeUnit(TimeUnit.MICROSECONDS)
public class ReadBenchmark {
    /** Made by JMH. */
    public ReadBenchmark() {}

    /** Kafka's log, opened for reading; what is read goes into one buffer that is used again. */
    @State(Scope.Thread)
    public static class Kafka {
        /** Batches of the log. */
        @Param({"ONE_OF_100_B", "ONE_OF_1_KIB", "SIXTEEN_OF_1_KIB"})
        public BatchShape shape = BatchShape.ONE_OF_100_B;

        /** Order of the reads. */
        @Param
        public ReadOrder order = ReadOrder.SEQUENTIAL;

        private final ByteBuffer buffer = ByteBuffer.allocateDirect(ReadLog.READ_BYTES);
        private UnifiedLog log;
        private NextOffset offsets;

        /** Made by JMH. */
        public Kafka() {}

        /**
         * Opens the log.
         *
         * @throws IOException Kafka's own.
         */
        @Setup
        public void open() throws IOException {
            final ReadLog read = ReadLog.of(shape);
            log = KafkaPeer.open(read.directory(), ReadLog.TOPIC);
            offsets = new NextOffset(read, shape, order);
        }

        /** Closes the log. */
        @TearDown
        public void close() {
            KafkaPeer.close(log);
        }

        long read() throws IOException {
            final FileRecords found =
                    (FileRecords) log.read(offsets.take(), ReadLog.READ_BYTES, FetchIsolation.LOG_END, true).records;
            buffer.clear().limit(found.sizeInBytes());
            found.readInto(buffer, 0);
            long sum = 0;
            for (final MutableRecordBatch batch :
                    MemoryRecords.readableRecords(buffer).batches()) {
                batch.ensureValid();
                for (final Record record : batch) {
                    sum += record.offset() + record.timestamp() + record.valueSize();
                }
                offsets.behind(batch.nextOffset());
            }
            return sum;
        }
    }

    /**
     * Kafka's log.
     *
     * @param reader of it.
     * @return something that depends on each record.
     * @throws IOException Kafka's own.
     */
    @Benchmark
    public long kafka(final Kafka reader) throws IOException {
        return reader.read();
    }

    /** Our log, opened for reading. */
    @State(Scope.Thread)
    public static class Cordwood {
        /** Batches of the log. */
        @Param({"ONE_OF_100_B", "ONE_OF_1_KIB", "SIXTEEN_OF_1_KIB"})
        public BatchShape shape = BatchShape.ONE_OF_100_B;

        /** Order of the reads. */
        @Param
        public ReadOrder order = ReadOrder.SEQUENTIAL;

        private final RecordBatchFlyweight batch = new RecordBatchFlyweight();
        private RecordReader records;
        private OpenLog log;
        private NextOffset offsets;

        /** Made by JMH. */
        public Cordwood() {}

        /**
         * Opens the log.
         *
         * @param parts that it is made of.
         */
        @Setup
        public void open(final Parts parts) {
            records = new RecordReader(parts.codecs(), ReadLog.READ_BYTES);
            final ReadLog read = ReadLog.of(shape);
            log = OpenLog.of(parts, read);
            offsets = new NextOffset(read, shape, order);
        }

        /** Closes the log. */
        @TearDown
        public void close() {
            records.close();
            log.close();
        }

        long read() {
            final LogReader reader = log.reader();
            final int bytes = (int) reader.read(offsets.take(), Long.MAX_VALUE, ReadLog.READ_BYTES);
            long sum = 0;
            for (int at = 0; at < bytes; at += batch.sizeInBytes()) {
                records.wrap(batch.wrap(reader.buffer(), at));
                while (records.next()) {
                    final RecordFlyweight record = records.record();
                    sum += record.offset() + record.timestamp() + record.valueLength();
                }
            }
            offsets.behind(reader.nextOffset());
            return sum;
        }
    }

    /**
     * Our log.
     *
     * @param reader of it.
     * @return something that depends on each record.
     */
    @Benchmark
    public long cordwood(final Cordwood reader) {
        return reader.read();
    }
}
