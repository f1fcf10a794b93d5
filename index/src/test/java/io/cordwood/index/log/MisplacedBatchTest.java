package io.cordwood.index.log;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
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
import io.cordwood.log.codec.CompressionType;
import io.cordwood.log.store.DiskStorage;
import java.io.IOException;
import java.nio.ByteOrder;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.Map;
import org.agrona.concurrent.UnsafeBuffer;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.function.Executable;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * A good batch from further back in the segment, shorter than the one that it lies over, so that neither a checksum nor the header
 * behind it shows that the gap in front of it is none. And gaps that are ones, beside damage.
 */
final class MisplacedBatchTest {
    private static final long NOW = 1_700_000_000_000L;
    private static final long RECORDS = 3;
    private static final int BATCHES = 30;
    private static final int FIRST_SEGMENT = 25;

    @TempDir
    private Path directory;

    private final byte[][] batches = new byte[BATCHES][];
    private final int[] positions = new int[BATCHES];

    private Log open(final DiskStorage storage, final int interval, final long recoveryPoint) {
        return new LogBuilder(storage, "")
                .config(LogConfig.of(Map.of("index.interval.bytes", "" + interval)))
                .indexes(new SparseIndexes())
                .recoveryPoint(recoveryPoint)
                .open(NOW);
    }

    private Path segment() {
        return directory.resolve(LogFiles.name(0, LogFiles.LOG));
    }

    /** Each third batch is short. The last ones are in another segment. */
    private void fill(final int interval) {
        try (DiskStorage storage = new DiskStorage(directory);
                Log log = open(storage, interval, 0)) {
            for (int i = 0; i < BATCHES; i++) {
                if (i == FIRST_SEGMENT) {
                    log.roll(NOW);
                }
                final long time = NOW + i;
                batches[i] = StoredBatch.encode(
                                0,
                                -1,
                                CompressionType.NONE,
                                new long[] {time, time, time},
                                "v".repeat(i % 3 == 0 ? 10 : 60 + i))
                        .bytes();
                positions[i] = i == 0 || i == FIRST_SEGMENT ? 0 : positions[i - 1] + batches[i - 1].length;
                assertEquals(
                        i * RECORDS,
                        log.append(new UnsafeBuffer(batches[i]), 0, batches[i].length, AppendAs.client(0), NOW));
            }
        }
    }

    private void misplace(final byte[] content, final int from, final int over) {
        assertTrue(batches[from].length < batches[over].length);
        System.arraycopy(content, positions[from], content, positions[over], batches[from].length);
    }

    @ParameterizedTest
    @CsvSource({"12, 7, 1", "12, 7, 400", "12, 7, 4096", "24, 1, 1", "24, 1, 400", "24, 1, 4096", "9, 8, 400", "6, 4, 1"
    })
    void itIsRefusedAndHidesNothing(final int from, final int over, final int interval) throws IOException {
        fill(interval);
        final byte[] content = Files.readAllBytes(segment());
        misplace(content, from, over);
        Files.write(segment(), content);
        for (final boolean isIndexThere : new boolean[] {true, false}) {
            if (!isIndexThere) {
                Files.delete(directory.resolve(LogFiles.name(0, LogFiles.OFFSET_INDEX)));
            }
            for (final int bytes : new int[] {1, 300, 1 << 16}) {
                try (DiskStorage storage = new DiskStorage(directory);
                        Log log = open(storage, interval, Long.MAX_VALUE)) {
                    assertEquals(BATCHES * RECORDS, log.endOffset());
                    check(log, over, bytes);
                }
            }
        }
    }

