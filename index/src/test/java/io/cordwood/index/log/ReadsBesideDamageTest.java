package io.cordwood.index.log;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.cordwood.index.SparseIndexes;
import io.cordwood.log.AppendAs;
import io.cordwood.log.CorruptLogException;
import io.cordwood.log.Log;
import io.cordwood.log.LogBuilder;
import io.cordwood.log.LogConfig;
import io.cordwood.log.LogFiles;
import io.cordwood.log.LogReader;
import io.cordwood.log.RecoveryReport.Kind;
import io.cordwood.log.codec.CompressionType;
import io.cordwood.log.store.DiskStorage;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.function.Consumer;
import org.agrona.concurrent.UnsafeBuffer;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/**
 * One batch below the recovery point says something wrong about its offsets. It costs its own records and no others, and whoever
 * reads one of them is told so, wherever it begins and wherever an index leads it.
 */
final class ReadsBesideDamageTest {
    private static final long NOW = 1_700_000_000_000L;
    private static final long RECORDS = 3;
    private static final int PER_SEGMENT = 8;
    private static final int BATCHES = 2 * PER_SEGMENT + 2;
    private static final int BASE_OFFSET = 0;
    private static final int ATTRIBUTES = 21;
    private static final int LAST_OFFSET_DELTA = 23;

    @TempDir
    private Path directory;

    private byte[] segment = {};
    private int batchBytes;

    private Log open(final DiskStorage storage, final int interval, final long recoveryPoint) {
        return new LogBuilder(storage, "")
                .config(LogConfig.of(Map.of(
                        "internal.segment.bytes",
                        "" + Math.max(PER_SEGMENT * batchBytes, 14),
                        "index.interval.bytes",
                        "" + interval)))
                .indexes(new SparseIndexes())
                .recoveryPoint(recoveryPoint)
                .open(NOW);
    }

    private Path file(final long base, final String suffix) {
        return directory.resolve(LogFiles.name(base, suffix));
    }

    @BeforeEach
    void findSize() {
        batchBytes = batch().length;
    }

    private static byte[] batch() {
        return StoredBatch.encode(0, -1, CompressionType.NONE, new long[] {NOW, NOW, NOW}, "v".repeat(20))
                .bytes();
    }

    private void fill(final int interval) throws IOException {
        try (var files = Files.list(directory)) {
            for (final Path file : files.toList()) {
                Files.delete(file);
            }
        }
        try (DiskStorage storage = new DiskStorage(directory);
                Log log = open(storage, interval, 0)) {
            for (int i = 0; i < BATCHES; i++) {
                final byte[] bytes = batch();
                assertEquals(
                        i * RECORDS, log.append(new UnsafeBuffer(bytes), 0, bytes.length, AppendAs.client(0), NOW));
            }
            assertArrayEquals(new long[] {0, PER_SEGMENT * RECORDS, 2 * PER_SEGMENT * RECORDS}, log.baseOffsets());
        }
        segment = Files.readAllBytes(file(PER_SEGMENT * RECORDS, LogFiles.LOG));
    }

    private static Map<String, Consumer<ByteBuffer>> damages() {
        final Map<String, Consumer<ByteBuffer>> damages = new LinkedHashMap<>();
        for (final int bit : new int[] {0, 1, 2, 3, 4, 5, 12, 25, 30, 31}) {
            damages.put(
                    "bit " + bit + " of the last offset delta",
                    batch -> batch.putInt(LAST_OFFSET_DELTA, batch.getInt(LAST_OFFSET_DELTA) ^ 1 << bit));
        }
        for (final int bit : new int[] {0, 1, 2, 3, 4, 5, 20, 30, 31, 35, 62, 63}) {
            damages.put(
                    "bit " + bit + " of the base offset",
                    batch -> batch.putLong(BASE_OFFSET, batch.getLong(BASE_OFFSET) ^ 1L << bit));
        }
        damages.put("base offset zero", batch -> batch.putLong(BASE_OFFSET, 0));
        damages.put("zeros in place of what the checksum covers", batch -> {
            for (int i = ATTRIBUTES; i < batch.capacity(); i++) {
                batch.put(i, (byte) 0);
            }
        });
        return damages;
    }

    /** Batches of the second segment, the last of them in front of the third. */
    @ParameterizedTest
    @CsvSource({"0, 1", "4, 1", "7, 1", "0, 4096", "4, 4096", "7, 4096"})
    void oneBatchCostsItsOwnRecordsAlone(final int batch, final int interval) throws IOException {
        fill(interval);
        final byte[] index = Files.readAllBytes(file(PER_SEGMENT * RECORDS, LogFiles.OFFSET_INDEX));
        for (final var damage : damages().entrySet()) {
            final byte[] damaged = segment.clone();
            damage.getValue()
                    .accept(ByteBuffer.wrap(damaged, batch * batchBytes, batchBytes)
                            .slice());
            Files.write(file(PER_SEGMENT * RECORDS, LogFiles.LOG), damaged);
            for (final boolean isIndexThere : new boolean[] {true, false}) {
                for (final long point : new long[] {Long.MAX_VALUE, BATCHES * RECORDS}) {
                    Files.write(
                            file(PER_SEGMENT * RECORDS, LogFiles.OFFSET_INDEX), isIndexThere ? index : new byte[13]);
                    final String what = damage.getKey() + (isIndexThere ? ", " : ", no index, ") + point;
                    try (DiskStorage storage = new DiskStorage(directory);
                            Log log = open(storage, interval, point)) {
                        assertEquals(BATCHES * RECORDS, log.endOffset(), what);
                        check(log, PER_SEGMENT + batch, what);
                    }
                }
            }
            assertArrayEquals(damaged, Files.readAllBytes(file(PER_SEGMENT * RECORDS, LogFiles.LOG)));
        }
    }

