package io.cordwood.jmh;

import java.io.IOException;
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

        void along(final Scanning.Scanned log) {
            if (scanning == null) {
                scanning = new Scanning(log.newScan());
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

    /**
     * Our log through a channel.
     *
     * @param log to append to.
     * @param reader beside it.
     * @param pace of the appends.
     * @return offset of the batch.
     */
    @Benchmark
    public long channel(final CordwoodAppends.Channel log, final Reader reader, final Pace pace) {
        reader.along(log);
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
    public long mapped(final CordwoodAppends.Mapped log, final Reader reader, final Pace pace) {
        reader.along(log);
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
    public long kafka(final KafkaAppends log, final Reader reader, final Pace pace) throws IOException {
        reader.along(log);
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
    public long chronicle(final ChronicleAppends queue, final Reader reader, final Pace pace) {
        reader.along(queue);
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
    public long mappedClaimAlone(final CordwoodAppends.Mapped log, final Pace pace) {
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
    public long chronicleAlone(final ChronicleAppends queue, final Pace pace) {
        pace.await();
        final long index = queue.append();
        pace.done();
        return index;
    }
}
