package io.cordwood.index.oracle;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.HashMap;
import java.util.Map;
import java.util.Set;
import java.util.SplittableRandom;
import java.util.TreeSet;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** The same producers' batches given to Kafka's log and to ours, under one clock, leave the same files, byte for byte. */
@Tag("oracle")
final class SameBytesTest {
    private static final long NOW_MS = 1_700_000_000_000L;

    @ParameterizedTest
    @ValueSource(longs = {1, 2, 3, 4, 5, 6, 7, 8, 9})
    void sameBatchesSameFiles(final long seed, @TempDir final Path temporary) throws Exception {
        final SplittableRandom random = new SplittableRandom(seed);
        final Map<String, Object> config = config(seed, random);
        final Path kafkas = Files.createDirectories(temporary.resolve("kafka").resolve("topic-0"));
        final Path ours = Files.createDirectories(temporary.resolve("cordwood").resolve("topic-0"));
        try (KafkaLog kafka = KafkaLog.open(kafkas, config, KafkaLog.Arrival.CLEAN, NOW_MS);
                CordwoodLog cordwood = CordwoodLog.open(ours, config, random.nextBoolean(), 0, 0, NOW_MS)) {
            long nowMs = NOW_MS;
            int epoch = 0;
            for (int i = 0; i < 300; i++) {
                nowMs += random.nextInt(10) == 0 ? random.nextLong(100_000) : random.nextLong(2_000);
                epoch += random.nextInt(60) == 0 ? 1 : 0;
                kafka.clock(nowMs);
                cordwood.clock(nowMs);
                final ProducedBatch batch = ProducedBatch.draw(random, nowMs);
                final long offset = kafka.appendAsLeader(batch.sent(), epoch);
                assertEquals(offset, cordwood.appendAsLeader(batch.sent(), epoch));
            }
            assertArrayEquals(kafka.segmentBases(), cordwood.segmentBases());
            assertTrue(cordwood.segmentBases().length > 2, () -> "rolled too seldom with " + config);
            assertEquals(kafka.readAll(), cordwood.readAll());
        }
        assertSameFiles(kafkas, ours, config);
    }

    /** Segments end by size, by age or by a full index, in turn, so that each rule has to hold alone. */
    private static Map<String, Object> config(final long seed, final SplittableRandom random) {
        final int rule = (int) (seed % 3);
        final Map<String, Object> config = new HashMap<>();
        config.put("internal.segment.bytes", rule == 0 ? 40_000 : 1 << 20);
        config.put("segment.ms", rule == 1 ? 300_000 : 604_800_000);
        config.put("segment.index.bytes", rule == 2 ? 240 : 10_000);
        config.put("index.interval.bytes", random.nextInt(3) == 0 ? 0 : 1 << random.nextInt(8, 12));
        config.put("message.timestamp.type", random.nextBoolean() ? "CreateTime" : "LogAppendTime");
        config.put("retention.ms", -1);
        return config;
    }

    private static void assertSameFiles(final Path kafkas, final Path ours, final Map<String, ?> config)
            throws IOException {
        assertEquals(names(kafkas), names(ours), () -> "files with " + config);
        for (final String name : names(kafkas)) {
            assertArrayEquals(
                    Files.readAllBytes(kafkas.resolve(name)),
                    Files.readAllBytes(ours.resolve(name)),
                    () -> name + " with " + config);
        }
    }

    /** All but the producers' snapshots, which a log without producers does not write, and the topic's id. */
    private static Set<String> names(final Path directory) throws IOException {
        try (Stream<Path> files = Files.list(directory)) {
            return files.map(file -> file.getFileName().toString())
                    .filter(name -> !name.endsWith(".snapshot") && !name.equals("partition.metadata"))
                    .collect(Collectors.toCollection(TreeSet::new));
        }
    }
}