    /** Over one of the same length and of fewer records, so that it lies there twice: that is no gap, and what it lies over is told. */
    @ParameterizedTest
    @CsvSource({"0, 1", "7, 1", "7, 400", "7, 4096", "28, 1", "28, 4096"})
    void aBatchThatLiesThereTwiceHidesNothingInSilence(final int over, final int interval) throws IOException {
        final long end = BATCHES * RECORDS - 1;
        try (DiskStorage storage = new DiskStorage(directory);
                Log log = open(storage, interval, 0)) {
            for (int i = 0; i < BATCHES; i++) {
                final long time = NOW + i;
                final boolean isShort = i == over;
                batches[i] = StoredBatch.encode(
                                0,
                                -1,
                                CompressionType.NONE,
                                isShort ? new long[] {time, time} : new long[] {time, time, time},
                                (10 + i) + "v".repeat(isShort ? 19 : 9))
                        .bytes();
                assertEquals(batches[0].length, batches[i].length);
                positions[i] = i * batches[0].length;
                log.append(new UnsafeBuffer(batches[i]), 0, batches[i].length, AppendAs.client(0), NOW);
            }
            assertEquals(end, log.endOffset());
        }
        final byte[] content = Files.readAllBytes(segment());
        System.arraycopy(content, positions[over + 1], content, positions[over], batches[over].length);
        Files.write(segment(), content);
        for (final int bytes : new int[] {1, 300, 1 << 16}) {
            try (DiskStorage storage = new DiskStorage(directory);
                    Log log = open(storage, interval, Long.MAX_VALUE)) {
                for (long offset = 0; offset < end; offset++) {
                    checkTwice(log, offset, over, bytes);
                }
            }
        }
        try (DiskStorage storage = new DiskStorage(directory);
                Log log = open(storage, interval, 0)) {
            assertFalse(log.recovery().isClean());
            assertEquals(end, log.endOffset());
            checkTwice(log, over * RECORDS, over, 1);
        }
    }

    private void checkTwice(final Log log, final long offset, final int over, final int bytes) {
        final long behind = over * RECORDS + RECORDS - 1;
        try (LogReader reader = log.newReader()) {
            if (offset >= over * RECORDS && offset < behind) {
                final CorruptLogException refused =
                        assertThrows(CorruptLogException.class, () -> reader.read(offset, Long.MAX_VALUE, bytes));
                assertEquals(positions[over], refused.position());
                assertEquals(behind, refused.nextOffset());
            } else {
                final long first = offset < behind ? offset - offset % RECORDS : offset - (offset - behind) % RECORDS;
                assertTrue(reader.read(offset, Long.MAX_VALUE, bytes) > 0);
                assertEquals(first, reader.buffer().getLong(0, ByteOrder.BIG_ENDIAN));
            }
        }
    }

    private void check(final Log log, final int bad, final int bytes) {
        for (int i = 0; i < BATCHES; i++) {
            for (int record = 0; record < RECORDS; record++) {
                final long offset = i * RECORDS + record;
                try (LogReader reader = log.newReader()) {
                    check(() -> reader.read(offset, Long.MAX_VALUE, bytes), offset, i == bad);
                    if (i != bad) {
                        assertEquals(i * RECORDS, reader.buffer().getLong(0, ByteOrder.BIG_ENDIAN));
                    }
                    reader.release();
                    check(() -> reader.locate(offset, Long.MAX_VALUE, bytes), offset, i == bad);
                    if (i != bad) {
                        assertEquals(positions[i], reader.position());
                    }
                }
            }
        }
        try (LogReader consumer = log.newReader()) {
            int served = 0;
            int refused = 0;
            for (long next = 0; next < log.endOffset(); ) {
                try {
                    // By the place where the last read ended, as the read that follows.
                    consumer.locate(next, Long.MAX_VALUE, bytes);
                    assertTrue(consumer.read(next, Long.MAX_VALUE, bytes) > 0);
                    assertEquals(next, consumer.buffer().getLong(0, ByteOrder.BIG_ENDIAN));
                    final int[] count = {0};
                    assertTrue(consumer.forEach(batch -> ++count[0] > 0));
                    served += count[0];
                    next = consumer.nextOffset();
                } catch (final CorruptLogException e) {
                    assertEquals(bad * RECORDS, next);
                    next = e.nextOffset();
                    refused++;
                }
            }
            assertEquals(BATCHES - 1, served);
            assertEquals(1, refused);
        }
        try (LogReader reader = log.newReader()) {
            for (int i = 0; i < bad; i++) {
                assertEquals(i * RECORDS, reader.offsetForTimestamp(NOW + i, Long.MAX_VALUE));
            }
            assertThrows(CorruptLogException.class, () -> reader.offsetForTimestamp(NOW + bad, Long.MAX_VALUE));
        }
    }

