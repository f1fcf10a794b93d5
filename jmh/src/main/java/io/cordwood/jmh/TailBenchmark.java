package io.cordwood.jmh;

import java.io.IOException;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;
import org.openjdk.jmh.annotations.Benchmark;
import org.openjdk.jmh.annotations.BenchmarkMode;
import org.openjdk.jmh.annotations.Mode;
import org.openjdk.jmh.annotations.OutputTimeUnit;
import org.openjdk.jmh.annotations.Scope;
import org.openjdk.jmh.annotations.State;
import org.openjdk.jmh.annotations.TearDown;

/**
 * A reader that follows the end of a log: one batch is appended, then read by the same thread. What is measured is both together,
 * since a clock between the two would take as long as the shorter of them; the append alone is a row of the group {@code append}.
 */
@BenchmarkMode(Mode.AverageTime)
@OutputTimeUnit(TimeUnit.MICROSECONDS)
public class TailBenchmark {
    /** Made by JMH. */
    public TailBenchmark() {}

    /** Rows of the table. */
    static List<Comparison> comparisons() {
        return List.of(
                follow("channel", BatchShape.ONE_OF_100_B).fullRunsOnly(),
                follow("channel", BatchShape.ONE_OF_1_KIB),
                follow("mapped", BatchShape.ONE_OF_100_B),
                follow("mapped", BatchShape.ONE_OF_1_KIB).fullRunsOnly());
    }

    private static Comparison follow(final String store, final BatchShape shape) {
        final Map<String, String> parameters = Map.of("shape", shape.name(), "codec", "none");
        return new Comparison("read", work(store, shape), Subject.of(TailBenchmark.class, store, parameters))
                .beside(Catalog.KAFKA, Subject.of(TailBenchmark.class, "kafka", parameters), 0)
                .garbageFree();
    }

    /**
     * Name of a row.
     *
     * @param store of the log.
     * @param shape of the batch.
     * @return in words.
     */
    static String work(final String store, final BatchShape shape) {
        return "append " + shape.title() + " and read it right behind, " + store + " store";
    }

    /** The reader. */
    @State(Scope.Thread)
    public static class Follower {
        private @Nullable Reads reads;

        /** Made by JMH. */
        public Follower() {}

        /** Closes the reader. */
        @TearDown
        public void close() {
            if (reads != null) {
                reads.close();
            }
        }

        private long follow(final Reads.Source log, final long appended) throws IOException {
            if (reads == null) {
                reads = log.newReads();
            }
            final long sum = reads.read(appended);
            if (reads.nextOffset() <= appended) {
                throw new IllegalStateException("nothing was read at " + appended);
            }
            return sum;
        }
    }

    /**
     * Kafka's log.
     *
     * @param follower who reads the log, and is closed before it.
     * @param log to append to.
     * @return something that depends on each record.
     * @throws IOException Kafka's own.
     */
    @Benchmark
    public long kafka(final Follower follower, final KafkaAppends log) throws IOException {
        return follower.follow(log, log.append());
    }

    /**
     * Our log through a channel.
     *
     * @param follower who reads the log, and is closed before it.
     * @param log to append to.
     * @return something that depends on each record.
     * @throws IOException never.
     */
    @Benchmark
    public long channel(final Follower follower, final CordwoodAppends.Channel log) throws IOException {
        return follower.follow(log, log.append());
    }

    /**
     * Our log in mapped memory.
     *
     * @param follower who reads the log, and is closed before it.
     * @param log to append to.
     * @return something that depends on each record.
     * @throws IOException never.
     */
    @Benchmark
    public long mapped(final Follower follower, final CordwoodAppends.Mapped log) throws IOException {
        return follower.follow(log, log.append());
    }
}
