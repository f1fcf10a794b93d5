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
import io.cordwood.log.RecoveryReport;
import io.cordwood.log.codec.CompressionType;
import io.cordwood.log.store.DiskStorage;
import java.io.IOException;
import java.nio.ByteBuffer;
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

    /** Three batches of one record each, from a base on; the second begins so many bytes in front of a sector's edge. */
    private byte[] threeBatches(final long base, final int torn) throws IOException {
        final int[] values = {SECTOR_BYTES - torn - 72, 300, 300};
        final ByteBuffer bytes = ByteBuffer.allocate(2_000);
        for (int i = 0; i < values.length; i++) {
            bytes.put(StoredBatch.encode(base + i, 0, CompressionType.NONE, new long[] {NOW + i}, "v".repeat(values[i]))
                    .bytes());
            assertTrue(i > 0 || bytes.position() == SECTOR_BYTES - torn, "is at " + bytes.position());
        }
        return Arrays.copyOf(bytes.array(), bytes.position());
    }

    /** No checksum covers the base offset: a batch that lost the sector in which it begins passes for one of another offset. */
    @ParameterizedTest
    @ValueSource(ints = {1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11})
    void aBatchWhoseOffsetIsTornEndsTheLog(final int torn) throws IOException {
        final long base = 0x0102030405060708L;
        final byte[] bytes = threeBatches(base, torn);
        Arrays.fill(bytes, SECTOR_BYTES - torn, SECTOR_BYTES, (byte) 0);
        Files.write(file(base, LogFiles.LOG), bytes);
        try (Log log = open(0)) {
            assertEquals(base + 1, log.endOffset());
            assertEquals(List.of(RecoveryReport.Kind.CUT), kinds(log));
        }
        assertEquals(SECTOR_BYTES - torn, Files.size(file(base, LogFiles.LOG)));
    }

    /** Most offsets begin with zeros, which are no sign of a lost sector: one wrong bit costs one batch and cuts nothing. */
    @ParameterizedTest
    @ValueSource(ints = {1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11})
    void aWrongOffsetInFrontOfASectorsEdgeIsKeptWithAllBehindIt(final int torn) throws IOException {
        for (final long wrong : new long[] {6, 5, 3, 15, 7 + 16, 7 + (1 << 20)}) {
            final byte[] bytes = threeBatches(6, torn);
            ByteBuffer.wrap(bytes).putLong(SECTOR_BYTES - torn, wrong);
            Files.write(file(6, LogFiles.LOG), bytes);
            try (Log log = open(0);
                    LogReader reader = log.newReader()) {
                assertEquals(9, log.endOffset(), "offset " + wrong);
                assertEquals(List.of(RecoveryReport.Kind.DAMAGE_KEPT), kinds(log));
                final CorruptLogException damage =
                        assertThrows(CorruptLogException.class, () -> reader.read(7, Long.MAX_VALUE, 1));
                assertEquals(SECTOR_BYTES - torn, damage.position());
                assertEquals(8, damage.nextOffset());
                assertTrue(reader.read(8, Long.MAX_VALUE, 1) > 0);
            }
            assertArrayEquals(bytes, Files.readAllBytes(file(6, LogFiles.LOG)));
        }
    }
}
