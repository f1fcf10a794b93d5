package io.cordwood.jmh;

import java.io.IOException;
import java.util.concurrent.TimeUnit;
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

    /** Kafka's log, opened for reading. */
    @State(Scope.Thread)
    public static class Kafka {
        /** Batches of the log. */
        @Param({"ONE_OF_100_B", "ONE_OF_1_KIB", "SIXTEEN_OF_1_KIB"})
        public BatchShape shape = BatchShape.ONE_OF_100_B;

        /** Order of the reads. */
        @Param
        public ReadOrder order = ReadOrder.SEQUENTIAL;

        private UnifiedLog log;
        private KafkaReads reads;
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
            reads = new KafkaReads(log);
            offsets = new NextOffset(read, shape, order);
        }

        /** Closes the log. */
        @TearDown
        public void close() {
            KafkaPeer.close(log);
        }

        long read() throws IOException {
            final long sum = reads.read(offsets.take());
            offsets.behind(reads.nextOffset());
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

        private OpenLog log;
        private CordwoodReads reads;
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
            final ReadLog read = ReadLog.of(shape);
            log = OpenLog.of(parts, read);
            reads = new CordwoodReads(log.log(), parts.codecs());
            offsets = new NextOffset(read, shape, order);
        }

        /** Closes the log. */
        @TearDown
        public void close() {
            reads.close();
            log.close();
        }

        long read() {
            final long sum = reads.read(offsets.take());
            offsets.behind(reads.nextOffset());
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

    /**
     * Chronicle Queue, with our batches in it.
     *
     * @param queue to read.
     * @return something that depends on each record.
     */
    @Benchmark
    public long chronicle(final ChronicleReads queue) {
        return queue.read();
    }
}
