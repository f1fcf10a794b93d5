package io.cordwood.index.log;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.cordwood.index.SparseIndexes;
import io.cordwood.log.AppendAs;
import io.cordwood.log.CorruptLogException;
import io.cordwood.log.Log;
import io.cordwood.log.LogBuilder;
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
import org.agrona.concurrent.UnsafeBuffer;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Logs with gaps, as a cleaner leaves them, in which one batch has another base offset than it was written with. */
final class FlippedOffsetsTest {
    private static final long NOW = 1_700_000_000_000L;

    /** First and last offsets of batches. */
    private static final long[][][] LAYOUTS = {
        {{0, 2}, {10, 12}, {13, 14}, {15, 18}},
        {{0, 7}, {9, 11}, {12, 13}, {14, 15}},
        {{0, 0}, {3, 3}, {4, 4}, {9, 12}, {13, 13}, {20, 30}, {31, 31}, {40, 40}, {41, 47}, {55, 56}},
        {{5, 5}, {17, 17}, {18, 18}, {19, 19}, {33, 36}, {37, 37}, {64, 64}, {65, 65}},
    };

    @TempDir
    private Path directory;

    private byte[] sound = {};
    private int told;
    private int refused;

    private static Log open(final DiskStorage storage, final long recoveryPoint) {
        return new LogBuilder(storage, "")
                .indexes(new SparseIndexes())
                .recoveryPoint(recoveryPoint)
                .open(NOW);
    }

    /** Every bit that may lead near: no other batch is given for an offset that one holds, and no error is without a way to go on. */
    @Test
    void nobodyGetsAnotherBatchThanTheOneThatHoldsTheOffset() throws IOException {
        for (final long[][] layout : LAYOUTS) {
            write(layout);
            final int[] positions = positions(layout.length);
            for (int victim = 0; victim < layout.length; victim++) {
                for (int bit = 0; bit < 8; bit++) {
                    final long base = layout[victim][0] ^ 1L << bit;
                    final long last = base + layout[victim][1] - layout[victim][0];
                    final boolean isUnseen = (victim == 0 || base > layout[victim - 1][1])
                            && base >= 0
                            && (victim == layout.length - 1 || last < layout[victim + 1][0]);
                    if (!isUnseen) {
                        final byte[] damaged = sound.clone();
                        ByteBuffer.wrap(damaged).putLong(positions[victim], base);
                        check(
                                layout,
                                victim,
                                damaged,
                                "batch " + victim + " of " + Arrays.deepToString(layout) + " at " + base);
                    }
                }
            }
        }
        assertTrue(told > 800, "told " + told);
        // Where it cannot be told which of two batches is the wrong one.
        assertTrue(refused * 4 < told, refused + " good ones refused, " + told + " told");
    }

    private int[] positions(final int count) {
        final int[] positions = new int[count];
        for (int i = 1; i < count; i++) {
            positions[i] = positions[i - 1] + 12 + ByteBuffer.wrap(sound).getInt(positions[i - 1] + 8);
        }
        return positions;
    }

    private void write(final long[][] layout) throws IOException {
        clear();
        try (DiskStorage storage = new DiskStorage(directory);
                Log log = open(storage, 0)) {
            for (final long[] range : layout) {
                final long[] timestamps = new long[(int) (range[1] - range[0] + 1)];
                Arrays.fill(timestamps, NOW);
                final byte[] bytes = StoredBatch.encode(range[0], -1, CompressionType.NONE, timestamps, "v")
                        .bytes();
                log.append(new UnsafeBuffer(bytes), 0, bytes.length, AppendAs.replica(), NOW);
            }
        }
        sound = Files.readAllBytes(directory.resolve(LogFiles.name(0, LogFiles.LOG)));
    }

    private void clear() throws IOException {
        try (var files = Files.newDirectoryStream(directory)) {
            for (final Path file : files) {
                Files.delete(file);
            }
        }
    }

    private void check(final long[][] layout, final int victim, final byte[] damaged, final String what)
            throws IOException {
        for (final long point : new long[] {Long.MAX_VALUE, layout[layout.length - 1][1] + 1}) {
            clear();
            Files.write(directory.resolve(LogFiles.name(0, LogFiles.LOG)), damaged);
            try (DiskStorage storage = new DiskStorage(directory);
                    Log log = open(storage, point)) {
                for (int i = 0; i < layout.length; i++) {
                    // The end of a log whose last batch is wrong is what that says, or the end of the one before it.
                    final long end = Math.min(layout[i][1], log.endOffset() - 1);
                    for (long offset = layout[i][0]; offset <= end; offset++) {
                        read(log, offset, i == victim ? -1 : layout[i][0], what + ", read of " + offset);
                    }
                }
            }
        }
    }

    private void read(final Log log, final long offset, final long base, final String what) {
        try (LogReader reader = log.newReader()) {
            assertTrue(reader.read(offset, Long.MAX_VALUE, 1) > 0, what);
            assertEquals(base, reader.buffer().getLong(0, ByteOrder.BIG_ENDIAN), what);
        } catch (final CorruptLogException e) {
            assertTrue(e.nextOffset() > offset, what + ": " + e);
            told++;
            if (base >= 0) {
                refused++;
            }
        }
    }
}
