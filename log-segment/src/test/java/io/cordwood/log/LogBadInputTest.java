package io.cordwood.log;

import static io.cordwood.log.TestBatches.at;
import static io.cordwood.log.TestBatches.batch;
import static io.cordwood.log.TestBatches.run;
import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.sun.management.ThreadMXBean;
import io.cordwood.log.codec.CompressionType;
import io.cordwood.log.record.Crc32c;
import io.cordwood.log.record.RecordBatchDescriptor;
import io.cordwood.log.record.Refusal;
import io.cordwood.log.store.DiskStorage;
import io.cordwood.log.store.StorageException;
import java.io.IOException;
import java.lang.management.ManagementFactory;
import java.nio.ByteOrder;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Random;
import org.agrona.concurrent.UnsafeBuffer;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Batches and arguments that mean harm: refused before anything is written, and without the memory that they ask for. */
final class LogBadInputTest {
    private static final long NOW = 1_700_000_000_000L;
    private static final int DECOMPRESSED_MAX = 1 << 20;
    private static final Map<String, String> LIMITS = Map.of(
            "max.message.bytes", "100000",
            "segment.bytes", "200000",
            "decompressed.bytes.max", "" + DECOMPRESSED_MAX);

    @TempDir
    Path root;

    private static Log open(final DiskStorage storage, final boolean mapped) {
        final LogBuilder builder = new LogBuilder(storage, "t-0").config(LogConfig.of(LIMITS));
        return (mapped ? builder.mapped() : builder).open(NOW);
    }

    private static UnsafeBuffer sealed(final UnsafeBuffer batch) {
        RecordBatchDescriptor.sealCrc(batch, 0, batch.capacity(), new Crc32c());
        return batch;
    }

    private static UnsafeBuffer good() {
        return at(10, 5, batch(NOW, "good", "and", "long enough"));
    }

    private static UnsafeBuffer withInt(final int index, final int value) {
        final UnsafeBuffer batch = good();
        batch.putInt(index, value, ByteOrder.BIG_ENDIAN);
        return batch;
    }

    private static UnsafeBuffer withByte(final int index, final int value) {
        final UnsafeBuffer batch = good();
        batch.putByte(index, (byte) value);
        return batch;
    }

    /** Harmful in the header, so that a follower refuses them too. */
    private static Map<String, UnsafeBuffer> hostileHeaders() {
        final Map<String, UnsafeBuffer> hostile = new LinkedHashMap<>();
        hostile.put("wrong CRC", withByte(good().capacity() - 1, 77));
        hostile.put("negative length", withInt(8, -1));
        hostile.put("length of nothing", withInt(8, 0));
        hostile.put("length below a header", withInt(8, 40));
        hostile.put("length beyond the run", withInt(8, 1_000_000));
        hostile.put("length that overflows", withInt(8, Integer.MAX_VALUE));
        hostile.put("magic 3", withByte(16, 3));
        hostile.put("magic -1", withByte(16, -1));
        hostile.put("negative last offset delta", sealed(withInt(23, -1)));
        hostile.put("negative count", sealed(withInt(57, -1)));
        hostile.put("torn header", new UnsafeBuffer(good(), 0, 60));
        hostile.put("eleven bytes", new UnsafeBuffer(good(), 0, 11));
        hostile.put("torn second", run(good(), new UnsafeBuffer(good(), 0, 70)));
        final UnsafeBuffer endless = good();
        endless.putLong(0, Long.MAX_VALUE - 2, ByteOrder.BIG_ENDIAN);
        hostile.put("offsets up to the end of all offsets", endless);
        return hostile;
    }

    private static Map<String, UnsafeBuffer> hostileToClients() {
        final Map<String, UnsafeBuffer> hostile = hostileHeaders();
        hostile.remove("offsets up to the end of all offsets");
        hostile.put("absurd count", sealed(withInt(57, Integer.MAX_VALUE)));
        hostile.put("absurd last offset delta", sealed(withInt(23, Integer.MAX_VALUE)));
        hostile.put("unknown codec", sealed(withByte(22, 7)));
        hostile.put("absurd record length", sealed(withInt(61, 0xfeffff0f)));
        for (final CompressionType type : CompressionType.values()) {
            if (type != CompressionType.NONE) {
                hostile.put("bomb of " + type, batch(type, NOW, "0".repeat(2 * DECOMPRESSED_MAX)));
            }
        }
        hostile.put("larger than max.message.bytes", batch(NOW, "v".repeat(100_000)));
        hostile.put("control batch", sealed(withByte(22, 0x20)));
        return hostile;
    }

