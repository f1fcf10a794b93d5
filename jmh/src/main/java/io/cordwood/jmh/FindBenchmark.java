package io.cordwood.jmh;

import io.cordwood.log.LogReader;
import java.io.IOException;
import java.util.concurrent.TimeUnit;
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

/** Find the place for a read of 64 KiB: segment, position of the batch that holds an offset, bytes; nothing is copied. */
@BenchmarkMode(Mode.AverageTime)
@OutputTimeUnit(TimeUnit.MICROSECONDS)
public class FindBenchmark {
    /** Made by JMH. */
    public FindBenchmark() {}

    /** Kafka's log, opened for reading. */
    @State(Scope.Thread)
    public static class Kafka {
        /** Batches of the log. */
        @Param({"ONE_OF_100_B", "ONE_OF_1_KIB", "SIXTEEN_OF_1_KIB"})
        public BatchShape shape = BatchShape.ONE_OF_100_B;

        /** Order of the offsets. */
        @Param
        public ReadOrder order = ReadOrder.SEQUENTIAL;

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
    }

    /**
     * Kafka's log.
     *
     * @param reader of it.
     * @return the place.
     * @throws IOException Kafka's own.
     */
    @Benchmark
    public Object kafka(final Kafka reader) throws IOException {
        return reader.log.read(reader.offsets.take(), ReadLog.READ_BYTES, FetchIsolation.LOG_END, true);
    }

    /** Our log, opened for reading. */
    @State(Scope.Thread)
    public static class Cordwood {
        /** Batches of the log. */
        @Param({"ONE_OF_100_B", "ONE_OF_1_KIB", "SIXTEEN_OF_1_KIB"})
        public BatchShape shape = BatchShape.ONE_OF_100_B;

        /** Order of the offsets. */
        @Param
        public ReadOrder order = ReadOrder.SEQUENTIAL;

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
            final ReadLog read = ReadLog.of(shape);
            log = OpenLog.of(parts, read);
            offsets = new NextOffset(read, shape, order);
        }

        /** Closes the log. */
        @TearDown
        public void close() {
            log.close();
        }
    }

    /**
     * Our log.
     *
     * @param reader of it.
     * @return something that depends on the place.
     */
    @Benchmark
    public long cordwood(final Cordwood reader) {
        final LogReader places = reader.log.reader();
        final long bytes = places.locate(reader.offsets.take(), Long.MAX_VALUE, ReadLog.READ_BYTES);
        return places.position() + bytes;
    }
}
