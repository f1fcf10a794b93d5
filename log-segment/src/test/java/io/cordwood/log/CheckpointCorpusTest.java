package io.cordwood.log;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.fasterxml.jackson.databind.JsonNode;
import io.cordwood.log.record.Corpus;
import io.cordwood.log.store.DiskStorage;
import io.cordwood.log.store.FileStatus;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Stream;
import org.agrona.concurrent.UnsafeBuffer;
import org.junit.jupiter.api.Test;

/** Every leader-epoch table and topic id that Kafka wrote, and the damaged ones. */
class CheckpointCorpusTest {
    private static final String[] CASES = {
        "01-plain", "02-codecs", "03-txn", "04-compaction", "05-groups", "06-cluster", "07-crash", "10-kcat"
    };

    @Test
    void everyFileIsReadAsKafkaReadItAndWrittenAsKafkaWroteIt() throws IOException {
        int files = 0;
        int entriesAboveOne = 0;
        for (final String name : CASES) {
            for (final JsonNode partition : Corpus.truth(name).get("partitions")) {
                final String path = partition.get("path").textValue();
                final UnsafeBuffer table = Corpus.bytes(name, path, LogFiles.LEADER_EPOCHS);
                final List<LeaderEpoch> expected = new ArrayList<>();
                partition
                        .get("leaderEpochs")
                        .forEach(e -> expected.add(new LeaderEpoch(
                                e.get("epoch").intValue(), e.get("startOffset").longValue())));
                assertEquals(
                        expected, LeaderEpochCheckpoint.parse(path, table, 0, table.capacity()), name + "/" + path);
                assertArrayEquals(bytes(table), EpochList.of(expected).encode(), name + "/" + path);

                final byte[] metadata = bytes(Corpus.bytes(name, path, LogFiles.PARTITION_METADATA));
                final PartitionMetadata read = PartitionMetadata.parse(path, metadata);
                assertEquals(partition.get("topicId").textValue(), read.topicIdText(), name + "/" + path);
                final MemoryStorage storage = new MemoryStorage();
                read.write(storage, "");
                assertArrayEquals(metadata, storage.content(LogFiles.PARTITION_METADATA), name + "/" + path);
                files++;
                entriesAboveOne += expected.size() > 1 ? 1 : 0;
            }
        }
        assertEquals(97, files);
        assertEquals(34, entriesAboveOne);
    }

    @Test
    void theDamagedFilesAreRefusedAndTheOthersAreNot() {
        final List<String> refused = new ArrayList<>();
        final List<String> missing = new ArrayList<>();
        int read = 0;
        try (DiskStorage storage = new DiskStorage(Corpus.root().resolve("09-corrupt"))) {
            for (final String directory : variants(storage)) {
                try {
                    if (LeaderEpochCheckpoint.read(storage, directory) == null
                            || PartitionMetadata.read(storage, directory) == null) {
                        missing.add(directory);
                    }
                    read++;
                } catch (final CorruptLogException e) {
                    assertTrue(e.file().contains(directory), e.file());
                    refused.add(directory);
                }
            }
        }
        assertTrue(read > 80, read + " read");
        assertEquals(
                List.of("leaderepoch-checkpoint-garbage/dmg-plain-0", "partition-metadata-garbage/dmg-plain-0"),
                refused);
        assertEquals(
                List.of("leaderepoch-checkpoint-missing/dmg-plain-0", "partition-metadata-missing/dmg-plain-0"),
                missing);
    }

    @Test
    void aTableThatAnnouncesMoreThanItHasNamesTheEndOfTheFile() {
        try (DiskStorage storage =
                new DiskStorage(Corpus.root().resolve("09-corrupt/leaderepoch-checkpoint-garbage"))) {
            final String directory = variants(storage).get(0);
            final CorruptLogException e =
                    assertThrows(CorruptLogException.class, () -> LeaderEpochCheckpoint.read(storage, directory));
            assertEquals(8, e.position());
        }
    }

    private static List<String> variants(final DiskStorage storage) {
        return storage.list("").stream()
                .filter(FileStatus::isDirectory)
                .flatMap(variant -> variant.name().startsWith("dmg-")
                        ? Stream.of(variant.name())
                        : storage.list(variant.name()).stream()
                                .filter(FileStatus::isDirectory)
                                .map(inner -> variant.name() + "/" + inner.name()))
                .toList();
    }

    private static byte[] bytes(final UnsafeBuffer buffer) {
        final byte[] bytes = new byte[buffer.capacity()];
        buffer.getBytes(0, bytes);
        return bytes;
    }
}