    private Map<String, byte[]> files() throws IOException {
        final Map<String, byte[]> files = new LinkedHashMap<>();
        try (var paths = Files.list(root.resolve("t-0")).sorted()) {
            for (final Path path : paths.toList()) {
                files.put(String.valueOf(path.getFileName()), Files.readAllBytes(path));
            }
        }
        return files;
    }

    private void assertRefused(final Log log, final Map<String, UnsafeBuffer> hostile, final AppendAs as)
            throws IOException {
        final ThreadMXBean threads = (ThreadMXBean) ManagementFactory.getThreadMXBean();
        final Map<String, byte[]> before = files();
        final long end = log.endOffset();
        for (final Map.Entry<String, UnsafeBuffer> batch : hostile.entrySet()) {
            final UnsafeBuffer bytes = batch.getValue();
            final long allocated =
                    threads.getThreadAllocatedBytes(Thread.currentThread().getId());
            final long verdict = log.append(bytes, 0, bytes.capacity(), as, NOW);
            final long more =
                    threads.getThreadAllocatedBytes(Thread.currentThread().getId()) - allocated;
            assertTrue(verdict < Refusal.ACCEPTED, batch.getKey() + " was answered by " + verdict);
            assertFalse(log.refusalReason().isEmpty(), batch.getKey());
            assertTrue(more < 2L * DECOMPRESSED_MAX, batch.getKey() + " made us allocate " + more);
        }
        assertEquals(end, log.publish());
        final Map<String, byte[]> after = files();
        assertEquals(before.keySet(), after.keySet());
        before.forEach((name, bytes) -> assertArrayEquals(bytes, after.get(name), name));
    }

    @ParameterizedTest
    @ValueSource(booleans = {false, true})
    void hostileBatchesLeaveNoTrace(final boolean mapped) throws IOException {
        try (DiskStorage storage = new DiskStorage(root);
                Log log = open(storage, mapped)) {
            final UnsafeBuffer first = batch(NOW, "first");
            log.append(first, 0, first.capacity(), AppendAs.client(0), NOW);
            assertRefused(log, hostileToClients(), AppendAs.client(0));
            assertRefused(log, hostileHeaders(), AppendAs.replica());
            final UnsafeBuffer good = good();
            assertEquals(10, log.append(good, 0, good.capacity(), AppendAs.replica(), NOW), log.refusalReason());
            assertEquals(List.of("0=first", "10=good", "11=and", "12=long enough"), LogTest.values(log, 0));
        }
    }

    /** Whatever is flipped: an answer, no exception, and a log that opens to the same end. */
    @ParameterizedTest
    @ValueSource(longs = {1, 2, 3})
    void flippedBatchesAreAnsweredAndNeverHarmTheLog(final long seed) {
        final Random random = new Random(seed);
        try (DiskStorage storage = new DiskStorage(root)) {
            final long end;
            try (Log log = open(storage, seed == 2)) {
                for (int i = 0; i < 2_000; i++) {
                    final UnsafeBuffer batch = at(log.endOffset(), 1, batch(NOW, "a", "b" + i));
                    for (int flips = 1 + random.nextInt(3); flips > 0; flips--) {
                        final int index = 8 + random.nextInt(batch.capacity() - 8);
                        batch.putByte(index, (byte) (batch.getByte(index) ^ (1 << random.nextInt(8))));
                    }
                    if (random.nextBoolean()) {
                        final int epoch = log.leaderEpochs().latestEpoch();
                        batch.putInt(12, Math.max(1, epoch), ByteOrder.BIG_ENDIAN);
                        sealed(batch);
                    }
                    final AppendAs as = random.nextBoolean()
                            ? AppendAs.replica()
                            : AppendAs.client(Math.max(0, log.leaderEpochs().latestEpoch()));
                    final long result = log.append(batch, 0, batch.capacity(), as, NOW);
                    assertTrue(result >= 0 || !Refusal.name(result).isEmpty(), "seed " + seed + ", batch " + i);
                }
                end = log.endOffset();
                assertTrue(end > 0, "nothing was accepted with seed " + seed);
            }
            try (Log log =
                    new LogBuilder(storage, "t-0").config(LogConfig.of(LIMITS)).open(NOW)) {
                assertEquals(end, log.endOffset(), "seed " + seed + ": " + log.recovery());
            }
        }
    }

