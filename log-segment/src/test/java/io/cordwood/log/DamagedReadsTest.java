package io.cordwood.log;

import static io.cordwood.log.TestBatches.at;
import static io.cordwood.log.TestBatches.batch;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.cordwood.log.store.DiskStorage;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.Arrays;
import java.util.stream.IntStream;
import org.agrona.concurrent.UnsafeBuffer;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.function.Executable;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.MethodSource;

/** Whoever reads what is damaged is told so, wherever it begins and whatever it read before; what is good around it is served. */
final class DamagedReadsTest {
    private static final long NOW = 1_700_000_000_000L;
    /** Of a batch with three records. */
    private static final int BYTES = records(0).length;

    @TempDir
    Path root;

    private DiskStorage storage = new DiskStorage(Path.of(""));

    private static byte[] records(final long base) {
        final UnsafeBuffer batch = at(base, 0, batch(NOW, "v".repeat(30), "v".repeat(30), "v".repeat(30)));
        final byte[] bytes = new byte[batch.capacity()];
        batch.getBytes(0, bytes);
        return bytes;
    }

    /** Batches of three records each, from a base on; opened is the directory as if it had been closed cleanly. */
    private static byte[] segment(final long base, final int batches) {
        final ByteBuffer bytes = ByteBuffer.allocate(batches * BYTES);
        for (int i = 0; i < batches; i++) {
            bytes.put(records(base + 3L * i));
        }
        return bytes.array();
    }

    private void write(final long base, final byte[] bytes) throws IOException {
        Files.createDirectories(root.resolve("t-0"));
        Files.write(root.resolve("t-0").resolve(LogFiles.name(base, LogFiles.LOG)), bytes);
    }

    private Log open(final long recoveryPoint) {
        storage = new DiskStorage(root);
        return new LogBuilder(storage, "t-0").recoveryPoint(recoveryPoint).open(NOW);
    }

    /** Nothing is behind it that contradicts it, and whoever waits for its offsets would wait for ever. */
    @Test
    void aLastBatchAboveTheEndOfTheLogIsDamage() throws IOException {
        write(0, segment(0, 3));
        try (Log log = open(Long.MAX_VALUE);
                LogReader reader = log.newReader();
                FileChannel file = FileChannel.open(
                        root.resolve("t-0").resolve(LogFiles.name(0, LogFiles.LOG)), StandardOpenOption.WRITE)) {
            assertEquals(9, log.endOffset());
            file.write(ByteBuffer.allocate(Long.BYTES).putLong(0, 1_000), (long) BYTES * 2);
            assertGoesOnAtNine(() -> reader.read(6, Long.MAX_VALUE, 1));
            assertGoesOnAtNine(() -> reader.locate(6, Long.MAX_VALUE, 1));
            assertEquals(2L * BYTES, reader.read(0, Long.MAX_VALUE, 1 << 20));
            assertGoesOnAtNine(() -> reader.read(6, Long.MAX_VALUE, 1));
            assertEquals(2L * BYTES, reader.locate(0, 6, 1 << 20));
            assertGoesOnAtNine(() -> reader.locate(6, Long.MAX_VALUE, 1));
        }
    }

    private static void assertGoesOnAtNine(final Executable read) {
        assertEquals(9, assertThrows(CorruptLogException.class, read).nextOffset());
    }

    static IntStream tornEnds() {
        return IntStream.range(1, BYTES);
    }

    /** Also a reader that comes from the batch before it, and asks for few bytes. */
    @ParameterizedTest
    @MethodSource("tornEnds")
    void aTornEndOfASealedSegmentIsToldToEachReader(final int torn) throws IOException {
        write(0, Arrays.copyOf(segment(0, 3), 2 * BYTES + torn));
        write(9, segment(9, 2));
        try (Log log = open(Long.MAX_VALUE)) {
            for (final int bytesMax : new int[] {1, 1 << 20}) {
                try (LogReader reader = log.newReader();
                        LogReader fresh = log.newReader()) {
                    assertTrue(reader.read(3, Long.MAX_VALUE, bytesMax) > 0);
                    assertEquals(6, reader.nextOffset());
                    for (final LogReader each : new LogReader[] {reader, reader, fresh}) {
                        final CorruptLogException damage =
                                assertThrows(CorruptLogException.class, () -> each.read(6, Long.MAX_VALUE, bytesMax));
                        assertEquals(2L * BYTES, damage.position());
                        assertEquals(9, damage.nextOffset());
                    }
                    assertTrue(reader.read(9, Long.MAX_VALUE, bytesMax) > 0);
                }
            }
        }
        storage.close();
    }

    /** Bits of a length that turn over may lead to where another batch begins, or to the end of the segment. */
    @ParameterizedTest
    @CsvSource({"2, 0x80", "2, 0x100", "3, 0x200"})
    void aLengthThatLeadsBehindSoundBatchesHidesNone(final int bad, final int bit) throws IOException {
        final int size = 128;
        final ByteBuffer bytes = ByteBuffer.allocate(8 * size);
        for (int i = 0; i < 8; i++) {
            final UnsafeBuffer batch = at(i, 0, batch(NOW, "v".repeat(size - 69)));
            assertEquals(size, batch.capacity());
            batch.getBytes(0, bytes, i * size, size);
        }
        final int length = bad * size + Long.BYTES;
        bytes.putInt(length, bytes.getInt(length) + bit);
        write(0, bytes.array());
        try (Log log = open(Long.MAX_VALUE);
                LogReader reader = log.newReader()) {
            final CorruptLogException damage =
                    assertThrows(CorruptLogException.class, () -> reader.read(bad, Long.MAX_VALUE, 1));
            assertEquals((long) bad * size, damage.position());
            assertEquals(bad + 1, damage.nextOffset());
            assertTrue(reader.read(bad + 1, Long.MAX_VALUE, 1 << 20) > 0);
            assertEquals(8, reader.nextOffset());
        }
        try (LogCheck check = new LogCheck(storage, 1 << 16, 1 << 16, fault -> {})) {
            assertEquals(7, check.check("t-0").batches());
        }
        storage.close();
    }
}
