package io.cordwood.jmh;

import java.io.IOException;
import java.util.Objects;
import java.util.concurrent.TimeUnit;
import org.apache.kafka.storage.internals.log.UnifiedLog;
import org.jspecify.annotations.Nullable;
import org.openjdk.jmh.annotations.Benchmark;
import org.openjdk.jmh.annotations.BenchmarkMode;
import org.openjdk.jmh.annotations.Level;
import org.openjdk.jmh.annotations.Mode;
import org.openjdk.jmh.annotations.OutputTimeUnit;
import org.openjdk.jmh.annotations.Param;
import org.openjdk.jmh.annotations.Scope;
import org.openjdk.jmh.annotations.Setup;
import org.openjdk.jmh.annotations.State;
import org.openjdk.jmh.annotations.TearDown;

/**
 * Open of a log that nobody closed, from recovery point 0: every checksum is checked, every index built anew, the leader epochs
 * restored.
 */
@BenchmarkMode(Mode.AverageTime)
@OutputTimeUnit(TimeUnit.MICROSECONDS)
public class UncleanOpenBenchmark {
    /** Made by JMH. */
    public UncleanOpenBenchmark() {}

    /** The log that nobody closed. */
    @State(Scope.Thread)
    public static class Lost {
        /** Batches of the log. */
        @Param({"ONE_OF_100_B", "ONE_OF_1_KIB", "SIXTEEN_OF_1_KIB"})
        public BatchShape shape = BatchShape.ONE_OF_100_B;

        private LogToRecover files;

        /** Made by JMH. */
        public Lost() {}

        /** Builds the log. */
        @Setup
        public void build() {
            files = LogToRecover.of(shape);
        }

        /** Puts back what the last open changed. */
        @Setup(Level.Invocation)
        public void restore() {
            ProcessCpuProfiler.leaveOut(files::restore);
        }
    }

    /** The log in Kafka's hands. */
    @State(Scope.Thread)
    public static class Kafka {
        private final KafkaPeer peer = new KafkaPeer(ReadLog.TOPIC);
        private @Nullable UnifiedLog log;

        /** Made by JMH. */
        public Kafka() {}

        /** Closes the log. */
        @TearDown(Level.Invocation)
        public void close() {
            ProcessCpuProfiler.leaveOut(() -> KafkaPeer.close(Objects.requireNonNull(log)));
        }
    }

    /**
     * Kafka's log.
     *
     * @param lost what is opened.
     * @param opened to be closed.
     * @return end of the log.
     * @throws IOException Kafka's own.
     */
    @Benchmark
    public long kafka(final Lost lost, final Kafka opened) throws IOException {
        final ReadLog files = lost.files.log();
        final UnifiedLog log = opened.peer.open(files.directory(), false);
        opened.log = log;
        return files.requireEnd(log.logEndOffset());
    }

    /** The log in our hands. */
    @State(Scope.Thread)
    public static class Cordwood {
        private Parts parts;
        private @Nullable OpenLog log;

        /** Made by JMH. */
        public Cordwood() {}

        /**
         * Takes what the log is made of.
         *
         * @param given the parts.
         */
        @Setup
        public void take(final Parts given) {
            parts = given;
        }

        /** Closes the log. */
        @TearDown(Level.Invocation)
        public void close() {
            ProcessCpuProfiler.leaveOut(() -> Objects.requireNonNull(log).close());
        }
    }

    /**
     * Our log.
     *
     * @param lost what is opened.
     * @param opened to be closed.
     * @return end of the log.
     */
    @Benchmark
    public long cordwood(final Lost lost, final Cordwood opened) {
        final OpenLog log = OpenLog.of(opened.parts, lost.files.log(), 0);
        opened.log = log;
        return log.log().recovery().scannedBytes();
    }
}