    @Test
    void wrongArgumentsAreRefusedBeforeAnythingHappens() throws IOException {
        try (DiskStorage storage = new DiskStorage(root);
                Log log = open(storage, false)) {
            final UnsafeBuffer run = good();
            final int length = run.capacity();
            final AppendAs as = AppendAs.replica();
            assertThrows(IndexOutOfBoundsException.class, () -> log.append(run, 1, length, as, NOW));
            assertThrows(IndexOutOfBoundsException.class, () -> log.append(run, -1, length, as, NOW));
            assertThrows(IndexOutOfBoundsException.class, () -> log.append(run, 10, Integer.MAX_VALUE, as, NOW));
            assertThrows(IndexOutOfBoundsException.class, () -> log.append(run, 0, -1, as, NOW));
            assertEquals(Refusal.CORRUPT_BATCH, log.append(run, 0, 0, as, NOW));
            assertThrows(IllegalArgumentException.class, () -> log.commit(61, AppendAs.coordinator(0), NOW));
            assertEquals(Refusal.OFFSET_OUT_OF_RANGE, log.truncateFullyAndStartAt(-1, NOW));
            assertEquals(Refusal.OFFSET_OUT_OF_RANGE, log.truncateTo(-1, NOW));
            assertEquals(0, log.endOffset());
            assertEquals(0, log.sizeInBytes());
            assertThrows(IllegalArgumentException.class, () -> AppendAs.client(-2));
            assertThrows(IllegalArgumentException.class, () -> new LogBuilder(storage, "x").recoveryPoint(-1));
            assertThrows(IllegalArgumentException.class, () -> new LogBuilder(storage, "x").startOffset(-1));
            assertThrows(IllegalArgumentException.class, () -> new LogBuilder(storage, "../x").open(NOW));
        }
    }

    @Test
    void aDirectoryThatCannotBeMadeIsNamed() throws IOException {
        final Path file = Files.writeString(root.resolve("file"), "no directory");
        try (DiskStorage storage = new DiskStorage(file)) {
            final StorageException failure =
                    assertThrows(StorageException.class, () -> new LogBuilder(storage, "a/t-0").open(NOW));
            assertTrue(failure.file().startsWith(file.toString()), failure.toString());
            assertEquals("make directory", failure.operation());
        }
        try (DiskStorage storage = new DiskStorage(root.resolve("missing/parents"));
                Log log = new LogBuilder(storage, "a/b/t-0").open(NOW)) {
            assertEquals(0, log.endOffset());
        }
        assertTrue(Files.exists(root.resolve("missing/parents/a/b/t-0/00000000000000000000.log")));
    }

    /** Larger segments are allowed while a mapping of the old size is open. */
    @ParameterizedTest
    @ValueSource(booleans = {false, true})
    void aLargerSegmentSizeIsHonouredByTheNextSegment(final boolean mapped) {
        try (DiskStorage storage = new DiskStorage(root);
                Log log = open(storage, mapped)) {
            log.configure(LogConfig.of(Map.of("segment.bytes", "1000000")));
            final UnsafeBuffer batch = batch(NOW, "v".repeat(60_000));
            for (int i = 0; i < 12; i++) {
                assertEquals(i, log.append(batch, 0, batch.capacity(), AppendAs.client(0), NOW));
            }
            assertEquals(12, LogTest.values(log, 0).size());
            assertEquals(mapped ? 2 : 1, log.segmentCount());
        }
    }
}
