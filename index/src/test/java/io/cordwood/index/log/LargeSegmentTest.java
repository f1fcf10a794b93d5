package io.cordwood.index.log;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.cordwood.index.SparseIndexes;
import io.cordwood.log.AppendAs;
import io.cordwood.log.Log;
import io.cordwood.log.LogBuilder;
import io.cordwood.log.LogConfig;
import io.cordwood.log.LogFiles;
import io.cordwood.log.LogReader;
import io.cordwood.log.RecoveryReport;
import io.cordwood.log.RecoveryReport.Kind;
import io.cordwood.log.codec.CompressionType;
import io.cordwood.log.store.DiskStorage;
import java.io.IOException;
import java.io.RandomAccessFile;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import org.agrona.concurrent.UnsafeBuffer;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * A segment with batches behind position 2^31-1, which nobody writes and no index can name: a hole of two gigabytes in the middle,
 * as a disk that mixes up its blocks leaves.
 */
@Timeout(300)
final class LargeSegmentTest {
    private static final long NOW = 1_700_000_000_000L;
    private static final int BATCHES = 100;
    private static final long BEHIND = (1L << 31) + 100;

    @TempDir
    private Path directory;

    private Path segment = Path.of("");
    private int batchBytes;

    private static byte[] batch(final int offset) {
        return StoredBatch.encode(offset, 0, CompressionType.NONE, new long[] {NOW + offset}, "v".repeat(100))
                .bytes();
    }

    @BeforeEach
    void write() throws IOException {
        segment = directory.resolve(LogFiles.name(0, LogFiles.LOG));
        batchBytes = batch(0).length;
        try (RandomAccessFile file = new RandomAccessFile(segment.toFile(), "rw")) {
            for (int i = 0; i < 2 * BATCHES; i++) {
                if (i == BATCHES) {
                    file.seek(BEHIND);
                }
                file.write(batch(i));
            }
        }
    }

    private static Log open(final DiskStorage storage, final long recoveryPoint) {
        return new LogBuilder(storage, "")
                .config(LogConfig.of(Map.of("index.interval.bytes", "1000")))
                .indexes(new SparseIndexes())
                .recoveryPoint(recoveryPoint)
                .open(NOW);
    }

    private static List<Kind> kinds(final Log log) {
        return log.recovery().entries().stream().map(RecoveryReport.Entry::kind).toList();
    }

    @ParameterizedTest
    @ValueSource(longs = {2 * BATCHES, Long.MAX_VALUE})
    void belowTheRecoveryPointAllOfItIsServedButTheHole(final long recoveryPoint) throws IOException {
        final long bytes = Files.size(segment);
        for (int round = 0; round < 2; round++) {
            try (DiskStorage storage = new DiskStorage(directory);
                    Log log = open(storage, recoveryPoint);
                    LogReader reader = log.newReader()) {
                assertEquals(2 * BATCHES, log.endOffset());
                assertTrue(kinds(log).contains(Kind.DAMAGE_KEPT), log.recovery().toString());
                for (int offset = 0; offset < 2 * BATCHES; offset++) {
                    assertTrue(reader.read(offset, Long.MAX_VALUE, 1) > 0, "offset " + offset);
                    final long first = offset < BATCHES ? 0 : BEHIND - (long) BATCHES * batchBytes;
                    assertEquals(first + (long) offset * batchBytes, reader.position());
                }
                assertEquals(5, reader.offsetForTimestamp(NOW + 5, Long.MAX_VALUE));
            }
            assertEquals(bytes, Files.size(segment));
        }
        try (DiskStorage storage = new DiskStorage(directory);
                Log log = open(storage, recoveryPoint)) {
            final byte[] next = batch(0);
            assertEquals(
                    2 * BATCHES,
                    log.append(new UnsafeBuffer(next), 0, next.length, AppendAs.client(0), NOW + 2 * BATCHES));
            assertEquals(2, log.segmentCount());
        }
    }

    @Test
    void aboveTheRecoveryPointTheLogEndsInFrontOfTheHole() throws IOException {
        try (DiskStorage storage = new DiskStorage(directory);
                Log log = open(storage, 0)) {
            assertEquals(BATCHES, log.endOffset());
            assertEquals(List.of(Kind.CUT), kinds(log));
            assertEquals((long) BATCHES * batchBytes, Files.size(segment));
        }
    }
}
