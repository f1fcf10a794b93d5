package io.cordwood.jmh;

import io.cordwood.index.SparseIndexes;
import io.cordwood.log.AppendAs;
import io.cordwood.log.Log;
import io.cordwood.log.LogBuilder;
import io.cordwood.log.LogConfig;
import io.cordwood.log.record.BatchBuilder;
import io.cordwood.log.store.Storage;
import java.nio.ByteBuffer;
import java.nio.file.Path;
import java.util.Map;
import org.agrona.concurrent.UnsafeBuffer;

/** A log of batches of 1 x 100 B through a channel, and a batch to append to it. */
final class CountLog implements AutoCloseable {
    /** Time of the first batch of {@link #fill}. */
    static final long FIRST_MS = 1_700_000_000_000L;

    private static final BatchShape SHAPE = BatchShape.ONE_OF_100_B;
    private static final int GATHERED = 64;

    /** The batch. */
    final UnsafeBuffer batch;

    /** The log; forces of it count. */
    final Log log;

    private final Path root = BenchDirectory.fresh();
    private final Storage storage;
    private final BatchBuilder builder;

    /**
     * Begins an empty log.
     *
     * @param parts that it is made of.
     * @param topic properties of the topic that are not Kafka's defaults.
     */
    CountLog(final Parts parts, final Map<String, String> topic) {
        storage = parts.storage(root);
        builder = new BatchBuilder(parts.codecs());
        log = new LogBuilder(storage, "counted-0")
                .config(LogConfig.of(topic))
                .codecs(parts.codecs())
                .indexes(new SparseIndexes())
                .open(FIRST_MS);
        CallsProfiler.countForces(log::forceCount);
        final ByteBuffer received = SHAPE.received(FIRST_MS);
        batch = new UnsafeBuffer(ByteBuffer.allocateDirect(received.limit()).put(received));
    }

    /**
     * Appends the batch.
     *
     * @param terms of the append.
     * @return its offset.
     */
    long append(final AppendAs terms) {
        return accepted(log.append(batch, 0, batch.capacity(), terms, System.currentTimeMillis()));
    }

    /**
     * Appends batches of which each is a millisecond younger than the one before.
     *
     * @param batches how many.
     */
    void fill(final int batches) {
        final UnsafeBuffer value = new UnsafeBuffer(SHAPE.value());
        final UnsafeBuffer built = new UnsafeBuffer(ByteBuffer.allocateDirect(batch.capacity() + 64));
        final AppendAs terms = AppendAs.client(0);
        for (int i = 0; i < batches; i++) {
            final long nowMs = FIRST_MS + i;
            builder.wrap(built, 0, built.capacity());
            builder.append(nowMs, null, 0, -1, value, 0, value.capacity(), null);
            accepted(log.gather(built, 0, builder.finish(), terms, nowMs));
            if (i % GATHERED == GATHERED - 1) {
                log.publish();
            }
        }
        log.publish();
    }

    private long accepted(final long result) {
        if (result < 0) {
            throw new IllegalStateException(log.refusalReason());
        }
        return result;
    }

    /** Removes the log; nothing is forced for it. */
    @Override
    public void close() {
        log.closeUncleanly();
        storage.close();
        BenchDirectory.remove(root);
    }
}
