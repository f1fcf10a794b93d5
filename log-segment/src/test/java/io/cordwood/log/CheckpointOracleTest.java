package io.cordwood.log;

import static java.nio.charset.StandardCharsets.US_ASCII;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.cordwood.log.store.DiskStorage;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.Set;
import java.util.UUID;
import java.util.stream.Stream;
import org.agrona.concurrent.UnsafeBuffer;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.Uuid;
import org.apache.kafka.server.util.KafkaScheduler;
import org.apache.kafka.storage.internals.checkpoint.LeaderEpochCheckpointFile;
import org.apache.kafka.storage.internals.checkpoint.PartitionMetadataFile;
import org.apache.kafka.storage.internals.epoch.LeaderEpochFileCache;
import org.apache.kafka.storage.internals.log.EpochEntry;
import org.apache.kafka.storage.internals.log.LogDirFailureChannel;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Kafka's own classes beside ours, on the same acts and on each other's files. */
@Tag("oracle")
class CheckpointOracleTest {
    private static final String ID = "f8M93cjiTPy_L9C4PwjM3g";

    /** What Kafka believes and we do not: the format's documentation says why. */
    private static final Set<String> STRICTER_TABLE = Set.of(
            "",
            "0",
            "0\n",
            "0\n2\n0 0\n3 4",
            "0\n2\n3 0\n3 40\n",
            "0\n2\n3 0\n1 40\n",
            "0\n2\n0 40\n3 40\n",
            "0\n2\n0 40\n3 20\n",
            "0\n2\n0  0\n3\t40\n",
            "0\n2\n-1 0\n3 40\n",
            "0\n2\n0 -1\n3 40\n",
            "0\n2\n0 +0\n3 40\n");

    private static final Set<String> STRICTER_METADATA = Set.of(
            "version: 0\ntopic_id: f8M93cjiTPy_L9C4PwjM3h",
            "version: 0\ntopic_id: " + ID + "\nmore",
            "version: 1\ntopic_id: " + ID);

    @TempDir
    Path directory = Path.of("");

    @Test
    void theTableAnswersAsKafkasDoes() throws Exception {
        for (int seed = 0; seed < 8; seed++) {
            final Path kafkaDirectory = Files.createDirectory(directory.resolve("kafka-" + seed));
            final Path ourDirectory = Files.createDirectory(directory.resolve("ours-" + seed));
            final KafkaScheduler scheduler = new KafkaScheduler(1);
            scheduler.startup();
            final LeaderEpochFileCache kafka =
                    new LeaderEpochFileCache(new TopicPartition("t", 0), kafkaFile(kafkaDirectory), scheduler);
            try (DiskStorage storage = new DiskStorage(ourDirectory)) {
                final LeaderEpochTable ours = new LeaderEpochTable(storage, "");
                liveTogether(new Random(seed), kafka, ours, "seed " + seed);
                ours.force(0);
                scheduler.shutdown();
                assertEquals(entries(kafkaFile(ourDirectory).read()), LeaderEpochCheckpoint.read(storage, ""));
            }
            try (DiskStorage storage = new DiskStorage(kafkaDirectory)) {
                assertEquals(entries(kafka.epochEntries()), LeaderEpochCheckpoint.read(storage, ""), "seed " + seed);
            }
        }
    }

    private static void liveTogether(
            final Random random, final LeaderEpochFileCache kafka, final LeaderEpochTable ours, final String seed) {
        final long[] bases = {0, 1};
        long logStart = 0;
        long end = 0;
        int epoch = 0;
        for (int step = 0; step < 60; step++) {
            final int choice = random.nextInt(10);
            if (choice < 6) {
                epoch += random.nextInt(3);
                kafka.assign(epoch, end);
                ours.assign(epoch, end);
                end += random.nextInt(20);
            } else if (choice < 8) {
                logStart += random.nextInt((int) (end - logStart) + 1);
                kafka.truncateFromStartAsyncFlush(logStart);
                ours.retain(logStart, bases);
            } else if (end > logStart + 1) {
                end = logStart + 1 + random.nextInt((int) (end - logStart));
                kafka.truncateFromEndAsyncFlush(end);
                ours.force(end);
                ours.restore(logStart, bases, end);
                epoch = Math.max(epoch - random.nextInt(3), ours.latestEpoch() + 1);
            }
            final String at = seed + ", step " + step;
            assertEquals(entries(kafka.epochEntries()), ours.entries(), at);
            assertEquals(kafka.latestEpoch().orElse(-1), ours.latestEpoch(), at);
            for (int asked = -1; asked < epoch + 2; asked++) {
                final Map.Entry<Integer, Long> answer = kafka.endOffsetFor(asked, end);
                assertEquals(new EpochEndOffset(answer.getKey(), answer.getValue()), ours.endOffsetFor(asked, end), at);
            }
            for (long offset = Math.max(0, logStart - 1); offset <= end + 1; offset++) {
                assertEquals(kafka.epochForOffset(offset).orElse(-1), ours.epochAt(offset), at);
            }
        }
    }

