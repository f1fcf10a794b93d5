package io.cordwood.index.log;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.cordwood.index.SparseIndexes;
import io.cordwood.log.AppendAs;
import io.cordwood.log.Log;
import io.cordwood.log.LogBuilder;
import io.cordwood.log.LogConfig;
import io.cordwood.log.LogFiles;
import io.cordwood.log.LogReader;
import io.cordwood.log.RecoveryReport;
import io.cordwood.log.RetentionResult;
import io.cordwood.log.codec.CompressionType;
import io.cordwood.log.store.DiskStorage;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.agrona.concurrent.UnsafeBuffer;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Sealed indexes that look right from outside after a clean stop, and are not: they cost time, and neither answers nor records. */
final class DamagedIndexTest {
    private static final long NOW = System.currentTimeMillis();
    private static final long HOUR_MS = 3_600_000;
    private static final int ENTRY_BYTES = 12;
    private static final int TIME_BYTES_MAX = 4092;
    private static final int OFFSET_BYTES_MAX = 4096;

    @TempDir
    Path directory;

    private long sealedEnd;

    private static Log open(final DiskStorage storage, final String... settings) {
        return openFrom(storage, Long.MAX_VALUE, settings);
    }

    private static Log openFrom(final DiskStorage storage, final long recoveryPoint, final String... settings) {
        final Map<String, String> all = new HashMap<>(
                Map.of("segment.bytes", "20000", "index.interval.bytes", "500", "segment.index.bytes", "4096"));
        for (int i = 0; i < settings.length; i += 2) {
            all.put(settings[i], settings[i + 1]);
        }
        return new LogBuilder(storage, "")
                .config(LogConfig.of(all))
                .indexes(new SparseIndexes())
                .recoveryPoint(recoveryPoint)
                .open(NOW);
    }

    /** Two segments; each record is an hour younger than the one before, and the last is of now. */
    @BeforeEach
    void fill() {
        try (DiskStorage storage = new DiskStorage(directory);
                Log log = open(storage)) {
            for (int i = 0; log.baseOffsets().length < 2; i++) {
                append(log, i);
            }
            sealedEnd = log.baseOffsets()[1];
        }
    }

    private static void append(final Log log, final int hour) {
        append(log, hour, 200);
    }

    private static void append(final Log log, final int hour, final int valueBytes) {
        final byte[] bytes = StoredBatch.encode(
                        0, -1, CompressionType.NONE, new long[] {NOW - (1000 - hour) * HOUR_MS}, "v".repeat(valueBytes))
                .bytes();
        assertEquals(hour, log.append(new UnsafeBuffer(bytes), 0, bytes.length, AppendAs.client(0), NOW));
    }

    private static long timestamp(final long offset) {
        return NOW - (1000 - offset) * HOUR_MS;
    }

    private Path file(final String suffix) {
        return directory.resolve(LogFiles.name(0, suffix));
    }

    /** Looks for each record of the sealed segment by its timestamp. */
    private void assertAllFound(final Log log) {
        try (LogReader reader = log.newReader()) {
            for (long offset = 0; offset < sealedEnd; offset++) {
                assertEquals(offset, reader.offsetForTimestamp(timestamp(offset), Long.MAX_VALUE));
                assertTrue(reader.read(offset, Long.MAX_VALUE, 1) > 0);
            }
        }
    }

    /** It may be of a segment that never got its name: not even one that looks sound is believed. */
    @Test
    void anIndexSwapWithoutItsLogIsNotBelieved() throws IOException {
        final byte[] offsets = Files.readAllBytes(file(LogFiles.OFFSET_INDEX));
        final byte[] times = Files.readAllBytes(file(LogFiles.TIME_INDEX));
        for (final String suffix : List.of(LogFiles.OFFSET_INDEX, LogFiles.TIME_INDEX)) {
            final Path swap = file(suffix + LogFiles.SWAP);
            Files.write(
                    swap, suffix.equals(LogFiles.TIME_INDEX) ? Arrays.copyOf(times, 12) : Arrays.copyOf(offsets, 8));
            try (DiskStorage storage = new DiskStorage(directory);
                    Log log = openFrom(storage, Long.MAX_VALUE)) {
                assertAllFound(log);
                assertEquals(
                        RecoveryReport.Kind.LEFTOVER_DELETED,
                        log.recovery().entries().get(0).kind());
            }
            assertFalse(Files.exists(swap));
            assertArrayEquals(offsets, Files.readAllBytes(file(LogFiles.OFFSET_INDEX)));
            assertArrayEquals(times, Files.readAllBytes(file(LogFiles.TIME_INDEX)));
        }
    }

