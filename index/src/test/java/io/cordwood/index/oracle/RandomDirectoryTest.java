package io.cordwood.index.oracle;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNotNull;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.cordwood.index.SparseIndexes;
import io.cordwood.log.DirectoryConfig;
import io.cordwood.log.LogConfig;
import io.cordwood.log.LogDirectory;
import io.cordwood.log.MetaProperties;
import io.cordwood.log.OffsetCheckpoint;
import io.cordwood.log.PartitionCells;
import io.cordwood.log.PartitionName;
import io.cordwood.log.store.DiskStorage;
import java.io.IOException;
import java.io.RandomAccessFile;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.SplittableRandom;
import java.util.UUID;
import java.util.stream.LongStream;
import java.util.stream.Stream;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.storage.internals.checkpoint.CleanShutdownFileHandler;
import org.apache.kafka.storage.internals.checkpoint.OffsetCheckpointFile;
import org.apache.kafka.storage.internals.log.LogDirFailureChannel;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/**
 * One data directory of two partitions goes to and fro between {@link LogDirectory} and Kafka, with marker and checkpoint files.
 * Each in its turn appends, rolls, truncates, deletes a prefix, forces and writes checkpoints now and then, and closes cleanly
 * or is killed: then the other one gets a copy that was taken while the directory was open, with whatever is reserved ahead at the
 * ends of its files. {@code -Dcordwood.oracle.seed=N} plays one game again, {@code -Dcordwood.oracle.games=N} plays more.
 */
@Tag("oracle")
final class RandomDirectoryTest {
    private static final int TURNS = 8;
    private static final int CRC_POSITION = 17;
    private static final DirectoryConfig EACH_CYCLE = new DirectoryConfig(60_000, 1, 60_000);

    @TempDir
    private Path temporary;

    /** What the games came to: a test that never gets where it wants to be proves nothing. */
    private static final class Tally {
        private int oursClean;
        private int oursKilled;
        private int kafkasClean;
        private int kafkasKilled;
        private int pointsInside;
        private int opensWithoutScan;
    }

    @Test
    void whatOneLeavesTheOtherContinues() throws Exception {
        final Long one = Long.getLong("cordwood.oracle.seed");
        final int games = Integer.getInteger("cordwood.oracle.games", 8);
        final Tally tally = new Tally();
        for (final long seed : one != null
                ? new long[] {one}
                : LongStream.rangeClosed(1, games).toArray()) {
            final Game game = new Game(seed, temporary, tally);
            try {
                for (int turn = 0; turn < TURNS; turn++) {
                    game.play((turn + seed) % 2 == 0);
                }
            } catch (final Exception | AssertionError e) {
                throw new AssertionError("seed " + seed + ": " + e.getMessage(), e);
            }
        }
        if (one == null) {
            assertTrue(tally.oursClean >= games / 2, tally.oursClean + " clean closes of ours");
            assertTrue(tally.oursKilled >= games / 2, tally.oursKilled + " times we were killed");
            assertTrue(tally.kafkasClean >= games / 2, tally.kafkasClean + " clean closes of Kafka's");
            assertTrue(tally.kafkasKilled >= games / 2, tally.kafkasKilled + " times Kafka was killed");
            assertTrue(tally.pointsInside >= games / 2, tally.pointsInside + " recovery points between start and end");
            assertTrue(tally.opensWithoutScan >= games / 2, tally.opensWithoutScan + " opens by Kafka without a scan");
        }
    }

    private static final class Game {
        private final SplittableRandom random;
        private final Path parent;
        private final long seed;
        private final Tally tally;
        private final Map<PartitionName, PartitionGame> partitions = new HashMap<>();
        private Path directory;
        private int copies;

        Game(final long seed, final Path parent, final Tally tally) throws IOException {
            this.random = new SplittableRandom(seed);
            this.seed = seed;
            this.parent = parent;
            this.tally = tally;
            for (int i = 0; i < 2; i++) {
                partitions.put(new PartitionName("topic", i), new PartitionGame(random.split()));
            }
            directory = Files.createDirectory(next());
            for (final PartitionName name : partitions.keySet()) {
                Files.createDirectory(directory.resolve(name.directory()));
            }
        }

        private Path next() {
            return parent.resolve(seed + "-" + copies++);
        }

        void play(final boolean isOurs) throws Exception {
            final boolean mustEndCleanly = partitions.values().stream().anyMatch(PartitionGame::mustEndCleanly);
            final boolean endsCleanly = mustEndCleanly || random.nextInt(3) == 0;
            partitions.values().forEach(PartitionGame::pass);
            if (isOurs) {
                ours(endsCleanly);
            } else {
                kafkas(endsCleanly);
            }
            if (endsCleanly) {
                for (final Map.Entry<PartitionName, PartitionGame> partition : partitions.entrySet()) {
                    partition
                            .getValue()
                            .dump(directory.resolve(partition.getKey().directory()));
                }
            }
        }

