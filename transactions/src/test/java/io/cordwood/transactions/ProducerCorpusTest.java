package io.cordwood.transactions;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import io.cordwood.log.Log;
import io.cordwood.log.LogBuilder;
import io.cordwood.log.LogConfig;
import io.cordwood.log.LogFiles;
import io.cordwood.log.store.DiskStorage;
import java.io.IOException;
import java.io.InputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;
import java.util.zip.GZIPInputStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Partitions that Kafka wrote: we know the producers and transactions that Kafka knows, with its files and without them, and write its bytes. */
final class ProducerCorpusTest {
    private static final List<String> CASES = List.of("03-txn", "04-compaction", "06-cluster", "07-crash", "10-kcat");

    private static final String DECIDED_ABOVE = "07-crash/before/crash-txn-0";

    @TempDir
    private Path directory;

    private int count;

    /** A partition as Kafka's classes saw it. */
    private record Partition(String name, Path path, JsonNode truth, Map<String, String> settings) {
        JsonNode load() {
            return truth.path("kafkaLoad");
        }
    }

    private static Path corpus() {
        return Path.of(System.getProperty("cordwood.corpus"));
    }

    /** Those that lie there unpacked and that Kafka could load. */
    private static List<Partition> partitions() throws IOException {
        final List<Partition> partitions = new ArrayList<>();
        for (final String name : CASES) {
            final Path root = corpus().resolve(name);
            final JsonNode truth;
            try (InputStream in = new GZIPInputStream(Files.newInputStream(root.resolve("truth.json.gz")))) {
                truth = new ObjectMapper().readTree(in);
            }
            final Map<String, String> settings = new HashMap<>();
            truth.path("logConfig")
                    .properties()
                    .forEach(e -> settings.put(e.getKey(), e.getValue().asText()));
            for (final JsonNode partition : truth.path("partitions")) {
                final Path path = root.resolve(partition.path("path").asText());
                if (Files.isDirectory(path)
                        && partition.path("kafkaLoad").path("outcome").asText().equals("loaded")) {
                    partitions.add(new Partition(name + "/" + root.relativize(path), path, partition, settings));
                }
            }
        }
        return partitions;
    }

    @Test
    void weKnowWhatKafkaKnows() throws IOException {
        int producers = 0;
        int undecided = 0;
        for (final Partition partition : partitions()) {
            final JsonNode load = partition.load();
            final boolean isClean = load.path("hadCleanShutdown").asBoolean();
            try (DiskStorage storage = new DiskStorage(copy(partition))) {
                final ProducerState state = new ProducerState(storage, "p-0", ProducerConfig.defaults());
                try (Log log = open(partition, storage, state, isClean)) {
                    assertEquals(load.path("logEndOffset").asLong(), log.endOffset(), partition.name());
                    assertSame(partition, state);
                }
            }
            producers += load.path("activeProducers").size();
            undecided += load.path("firstUndecidedOffset").isNumber() ? 1 : 0;
        }
        assertEquals(
                List.of(PARTITIONS, PRODUCERS, UNDECIDED), List.of(partitions().size(), producers, undecided));
    }

    private static final int PARTITIONS = 63;
    private static final int PRODUCERS = 104;
    private static final int UNDECIDED = 1;

    private static Log open(
            final Partition partition, final DiskStorage storage, final ProducerState state, final boolean isClean) {
        return new LogBuilder(storage, "p-0")
                .config(LogConfig.of(partition.settings()))
                .state(state)
                .startOffset(partition.load().path("logStartOffset").asLong())
                .recoveryPoint(
                        isClean
                                ? Long.MAX_VALUE
                                : partition.load().path("recoveryPointGiven").asLong())
                .open(partition.load().path("nowMs").asLong());
    }

    private static void assertSame(final Partition partition, final ProducerState state) {
        final JsonNode load = partition.load();
        final long highWatermark = load.path("highWatermark").asLong();
        state.highWatermark(highWatermark);
        final long stable = state.lastStableOffset(highWatermark);
        if (partition.name().equals(DECIDED_ABOVE)) {
            // After a recovery Kafka has forgotten that the marker of this transaction lies above the high watermark.
            assertEquals(
                    List.of(203L, 203L, 200L),
                    List.of(highWatermark, load.path("lastStableOffset").asLong(), stable));
        } else {
            assertEquals(load.path("lastStableOffset").asLong(), stable, partition.name());
        }
        assertEquals(load.path("firstUndecidedOffset").asLong(-1), state.firstUndecidedOffset(), partition.name());
        state.expire(load.path("nowMs").asLong(), Integer.MAX_VALUE);
        final boolean isClean = load.path("hadCleanShutdown").asBoolean();
        assertEquals(
                entries(load.path("activeProducers")),
                isClean ? state.producers() : withLastBatches(state.producers()),
                partition.name());
    }

