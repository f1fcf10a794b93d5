package io.cordwood.jmh;

import java.io.IOException;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;
import org.openjdk.jmh.annotations.Benchmark;
import org.openjdk.jmh.annotations.BenchmarkMode;
import org.openjdk.jmh.annotations.Level;
import org.openjdk.jmh.annotations.Mode;
import org.openjdk.jmh.annotations.OutputTimeUnit;
import org.openjdk.jmh.annotations.Scope;
import org.openjdk.jmh.annotations.State;
import org.openjdk.jmh.annotations.TearDown;

/**
 * How long one append takes, from when it was due: at a fixed rate while a reader scans from the start and retention runs, or, in
 * the methods without a reader, one right behind the other.
 */
@BenchmarkMode(Mode.AverageTime)
@OutputTimeUnit(TimeUnit.MICROSECONDS)
public class LatencyBenchmark {
    /** Made by JMH. */
    public LatencyBenchmark() {}

    /** The reader beside the appends. */
    @State(Scope.Thread)
    public static class Reader {
        private @Nullable Scanning scanning;

        /** Made by JMH. */
        public Reader() {}

        /** Begins to read if it has not yet; that it begins is no operation's time. */
        void along(final Scanning.Scanned log, final Pace pace) {
            if (scanning == null) {
                scanning = new Scanning(log.newScan());
                pace.begin();
            }
        }

        /** Before the log goes. */
        @TearDown(Level.Iteration)
        public void stop() {
            if (scanning != null) {
                scanning.close();
                scanning = null;
            }
        }
    }

    /** Rows of the table. */
    static List<Comparison> comparisons() {
        return List.of(
                besideAReader("channel", "channel store"),
                besideAReader("mapped", "mapped store").fullRunsOnly(),
                alone(BatchShape.ONE_OF_100_B, 1),
                alone(BatchShape.ONE_OF_1_KIB, 1 / 1.5).fullRunsOnly());
    }

    private static Comparison besideAReader(final String method, final String how) {
        final Map<String, String> kilobyte = Map.of("shape", BatchShape.ONE_OF_1_KIB.name());
        final Map<String, String> plain = Map.of("shape", BatchShape.ONE_OF_1_KIB.name(), "codec", "none");
        return new Comparison(
                        "append-latency",
                        "append 1 x 1 KiB at half of Kafka's peak, a reader and retention beside it, " + how,
                        Subject.of(LatencyBenchmark.class, method, plain))
                .besideLatency(
                        Catalog.KAFKA,
                        Subject.of(LatencyBenchmark.class, "kafka", plain),
                        Map.of(LatencyProfiler.P99, 3.0))
                .besideLatency(Catalog.CHRONICLE, Subject.of(LatencyBenchmark.class, "chronicle", kilobyte), Map.of())
                .overLatency(Subject.of(LatencyBenchmark.class, "write", kilobyte), Map.of(LatencyProfiler.P999, 1.0))
                .atHalfThePeakOf(Subject.of(AppendBenchmark.class, "kafka", plain));
    }

    private static Comparison alone(final BatchShape shape, final double medianGoal) {
        return new Comparison(
                        "append-latency",
                        "append " + shape.title() + ", one right behind the other, encoded in a claim",
                        Subject.of(
                                LatencyBenchmark.class,
                                "mappedClaimAlone",
                                Map.of("shape", shape.name(), "codec", "none")))
                .besideLatency(
                        Catalog.CHRONICLE,
                        Subject.of(LatencyBenchmark.class, "chronicleAlone", Map.of("shape", shape.name())),
                        Map.of(LatencyProfiler.P50, medianGoal, LatencyProfiler.P99, 2.0));
    }

    /**
     * The least: checksum and one write to a growing file.
     *
     * @param batch to write.
     * @param file that grows.
     * @param reader beside it.
     * @param pace of the writes.
     * @return the checksum.
     * @throws IOException if the disk fails.
     */
    @Benchmark
    public long write(
            final FloorBenchmark.Batch batch,
            final FloorBenchmark.ShortWritten file,
            final Reader reader,
            final Pace.Fixed pace)
            throws IOException {
        reader.along(file, pace);
        pace.await();
        final long checksum = batch.checksum();
        file.append(batch);
        pace.done();
        return checksum;
    }

    /**
     * Our log through a channel.
     *
     * @param log to append to.
     * @param reader beside it.
     * @param pace of the appends.
     * @return offset of the batch.
     */
    @Benchmark
    public long channel(final CordwoodAppends.ShortChannel log, final Reader reader, final Pace.Fixed pace) {
        reader.along(log, pace);
        pace.await();
        final long offset = log.append();
        pace.done();
        return offset;
    }

    /**
     * Our log in mapped memory.
     *
     * @param log to append to.
     * @param reader beside it.
     * @param pace of the appends.
     * @return offset of the batch.
     */
    @Benchmark
    public long mapped(final CordwoodAppends.ShortMapped log, final Reader reader, final Pace.Fixed pace) {
        reader.along(log, pace);
        pace.await();
        final long offset = log.append();
        pace.done();
        return offset;
    }

    /**
     * Kafka's log.
     *
     * @param log to append to.
     * @param reader beside it.
     * @param pace of the appends.
     * @return offset of the batch.
     * @throws IOException Kafka's own.
     */
    @Benchmark
    public long kafka(final KafkaAppends.ShortSegments log, final Reader reader, final Pace.Fixed pace)
            throws IOException {
        reader.along(log, pace);
        pace.await();
        final long offset = log.append();
        pace.done();
        return offset;
    }

    /**
     * Chronicle Queue.
     *
     * @param queue to append to.
     * @param reader beside it.
     * @param pace of the appends.
     * @return index of the document.
     */
    @Benchmark
    public long chronicle(final ChronicleAppends queue, final Reader reader, final Pace.Fixed pace) {
        reader.along(queue, pace);
        pace.await();
        final long index = queue.append();
        pace.done();
        return index;
    }

    /**
     * The batch encoded in our mapped log, nobody beside it.
     *
     * @param log to append to.
     * @param pace of the appends.
     * @return offset of the batch.
     */
    @Benchmark
    public long mappedClaimAlone(final CordwoodAppends.Mapped log, final Pace.BackToBack pace) {
        pace.await();
        final long offset = log.claim();
        pace.done();
        return offset;
    }

    /**
     * Chronicle Queue, nobody beside it.
     *
     * @param queue to append to.
     * @param pace of the appends.
     * @return index of the document.
     */
    @Benchmark
    public long chronicleAlone(final ChronicleAppends queue, final Pace.BackToBack pace) {
        pace.await();
        final long index = queue.append();
        pace.done();
        return index;
    }
}
