package io.cordwood.index.log;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.cordwood.index.SparseIndexes;
import io.cordwood.log.Log;
import io.cordwood.log.LogBuilder;
import io.cordwood.log.LogConfig;
import io.cordwood.log.LogFiles;
import io.cordwood.log.RecoveryReport.Kind;
import io.cordwood.log.codec.CompressionType;
import io.cordwood.log.store.DiskStorage;
import io.cordwood.log.store.Storage;
import io.cordwood.log.store.StorageException;
import io.cordwood.log.store.StorageFile;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Proxy;
import java.nio.ByteBuffer;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Segments that reach more than 2^31-1 above their base offset, and batches that only seem to make one. */
final class OverflowSplitTest {
    private static final long NOW = 1_700_000_000_000L;
    private static final long FAR = 2_147_483_900L;
    private static final Map<String, String> SETTINGS =
            Map.of("segment.bytes", "100000", "index.interval.bytes", "200", "file.delete.delay.ms", "0");
    private static final Set<String> ACTS = Set.of("rename", "delete", "syncDirectory", "publish", "truncate", "force");

    @TempDir
    private Path directory;

    private static byte[] file(final long... offsets) {
        final ByteArrayOutputStream bytes = new ByteArrayOutputStream();
        for (final long offset : offsets) {
            bytes.writeBytes(StoredBatch.encode(offset, 0, CompressionType.NONE, new long[] {NOW, NOW}, "v".repeat(90))
                    .bytes());
        }
        return bytes.toByteArray();
    }

    private void write(final long base, final long... offsets) throws IOException {
        Files.write(directory.resolve(LogFiles.name(base, LogFiles.LOG)), file(offsets));
    }

    private byte[] log(final long base) throws IOException {
        return Files.readAllBytes(directory.resolve(LogFiles.name(base, LogFiles.LOG)));
    }

    private static LogBuilder builder(final Storage storage, final long recoveryPoint) {
        return new LogBuilder(storage, "")
                .config(LogConfig.of(SETTINGS))
                .indexes(new SparseIndexes())
                .recoveryPoint(recoveryPoint);
    }

    private static List<Kind> kinds(final Log log) {
        return log.recovery().entries().stream().map(entry -> entry.kind()).toList();
    }

    private void soundNow() {
        try (DiskStorage storage = new DiskStorage(directory)) {
            assertEquals(List.of(), DirectoryCheck.faults(storage, "", true));
        }
    }

    @ParameterizedTest
    @CsvSource({"0, false", "9223372036854775807, false", "0, true", "9223372036854775807, true"})
    void b40ALegacySegmentIsSplitAsOftenAsNeeded(final long recoveryPoint, final boolean isMapped) throws IOException {
        final long third = 3 * FAR;
        write(0, 0, 2, 4, FAR, FAR + 2, third, third + 2, third + 4);
        try (DiskStorage storage = new DiskStorage(directory)) {
            final LogBuilder builder = builder(storage, recoveryPoint);
            try (Log log = (isMapped ? builder.mapped() : builder).open(NOW)) {
                assertArrayEquals(new long[] {0, FAR, third}, log.baseOffsets());
                assertEquals(third + 6, log.endOffset());
                assertEquals(
                        List.of(
                                0L, 1L, 2L, 3L, 4L, 5L, FAR, FAR + 1, FAR + 2, FAR + 3, third, third + 1, third + 2,
                                third + 3, third + 4, third + 5),
                        RecoveryCorpus.walk(log).offsets());
                assertEquals(List.of(), RecoveryCorpus.walk(log).faults());
                assertEquals(
                        2,
                        kinds(log).stream().filter(Kind.SEGMENT_SPLIT::equals).count());
                assertEquals(FAR, log.recovery().entries().get(0).offset());
            }
        }
        assertArrayEquals(file(0, 2, 4), log(0));
        assertArrayEquals(file(FAR, FAR + 2), log(FAR));
        assertArrayEquals(file(third, third + 2, third + 4), log(third));
        soundNow();
        final Map<String, byte[]> before = RecoveryCorpus.content(directory);
        try (DiskStorage storage = new DiskStorage(directory);
                Log log = builder(storage, Long.MAX_VALUE).open(NOW)) {
            assertEquals(List.of(), kinds(log));
        }
        final Map<String, byte[]> again = RecoveryCorpus.content(directory);
        before.forEach((name, bytes) -> assertArrayEquals(bytes, again.get(name), name));
    }

