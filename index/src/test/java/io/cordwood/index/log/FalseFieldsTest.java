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
import io.cordwood.log.codec.Codecs;
import io.cordwood.log.record.BatchBuilder;
import io.cordwood.log.store.DiskStorage;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.Arrays;
import java.util.Map;
import org.agrona.concurrent.UnsafeBuffer;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** A field that no checksum covers, or whose checksum is wrong, says what is not so: it costs no other batch and keeps no log closed. */
final class FalseFieldsTest {
    private static final long NOW = 1_700_000_000_000L;
    private static final int RECORDS = 40;
    private static final int YOUNG = 5;

    @TempDir
    private Path directory;

    private DiskStorage storage;

    @BeforeEach
    void begin() {
        storage = new DiskStorage(directory);
    }

    @AfterEach
    void end() {
        storage.close();
    }

    private Log open(final long recoveryPoint, final String segmentBytes) {
        return new LogBuilder(storage, "")
                .config(LogConfig.of(Map.of("index.interval.bytes", "100", "segment.bytes", segmentBytes)))
                .indexes(new SparseIndexes())
                .recoveryPoint(recoveryPoint)
                .open(NOW);
    }

    /** All records are old but one. */
    private void fill(final int recordsInBatch, final String segmentBytes) {
        try (Log log = open(0, segmentBytes)) {
            final UnsafeBuffer memory = new UnsafeBuffer(new byte[4096]);
            final BatchBuilder batch = new BatchBuilder(Codecs.standard());
            for (int i = 0; i < RECORDS; i++) {
                batch.wrap(memory, 0, 3000);
                for (int j = 0; j < recordsInBatch; j++) {
                    batch.append(i == YOUNG ? NOW : NOW - 7_200_000, null, 0, -1, memory, 3500, 58, null);
                }
                log.append(memory, 0, batch.finish(), AppendAs.client(0), NOW);
            }
        }
    }

    private Path file(final long base, final String suffix) {
        return directory.resolve(LogFiles.name(base, suffix));
    }

    private static int sizeAt(final ByteBuffer log, final int position) {
        return 12 + log.getInt(position + 8);
    }

    @ParameterizedTest
    @ValueSource(longs = {30, RECORDS, Long.MAX_VALUE})
    void anIndexEntryOfTheFirstPositionIsHeldAgainstItsBatch(final long recoveryPoint) throws IOException {
        fill(1, "1000000");
        final byte[] sound = Files.readAllBytes(file(0, LogFiles.OFFSET_INDEX));
        final byte[] entry = ByteBuffer.allocate(14).putInt(YOUNG).array();
        for (final int length : new int[] {8, 14}) {
            Files.write(file(0, LogFiles.OFFSET_INDEX), Arrays.copyOf(entry, length));
            try (Log log = open(recoveryPoint, "1000000")) {
                assertEquals(RECORDS, log.endOffset());
            }
            assertArrayEquals(sound, Files.readAllBytes(file(0, LogFiles.OFFSET_INDEX)));
        }
    }

    @ParameterizedTest
    @ValueSource(longs = {30, RECORDS, Long.MAX_VALUE})
    void aTimeEntryBehindTheEndShowsNothing(final long recoveryPoint) throws IOException {
        fill(1, "1000000");
        for (final long timestamp : new long[] {5, 0x43492a94b5f4bf40L}) {
            for (final int length : new int[] {12, 18}) {
                Files.write(
                        file(0, LogFiles.TIME_INDEX),
                        ByteBuffer.allocate(length)
                                .putLong(timestamp)
                                .putInt(0x2d6ef74d)
                                .array());
                try (Log log = open(recoveryPoint, "1000000");
                        LogReader reader = log.newReader()) {
                    assertEquals(YOUNG, reader.offsetForTimestamp(NOW - 1000, RECORDS));
                    assertEquals(NOW, log.largestTimestamp());
                }
            }
        }
    }

    @Test
    void anOffsetIsNotTornByZerosThatItHasAnyway() throws IOException {
        fill(1, "1000000");
        final ByteBuffer log = ByteBuffer.wrap(Files.readAllBytes(file(0, LogFiles.LOG)));
        int tried = 0;
        int batch = 0;
        for (int at = 0; at < log.capacity(); at += sizeAt(log, at), batch++) {
            final int torn = -at & 511;
            if (torn == 0 || torn > 7 || batch < 4) {
                continue;
            }
            tried++;
            final ByteBuffer changed = ByteBuffer.wrap(log.array().clone());
            changed.putLong(at, changed.getLong(at) & ~Long.lowestOneBit(changed.getLong(at)));
            Files.write(file(0, LogFiles.LOG), changed.array());
            try (Log opened = open(0, "1000000")) {
                assertEquals(RECORDS, opened.endOffset(), "batch " + batch);
                assertEquals(
                        RecoveryReport.Kind.DAMAGE_KEPT,
                        opened.recovery().entries().get(0).kind());
            }
        }
        assertTrue(tried > 0, "no batch begins so");
    }

    @ParameterizedTest
    @ValueSource(longs = {2 * RECORDS, Long.MAX_VALUE})
    void aBatchThatIsDamagedHidesNoneBehindIt(final long recoveryPoint) throws IOException {
        fill(2, "1000000");
        final ByteBuffer log = ByteBuffer.wrap(Files.readAllBytes(file(0, LogFiles.LOG)));
        int at = 0;
        for (int batch = 0; batch < RECORDS - 1; batch++, at += sizeAt(log, at)) {
            final ByteBuffer changed = ByteBuffer.wrap(log.array().clone());
            // The high byte of the last offset delta.
            changed.put(at + 23, (byte) 2);
            Files.write(file(0, LogFiles.LOG), changed.array());
            try (Log opened = open(recoveryPoint, "1000000");
                    LogReader reader = opened.newReader()) {
                assertEquals(2 * RECORDS, opened.endOffset());
                final long first = 2L * batch;
                final CorruptLogException e =
                        assertThrows(CorruptLogException.class, () -> reader.read(first, Long.MAX_VALUE, 1));
                assertEquals(first + 2, e.nextOffset(), "batch " + batch);
                assertTrue(reader.read(first + 2, Long.MAX_VALUE, 1) > 0);
            }
        }
    }

    @ParameterizedTest
    @ValueSource(ints = {1, 10, 26, 27, 60})
    void aReaderThatComesToATornEndIsToldSo(final int bytes) throws IOException {
        fill(1, "1300");
        final Path first = file(0, LogFiles.LOG);
        final ByteBuffer log = ByteBuffer.wrap(Files.readAllBytes(first));
        final int size = sizeAt(log, 0);
        final long records = log.capacity() / size;
        try (var file = FileChannel.open(first, StandardOpenOption.WRITE)) {
            file.truncate((records - 1) * size + bytes);
        }
        for (final int bytesMax : new int[] {1, 100, 1 << 20}) {
            try (Log opened = open(Long.MAX_VALUE, "1300");
                    LogReader reader = opened.newReader()) {
                for (long offset = 0; offset < records - 1; offset = reader.nextOffset()) {
                    assertTrue(reader.read(offset, Long.MAX_VALUE, bytesMax) > 0);
                }
                final CorruptLogException e = assertThrows(
                        CorruptLogException.class, () -> reader.read(records - 1, Long.MAX_VALUE, bytesMax));
                assertEquals(records, e.nextOffset());
            }
        }
    }
}
