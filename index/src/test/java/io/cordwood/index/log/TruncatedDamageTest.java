package io.cordwood.index.log;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;

import io.cordwood.index.SparseIndexes;
import io.cordwood.log.AppendAs;
import io.cordwood.log.CorruptLogException;
import io.cordwood.log.Log;
import io.cordwood.log.LogBuilder;
import io.cordwood.log.LogConfig;
import io.cordwood.log.LogFiles;
import io.cordwood.log.LogReader;
import io.cordwood.log.codec.CompressionType;
import io.cordwood.log.store.DiskStorage;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.Map;
import org.agrona.concurrent.UnsafeBuffer;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * Truncations of a segment that holds a batch with wrong offsets, which no checksum covers: what is to stay can be read, what is lost is an
 * error, and the log takes what comes.
 */
final class TruncatedDamageTest {
    private static final long NOW = 1_700_000_000_000L;
    private static final int RECORDS = 16;
    private static final long SIZE = batch(0, RECORDS).length;

    @TempDir
    private Path directory;

    private static byte[] batch(final long base, final int records) {
        final long[] times = new long[records];
        Arrays.fill(times, NOW);
        return StoredBatch.encode(base, -1, CompressionType.NONE, times, "v".repeat(50))
                .bytes();
    }

    private static Log open(final DiskStorage storage, final int interval, final long recoveryPoint) {
        return new LogBuilder(storage, "")
                .config(LogConfig.of(Map.of("index.interval.bytes", "" + interval)))
                .indexes(new SparseIndexes())
                .recoveryPoint(recoveryPoint)
                .open(NOW);
    }

    private static void append(final Log log, final long base) {
        final byte[] batch = batch(base, RECORDS);
        assertEquals(base, log.append(new UnsafeBuffer(batch), 0, batch.length, AppendAs.replica(), NOW));
    }

    /** Batches of 16 in one segment, one of which gets another base offset. */
    private void fill(final int interval, final int batches, final int bad, final long badBase) throws IOException {
        try (DiskStorage storage = new DiskStorage(directory);
                Log log = open(storage, interval, 0)) {
            for (int i = 0; i < batches; i++) {
                append(log, (long) i * RECORDS);
            }
        }
        final Path file = directory.resolve(LogFiles.name(0, LogFiles.LOG));
        final byte[] all = Files.readAllBytes(file);
        ByteBuffer.wrap(all).putLong((int) (bad * SIZE), badBase);
        Files.write(file, all);
    }

    /** Each batch up to an offset is read from each of its records, but for the bad one: there each read is an error. */
    private static void check(final Log log, final int bad, final long end) {
        try (LogReader reader = log.newReader()) {
            for (long offset = 0; offset < end; offset++) {
                final long at = offset;
                if (at / RECORDS == bad) {
                    assertThrows(CorruptLogException.class, () -> reader.read(at, Long.MAX_VALUE, 1), "at " + at);
                } else {
                    assertEquals(SIZE, reader.read(at, Long.MAX_VALUE, 1), "at " + at);
                    assertEquals(at / RECORDS * RECORDS, reader.buffer().getLong(0, ByteOrder.BIG_ENDIAN));
                }
            }
        }
    }

    /** It stays in front of the cut, and a segment that begins then hides nothing. */
    @ParameterizedTest
    @ValueSource(ints = {1, 400, 4096})
    void aBatchThatFallsBackInFrontOfTheCutStaysAnError(final int interval) throws IOException {
        fill(interval, 5, 3, 16);
        try (DiskStorage storage = new DiskStorage(directory)) {
            try (Log log = open(storage, interval, Long.MAX_VALUE)) {
                assertEquals(64, log.truncateTo(64, NOW));
                assertEquals(4 * SIZE, log.sizeInBytes());
                check(log, 3, 64);
                log.roll(NOW);
                append(log, 64);
                assertArrayEquals(new long[] {0, 64}, log.baseOffsets());
                check(log, 3, 80);
            }
            for (final long point : new long[] {Long.MAX_VALUE, 80, 0}) {
                try (Log log = open(storage, interval, point)) {
                    assertArrayEquals(new long[] {0, 64}, log.baseOffsets());
                    check(log, 3, 80);
                }
            }
        }
    }

