package io.cordwood.jmh;

import java.io.IOException;
import java.util.concurrent.TimeUnit;
import org.openjdk.jmh.annotations.Benchmark;
import org.openjdk.jmh.annotations.BenchmarkMode;
import org.openjdk.jmh.annotations.Mode;
import org.openjdk.jmh.annotations.OperationsPerInvocation;
import org.openjdk.jmh.annotations.OutputTimeUnit;

/**
 * Append of one batch as received from a producer: every record is validated, offsets and leader epoch are assigned, the
 * checksum is checked. Nothing is forced.
 */
@BenchmarkMode(Mode.AverageTime)
@OutputTimeUnit(TimeUnit.MICROSECONDS)
public class AppendBenchmark {
    static final int GATHERED = 64;

    /** Made by JMH. */
    public AppendBenchmark() {}

    /**
     * Kafka's log.
     *
     * @param log to append to.
     * @return offset of the batch.
     * @throws IOException Kafka's own.
     */
    @Benchmark
    public long kafka(final KafkaAppends log) throws IOException {
        return log.append();
    }

    /**
     * Our log through a channel, one write for each append.
     *
     * @param log to append to.
     * @return offset of the batch.
     */
    @Benchmark
    public long channel(final CordwoodAppends.Channel log) {
        return log.append();
    }

    /**
     * Our log through a channel, one write for 64 appends.
     *
     * @param log to append to.
     * @return end of the log.
     */
    @Benchmark
    @OperationsPerInvocation(GATHERED)
    public long channelGathered(final CordwoodAppends.Channel log) {
        return log.gather(GATHERED);
    }

    /**
     * Our log in mapped memory, each append published at once.
     *
     * @param log to append to.
     * @return offset of the batch.
     */
    @Benchmark
    public long mapped(final CordwoodAppends.Mapped log) {
        return log.append();
    }

    /**
     * Our log in mapped memory, 64 appends published together.
     *
     * @param log to append to.
     * @return end of the log.
     */
    @Benchmark
    @OperationsPerInvocation(GATHERED)
    public long mappedGathered(final CordwoodAppends.Mapped log) {
        return log.gather(GATHERED);
    }

    /**
     * Our log in mapped memory, the batch encoded in place.
     *
     * @param log to append to.
     * @return offset of the batch.
     */
    @Benchmark
    public long mappedClaim(final CordwoodAppends.Mapped log) {
        return log.claim();
    }

    /**
     * Our log through a channel, the batch encoded in its staging memory.
     *
     * @param log to append to.
     * @return offset of the batch.
     */
    @Benchmark
    public long channelClaim(final CordwoodAppends.Channel log) {
        return log.claim();
    }

    /**
     * Chronicle Queue, one document for each append: the same values, no checksum, no batch.
     *
     * @param queue to append to.
     * @return index of the document.
     */
    @Benchmark
    public long chronicle(final ChronicleAppends queue) {
        return queue.append();
    }
}
