package io.cordwood.jmh;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.ByteBuffer;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Locale;
import java.util.Map;
import org.apache.kafka.common.record.internal.MemoryRecords;
import org.apache.kafka.storage.internals.log.UnifiedLog;

/**
 * A big log that both sides read: written once by Kafka, closed cleanly, and opened by each trial.
 *
 * @param directory of the partition.
 * @param endOffset of the log.
 */
record ReadLog(Path directory, long endOffset) {
    /** Bound of one read. */
    static final int READ_BYTES = 64 << 10;

    private static final long BYTES = Long.getLong("cordwood.bench.readBytes", 512L << 20);
    private static final int SEGMENTS = 4;

    /** The topic's properties. */
    static final Map<String, ?> TOPIC = Map.of("segment.bytes", (int) (BYTES / SEGMENTS));

    /**
     * The log of a shape; built if it is not there.
     *
     * @param shape of its batches.
     * @return the log, closed.
     */
    static ReadLog of(final BatchShape shape) {
        return of(shape, BYTES);
    }

    /**
     * A log of some size; built if it is not there.
     *
     * @param shape of its batches.
     * @param bytes of them all.
     * @return the log, closed.
     */
    static ReadLog of(final BatchShape shape, final long bytes) {
        final ByteBuffer batch = shape.received(System.currentTimeMillis());
        final long batches = bytes / batch.limit();
        final String name = shape.name().toLowerCase(Locale.ROOT) + "-" + batches;
        final Path directory = BenchDirectory.kept(name + "-0");
        final Path built = BenchDirectory.kept(name + ".built");
        try {
            if (!Files.exists(built)) {
                BenchDirectory.remove(directory);
                write(directory, batch, batches);
                Files.createFile(built);
            }
        } catch (final IOException e) {
            throw new UncheckedIOException(e);
        }
        return new ReadLog(directory, batches * shape.records());
    }

    /**
     * Holds the end that was found against the one that is known.
     *
     * @param found end of the log.
     * @return the same.
     */
    long requireEnd(final long found) {
        if (found != endOffset) {
            throw new IllegalStateException("the log ends at " + found + ", not at " + endOffset);
        }
        return found;
    }

    /** Removes all logs that were built. */
    static void discardAll() {
        BenchDirectory.remove(BenchDirectory.kept(""));
    }

    private static void write(final Path directory, final ByteBuffer batch, final long batches) throws IOException {
        final UnifiedLog log = KafkaPeer.open(directory, TOPIC);
        for (long i = 0; i < batches; i++) {
            batch.putLong(0, 0);
            log.appendAsLeader(MemoryRecords.readableRecords(batch.duplicate()), 0);
        }
        KafkaPeer.close(log);
    }

    /**
     * Whole batches that one read brings.
     *
     * @param shape of the batches.
     * @return records in them.
     */
    static int recordsPerRead(final BatchShape shape) {
        return READ_BYTES / shape.received(0).limit() * shape.records();
    }

    /**
     * Offsets to look for, drawn over the whole log.
     *
     * @return a power of two of them.
     */
    long[] randomOffsets() {
        return Seed.random(11).longs(1 << 16, 0, endOffset).toArray();
    }
}
