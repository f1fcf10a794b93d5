package io.cordwood.index.oracle;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.SplittableRandom;
import org.apache.kafka.storage.internals.log.EpochEntry;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** The judge itself: Kafka's log and tool agree with each other, and complain of what is wrong. */
@Tag("oracle")
final class KafkaLogTest {
    private static final long NOW_MS = 1_700_000_000_000L;
    private static final Map<String, ?> CONFIG =
            Map.of("internal.segment.bytes", 64 * 1024, "index.interval.bytes", 512, "segment.index.bytes", 4096);

    private final List<LogRecord> expected = new ArrayList<>();
    private Path directory = Path.of("");

    @BeforeEach
    void makeDirectory(@TempDir final Path temporary) throws Exception {
        directory = Files.createDirectory(temporary.resolve("topic-0"));
    }

    @Test
    void whatKafkaWroteIsReadBackAndDumpedWithoutComplaint() throws Exception {
        writeFiveHundredBatches();
        final KafkaDump dump = KafkaDump.of(directory);
        assertEquals(List.of(), dump.complaints());
        assertEquals(500, dump.batches());
        assertEquals(expected.size(), dump.records());
        assertTrue(dump.indexEntries() > 100, () -> "index entries: " + dump.indexEntries());
        assertTrue(dump.timeIndexEntries() > 10, () -> "time index entries: " + dump.timeIndexEntries());
        try (KafkaLog log = KafkaLog.open(directory, CONFIG, KafkaLog.Arrival.CLEAN, NOW_MS)) {
            assertEquals(List.of(), log.warnings());
            assertEquals(expected, log.readAll());
            assertEquals(List.of(new EpochEntry(3, 0), new EpochEntry(5, epochFiveStart())), log.epochs());
            assertTrue(log.segmentBases().length > 5);
        }
    }

    @Test
    void gapsOfAReplicaAreListed() throws Exception {
        final SplittableRandom random = new SplittableRandom(1);
        final ProducedBatch first = ProducedBatch.draw(random, NOW_MS);
        final ProducedBatch second = ProducedBatch.draw(random, NOW_MS);
        try (KafkaLog log = KafkaLog.open(directory, CONFIG, KafkaLog.Arrival.CLEAN, NOW_MS)) {
            log.appendAsFollower(first.encoded(10, 2), 2);
            log.appendAsFollower(second.encoded(1000, 2), 2);
        }
        final KafkaDump dump = KafkaDump.of(directory);
        assertEquals(List.of(), dump.complaints());
        assertEquals(Map.of(9L + first.count(), 1000L), dump.gaps());
    }

    @Test
    void aWrongIndexEntryIsComplainedOf() throws Exception {
        writeFiveHundredBatches();
        flip(directory.resolve("00000000000000000000.index"), 3);
        assertFalse(KafkaDump.of(directory).complaints().isEmpty());
    }

    @Test
    void aWrongTimeIndexEntryIsComplainedOf() throws Exception {
        writeFiveHundredBatches();
        flip(directory.resolve("00000000000000000000.timeindex"), 7);
        assertFalse(KafkaDump.of(directory).complaints().isEmpty());
    }

    @Test
    void aWrongRecordIsComplainedOf() throws Exception {
        writeFiveHundredBatches();
        final Path log = directory.resolve("00000000000000000000.log");
        flip(log, (int) Files.size(log) - 1);
        boolean refused;
        try {
            refused = !KafkaDump.of(directory).complaints().isEmpty();
        } catch (final Exception e) {
            refused = true;
        }
        assertTrue(refused);
    }

    @Test
    void aMissingIndexIsWarnedOfAndBuiltAnew() throws Exception {
        writeFiveHundredBatches();
        final Path index = directory.resolve("00000000000000000000.index");
        final byte[] sound = Files.readAllBytes(index);
        Files.delete(index);
        try (KafkaLog log = KafkaLog.open(directory, CONFIG, KafkaLog.Arrival.CLEAN, NOW_MS)) {
            assertFalse(log.warnings().isEmpty());
            assertEquals(expected, log.readAll());
        }
        assertArrayEquals(sound, Files.readAllBytes(index));
    }

    private void writeFiveHundredBatches() throws Exception {
        final SplittableRandom random = new SplittableRandom(42);
        try (KafkaLog log = KafkaLog.open(directory, CONFIG, KafkaLog.Arrival.CLEAN, NOW_MS)) {
            for (int i = 0; i < 500; i++) {
                final int epoch = i < 200 ? 3 : 5;
                final ProducedBatch batch = ProducedBatch.draw(random, NOW_MS);
                expected.addAll(batch.landed(log.appendAsLeader(batch.sent(), epoch), epoch, -1));
            }
        }
    }

    private long epochFiveStart() {
        return expected.stream()
                .filter(record -> record.epoch() == 5)
                .findFirst()
                .orElseThrow()
                .offset();
    }

    private static void flip(final Path file, final int position) throws Exception {
        final byte[] bytes = Files.readAllBytes(file);
        bytes[position] ^= 1;
        Files.write(file, bytes);
    }
}