    private void check(final Executable read, final long offset, final boolean isBad) {
        try {
            read.execute();
            assertTrue(!isBad, "offset " + offset + " is not refused");
        } catch (final CorruptLogException e) {
            assertTrue(isBad, "offset " + offset + " is refused: " + e);
            assertEquals(segment().toString(), e.file());
            assertEquals(positions[(int) (offset / RECORDS)], e.position());
            assertEquals(offset / RECORDS * RECORDS + RECORDS, e.nextOffset());
        } catch (final Throwable e) {
            throw new AssertionError(e);
        }
    }

    /** The recovery cuts in front of it, and finds nothing when it is done again. */
    @Test
    void aRecoveryCutsInFrontOfIt() throws IOException {
        fill(4096);
        final byte[] content = Files.readAllBytes(segment());
        misplace(content, 12, 7);
        Files.write(segment(), content);
        for (int i = 0; i < 2; i++) {
            try (DiskStorage storage = new DiskStorage(directory)) {
                final Log log = open(storage, 4096, 0);
                assertEquals(7 * RECORDS, log.endOffset());
                assertEquals(i == 1, log.recovery().isClean());
                log.closeUncleanly();
            }
            assertEquals(positions[7], Files.size(segment()));
        }
    }

    /** A cleaner took batches, and the one behind the gap is followed by damage: it is served all the same. */
    @ParameterizedTest
    @ValueSource(ints = {1, 400, 4096})
    void aGapInFrontOfDamageIsLegal(final int interval) throws IOException {
        fill(interval);
        final byte[] content = Files.readAllBytes(segment());
        final byte[] cleaned = new byte[content.length - (positions[9] - positions[5])];
        System.arraycopy(content, 0, cleaned, 0, positions[5]);
        System.arraycopy(content, positions[9], cleaned, positions[5], content.length - positions[9]);
        final int damaged = positions[5] + batches[9].length;
        for (final byte fill : new byte[] {0, 1, -1}) {
            for (final int to : new int[] {damaged + batches[10].length, cleaned.length}) {
                final byte[] spoilt = cleaned.clone();
                Arrays.fill(spoilt, damaged, to, fill);
                Files.write(segment(), spoilt);
                Files.deleteIfExists(directory.resolve(LogFiles.name(0, LogFiles.OFFSET_INDEX)));
                try (DiskStorage storage = new DiskStorage(directory);
                        Log log = open(storage, interval, Long.MAX_VALUE);
                        LogReader consumer = log.newReader()) {
                    for (long offset = 5 * RECORDS; offset < 10 * RECORDS; offset++) {
                        try (LogReader reader = log.newReader()) {
                            requireNinth(reader, offset);
                        }
                    }
                    assertTrue(consumer.read(4 * RECORDS, Long.MAX_VALUE, 1) > 0);
                    requireNinth(consumer, 5 * RECORDS);
                    final CorruptLogException e = assertThrows(
                            CorruptLogException.class, () -> consumer.read(10 * RECORDS, Long.MAX_VALUE, 1));
                    assertEquals(damaged, e.position());
                }
            }
        }
    }

    private static void requireNinth(final LogReader reader, final long offset) {
        assertTrue(reader.locate(offset, Long.MAX_VALUE, 1) > 0);
        assertTrue(reader.read(offset, Long.MAX_VALUE, 1) > 0);
        assertEquals(9 * RECORDS, reader.buffer().getLong(0, ByteOrder.BIG_ENDIAN));
    }

    /** As a replica of a compacted log has it, with the zeros of a file that was made longer ahead: they are no batch of offset 0. */
    @Test
    void zerosBehindAGapDoNotContradictIt() throws IOException {
        final long first = 5;
        final byte[] batch = StoredBatch.encode(first, 0, CompressionType.NONE, new long[] {NOW, NOW}, "v")
                .bytes();
        Files.write(segment(), Arrays.copyOf(batch, batch.length + 4096));
        try (DiskStorage storage = new DiskStorage(directory);
                Log log = open(storage, 4096, 0);
                LogReader reader = log.newReader()) {
            assertEquals(first + 2, log.endOffset());
            assertTrue(reader.read(first, Long.MAX_VALUE, 1) > 0);
        }
        assertEquals(batch.length, Files.size(segment()));
    }
}