        private void ours(final boolean endsCleanly) throws Exception {
            final boolean wasClean = marker().exists();
            final Map<TopicPartition, Long> points = checkpoint(OffsetCheckpoint.RECOVERY_POINTS);
            final Map<PartitionName, CordwoodLog> logs = new HashMap<>();
            try (DiskStorage storage = new DiskStorage(directory);
                    LogDirectory data = open(storage)) {
                assertEquals(List.of(), data.findings());
                assertEquals(wasClean, data.wasClean());
                for (final Map.Entry<PartitionName, PartitionGame> entry : partitions.entrySet()) {
                    final PartitionGame partition = entry.getValue();
                    final PartitionCells cells = open(data, entry.getKey(), partition);
                    final long point = points.getOrDefault(kafkas(entry.getKey()), -1L);
                    final long known = Math.max(0, point);
                    assertEquals(wasClean && point >= 0 ? Long.MAX_VALUE : known, cells.recoveryPoint());
                    tallyPoint(wasClean, point, partition);
                    final CordwoodLog log = CordwoodLog.over(cells.log(), storage, partition.nowMs());
                    partition.found(log);
                    logs.put(entry.getKey(), log);
                }
                act(data, logs);
                logs.forEach((name, log) -> of(partitions, name).leaving(log, endsCleanly));
                if (!endsCleanly) {
                    killed();
                }
            }
            if (endsCleanly) {
                tally.oursClean++;
                kafkaScansNothing();
            } else {
                tally.oursKilled++;
                assertFalse(marker().exists());
                settleStarts();
            }
        }

        private LogDirectory open(final DiskStorage storage) {
            return LogDirectory.openOwned(
                    storage, EACH_CYCLE, MetaProperties.fresh(new UUID(seed, 0x8000000000000001L), "cluster", 1));
        }

        private PartitionCells open(final LogDirectory data, final PartitionName name, final PartitionGame partition) {
            final boolean isMapped = random.nextInt(3) == 0;
            final Map<String, String> config = new HashMap<>();
            partition.config().forEach((key, value) -> config.put(key, value.toString()));
            final PartitionCells cells = data.open(
                    name,
                    (opened, builder) -> {
                        builder.config(LogConfig.of(config)).indexes(new SparseIndexes());
                        if (isMapped) {
                            builder.mapped();
                        }
                        return true;
                    },
                    partition.nowMs());
            assertNotNull(cells);
            return cells;
        }

        private void act(final LogDirectory data, final Map<PartitionName, CordwoodLog> logs) {
            for (int act = random.nextInt(100); act > 0; act--) {
                final PartitionName name = someName();
                final CordwoodLog log = of(logs, name);
                of(partitions, name).act(log);
                if (random.nextInt(8) == 0) {
                    log.publish();
                    log.flush();
                }
                if (random.nextInt(8) == 0) {
                    data.doWork(partitions.values().stream()
                            .mapToLong(PartitionGame::nowMs)
                            .max()
                            .orElseThrow());
                }
            }
        }

        private PartitionName someName() {
            return new PartitionName("topic", random.nextInt(partitions.size()));
        }

        private void tallyPoint(final boolean wasClean, final long point, final PartitionGame partition) {
            if (!wasClean) {
                final long first = partition.model().start();
                tally.pointsInside += point > first && point < partition.model().end() ? 1 : 0;
            }
        }

        private void kafkas(final boolean endsCleanly) throws Exception {
            final boolean wasClean = marker().exists();
            final Map<TopicPartition, Long> starts = checkpoint(OffsetCheckpoint.LOG_STARTS);
            final Map<TopicPartition, Long> points = checkpoint(OffsetCheckpoint.RECOVERY_POINTS);
            marker().delete();
            final Map<PartitionName, KafkaLog> logs = new HashMap<>();
            for (final Map.Entry<PartitionName, PartitionGame> entry : partitions.entrySet()) {
                final TopicPartition name = kafkas(entry.getKey());
                final PartitionGame partition = entry.getValue();
                final KafkaLog.Arrival arrival =
                        new KafkaLog.Arrival(wasClean, starts.getOrDefault(name, 0L), points.getOrDefault(name, 0L));
                final KafkaLog log =
                        KafkaLog.open(at(directory, entry.getKey()), partition.config(), arrival, partition.nowMs());
                tallyPoint(wasClean, points.getOrDefault(name, -1L), partition);
                partition.found(log);
                logs.put(entry.getKey(), log);
            }
            act(logs);
            logs.forEach((name, log) -> of(partitions, name).leaving(log, endsCleanly));
            final Path left = directory;
            if (endsCleanly) {
                tally.kafkasClean++;
                logs.values().forEach(KafkaLog::close);
                writeCheckpoints(logs);
                marker().write(-1);
            } else {
                tally.kafkasKilled++;
                killed();
                logs.values().forEach(KafkaLog::abandon);
                settleStarts();
                assertTrue(!left.equals(directory));
            }
        }

        private void act(final Map<PartitionName, KafkaLog> logs) throws Exception {
            for (int act = random.nextInt(60); act > 0; act--) {
                final PartitionName name = someName();
                final KafkaLog log = of(logs, name);
                final long end = log.endOffset();
                of(partitions, name).act(log);
                if (random.nextInt(8) == 0) {
                    log.flush();
                }
                // A broker does so after each truncation.
                if (log.endOffset() < end || random.nextInt(8) == 0) {
                    writeCheckpoints(logs);
                }
            }
        }

