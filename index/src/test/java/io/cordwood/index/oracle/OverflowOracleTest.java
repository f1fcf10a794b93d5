package io.cordwood.index.oracle;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;

import java.io.ByteArrayOutputStream;
import java.nio.ByteBuffer;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.SplittableRandom;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** A segment that reaches too far above its base offset, in Kafka's hands and in ours. */
@Tag("oracle")
final class OverflowOracleTest {
    private static final long NOW_MS = 1_700_000_000_000L;
    private static final long FAR = 2_147_483_900L;
    private static final String SEGMENT = "00000000000000000000.log";
    private static final Map<String, ?> CONFIG =
            Map.of("internal.segment.bytes", 1 << 20, "index.interval.bytes", 512, "segment.index.bytes", 4096);
    private static final Map<String, ?> OURS =
            Map.of("segment.bytes", 1 << 20, "index.interval.bytes", 512, "segment.index.bytes", 4096);

    private final List<LogRecord> expected = new ArrayList<>();

    private byte[] segment() {
        final SplittableRandom random = new SplittableRandom(40);
        final ByteArrayOutputStream bytes = new ByteArrayOutputStream();
        for (final long start : new long[] {0, FAR, 3 * FAR}) {
            long offset = start;
            for (int i = 0; i < 20; i++) {
                final ProducedBatch batch = ProducedBatch.draw(random, NOW_MS);
                final ByteBuffer encoded = batch.encoded(offset, 3).buffer();
                bytes.write(encoded.array(), encoded.arrayOffset() + encoded.position(), encoded.remaining());
                expected.addAll(batch.landed(offset, 3, -1));
                offset += batch.count();
            }
        }
        return bytes.toByteArray();
    }

    @ParameterizedTest
    @ValueSource(longs = {0, Long.MAX_VALUE})
    void b40WhatWeSplitKafkaSplitsToo(final long recoveryPoint, @TempDir final Path temporary) throws Exception {
        final byte[] segment = segment();
        final Path ours = Files.createDirectories(temporary.resolve("ours/topic-0"));
        final Path kafkas = Files.createDirectories(temporary.resolve("kafkas/topic-0"));
        Files.write(ours.resolve(SEGMENT), segment);
        Files.write(kafkas.resolve(SEGMENT), segment);
        final long end;
        final long[] bases = {0, FAR, 3 * FAR};
        try (CordwoodLog log = CordwoodLog.open(ours, OURS, false, recoveryPoint, 0, NOW_MS)) {
            assertArrayEquals(bases, log.segmentBases());
            assertEquals(expected, log.readAll());
            end = log.endOffset();
        }
        final KafkaLog.Arrival arrival = recoveryPoint == 0 ? KafkaLog.Arrival.SCAN_ALL : KafkaLog.Arrival.CLEAN;
        try (KafkaLog log = KafkaLog.open(kafkas, CONFIG, arrival, NOW_MS)) {
            assertArrayEquals(bases, log.segmentBases());
            assertEquals(expected, log.readAll());
            assertEquals(end, log.endOffset());
        }
        for (final long base : bases) {
            final String name = String.format("%020d", base);
            for (final String suffix : List.of(".log", ".index", ".timeindex")) {
                assertArrayEquals(
                        Files.readAllBytes(kafkas.resolve(name + suffix)),
                        Files.readAllBytes(ours.resolve(name + suffix)),
                        name + suffix);
            }
        }
        assertEquals(List.of(), KafkaDump.of(ours).complaints());
        for (final KafkaLog.Arrival again : List.of(KafkaLog.Arrival.CLEAN, KafkaLog.Arrival.SCAN_ALL)) {
            try (KafkaLog log = KafkaLog.open(ours, CONFIG, again, NOW_MS)) {
                assertEquals(List.of(), log.warnings());
                assertArrayEquals(bases, log.segmentBases());
                assertEquals(expected, log.readAll());
                assertEquals(end, log.endOffset());
            }
        }
    }
}