    /** Kafka ends a recovery by loading the snapshot that it has just taken; we keep what the replay has shown. */
    private static List<ProducerEntry> withLastBatches(final List<ProducerEntry> entries) {
        return entries.stream()
                .map(entry -> new ProducerEntry(
                        entry.producerId(),
                        entry.epoch(),
                        entry.coordinatorEpoch(),
                        entry.lastTimestamp(),
                        entry.transactionFirst(),
                        entry.batches()
                                .subList(
                                        Math.max(0, entry.batches().size() - 1),
                                        entry.batches().size())))
                .toList();
    }

    private static List<ProducerEntry> entries(final JsonNode producers) {
        final List<ProducerEntry> entries = new ArrayList<>();
        for (final JsonNode producer : producers) {
            final List<ProducerEntry.Batch> batches = new ArrayList<>();
            for (final JsonNode batch : producer.path("batches")) {
                batches.add(new ProducerEntry.Batch(
                        batch.path("firstSeq").asInt(),
                        batch.path("lastSeq").asInt(),
                        batch.path("firstOffset").asLong(),
                        batch.path("lastOffset").asLong(),
                        batch.path("timestamp").asLong()));
            }
            entries.add(new ProducerEntry(
                    producer.path("producerId").asLong(),
                    (short) producer.path("producerEpoch").asInt(),
                    producer.path("coordinatorEpoch").asInt(),
                    producer.path("lastTimestamp").asLong(),
                    producer.path("currentTxnFirstOffset").asLong(-1),
                    batches));
        }
        entries.sort((a, b) -> Long.compare(a.producerId(), b.producerId()));
        return entries;
    }

    @Test
    void aReplayWritesTheAbortedTransactionsAndTheSnapshotsThatKafkaWrote() throws IOException {
        int indexes = 0;
        int snapshots = 0;
        for (final Partition partition : partitions()) {
            if (partition.name().startsWith("04")
                    || !partition.load().path("hadCleanShutdown").asBoolean()) {
                // What a cleaner took away cannot be replayed.
                continue;
            }
            final Path copy = copy(partition);
            delete(copy, LogFiles.SNAPSHOT);
            delete(copy, LogFiles.TXN_INDEX);
            try (DiskStorage storage = new DiskStorage(copy)) {
                final ProducerState state = new ProducerState(storage, "p-0", ProducerConfig.defaults());
                try (Log log = open(partition, storage, state, true)) {
                    assertEquals(partition.load().path("logEndOffset").asLong(), log.endOffset());
                }
            }
            indexes += assertSameFiles(partition, copy, LogFiles.TXN_INDEX);
            snapshots += assertSameFiles(partition, copy, LogFiles.SNAPSHOT);
        }
        assertEquals(List.of(INDEXES, SNAPSHOTS), List.of(indexes, snapshots));
    }

    private static final int INDEXES = 17;
    private static final int SNAPSHOTS = 52;

    private static int assertSameFiles(final Partition partition, final Path copy, final String suffix)
            throws IOException {
        int same = 0;
        for (final Path file : list(partition.path(), suffix)) {
            final Path ours = copy.resolve("p-0").resolve(file.getFileName());
            final long offset = LogFiles.offset(file.getFileName().toString(), suffix);
            // A replica may have one of an end at which it stopped once.
            final boolean isOfNow =
                    offset == partition.load().path("logEndOffset").asLong()
                            || Files.exists(partition.path().resolve(LogFiles.name(offset, LogFiles.LOG)));
            if (Files.size(file) > 0 && isOfNow) {
                assertTrue(Files.exists(ours), () -> "no " + file);
                assertArrayEquals(Files.readAllBytes(file), Files.readAllBytes(ours), file.toString());
                same++;
            }
        }
        return same;
    }

    private static List<Path> list(final Path path, final String suffix) throws IOException {
        try (Stream<Path> files = Files.list(path)) {
            return files.filter(file -> file.toString().endsWith(suffix))
                    .sorted()
                    .toList();
        }
    }

    private static void delete(final Path copy, final String suffix) throws IOException {
        for (final Path file : list(copy.resolve("p-0"), suffix)) {
            Files.delete(file);
        }
    }

    private Path copy(final Partition partition) throws IOException {
        final Path copy = directory.resolve("copy" + count++);
        final Path target = Files.createDirectories(copy.resolve("p-0"));
        try (Stream<Path> files = Files.list(partition.path())) {
            for (final Path file : files.toList()) {
                Files.copy(file, target.resolve(file.getFileName()));
            }
        }
        return copy;
    }
}
