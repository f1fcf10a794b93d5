package io.cordwood.index.oracle;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNotNull;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.cordwood.index.SparseIndexes;
import io.cordwood.log.AppendAs;
import io.cordwood.log.CleanShutdownMarker;
import io.cordwood.log.DirectoryConfig;
import io.cordwood.log.Fault;
import io.cordwood.log.Log;
import io.cordwood.log.LogCheck;
import io.cordwood.log.LogConfig;
import io.cordwood.log.LogDirectory;
import io.cordwood.log.LogSetup;
import io.cordwood.log.MetaProperties;
import io.cordwood.log.OffsetCheckpoint;
import io.cordwood.log.PartitionCells;
import io.cordwood.log.PartitionName;
import io.cordwood.log.codec.Codecs;
import io.cordwood.log.codec.CompressionType;
import io.cordwood.log.record.BatchBuilder;
import io.cordwood.log.store.DiskStorage;
import io.cordwood.log.store.StorageException;
import java.io.File;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.OptionalLong;
import java.util.Properties;
import java.util.TreeMap;
import java.util.UUID;
import org.agrona.concurrent.UnsafeBuffer;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.Uuid;
import org.apache.kafka.metadata.properties.PropertiesUtils;
import org.apache.kafka.server.util.FileLock;
import org.apache.kafka.storage.internals.checkpoint.CleanShutdownFileHandler;
import org.apache.kafka.storage.internals.checkpoint.OffsetCheckpointFile;
import org.apache.kafka.storage.internals.log.LogDirFailureChannel;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Data directories that Kafka left go through our hands and back into Kafka's; and each side's files before the other. */
@Tag("oracle")
final class DataDirectoryTest {
    private static final long NOW_MS = 1_800_000_000_000L;
    private static final Map<String, String> CONFIG = Map.of(
            "internal.segment.bytes", "16384",
            "index.interval.bytes", "512",
            "segment.index.bytes", "4096",
            "retention.ms", "-1");
    private static final LogSetup SETUP = (partition, builder) -> {
        builder.config(LogConfig.of(CONFIG)).indexes(new SparseIndexes());
        return true;
    };

    @TempDir
    Path directory = Path.of("");

    @ParameterizedTest
    @ValueSource(
            strings = {
                "01-plain",
                "02-codecs",
                "03-txn",
                "04-compaction/after-2",
                "05-groups",
                "06-cluster/final/broker-1",
                "06-cluster/crashed-leader/broker-3",
                "07-crash/before",
                "10-kcat"
            })
    void kafkasDirectoryIsContinuedByUsAndThenByKafka(final String name) throws Exception {
        final Path corpus = Path.of(Objects.requireNonNull(System.getProperty("cordwood.corpus")), name);
        copy(corpus);
        final boolean wasClean = kafkasMarker().exists();
        final OptionalLong epoch = kafkasMarker().read();
        final Map<TopicPartition, Long> before = kafkasCheckpoint(OffsetCheckpoint.RECOVERY_POINTS);
        final Map<PartitionName, Long> ends = new TreeMap<>();
        try (DiskStorage storage = new DiskStorage(directory);
                LogDirectory ours = LogDirectory.open(storage, DirectoryConfig.defaults())) {
            assertEquals(List.of(), ours.findings());
            assertEquals(wasClean, ours.wasClean());
            for (final PartitionName partition : ours.names()) {
                final long lastSegmentBytes = lastSegmentBytes(partition);
                final PartitionCells opened = ours.open(partition, SETUP, NOW_MS);
                assertNotNull(opened);
                assertEquals(wasClean, opened.wasClean(), partition.toString());
                final Log log = opened.log();
                if (wasClean) {
                    assertEquals(before.get(kafkas(partition)), log.endOffset(), partition.toString());
                    assertTrue(log.recovery().scannedBytes() <= lastSegmentBytes, partition + ": " + log.recovery());
                }
                append(log, Math.max(0, log.leaderEpochs().latestEpoch()));
                ends.put(partition, log.endOffset());
            }
            assertFalse(ends.isEmpty());
            assertFalse(kafkasMarker().exists());
        }
        assertEquals(wasClean, kafkasMarker().exists());
        assertEquals(epoch, kafkasMarker().read());
        final Map<TopicPartition, Long> expected = new HashMap<>(before);
        ends.forEach((partition, end) -> expected.put(kafkas(partition), end));
        assertEquals(expected, kafkasCheckpoint(OffsetCheckpoint.RECOVERY_POINTS));
        final Map<TopicPartition, Long> starts = kafkasCheckpoint(OffsetCheckpoint.LOG_STARTS);
        for (final Map.Entry<PartitionName, Long> end : ends.entrySet()) {
            assertSound(end.getKey());
            kafkaGoesOn(end.getKey(), starts.getOrDefault(kafkas(end.getKey()), 0L), end.getValue(), wasClean);
        }
    }