    /** Where the index of the active segment ends the log goes on with it, and must not meet an offset that it has already. */
    @Test
    void anEntryWithAnotherOffsetThanItsBatchKeepsNoLogClosed() throws IOException {
        final int end = (int) sealedEnd + 30;
        try (DiskStorage storage = new DiskStorage(directory);
                Log log = open(storage)) {
            for (int i = (int) log.endOffset(); i < end; i++) {
                append(log, i);
            }
        }
        final Path offsets = directory.resolve(LogFiles.name(sealedEnd, LogFiles.OFFSET_INDEX));
        final Path times = directory.resolve(LogFiles.name(sealedEnd, LogFiles.TIME_INDEX));
        final byte[] sound = Files.readAllBytes(offsets);
        final byte[] soundTimes = Files.readAllBytes(times);
        for (int at = 0; at < sound.length; at += 8) {
            for (final int more : new int[] {-2, -1, 1, 2}) {
                for (final long point : new long[] {0, sealedEnd + 12, end - 1, end, Long.MAX_VALUE}) {
                    final ByteBuffer changed = ByteBuffer.wrap(sound.clone());
                    changed.putInt(at, changed.getInt(at) + more);
                    Files.write(offsets, changed.array());
                    Files.write(times, soundTimes);
                    final String where = "entry at " + at + " by " + more + ", recovery point " + point;
                    try (DiskStorage storage = new DiskStorage(directory);
                            Log log = openFrom(storage, point);
                            LogReader reader = log.newReader()) {
                        assertEquals(end, log.endOffset(), where);
                        for (long offset = sealedEnd; offset < end; offset++) {
                            assertTrue(reader.read(offset, Long.MAX_VALUE, 1) > 0, where);
                            assertEquals(offset + 1, reader.nextOffset(), where);
                            assertEquals(offset, reader.offsetForTimestamp(timestamp(offset), Long.MAX_VALUE), where);
                        }
                    }
                    if (at == sound.length - 8) {
                        assertEquals(ByteBuffer.wrap(sound), ByteBuffer.wrap(Files.readAllBytes(offsets)), where);
                    }
                }
            }
        }
    }

    /** What an interrupted rebuild leaves, or a power cut of a file whose name alone was durable. */
    @Test
    void anEmptyIndexOfALongSegmentIsNotTrusted() throws IOException {
        final Path longer = Files.createDirectory(directory.resolve("longer"));
        final String[] settings = {"segment.bytes", "2000000", "segment.index.bytes", "1000000"};
        try (DiskStorage storage = new DiskStorage(longer)) {
            try (Log log = open(storage, settings)) {
                for (int i = 0; log.baseOffsets().length < 2; i++) {
                    append(log, i, 50_000);
                }
            }
            final Path index = longer.resolve(LogFiles.name(0, LogFiles.OFFSET_INDEX));
            final byte[] sound = Files.readAllBytes(index);
            Files.write(index, new byte[0]);
            for (int opens = 0; opens < 2; opens++) {
                try (Log log = open(storage, settings)) {
                    assertEquals(1 - opens, log.recovery().entries().size());
                }
                assertEquals(ByteBuffer.wrap(sound), ByteBuffer.wrap(Files.readAllBytes(index)));
            }
        }
    }

    @Test
    void anEntryThatLeadsElsewhereMisleadsNoLookUpByTime() throws IOException {
        final byte[] sound = Files.readAllBytes(file(LogFiles.OFFSET_INDEX));
        try (DiskStorage storage = new DiskStorage(directory)) {
            for (int at = 0; at < sound.length - 16; at += 8) {
                final ByteBuffer changed = ByteBuffer.wrap(sound.clone());
                // Among the batch's bytes in one round, at the beginning of a later one in the next.
                changed.putInt(at + 4, at % 16 == 0 ? changed.getInt(at + 4) + 1 : changed.getInt(at + 12));
                Files.write(file(LogFiles.OFFSET_INDEX), changed.array());
                try (Log log = open(storage)) {
                    assertAllFound(log);
                }
            }
        }
    }

