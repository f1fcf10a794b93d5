package io.cordwood.index.log;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.cordwood.index.SparseIndexes;
import io.cordwood.log.AppendAs;
import io.cordwood.log.Log;
import io.cordwood.log.LogBuilder;
import io.cordwood.log.LogConfig;
import io.cordwood.log.LogFiles;
import io.cordwood.log.RecoveryReport;
import io.cordwood.log.codec.CompressionType;
import io.cordwood.log.store.DiskStorage;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import org.agrona.concurrent.UnsafeBuffer;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** States that power cuts at every act of a log have shown, one by one: a sector that is missing where the length of the file is not. */
final class TornWritesTest {
    private static final long NOW = 1_700_000_000_000L;
    private static final int SECTOR_BYTES = 512;

    @TempDir
    private Path directory;

    private DiskStorage storage = new DiskStorage(Path.of(""));

    @BeforeEach
    void openStorage() {
        storage = new DiskStorage(directory);
    }

    @AfterEach
    void closeStorage() {
        storage.close();
    }

    private Log open(final long recoveryPoint) {
        return new LogBuilder(storage, "")
                .config(LogConfig.of(Map.of("internal.segment.bytes", "16384", "index.interval.bytes", "1024")))
                .indexes(new SparseIndexes())
                .recoveryPoint(recoveryPoint)
                .open(NOW);
    }

    /** A log of so many batches, closed cleanly; answers the bases of its segments. */
    private long[] closed(final int batches) {
        try (Log log = open(0)) {
            for (int i = 0; i < batches; i++) {
                final byte[] bytes = StoredBatch.encode(
                                i, 0, CompressionType.NONE, new long[] {NOW + i}, "v".repeat(300))
                        .bytes();
                assertTrue(log.append(new UnsafeBuffer(bytes), 0, bytes.length, AppendAs.replica(), NOW) >= 0);
            }
            return log.baseOffsets();
        }
    }

    private Path file(final long base, final String suffix) {
        return directory.resolve(LogFiles.name(base, suffix));
    }

    private static List<RecoveryReport.Kind> kinds(final Log log) {
        return log.recovery().entries().stream().map(RecoveryReport.Entry::kind).toList();
    }

    /** Forced up to its end while it was active, sealed then: of its index nothing was forced. */
    @ParameterizedTest
    @ValueSource(strings = {LogFiles.OFFSET_INDEX, LogFiles.TIME_INDEX})
    void anIndexThatWasSealedBehindTheLastForceIsNotBelieved(final String suffix) throws IOException {
        final long[] bases = closed(60);
        assertEquals(2, bases.length);
        final byte[] good = Files.readAllBytes(file(0, suffix));
        Files.write(file(0, suffix), new byte[good.length]);
        open(bases[1]).close();
        assertArrayEquals(good, Files.readAllBytes(file(0, suffix)));
    }

    /** What was reserved of a segment is given back when it is sealed, but no force says that this is durable. */
    @ParameterizedTest
    @ValueSource(booleans = {true, false})
    void zerosBehindASealedSegmentAreCutAndNothingIsLost(final boolean isForced) throws IOException {
        final long[] bases = closed(60);
        final byte[] good = Files.readAllBytes(file(0, LogFiles.LOG));
        Files.write(file(0, LogFiles.LOG), Arrays.copyOf(good, good.length + 5_000));
        try (Log log = open(isForced ? bases[1] : 0)) {
            assertEquals(List.of(RecoveryReport.Kind.TAIL_CUT), kinds(log));
            assertEquals(60, log.endOffset());
            assertArrayEquals(bases, log.baseOffsets());
            assertEquals(good.length, log.sizeInBytes() - Files.size(file(bases[1], LogFiles.LOG)));
        }
        assertArrayEquals(good, Files.readAllBytes(file(0, LogFiles.LOG)));
    }

    /** An index whose only entry never reached the disk, its length did. */
    @Test
    void anEntryOfZerosIsNoEntry() throws IOException {
        final byte[] bytes = StoredBatch.encode(0, 0, CompressionType.NONE, new long[] {NOW, NOW + 1}, "v")
                .bytes();
        try (Log log = open(0)) {
            assertEquals(0, log.append(new UnsafeBuffer(bytes), 0, bytes.length, AppendAs.replica(), NOW));
        }
        assertEquals(0, Files.size(file(0, LogFiles.OFFSET_INDEX)));
        Files.write(file(0, LogFiles.OFFSET_INDEX), new byte[8]);
        open(1).close();
        assertEquals(0, Files.size(file(0, LogFiles.OFFSET_INDEX)));
    }

    /** No checksum covers the base offset: a batch that lost the sector in which it begins passes for one of offset 0. */
    @Test
    void aBatchWhoseOffsetIsTornEndsTheLog() throws IOException {
        closed(44);
        final Path segment = file(0, LogFiles.LOG);
        final byte[] whole = Files.readAllBytes(segment);
        final int batchBytes = whole.length / 44;
        int tried = 0;
        for (int batch = 1; batch < 44; batch++) {
            final int begin = batch * batchBytes;
            final int torn = -begin & (SECTOR_BYTES - 1);
            if (torn > 7 && torn < 12) {
                tried++;
                final byte[] bytes = Arrays.copyOf(whole, begin + batchBytes);
                Arrays.fill(bytes, begin, begin + torn, (byte) 0);
                Files.write(segment, bytes);
                try (Log log = open(0)) {
                    assertEquals(batch, log.endOffset());
                    assertEquals(List.of(RecoveryReport.Kind.CUT), kinds(log));
                }
                assertEquals(begin, Files.size(segment));
            }
        }
        assertTrue(tried > 0, "no batch of " + batchBytes + " bytes begins so");
    }
}