        private void writeCheckpoints(final Map<PartitionName, KafkaLog> logs) throws IOException {
            final Map<TopicPartition, Long> points = new HashMap<>();
            final Map<TopicPartition, Long> starts = new HashMap<>();
            logs.forEach((name, log) -> {
                points.put(kafkas(name), log.recoveryPoint());
                starts.put(kafkas(name), log.startOffset());
            });
            file(OffsetCheckpoint.RECOVERY_POINTS).write(points);
            file(OffsetCheckpoint.LOG_STARTS).write(starts);
        }

        /** The files as they are at this moment, which is what the death of the process would leave. */
        private void killed() throws IOException {
            final Path copy = next();
            copy(directory, copy);
            directory = copy;
        }

        /** A start that was moved after the last checkpoint is where it was, or where the first segment begins. */
        private void settleStarts() throws IOException {
            final Map<TopicPartition, Long> starts = checkpoint(OffsetCheckpoint.LOG_STARTS);
            for (final Map.Entry<PartitionName, PartitionGame> entry : partitions.entrySet()) {
                final long known = starts.getOrDefault(kafkas(entry.getKey()), 0L);
                entry.getValue()
                        .model()
                        .settleStart(Math.max(known, entry.getValue().firstBase()));
            }
        }

        /**
         * Each segment of a copy gets a batch with a wrong checksum: a scan would end the log there, as it does where the marker is
         * not believed.
         */
        private void kafkaScansNothing() throws Exception {
            assertTrue(marker().exists());
            final Map<TopicPartition, Long> points = checkpoint(OffsetCheckpoint.RECOVERY_POINTS);
            final Map<TopicPartition, Long> starts = checkpoint(OffsetCheckpoint.LOG_STARTS);
            for (final boolean isClean : new boolean[] {true, false}) {
                final Path copy = next();
                copy(directory, copy);
                for (final Map.Entry<PartitionName, PartitionGame> entry : partitions.entrySet()) {
                    final PartitionGame partition = entry.getValue();
                    final TopicPartition name = kafkas(entry.getKey());
                    final long end = of(points, name);
                    assertEquals(partition.model().end(), end);
                    if (partition.model().readable().isEmpty()) {
                        continue;
                    }
                    damageEachSegment(at(copy, entry.getKey()));
                    final KafkaLog.Arrival arrival =
                            new KafkaLog.Arrival(isClean, starts.getOrDefault(name, 0L), isClean ? end : 0);
                    final KafkaLog kafka =
                            KafkaLog.open(at(copy, entry.getKey()), partition.config(), arrival, partition.nowMs());
                    if (isClean) {
                        tally.opensWithoutScan++;
                        assertTrue(kafka.endOffset() >= partition.model().leastEnd(), "cut to " + kafka.endOffset());
                        assertEquals(partition.model().start(), kafka.startOffset());
                    } else {
                        assertTrue(kafka.endOffset() < partition.model().leastEnd(), "a scan finds it");
                    }
                    kafka.abandon();
                }
            }
        }

        private static void damageEachSegment(final Path partition) throws IOException {
            for (final Path file : list(partition)) {
                if (file.toString().endsWith(".log") && Files.size(file) > 0) {
                    try (RandomAccessFile segment = new RandomAccessFile(file.toFile(), "rw")) {
                        segment.seek(CRC_POSITION);
                        final int was = segment.read();
                        segment.seek(CRC_POSITION);
                        segment.write(~was);
                    }
                }
            }
        }

        private static Path at(final Path directory, final PartitionName name) {
            return directory.resolve(name.directory());
        }

        private static TopicPartition kafkas(final PartitionName name) {
            return new TopicPartition(name.topic(), name.partition());
        }

        private CleanShutdownFileHandler marker() {
            return new CleanShutdownFileHandler(directory.toString());
        }

        private Map<TopicPartition, Long> checkpoint(final String name) throws IOException {
            return Files.exists(directory.resolve(name)) ? file(name).read() : Map.of();
        }

        private OffsetCheckpointFile file(final String name) throws IOException {
            return new OffsetCheckpointFile(directory.resolve(name).toFile(), new LogDirFailureChannel(1));
        }
    }

    private static <K, V> V of(final Map<K, V> map, final K key) {
        return Objects.requireNonNull(map.get(key), () -> "nothing for " + key);
    }

    private static List<Path> list(final Path directory) throws IOException {
        try (Stream<Path> files = Files.list(directory)) {
            return new ArrayList<>(files.sorted().toList());
        }
    }

    private static void copy(final Path from, final Path to) throws IOException {
        Files.createDirectory(to);
        for (final Path file : list(from)) {
            final Path target = to.resolve(Objects.requireNonNull(file.getFileName()));
            if (Files.isDirectory(file)) {
                copy(file, target);
            } else {
                Files.copy(file, target);
            }
        }
    }
}