    /** In order, and at a batch: only that batch tells that there is one in front of it which the time index speaks of. */
    @Test
    void anEntryThatLeadsToALaterBatchMisleadsNoLookUpByTime() throws IOException {
        final Path wide = Files.createDirectory(directory.resolve("wide"));
        final String[] settings = {"index.interval.bytes", "1500"};
        try (DiskStorage storage = new DiskStorage(wide)) {
            try (Log log = open(storage, settings)) {
                for (int i = 0; i <= sealedEnd; i++) {
                    append(log, i);
                }
                assertArrayEquals(new long[] {0, sealedEnd}, log.baseOffsets());
            }
            final Path index = wide.resolve(LogFiles.name(0, LogFiles.OFFSET_INDEX));
            final byte[] sound = Files.readAllBytes(index);
            final int batchBytes = (int) (Files.size(wide.resolve(LogFiles.name(0, LogFiles.LOG))) / sealedEnd);
            assertTrue(
                    ByteBuffer.wrap(sound).getInt(12) - ByteBuffer.wrap(sound).getInt(4) > 3 * batchBytes);
            for (int at = 0; at < sound.length - 8; at += 8) {
                for (int batches = 1; batches <= 3; batches++) {
                    final ByteBuffer changed = ByteBuffer.wrap(sound.clone());
                    changed.putInt(at + 4, changed.getInt(at + 4) + batches * batchBytes);
                    Files.write(index, changed.array());
                    try (Log log = open(storage, settings)) {
                        assertAllFound(log);
                    }
                }
            }
        }
    }

    @Test
    void indexesThatWereNotCutAreMendedAtACleanOpen() throws IOException {
        final byte[] offsets = Files.readAllBytes(file(LogFiles.OFFSET_INDEX));
        final byte[] times = Files.readAllBytes(file(LogFiles.TIME_INDEX));
        // As at a kill: preallocated, and without the entry that sealing adds.
        Files.write(file(LogFiles.OFFSET_INDEX), Arrays.copyOf(offsets, OFFSET_BYTES_MAX));
        Files.write(
                file(LogFiles.TIME_INDEX),
                Arrays.copyOf(Arrays.copyOf(times, times.length - ENTRY_BYTES), TIME_BYTES_MAX));
        assertTrue(
                Files.size(file(LogFiles.LOG)) > OFFSET_BYTES_MAX / 8 * 26, "the segment has room for so many batches");
        try (DiskStorage storage = new DiskStorage(directory);
                Log log = open(storage)) {
            assertAllFound(log);
        }
        assertEquals(ByteBuffer.wrap(offsets), ByteBuffer.wrap(Files.readAllBytes(file(LogFiles.OFFSET_INDEX))));
        assertEquals(ByteBuffer.wrap(times), ByteBuffer.wrap(Files.readAllBytes(file(LogFiles.TIME_INDEX))));
    }

    @Test
    void recordsAreFoundByTimeBehindADamagedIndex() throws IOException {
        final byte[] times = Files.readAllBytes(file(LogFiles.TIME_INDEX));
        for (int from = 0; from < times.length; from += 4 * ENTRY_BYTES) {
            final byte[] damaged = times.clone();
            Arrays.fill(damaged, from, times.length, (byte) 0);
            Files.write(file(LogFiles.TIME_INDEX), damaged);
            try (DiskStorage storage = new DiskStorage(directory);
                    Log log = open(storage)) {
                assertAllFound(log);
            }
        }
    }

    @Test
    void youngRecordsAreNotDroppedBecauseTheIndexLostThem() throws IOException {
        final byte[] times = Files.readAllBytes(file(LogFiles.TIME_INDEX));
        final byte[] damaged = times.clone();
        Arrays.fill(damaged, ENTRY_BYTES, times.length, (byte) 0);
        final long youngest = timestamp(sealedEnd - 1);
        final long retentionMs = NOW - youngest + HOUR_MS / 2;
        for (final byte[] bytes : new byte[][] {times, damaged}) {
            Files.write(file(LogFiles.TIME_INDEX), bytes);
            try (DiskStorage storage = new DiskStorage(directory);
                    Log log = open(storage, "retention.ms", Long.toString(retentionMs))) {
                final RetentionResult kept = log.retain(NOW, Long.MAX_VALUE);
                assertEquals(0, kept.dropped());
                assertEquals(0, log.startOffset());
            }
        }
        try (DiskStorage storage = new DiskStorage(directory);
                Log log = open(storage, "retention.ms", Long.toString(retentionMs))) {
            // Nor are they kept for ever.
            assertEquals(1, log.retain(NOW + 2 * retentionMs, sealedEnd).dropped());
        }
    }
}