    /** With good indexes and a recovery point behind it nobody would read the segment. */
    @ParameterizedTest
    @ValueSource(longs = {0, FAR + 1000, Long.MAX_VALUE})
    void b40OneInTheMiddleIsFoundBelowTheRecoveryPoint(final long recoveryPoint) throws IOException {
        write(0, 0, 2, 4);
        write(FAR + 1000, FAR + 1000);
        try (DiskStorage storage = new DiskStorage(directory)) {
            builder(storage, 0).open(NOW).close();
        }
        write(0, 0, 2, 4, FAR, FAR + 2);
        final List<Long> offsets = List.of(0L, 1L, 2L, 3L, 4L, 5L, FAR, FAR + 1, FAR + 2, FAR + 3);
        try (DiskStorage storage = new DiskStorage(directory);
                Log log = builder(storage, recoveryPoint).open(NOW)) {
            assertArrayEquals(new long[] {0, FAR, FAR + 1000}, log.baseOffsets());
            assertEquals(offsets, RecoveryCorpus.walk(log).offsets().subList(0, 10));
        }
        soundNow();
    }

    /** A batch across the bound goes with what follows, and is then no farther from the old base than is legal. */
    @Test
    void b40ABatchAcrossTheBoundBeginsTheNewSegment() throws IOException {
        final long across = Integer.MAX_VALUE;
        // As cleaners leave it: with a gap in front.
        write(0, 0, 10, across, FAR);
        interruptEverywhere(Long.MAX_VALUE, new long[] {0, across}, FAR + 2);
        assertArrayEquals(file(0, 10), log(0));
        assertArrayEquals(file(across, FAR), log(across));
    }

    @Test
    void b40AFileWhoseFirstBatchIsTooFarGetsThatOnesName() throws IOException {
        write(0, FAR, FAR + 2);
        interruptEverywhere(0, new long[] {FAR}, FAR + 4);
        assertArrayEquals(file(FAR, FAR + 2), log(FAR));
    }

    @ParameterizedTest
    @ValueSource(longs = {0, Long.MAX_VALUE})
    void b40AnInterruptedSplitComesToTheSameState(final long recoveryPoint) throws IOException {
        write(0, 0, 2, 4, FAR, FAR + 2, 3 * FAR, 3 * FAR + 2);
        final ByteBuffer aborted = ByteBuffer.allocate(2 * 34);
        for (final long marker : new long[] {4, FAR + 2}) {
            aborted.putShort((short) 0).putLong(7).putLong(0).putLong(marker).putLong(marker);
        }
        final String transactions = LogFiles.name(0, LogFiles.TXN_INDEX);
        Files.write(directory.resolve(transactions), aborted.array());
        interruptEverywhere(recoveryPoint, new long[] {0, FAR, 3 * FAR}, 3 * FAR + 4);
        final Map<String, byte[]> files = RecoveryCorpus.content(directory);
        assertEquals(ByteBuffer.wrap(aborted.array(), 0, 34), ByteBuffer.wrap(files.get(transactions)));
        assertEquals(
                ByteBuffer.wrap(aborted.array(), 34, 34),
                ByteBuffer.wrap(files.get(LogFiles.name(FAR, LogFiles.TXN_INDEX))));
    }

    /** Stops an open in front of each of its acts in turn; the next open must end as one that was not stopped. */
    private void interruptEverywhere(final long recoveryPoint, final long[] bases, final long end) throws IOException {
        final Map<String, byte[]> before = RecoveryCorpus.content(directory);
        int acts = 0;
        for (boolean isStopped = true; isStopped; acts++) {
            restore(before);
            final List<String> trace = new ArrayList<>();
            try (DiskStorage storage = new DiskStorage(directory)) {
                final Storage stopping = stopping(storage, Storage.class, "", acts, trace);
                builder(stopping, recoveryPoint).open(NOW).closeUncleanly();
                isStopped = false;
                inOrder(trace, bases);
            } catch (final StorageException e) {
                assertTrue(e.getMessage().contains("stopped"), e.getMessage());
            }
            // Nobody has marked the directory as left cleanly, but the recovery point may be far behind.
            try (DiskStorage storage = new DiskStorage(directory);
                    Log log = builder(storage, recoveryPoint).open(NOW)) {
                assertArrayEquals(bases, log.baseOffsets(), acts + ": " + trace);
                assertEquals(end, log.endOffset());
                assertEquals(List.of(), RecoveryCorpus.walk(log).faults(), acts + ": " + trace);
            }
            soundNow();
        }
        assertTrue(acts > 4, "stopped at " + acts);
    }

    /** What is cut was durable elsewhere before, under a name that stays. */
    private static void inOrder(final List<String> trace, final long[] bases) {
        if (bases.length == 1 || !trace.contains("rename " + LogFiles.name(bases[1], ".log.tmp"))) {
            return;
        }
        final String unfinished = LogFiles.name(bases[1], ".log.tmp");
        final int renamed = trace.indexOf("rename " + unfinished);
        assertEquals("force " + unfinished, trace.get(renamed - 1));
        final int cut = trace.indexOf("truncate " + LogFiles.name(0, LogFiles.LOG));
        assertTrue(trace.subList(renamed, cut).contains("syncDirectory "), trace.toString());
        assertEquals("force " + LogFiles.name(0, LogFiles.LOG), trace.get(cut + 1));
    }