    private void kafkaGoesOn(final PartitionName partition, final long start, final long end, final boolean isClean)
            throws Exception {
        final KafkaLog.Arrival arrival = new KafkaLog.Arrival(isClean, start, end);
        try (KafkaLog kafka = KafkaLog.open(directory.resolve(partition.directory()), CONFIG, arrival, NOW_MS)) {
            assertEquals(List.of(), kafka.warnings(), partition.toString());
            assertEquals(end, kafka.endOffset(), partition.toString());
            final List<LogRecord> records = kafka.readAll();
            assertEquals(end - 1, records.get(records.size() - 1).offset());
        }
    }

    private long lastSegmentBytes(final PartitionName partition) throws Exception {
        try (var files = Files.list(directory.resolve(partition.directory()))) {
            return Files.size(files.filter(file -> file.toString().endsWith(".log"))
                    .max(Path::compareTo)
                    .orElseThrow());
        }
    }

    private static void append(final Log log, final int epoch) {
        final UnsafeBuffer buffer = new UnsafeBuffer(new byte[1024]);
        for (int i = 0; i < 100; i++) {
            final UnsafeBuffer value = new UnsafeBuffer(("value " + i).getBytes(StandardCharsets.US_ASCII));
            final BatchBuilder batch = new BatchBuilder(Codecs.standard())
                    .wrap(buffer, 0, buffer.capacity())
                    .compression(CompressionType.NONE, CompressionType.DEFAULT_LEVEL);
            assertTrue(batch.append(NOW_MS, value, 0, value.capacity(), value, 0, value.capacity(), null));
            assertTrue(log.append(buffer, 0, batch.finish(), AppendAs.client(epoch), NOW_MS) >= 0);
        }
    }

    private void assertSound(final PartitionName partition) {
        final List<Fault> faults = new ArrayList<>();
        try (DiskStorage storage = new DiskStorage(directory);
                LogCheck check = new LogCheck(storage, 1 << 20, 1 << 24, faults::add)) {
            check.check(partition.directory());
        }
        assertEquals(List.of(), faults, partition.toString());
    }

    @Test
    void kafkaReadsWhatADirectoryOfOursSays() throws Exception {
        final UUID id = new UUID(0x0123456789abcdefL, 0x7edcba9876543210L);
        final PartitionName orders = new PartitionName("orders", 3);
        try (DiskStorage storage = new DiskStorage(directory);
                LogDirectory ours = LogDirectory.openOwned(
                        storage, DirectoryConfig.defaults(), MetaProperties.fresh(id, "ZrOfjqCuSOiRU83UrIXx1g", 6))) {
            assertTrue(ours.create(orders, id));
            final PartitionCells opened = ours.open(orders, SETUP, NOW_MS);
            assertNotNull(opened);
            append(opened.log(), 0);
            opened.log().deletePrefix(10, 100, NOW_MS);
            opened.highWatermark(90);
            opened.cleanerOffset(80);
            ours.brokerEpoch(42);
        }
        assertEquals(OptionalLong.of(42), kafkasMarker().read());
        final TopicPartition theirs = kafkas(orders);
        assertEquals(Map.of(theirs, 100L), kafkasCheckpoint(OffsetCheckpoint.RECOVERY_POINTS));
        assertEquals(Map.of(theirs, 10L), kafkasCheckpoint(OffsetCheckpoint.LOG_STARTS));
        assertEquals(Map.of(theirs, 90L), kafkasCheckpoint(OffsetCheckpoint.HIGH_WATERMARKS));
        assertEquals(Map.of(theirs, 80L), kafkasCheckpoint(OffsetCheckpoint.CLEANER_OFFSETS));
        final var properties = new org.apache.kafka.metadata.properties.MetaProperties.Builder(
                        PropertiesUtils.readPropertiesFile(
                                directory.resolve(MetaProperties.FILE).toString()))
                .build();
        assertEquals("ZrOfjqCuSOiRU83UrIXx1g", properties.clusterId().orElseThrow());
        assertEquals(6, properties.nodeId().orElseThrow());
        assertEquals(
                new Uuid(id.getMostSignificantBits(), id.getLeastSignificantBits()),
                properties.directoryId().orElseThrow());
        kafkaGoesOn(orders, 10, 100, true);
    }

