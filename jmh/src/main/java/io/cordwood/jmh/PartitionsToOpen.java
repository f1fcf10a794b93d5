package io.cordwood.jmh;

import io.cordwood.log.CleanShutdownMarker;
import io.cordwood.log.OffsetCheckpoint;
import io.cordwood.log.PartitionName;
import java.nio.ByteBuffer;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.HashMap;
import java.util.Map;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.record.internal.MemoryRecords;
import org.apache.kafka.storage.internals.checkpoint.CleanShutdownFileHandler;
import org.apache.kafka.storage.internals.checkpoint.OffsetCheckpointFile;
import org.apache.kafka.storage.internals.log.LogDirFailureChannel;
import org.apache.kafka.storage.internals.log.UnifiedLog;

/** A data directory of many partitions with three segments each, which Kafka wrote and closed cleanly. */
final class PartitionsToOpen {
    /** Partitions of the directory. */
    static final int PARTITIONS = 1_000;

    private static final int SEGMENTS = 3;
    private static final int BATCHES = 20;
    private static final String TOPIC = "orders";

    private PartitionsToOpen() {}

    /**
     * Name of a partition.
     *
     * @param number from 0 on.
     * @return the name.
     */
    static PartitionName name(final int number) {
        return new PartitionName(TOPIC, number);
    }

    /**
     * The directory; built if it is not there.
     *
     * @return its path.
     * @throws Exception Kafka's own.
     */
    static Path directory() throws Exception {
        final Path directory = BenchDirectory.kept("partitions");
        final Path built = BenchDirectory.kept("partitions.built");
        if (!Files.exists(built)) {
            BenchDirectory.remove(directory);
            write(directory);
            Files.createFile(built);
        }
        return directory;
    }

    private static void write(final Path directory) throws Exception {
        final KafkaPeer kafka = new KafkaPeer(ReadLog.TOPIC);
        long nowMs = System.currentTimeMillis();
        final Map<TopicPartition, Long> ends = new HashMap<>();
        for (int i = 0; i < PARTITIONS; i++) {
            final Path partition = directory.resolve(name(i).directory());
            Files.createDirectories(partition);
            final UnifiedLog log = kafka.open(partition, true);
            for (int segment = 0; segment < SEGMENTS; segment++) {
                if (segment > 0) {
                    log.roll();
                }
                for (int j = 0; j < BATCHES; j++) {
                    final ByteBuffer batch = BatchShape.ONE_OF_1_KIB.received(nowMs++);
                    log.appendAsLeader(MemoryRecords.readableRecords(batch), 0);
                }
            }
            ends.put(new TopicPartition(TOPIC, i), log.logEndOffset());
            KafkaPeer.close(log);
        }
        final Path checkpoint = directory.resolve(OffsetCheckpoint.RECOVERY_POINTS);
        new OffsetCheckpointFile(checkpoint.toFile(), new LogDirFailureChannel(1)).write(ends);
        new CleanShutdownFileHandler(directory.toString()).write(CleanShutdownMarker.UNKNOWN_EPOCH);
    }
}