    /** Where good batches hold all that is to stay, it can only be one of those that go. */
    @Test
    void aBatchThatFallsBackBehindTheLastOneThatStaysGoes() throws IOException {
        fill(400, 6, 4, 16);
        try (DiskStorage storage = new DiskStorage(directory);
                Log log = open(storage, 400, Long.MAX_VALUE)) {
            assertEquals(64, log.truncateTo(64, NOW));
            assertEquals(4 * SIZE, log.sizeInBytes());
            log.roll(NOW);
            append(log, 64);
            assertArrayEquals(new long[] {0, 64}, log.baseOffsets());
            check(log, -1, 80);
        }
    }

    /** It claims the offset, and lies far in front of the batch that has it. */
    @ParameterizedTest
    @ValueSource(ints = {1, 400, 4096})
    void aBatchThatPointsAheadIsNotCutAt(final int interval) throws IOException {
        fill(interval, 7, 1, 272);
        try (DiskStorage storage = new DiskStorage(directory);
                Log log = open(storage, interval, Long.MAX_VALUE)) {
            assertEquals(80, log.truncateTo(88, NOW));
            assertEquals(5 * SIZE, log.sizeInBytes());
            check(log, 1, 80);
            append(log, 80);
            check(log, 1, 96);
        }
    }

    /** Alone at the end it would pass for a good one, and raise the end of the log: so it is not left there. */
    @Test
    void aBatchThatPointsAheadDirectlyInFrontOfTheCutLetsNothingBeCut() throws IOException {
        fill(400, 6, 3, 272);
        try (DiskStorage storage = new DiskStorage(directory)) {
            try (Log log = open(storage, 400, Long.MAX_VALUE)) {
                assertThrows(CorruptLogException.class, () -> log.truncateTo(64, NOW));
                assertEquals(96, log.endOffset());
                check(log, 3, 96);
                log.closeUncleanly();
            }
            try (Log log = open(storage, 400, Long.MAX_VALUE)) {
                // All that is to stay lies in front of it.
                assertEquals(48, log.truncateTo(48, NOW));
                assertEquals(3 * SIZE, log.sizeInBytes());
            }
            try (Log log = open(storage, 400, Long.MAX_VALUE)) {
                assertEquals(48, log.endOffset());
                check(log, -1, 48);
            }
        }
    }

    /** Nobody knows which offsets lie where a checksum is wrong, unless all that is to stay lies in front of it. */
    @Test
    void aWrongChecksumIsNotCutAcross() throws IOException {
        fill(400, 6, 3, 48);
        final Path file = directory.resolve(LogFiles.name(0, LogFiles.LOG));
        final byte[] all = Files.readAllBytes(file);
        all[(int) (4 * SIZE - 1)] ^= 1;
        Files.write(file, all);
        try (DiskStorage storage = new DiskStorage(directory)) {
            try (Log log = open(storage, 1 << 20, Long.MAX_VALUE)) {
                Files.delete(directory.resolve(LogFiles.name(0, LogFiles.OFFSET_INDEX)));
                log.closeUncleanly();
            }
            try (Log log = open(storage, 1 << 20, Long.MAX_VALUE)) {
                assertThrows(CorruptLogException.class, () -> log.truncateTo(64, NOW));
                assertEquals(96, log.endOffset());
                check(log, 3, 96);
                log.closeUncleanly();
            }
            try (Log log = open(storage, 1 << 20, Long.MAX_VALUE)) {
                assertEquals(48, log.truncateTo(48, NOW));
                append(log, 48);
                check(log, -1, 64);
            }
        }
    }

    /** The index that is restored behind the cut leaves it out, wherever its entry is. */
    @ParameterizedTest
    @CsvSource({
        "4096, 23, 112, 25",
        "4096, 24, 112, 25",
        "4096, 23, 112, 26",
        "1, 24, 112, 25",
        "1, 22, 112, 26",
        "400, 24, 1024, 26"
    })
    void theIndexIsFedWithoutIt(final int interval, final int bad, final long badBase, final int left)
            throws IOException {
        final long end = (long) left * RECORDS;
        fill(interval, 40, bad, badBase);
        try (DiskStorage storage = new DiskStorage(directory)) {
            try (Log log = open(storage, interval, Long.MAX_VALUE)) {
                assertEquals(end, log.truncateTo(end, NOW));
                check(log, bad, end);
                append(log, end);
            }
            for (final long point : new long[] {Long.MAX_VALUE, 0}) {
                try (Log log = open(storage, interval, point)) {
                    check(log, bad, end + RECORDS);
                }
            }
        }
    }
}