    /** The active segment is always scanned when the log was not closed cleanly: what is told there is the damage and nothing else. */
    @Test
    void theEndOfTheLogIsNotWhatADamagedBatchSays() throws IOException {
        fill(4096);
        final Path active = file(2 * PER_SEGMENT * RECORDS, LogFiles.LOG);
        final byte[] good = Files.readAllBytes(active);
        for (final var damage : damages().entrySet()) {
            final byte[] damaged = good.clone();
            damage.getValue().accept(ByteBuffer.wrap(damaged, 0, batchBytes).slice());
            for (final long point : new long[] {Long.MAX_VALUE, BATCHES * RECORDS}) {
                Files.write(active, damaged);
                try (DiskStorage storage = new DiskStorage(directory)) {
                    final Log log = open(storage, 4096, point);
                    assertEquals(BATCHES * RECORDS, log.endOffset(), damage.getKey());
                    assertEquals(1, log.recovery().entries().size(), damage.getKey() + log.recovery());
                    assertEquals(
                            Kind.DAMAGE_KEPT, log.recovery().entries().get(0).kind());
                    check(log, 2 * PER_SEGMENT, damage.getKey());
                    log.closeUncleanly();
                }
                assertArrayEquals(damaged, Files.readAllBytes(active));
            }
        }
    }

    private static void check(final Log log, final int bad, final String what) {
        long next = 0;
        try (LogReader consumer = log.newReader()) {
            for (int batch = 0; batch < BATCHES; batch++) {
                for (long offset = batch * RECORDS; offset < (batch + 1) * RECORDS; offset++) {
                    try (LogReader reader = log.newReader()) {
                        check(reader, offset, batch == bad, what + ", read of " + offset);
                    }
                }
                assertEquals(batch * RECORDS, next, what);
                check(consumer, next, batch == bad, what + ", consumer at " + next);
                next = (batch + 1) * RECORDS;
            }
        }
    }

    private static void check(final LogReader reader, final long offset, final boolean isBad, final String what) {
        if (isBad) {
            final CorruptLogException told =
                    assertThrows(CorruptLogException.class, () -> reader.read(offset, Long.MAX_VALUE, 1), what);
            assertEquals(offset - offset % RECORDS + RECORDS, told.nextOffset(), what + ": " + told.getMessage());
        } else {
            assertTrue(reader.read(offset, Long.MAX_VALUE, 1) > 0, what);
            assertEquals(offset - offset % RECORDS, reader.buffer().getLong(0, java.nio.ByteOrder.BIG_ENDIAN), what);
        }
    }

    /** Good batches from further back over others: in order among themselves, and with lower ones behind them, which the index knows. */
    @Test
    void aBlockOfLaterBatchesHidesNoneBehindIt() throws IOException {
        final int batches = 200;
        final byte[] log;
        try (DiskStorage storage = new DiskStorage(directory);
                Log written = new LogBuilder(storage, "")
                        .indexes(new SparseIndexes())
                        .recoveryPoint(0)
                        .open(NOW)) {
            for (int i = 0; i < batches; i++) {
                final byte[] bytes = batch();
                written.append(new UnsafeBuffer(bytes), 0, bytes.length, AppendAs.client(0), NOW);
            }
        }
        log = Files.readAllBytes(file(0, LogFiles.LOG));
        for (final int at : new int[] {0, 1, 60}) {
            final byte[] damaged = log.clone();
            System.arraycopy(log, 150 * batchBytes, damaged, at * batchBytes, 5 * batchBytes);
            Files.write(file(0, LogFiles.LOG), damaged);
            try (DiskStorage storage = new DiskStorage(directory);
                    Log opened = new LogBuilder(storage, "")
                            .indexes(new SparseIndexes())
                            .recoveryPoint(Long.MAX_VALUE)
                            .open(NOW)) {
                for (long offset = 0; offset < batches * RECORDS; offset++) {
                    final boolean isBeneath = offset / RECORDS >= at && offset / RECORDS < at + 5;
                    try (LogReader reader = opened.newReader()) {
                        check(reader, offset, isBeneath, at, "read of " + offset + ", block at " + at);
                    }
                }
                readThrough(opened, at);
            }
        }
    }

    private static void check(
            final LogReader reader, final long offset, final boolean isBeneath, final int at, final String what) {
        if (!isBeneath) {
            check(reader, offset, false, what);
        } else {
            final CorruptLogException told =
                    assertThrows(CorruptLogException.class, () -> reader.read(offset, Long.MAX_VALUE, 1), what);
            assertEquals((at + 5) * RECORDS, told.nextOffset(), what);
        }
    }

    /** A consumer that goes on where it is told misses only what lies beneath. */
    private static void readThrough(final Log log, final int at) {
        long served = 0;
        try (LogReader reader = log.newReader()) {
            for (long next = 0; next < log.endOffset(); ) {
                try {
                    assertTrue(reader.read(next, Long.MAX_VALUE, 1) > 0);
                    assertEquals(next, reader.buffer().getLong(0, java.nio.ByteOrder.BIG_ENDIAN));
                    served += reader.nextOffset() - next;
                    next = reader.nextOffset();
                } catch (final CorruptLogException e) {
                    assertEquals(at * RECORDS, next);
                    next = e.nextOffset();
                }
            }
        }
        assertEquals(log.endOffset() - 5 * RECORDS, served);
    }
}
