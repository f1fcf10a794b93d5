package io.cordwood.jmh;

import io.cordwood.index.SparseIndexes;
import io.cordwood.log.DirectoryConfig;
import io.cordwood.log.LoadUnit;
import io.cordwood.log.LogConfig;
import io.cordwood.log.LogDirectory;
import io.cordwood.log.LogLoading;
import io.cordwood.log.LogSetup;
import io.cordwood.log.store.Storage;
import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.concurrent.TimeUnit;
import org.apache.kafka.storage.internals.log.UnifiedLog;
import org.jspecify.annotations.Nullable;
import org.openjdk.jmh.annotations.Benchmark;
import org.openjdk.jmh.annotations.BenchmarkMode;
import org.openjdk.jmh.annotations.Level;
import org.openjdk.jmh.annotations.Mode;
import org.openjdk.jmh.annotations.OutputTimeUnit;
import org.openjdk.jmh.annotations.Scope;
import org.openjdk.jmh.annotations.Setup;
import org.openjdk.jmh.annotations.State;
import org.openjdk.jmh.annotations.TearDown;

/**
 * Open of all partitions of a data directory that was left cleanly, one after the other on one thread. Ours reads the files of
 * the directory as well and takes its lock; of Kafka only the opens of the logs are measured.
 */
@BenchmarkMode(Mode.AverageTime)
@OutputTimeUnit(TimeUnit.MICROSECONDS)
public class CleanOpenBenchmark {
    /** Made by JMH. */
    public CleanOpenBenchmark() {}

    /** The directory in Kafka's hands. */
    @State(Scope.Thread)
    public static class Kafka {
        private final KafkaPeer kafka = new KafkaPeer(ReadLog.TOPIC);
        private final List<UnifiedLog> logs = new ArrayList<>();
        private Path directory;

        /** Made by JMH. */
        public Kafka() {}

        /**
         * Builds the directory.
         *
         * @throws Exception Kafka's own.
         */
        @Setup
        public void build() throws Exception {
            directory = PartitionsToOpen.directory();
        }

        /** Closes the logs cleanly. */
        @TearDown(Level.Invocation)
        public void close() {
            ProcessCpuProfiler.leaveOut(() -> logs.forEach(KafkaPeer::close));
            logs.clear();
        }
    }

    /**
     * Kafka's logs.
     *
     * @param left what is opened.
     * @return all of them.
     * @throws IOException Kafka's own.
     */
    @Benchmark
    public List<UnifiedLog> kafka(final Kafka left) throws IOException {
        for (int i = 0; i < PartitionsToOpen.PARTITIONS; i++) {
            left.logs.add(left.kafka.open(
                    left.directory.resolve(PartitionsToOpen.name(i).directory()), true));
        }
        return left.logs;
    }

    /** The directory in our hands. */
    @State(Scope.Thread)
    public static class Cordwood {
        private Storage storage;
        private LogSetup setup;
        private @Nullable LogDirectory opened;

        /** Made by JMH. */
        public Cordwood() {}

        /**
         * Builds the directory.
         *
         * @param parts that the logs are made of.
         * @throws Exception Kafka's own.
         */
        @Setup
        public void build(final Parts parts) throws Exception {
            storage = parts.storage(PartitionsToOpen.directory());
            final Map<String, String> topic = new HashMap<>();
            ReadLog.TOPIC.forEach((name, value) -> topic.put(name, value.toString()));
            final LogConfig config = LogConfig.of(topic);
            setup = (partition, builder) -> {
                builder.config(config).codecs(parts.codecs()).indexes(new SparseIndexes());
                return true;
            };
        }

        /** Closes the directory cleanly. */
        @TearDown(Level.Invocation)
        public void close() {
            ProcessCpuProfiler.leaveOut(() -> Objects.requireNonNull(opened).close());
        }

        /** Closes the storage. */
        @TearDown
        public void closeStorage() {
            storage.close();
        }
    }

    /**
     * Our logs.
     *
     * @param left what is opened.
     * @return the work that was done.
     */
    @Benchmark
    public LogLoading cordwood(final Cordwood left) {
        final LogDirectory directory = LogDirectory.open(left.storage, DirectoryConfig.defaults());
        left.opened = directory;
        final LogLoading loading = directory.load(left.setup);
        final long nowMs = System.currentTimeMillis();
        for (LoadUnit unit = loading.next(); unit != null; unit = loading.next()) {
            unit.run(nowMs);
            if (unit.state() != LoadUnit.State.OPEN || !unit.partition().wasClean()) {
                throw new IllegalStateException(unit.partition().name() + " is " + unit.state(), unit.failure());
            }
        }
        return loading;
    }
}