    @Test
    void weReadWhatKafkasClassesWrite() throws Exception {
        new CleanShutdownFileHandler(directory.toString()).write(77);
        final Map<TopicPartition, Long> offsets = new HashMap<>();
        final Map<PartitionName, Long> expected = new TreeMap<>();
        for (int i = 0; i < 100; i++) {
            offsets.put(new TopicPartition("topic-" + i % 7, i), i * 1_000_000_007L);
            expected.put(new PartitionName("topic-" + i % 7, i), i * 1_000_000_007L);
        }
        kafkasFile(OffsetCheckpoint.CLEANER_OFFSETS).write(offsets);
        final Properties properties = new org.apache.kafka.metadata.properties.MetaProperties.Builder()
                .setVersion(org.apache.kafka.metadata.properties.MetaPropertiesVersion.V1)
                .setClusterId("some cluster = #1")
                .setNodeId(8)
                .setDirectoryId(Uuid.fromString("Pd8NlKSIZ4yDrhO3M0WYhg"))
                .build()
                .toProperties();
        PropertiesUtils.writePropertiesFile(
                properties, directory.resolve(MetaProperties.FILE).toString(), true);
        try (DiskStorage storage = new DiskStorage(directory)) {
            assertEquals(new CleanShutdownMarker(77), CleanShutdownMarker.read(storage));
            assertEquals(expected, OffsetCheckpoint.read(storage, "", OffsetCheckpoint.CLEANER_OFFSETS));
            assertEquals(
                    new MetaProperties(1, "some cluster = #1", 8, "Pd8NlKSIZ4yDrhO3M0WYhg"),
                    MetaProperties.read(storage));
        }
    }

    @Test
    void kafkaAndWeRespectEachOthersLock() throws Exception {
        try (DiskStorage storage = new DiskStorage(directory)) {
            final FileLock kafkas = new FileLock(new File(directory.toFile(), ".lock"));
            try (LogDirectory ours = LogDirectory.open(storage, DirectoryConfig.defaults())) {
                assertEquals(List.of(), ours.names());
                assertFalse(kafkas.tryLock());
            }
            assertTrue(kafkas.tryLock());
            assertThrows(StorageException.class, () -> LogDirectory.open(storage, DirectoryConfig.defaults()));
            kafkas.unlockAndClose();
            LogDirectory.open(storage, DirectoryConfig.defaults()).close();
        }
    }

    private static TopicPartition kafkas(final PartitionName name) {
        return new TopicPartition(name.topic(), name.partition());
    }

    private CleanShutdownFileHandler kafkasMarker() {
        return new CleanShutdownFileHandler(directory.toString());
    }

    private Map<TopicPartition, Long> kafkasCheckpoint(final String name) throws Exception {
        return kafkasFile(name).read();
    }

    private OffsetCheckpointFile kafkasFile(final String name) throws Exception {
        return new OffsetCheckpointFile(directory.resolve(name).toFile(), new LogDirFailureChannel(1));
    }

    private void copy(final Path from) throws Exception {
        try (var paths = Files.walk(from, 2)) {
            for (final Path path : paths.toList()) {
                final Path target = directory.resolve(from.relativize(path).toString());
                if (Files.isDirectory(path)) {
                    Files.createDirectories(target);
                } else {
                    Files.copy(path, target);
                }
            }
        }
    }
}
