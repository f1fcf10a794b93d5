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
import io.cordwood.log.store.Storage;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.nio.ByteOrder;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Map;
import org.agrona.concurrent.UnsafeBuffer;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Gaps at the end of a segment: what a cleaner took away there, here or where the log was replicated from. */
final class CleanedTailTest {
    private static final long NOW = 1_700_000_000_000L;
    private static final int SEGMENT_BYTES = 1 << 20;

    /** What an index leads to, a close look at one batch, and a look for a sign that a cleaner was there. */
    private static final long CROSSING_BYTES = 4 << 16;

    @TempDir
    private Path directory;

    private static Log open(final Storage storage, final long recoveryPoint) {
        return new LogBuilder(storage, "")
                .config(LogConfig.of(Map.of("internal.segment.bytes", "" + SEGMENT_BYTES)))
                .indexes(new SparseIndexes())
                .recoveryPoint(recoveryPoint)
                .open(NOW);
    }

    private static byte[] batch(final long base, final int valueBytes) {
        return StoredBatch.encode(base, -1, CompressionType.NONE, new long[] {NOW}, "v".repeat(valueBytes))
                .bytes();
    }

    private static void append(final Log log, final byte[] batch, final AppendAs as) {
        log.append(new UnsafeBuffer(batch), 0, batch.length, as, NOW);
    }

    /** Two segments, of which the first loses its second batch and its last ones. Returns the offset behind the last one that stays. */
    private long clean(final int valueBytes, final boolean isDamaged) throws IOException {
        final int size = batch(0, valueBytes).length;
        final long perSegment = SEGMENT_BYTES / size;
        try (DiskStorage storage = new DiskStorage(directory);
                Log log = open(storage, 0)) {
            for (long i = 0; i < perSegment + 3; i++) {
                append(log, batch(0, valueBytes), AppendAs.client(0));
            }
            assertArrayEquals(new long[] {0, perSegment}, log.baseOffsets());
        }
        final byte[] all = Files.readAllBytes(file(LogFiles.LOG));
        final ByteArrayOutputStream kept = new ByteArrayOutputStream();
        kept.write(all, 0, size);
        kept.write(all, 2 * size, ((int) perSegment - 5) * size);
        final byte[] cleaned = kept.toByteArray();
        if (isDamaged) {
            // A checksum below the recovery point that is wrong: kept, and a walk that meets it looks closely from
            // there on.
            cleaned[4 * size + 17] ^= 1;
        }
        Files.write(file(LogFiles.LOG), cleaned);
        Files.delete(file(LogFiles.OFFSET_INDEX));
        Files.delete(file(LogFiles.TIME_INDEX));
        return perSegment - 3;
    }

    private Path file(final String suffix) {
        return directory.resolve(LogFiles.name(0, suffix));
    }

    /** Small batches, of which an index entry has several behind it, and large ones, each with an entry. */
    @ParameterizedTest
    @ValueSource(ints = {60, 1000, 9000})
    void whoCrossesItReadsNoWholeSegment(final int valueBytes) throws IOException {
        for (final boolean isDamaged : new boolean[] {false, true}) {
            final long end = clean(valueBytes, isDamaged);
            try (DiskStorage disk = new DiskStorage(directory)) {
                final CountedStorage counted = new CountedStorage(disk);
                try (Log log = open(counted.storage(), Long.MAX_VALUE);
                        LogReader reader = log.newReader()) {
                    assertEquals(3, log.endOffset() - log.baseOffsets()[1]);
                    for (long offset = end; offset < end + 3; offset++) {
                        final long before = counted.segmentBytes();
                        assertTrue(reader.read(offset, Long.MAX_VALUE, 1) > 0);
                        assertEquals(end + 3, reader.buffer().getLong(0, ByteOrder.BIG_ENDIAN));
                        final long looked = counted.segmentBytes() - before;
                        assertTrue(looked < CROSSING_BYTES, looked + " bytes for offset " + offset);
                    }
                }
            }
            try (var files = Files.newDirectoryStream(directory)) {
                for (final Path path : files) {
                    Files.delete(path);
                }
            }
        }
    }

