package io.cordwood.index.log;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.fasterxml.jackson.databind.JsonNode;
import io.cordwood.log.LeaderEpoch;
import io.cordwood.log.Log;
import io.cordwood.log.LogConfig;
import io.cordwood.log.LogFiles;
import io.cordwood.log.store.DiskStorage;
import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** What a killed Kafka left: opened and closed by us it is what Kafka made of it. */
final class CrashCorpusTest {
    @TempDir
    Path scratch;

    @Test
    void whatKafkaRecoveredWeRecoverToTheSameBytes() throws IOException {
        final JsonNode truth = RecoveryCorpus.truth("07-crash");
        int partitions = 0;
        for (final JsonNode partition : truth.get("partitions")) {
            final String path = partition.get("path").asText();
            if (path.startsWith("before/crash")) {
                recoversTo(truth, partition, path.replace("before/", "after/"));
                partitions++;
            }
        }
        assertEquals(5, partitions);
    }

    private void recoversTo(final JsonNode truth, final JsonNode partition, final String afterPath) throws IOException {
        final Path ours = scratch.resolve(partition.get("path").asText());
        final Path theirs = scratch.resolve(afterPath);
        RecoveryCorpus.copy(
                RecoveryCorpus.folder("07-crash").resolve(partition.get("path").asText()), ours);
        RecoveryCorpus.copy(RecoveryCorpus.folder("07-crash").resolve(afterPath), theirs);
        final long recoveryPoint = partition.get("recoveryPointCheckpoint").asLong();
        final long end = partition.get("kafkaLoad").get("logEndOffset").asLong();
        final List<LeaderEpoch> epochs = new ArrayList<>();
        partition
                .get("leaderEpochs")
                .forEach(entry -> epochs.add(new LeaderEpoch(
                        entry.get("epoch").asInt(), entry.get("startOffset").asLong())));
        try (DiskStorage storage = new DiskStorage(ours);
                Log log = RecoveryCorpus.open(storage, config(truth, partition), recoveryPoint)) {
            assertEquals(end, log.endOffset(), afterPath);
            assertEquals(epochs, log.leaderEpochs().entries(), afterPath);
        }
        final Map<String, byte[]> left = RecoveryCorpus.content(ours);
        int compared = 0;
        for (final Map.Entry<String, byte[]> file :
                RecoveryCorpus.content(theirs).entrySet()) {
            final String name = file.getKey();
            // The broker added an epoch and a snapshot of producers before it stopped.
            if (!name.equals(LogFiles.LEADER_EPOCHS) && !name.endsWith(LogFiles.SNAPSHOT)) {
                assertArrayEquals(file.getValue(), left.get(name), afterPath + " " + name);
                compared++;
            }
        }
        assertTrue(compared >= 4, afterPath);
    }

    private static LogConfig config(final JsonNode truth, final JsonNode partition) {
        final String interval = switch (partition.get("topic").asText()) {
            case "crash-lz4" -> "1024";
            case "crash-default-index" -> "4096";
            case "crash" -> "2048";
            default -> truth.get("logConfig").get("index.interval.bytes").asText();
        };
        return LogConfig.of(Map.of("index.interval.bytes", interval, "segment.index.bytes", "4096"));
    }

    @Test
    void theCrashedLeadersDirectoryOpens() throws IOException {
        int partitions = 0;
        for (final JsonNode partition : RecoveryCorpus.truth("06-cluster").get("partitions")) {
            final String path = partition.get("path").asText();
            final JsonNode load = partition.get("kafkaLoad");
            if (!path.startsWith("crashed-leader/") || load == null) {
                continue;
            }
            final Path copy = scratch.resolve(path);
            RecoveryCorpus.copy(RecoveryCorpus.folder("06-cluster").resolve(path), copy);
            try (DiskStorage storage = new DiskStorage(copy);
                    Log log = RecoveryCorpus.open(
                            storage,
                            LogConfig.defaults(),
                            load.get("recoveryPointGiven").asLong())) {
                assertEquals(load.get("logEndOffset").asLong(), log.endOffset(), path);
                assertEquals(List.of(), RecoveryCorpus.walk(log).faults(), path);
                partitions++;
            }
        }
        assertTrue(partitions >= 4, "opened " + partitions);
    }
}