    private void restore(final Map<String, byte[]> content) throws IOException {
        for (final String name : RecoveryCorpus.content(directory).keySet()) {
            Files.delete(directory.resolve(name));
        }
        for (final Map.Entry<String, byte[]> file : content.entrySet()) {
            Files.write(directory.resolve(file.getKey()), file.getValue());
        }
    }

    private static <T> T stopping(
            final T real, final Class<T> type, final String path, final int after, final List<String> trace) {
        return type.cast(Proxy.newProxyInstance(type.getClassLoader(), new Class<?>[] {type}, (self, method, args) -> {
            if (ACTS.contains(method.getName())) {
                if (trace.size() == after) {
                    throw new StorageException(path, method.getName(), "stopped by the test", null);
                }
                trace.add(method.getName() + " " + (type == Storage.class ? args[0] : path));
            }
            try {
                final Object result = method.invoke(real, args);
                return method.getName().equals("open")
                        ? stopping(
                                (StorageFile) Objects.requireNonNull(result),
                                StorageFile.class,
                                (String) args[0],
                                after,
                                trace)
                        : result;
            } catch (final InvocationTargetException e) {
                throw e.getTargetException();
            }
        }));
    }

    /** The checksum does not cover a base offset: what follows tells whether it is the log that went on there. */
    @ParameterizedTest
    @CsvSource({
        // In the middle of the last segment, at its end, and the last of a segment whose follower is near or far away.
        "2, -1, 0",
        "4, -1, 0",
        "4, 6, 0",
        "4, 8589934592, 0",
        "4, 8589934592, 9223372036854775807",
    })
    void b40AWrongBaseOffsetIsNoOverflow(final int bad, final long next, final long recoveryPoint) throws IOException {
        final long[] offsets = {0, 2, 4};
        offsets[bad / 2] = bad + (1L << 31);
        write(0, offsets);
        if (next >= 0) {
            write(next, next, next + 2);
        }
        final byte[] before = log(0);
        try (DiskStorage storage = new DiskStorage(directory);
                Log log = builder(storage, recoveryPoint).open(NOW)) {
            assertEquals(next < 0 ? 1 : 2, log.segmentCount());
            assertTrue(!kinds(log).contains(Kind.SEGMENT_SPLIT), log.recovery().toString());
            if (next < 10) {
                assertEquals(
                        next < 0 && bad == 4 ? 0 : 1,
                        RecoveryCorpus.walk(log).faults().size());
            }
            assertEquals(next >= 0 ? next + 4 : bad == 4 ? 4 : 6, log.endOffset());
        }
        assertArrayEquals(before, log(0));
    }

    /** One batch alone is believed if something else says that the log was there. */
    @Test
    void b40ALoneBatchNeedsAWitness() throws IOException {
        write(0, 0, 2, 4, FAR);
        try (DiskStorage storage = new DiskStorage(directory)) {
            try (Log log = builder(storage, 0).open(NOW)) {
                assertEquals(6, log.endOffset());
                assertEquals(List.of(Kind.DAMAGE_KEPT), kinds(log));
            }
            try (Log log = builder(storage, FAR + 2).open(NOW)) {
                assertArrayEquals(new long[] {0, FAR}, log.baseOffsets());
                assertEquals(FAR + 2, log.endOffset());
            }
        }
        soundNow();
    }

    /** A segment that is no copy of what is too far stays, and so do both. */
    @Test
    void b40AnotherSegmentOfThatNameIsNotReplaced() throws IOException {
        write(0, 0, 2, FAR, FAR + 2);
        write(FAR, FAR);
        try (DiskStorage storage = new DiskStorage(directory);
                Log log = builder(storage, 0).open(NOW)) {
            assertEquals(FAR + 2, log.endOffset());
            assertTrue(kinds(log).contains(Kind.DAMAGE_KEPT));
        }
        assertArrayEquals(file(0, 2, FAR, FAR + 2), log(0));
        assertArrayEquals(file(FAR), log(FAR));
    }

    @Test
    void b40AFullDiskLeavesTheSegmentWhole() throws IOException {
        write(0, 0, 2, FAR, FAR + 2);
        try (DiskStorage storage = new DiskStorage(directory)) {
            final Storage full = stopping(storage, Storage.class, "", 3, new ArrayList<>());
            assertThrows(StorageException.class, () -> builder(full, 0).open(NOW));
        }
        assertArrayEquals(file(0, 2, FAR, FAR + 2), log(0));
    }
}