    @Test
    void aDamagedTableIsRefusedAsByKafka() throws IOException {
        int both = 0;
        for (final String content : damagedTables().toList()) {
            Files.writeString(directory.resolve(LogFiles.LEADER_EPOCHS), content);
            final boolean kafka = accepts(() -> kafkaFile(directory).read());
            final UnsafeBuffer bytes = new UnsafeBuffer(content.getBytes(US_ASCII));
            final boolean ours = accepts(() -> LeaderEpochCheckpoint.parse("file", bytes, 0, bytes.capacity()));
            assertTrue(kafka || !STRICTER_TABLE.contains(content), "content <" + content + ">");
            assertEquals(kafka && !STRICTER_TABLE.contains(content), ours, "content <" + content + ">");
            both += kafka && ours ? 1 : 0;
        }
        assertEquals(3, both);
    }

    private static Stream<String> damagedTables() {
        return Stream.concat(
                STRICTER_TABLE.stream(),
                Stream.of(
                        "0\n0\n",
                        "0\n2\n0 0\n3 40\n",
                        "0\r\n2\r\n0 0\r\n3 40\r\n",
                        "0\n2\n0 0\n",
                        "1\n0\n",
                        "0\n1\n0 0\n3 40\n",
                        "0\n2\n0 0\n3\n",
                        "0\n2\n0 0\n3 40 5\n",
                        "0\n2\n0 0\nx 40\n",
                        "0\n-1\n",
                        "0\n2\n0 0\n2147483648 40\n",
                        "0\n2\n0 0\n3 9223372036854775808\n",
                        "\n0\n0\n",
                        "0\n2\n0 0\n\n3 40\n"));
    }

    @Test
    void aTopicIdIsReadAsByKafka() throws IOException {
        int both = 0;
        final Stream<String> contents = Stream.concat(
                STRICTER_METADATA.stream(),
                Stream.of(
                        "version: 0\ntopic_id: " + ID,
                        "version: 0\ntopic_id: " + ID + "\n",
                        "",
                        "version: 0",
                        "version: 0\n",
                        "topic_id: " + ID,
                        "version: x\ntopic_id: " + ID,
                        "version: 0\ntopic_id: AAAA",
                        "version: 0\ntopic_id: AAAAAAAAAAAAAAAAAAAAAA",
                        "version: 0\ntopic_id: " + ID + "A",
                        "version: 0\ntopic: x",
                        "version:0\ntopic_id:" + ID));
        for (final String content : contents.toList()) {
            Files.writeString(directory.resolve(LogFiles.PARTITION_METADATA), content);
            final boolean kafka = accepts(() -> kafkaMetadata(directory).read());
            final boolean ours = accepts(() -> PartitionMetadata.parse("file", content.getBytes(US_ASCII)));
            assertTrue(kafka || !STRICTER_METADATA.contains(content), "content <" + content + ">");
            assertEquals(kafka && !STRICTER_METADATA.contains(content), ours, "content <" + content + ">");
            both += kafka && ours ? 1 : 0;
        }
        assertEquals(2, both);
    }

    @Test
    void aTopicIdIsWrittenAsByKafka() throws IOException {
        final Random random = new Random(7);
        for (int i = 0; i < 50; i++) {
            final UUID id = new UUID(random.nextLong(), random.nextLong());
            final Uuid kafkaId = new Uuid(id.getMostSignificantBits(), id.getLeastSignificantBits());
            final Path kafkaDirectory = Files.createDirectory(directory.resolve("kafka-" + i));
            final PartitionMetadataFile file = kafkaMetadata(kafkaDirectory);
            file.record(kafkaId);
            file.maybeFlush();
            try (DiskStorage storage = new DiskStorage(directory)) {
                final PartitionMetadata ours = new PartitionMetadata(id);
                assertEquals(kafkaId.toString(), ours.topicIdText());
                ours.write(storage, "");
                assertEquals(ours, PartitionMetadata.read(storage, "kafka-" + i));
            }
            assertEquals(
                    -1L,
                    Files.mismatch(
                            directory.resolve(LogFiles.PARTITION_METADATA),
                            kafkaDirectory.resolve(LogFiles.PARTITION_METADATA)));
            assertEquals(kafkaId, kafkaMetadata(directory).read().topicId());
        }
    }

    private static LeaderEpochCheckpointFile kafkaFile(final Path directory) throws IOException {
        return new LeaderEpochCheckpointFile(
                directory.resolve(LogFiles.LEADER_EPOCHS).toFile(), new LogDirFailureChannel(1));
    }

    private static PartitionMetadataFile kafkaMetadata(final Path directory) {
        return new PartitionMetadataFile(
                directory.resolve(LogFiles.PARTITION_METADATA).toFile(), new LogDirFailureChannel(1));
    }

    private static List<LeaderEpoch> entries(final List<EpochEntry> entries) {
        return entries.stream()
                .map(e -> new LeaderEpoch(e.epoch(), e.startOffset()))
                .toList();
    }

    /** An act of Kafka's or ours that may throw what it likes. */
    private interface Act {
        Object run() throws IOException;
    }

    private static boolean accepts(final Act act) {
        try {
            assertTrue(act.run() != null);
            return true;
        } catch (final IOException | RuntimeException refusal) {
            return false;
        }
    }
}