    /** A lone last batch that claims to end lower than it does hides nothing, wherever an index leads. */
    @ParameterizedTest
    @ValueSource(ints = {60, 9000})
    void aLastBatchThatLiesIsLookedAtClosely(final int valueBytes) throws IOException {
        final long end = clean(valueBytes, false);
        try (DiskStorage storage = new DiskStorage(directory)) {
            open(storage, Long.MAX_VALUE).close();
            final byte[] log = Files.readAllBytes(file(LogFiles.LOG));
            final int size = batch(0, valueBytes).length;
            final UnsafeBuffer last = new UnsafeBuffer(log, log.length - size, size);
            assertEquals(end - 1, last.getLong(0, ByteOrder.BIG_ENDIAN));
            last.putLong(0, end - 3, ByteOrder.BIG_ENDIAN);
            Files.write(file(LogFiles.LOG), log);
            try (Log opened = open(storage, Long.MAX_VALUE);
                    LogReader reader = opened.newReader()) {
                for (long offset = end - 1; offset < end + 3; offset++) {
                    final long wanted = offset;
                    final CorruptLogException told =
                            assertThrows(CorruptLogException.class, () -> reader.read(wanted, Long.MAX_VALUE, 1));
                    assertEquals(log.length - size, told.position());
                    assertEquals(end + 3, told.nextOffset());
                }
            }
        }
    }

    /** As a leader hands them over whose log was cleaned: the gap is where a segment is full, and no reader takes it for a lost segment. */
    @Test
    void aReplicaThatRollsInAGapIsReadThrough() throws IOException {
        final int size = batch(0, 1000).length;
        final long full = SEGMENT_BYTES / size;
        final long gap = 50;
        try (DiskStorage storage = new DiskStorage(directory)) {
            try (Log log = open(storage, 0)) {
                for (long i = 0; i < full; i++) {
                    append(log, batch(i, 1000), AppendAs.replica());
                }
                append(log, batch(full + gap, 1000), AppendAs.replica());
                assertArrayEquals(new long[] {0, full}, log.baseOffsets());
                isReadThrough(log, full, full + gap);
                // Too far away to be of the segment before it.
                final long far = full + Integer.MAX_VALUE;
                append(log, batch(far + 1, 1000), AppendAs.replica());
                assertArrayEquals(new long[] {0, full, far + 1}, log.baseOffsets());
                isReadThrough(log, full + gap + 1, far + 1);
            }
            for (final long point : new long[] {0, Long.MAX_VALUE}) {
                try (Log log = open(storage, point)) {
                    assertEquals(
                            0, log.recovery().entries().size(), log.recovery().toString());
                    isReadThrough(log, full, full + gap);
                }
            }
        }
    }

    /** The end of the log is above its last batch then; what is rolled there begins behind that all the same. */
    @Test
    void aTruncationIntoAGapLeavesNoneBetweenSegments() throws IOException {
        try (DiskStorage storage = new DiskStorage(directory);
                Log log = open(storage, 0)) {
            append(log, batch(0, 1000), AppendAs.replica());
            append(log, batch(1, 1000), AppendAs.replica());
            append(log, batch(50, 1000), AppendAs.replica());
            for (final long end : new long[] {50, 20}) {
                assertEquals(end, log.truncateTo(end, NOW));
                assertEquals(2, log.roll(NOW));
                assertArrayEquals(new long[] {0, 2}, log.baseOffsets());
                assertEquals(end, log.endOffset());
                append(log, batch(60, 1000), AppendAs.replica());
                isReadThrough(log, 2, 60);
            }
        }
    }

    /** A jump is the log's own, but not where the index of a segment that is gone is left. */
    @Test
    void aSegmentThatIsLostInFrontOfAJumpIsToldWhereItsIndexIsLeft() throws IOException {
        final long far = 10L + Integer.MAX_VALUE;
        try (DiskStorage storage = new DiskStorage(directory)) {
            try (Log log = open(storage, 0)) {
                append(log, batch(0, 1000), AppendAs.replica());
                log.roll(NOW);
                append(log, batch(1, 1000), AppendAs.replica());
                append(log, batch(far, 1000), AppendAs.replica());
                assertArrayEquals(new long[] {0, 1, far}, log.baseOffsets());
            }
            open(storage, Long.MAX_VALUE).close();
            Files.delete(directory.resolve(LogFiles.name(1, LogFiles.LOG)));
            try (Log log = open(storage, Long.MAX_VALUE)) {
                assertTrue(
                        log.recovery().entries().stream().anyMatch(entry -> entry.kind() == Kind.OFFSETS_MISSING),
                        log.recovery().toString());
            }
        }
    }

    private static void isReadThrough(final Log log, final long from, final long next) {
        try (LogReader reader = log.newReader()) {
            for (final long offset : new long[] {from - 1, from, next - 1, next}) {
                assertTrue(reader.read(offset, Long.MAX_VALUE, 1) > 0);
                assertEquals(
                        offset < from ? offset : next,
                        reader.buffer().getLong(0, ByteOrder.BIG_ENDIAN),
                        "read of " + offset);
            }
        }
    }
}
