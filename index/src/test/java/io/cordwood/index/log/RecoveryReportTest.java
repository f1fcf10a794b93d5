package io.cordwood.index.log;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.cordwood.index.SparseIndexes;
import io.cordwood.log.AppendAs;
import io.cordwood.log.CleanShutdownMarker;
import io.cordwood.log.DirectoryConfig;
import io.cordwood.log.IndexLimits;
import io.cordwood.log.Log;
import io.cordwood.log.LogBuilder;
import io.cordwood.log.LogConfig;
import io.cordwood.log.LogDirectory;
import io.cordwood.log.LogFiles;
import io.cordwood.log.LogSetup;
import io.cordwood.log.MetaProperties;
import io.cordwood.log.OffsetCheckpoint;
import io.cordwood.log.PartitionName;
import io.cordwood.log.RecoveryReport;
import io.cordwood.log.codec.CompressionType;
import io.cordwood.log.store.DiskStorage;
import io.cordwood.log.store.Storage;
import io.cordwood.log.store.StorageFile;
import java.io.IOException;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Proxy;
import java.nio.ByteOrder;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.TreeSet;
import java.util.UUID;
import org.agrona.concurrent.UnsafeBuffer;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** What an open must say, and must do, where nothing is cut. */
final class RecoveryReportTest {
    private static final long NOW = 1_700_000_000_000L;
    private static final int VALUE_BYTES = 300;

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

    private static LogBuilder builder(final Storage storage) {
        return new LogBuilder(storage, "")
                .config(LogConfig.of(Map.of("internal.segment.bytes", "16384", "index.interval.bytes", "1024")))
                .indexes(new SparseIndexes());
    }

    private Log open(final long recoveryPoint) {
        return builder(storage).recoveryPoint(recoveryPoint).open(NOW);
    }

    private static void append(final Log log, final long offset, final long timestamp) {
        append(log, offset, 0, timestamp);
    }

    private static void append(final Log log, final long offset, final int epoch, final long timestamp) {
        final byte[] bytes = StoredBatch.encode(
                        offset, epoch, CompressionType.NONE, new long[] {timestamp}, "v".repeat(VALUE_BYTES))
                .bytes();
        assertTrue(log.append(new UnsafeBuffer(bytes), 0, bytes.length, AppendAs.replica(), NOW) >= 0);
    }

    /** A log of so many batches, closed cleanly; answers the bases of its segments. */
    private long[] closed(final int batches) {
        try (Log log = open(0)) {
            for (int i = 0; i < batches; i++) {
                append(log, i, NOW + i);
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

    /** The power took the end of the segment and left the index, whose last time entry speaks of what is gone. */
    @ParameterizedTest
    @ValueSource(ints = {3, 30})
    void aTimeEntryAboveTheEndIsGoneBeforeTheFirstAppend(final int batches) throws IOException {
        assertEquals(1, closed(batches).length);
        final Path segment = file(0, LogFiles.LOG);
        final byte[] whole = Files.readAllBytes(segment);
        Files.write(segment, Arrays.copyOf(whole, whole.length / batches * (batches - 1)));
        final long end = batches - 1L;
        final Log log = open(0);
        assertEquals(end, log.endOffset());
        assertEquals(List.of(), timesAtOrAbove(end));
        for (long offset = end; offset < batches + 5; offset++) {
            append(log, offset, NOW - 1000);
        }
        final long flushed = log.flush();
        log.closeUncleanly();
        final Log again = open(flushed);
        assertEquals(NOW + end - 1, again.largestTimestamp());
        again.closeUncleanly();
    }

    /** The same where a bad checksum ends the log: what was true before the cut is false behind it. */
    @ParameterizedTest
    @ValueSource(booleans = {true, false})
    void aTimeEntryThatIsFalseIsForcedAway(final boolean isCutByPower) throws IOException {
        closed(3);
        final Path segment = file(0, LogFiles.LOG);
        final byte[] bytes = Files.readAllBytes(segment);
        bytes[bytes.length - 1] ^= 1;
        Files.write(segment, isCutByPower ? Arrays.copyOf(bytes, bytes.length / 3 * 2) : bytes);
        final List<String> acts = new ArrayList<>();
        final Log log = builder(watched(storage, acts)).recoveryPoint(0).open(NOW);
        final int cut = acts.indexOf("truncate " + LogFiles.name(0, LogFiles.TIME_INDEX));
        assertTrue(cut >= 0, acts.toString());
        final List<String> behind = acts.subList(cut, acts.size());
        assertTrue(behind.contains("force " + LogFiles.name(0, LogFiles.TIME_INDEX)), acts.toString());
        assertEquals(List.of(), timesAtOrAbove(2));
        log.closeUncleanly();
    }

    /** Notes each cut and each force of a file. */
    private static Storage watched(final Storage disk, final List<String> acts) {
        return watched(Storage.class, disk, "", acts);
    }

    private static <T> T watched(final Class<T> type, final T real, final String path, final List<String> acts) {
        return type.cast(Proxy.newProxyInstance(type.getClassLoader(), new Class<?>[] {type}, (self, method, args) -> {
            try {
                final Object result = method.invoke(real, args);
                if (method.getName().equals("open")) {
                    final StorageFile file = (StorageFile) Objects.requireNonNull(result);
                    return watched(StorageFile.class, file, (String) args[0], acts);
                }
                if (method.getName().equals("truncate") || method.getName().equals("force")) {
                    acts.add(method.getName() + " " + path);
                }
                return result;
            } catch (final InvocationTargetException e) {
                throw e.getTargetException();
            }
        }));
    }

    private List<Long> timesAtOrAbove(final long end) throws IOException {
        final UnsafeBuffer times = new UnsafeBuffer(Files.readAllBytes(file(0, LogFiles.TIME_INDEX)));
        final TreeSet<Long> above = new TreeSet<>();
        for (int at = 0; at < times.capacity(); at += 12) {
            final long offset = times.getInt(at + 8, ByteOrder.BIG_ENDIAN);
            if (offset >= end) {
                above.add(offset);
            }
        }
        return List.copyOf(above);
    }

    @ParameterizedTest
    @ValueSource(strings = {LogFiles.OFFSET_INDEX, LogFiles.TIME_INDEX})
    void anIndexOfGarbageIsToldOfAtEachKindOfOpen(final String suffix) throws IOException {
        final long[] bases = closed(120);
        final long last = bases[bases.length - 1];
        for (final long base : new long[] {last, bases[1]}) {
            final byte[] good = Files.readAllBytes(file(base, suffix));
            // The end lies beyond what an open from an early recovery point believes.
            for (final int from : new int[] {0, good.length - 12}) {
                final byte[] bad = good.clone();
                Arrays.fill(bad, from, from + 12, (byte) 0xee);
                for (final long point : new long[] {0, last, last + 1, Long.MAX_VALUE}) {
                    Files.write(file(base, suffix), bad);
                    try (Log log = open(point)) {
                        final boolean isLookedAt = base == last || point <= last;
                        assertEquals(
                                isLookedAt ? List.of(RecoveryReport.Kind.INDEX_REBUILT) : List.of(),
                                kinds(log),
                                "base " + base + " from " + from + " point " + point);
                    }
                }
            }
            Files.write(file(base, suffix), good);
        }
    }

    /** What a crash explains is no garbage: entries that lack, entries beyond the point, and Kafka's preallocated ends. */
    @Test
    void anIndexThatACrashExplainsIsNoGarbage() throws IOException {
        final long[] bases = closed(120);
        final long last = bases[bases.length - 1];
        final byte[] offsets = Files.readAllBytes(file(last, LogFiles.OFFSET_INDEX));
        final byte[] times = Files.readAllBytes(file(last, LogFiles.TIME_INDEX));
        for (final int kept : new int[] {0, 1, 3}) {
            for (final int padding : new int[] {0, 100}) {
                for (final long point : new long[] {0, last, last + 3}) {
                    Files.write(
                            file(last, LogFiles.OFFSET_INDEX),
                            Arrays.copyOf(Arrays.copyOf(offsets, kept * 8), (kept + padding) * 8));
                    Files.write(
                            file(last, LogFiles.TIME_INDEX),
                            Arrays.copyOf(Arrays.copyOf(times, kept * 12), (kept + padding) * 12));
                    try (Log log = open(point)) {
                        assertEquals(List.of(), kinds(log), kept + " " + padding + " " + point);
                    }
                }
            }
        }
    }

    @Test
    void aCleanOpenTellsOfAnIndexThatIsMissing() throws IOException {
        final long[] bases = closed(120);
        Files.delete(file(bases[bases.length - 1], LogFiles.TIME_INDEX));
        try (Log log = open(Long.MAX_VALUE)) {
            assertEquals(List.of(RecoveryReport.Kind.INDEX_REBUILT), kinds(log));
        }
        try (Log log = open(Long.MAX_VALUE)) {
            assertEquals(List.of(), kinds(log));
        }
    }

    /** The topic has another interval by now, and the bytes of the file that is sound are the old one's all the same. */
    @ParameterizedTest
    @ValueSource(strings = {LogFiles.OFFSET_INDEX, LogFiles.TIME_INDEX})
    void anIndexThatIsDamagedIsRebuiltAlone(final String suffix) throws IOException {
        final String other = suffix.equals(LogFiles.TIME_INDEX) ? LogFiles.OFFSET_INDEX : LogFiles.TIME_INDEX;
        final long[] bases = closed(120);
        final SparseIndexes indexes = new SparseIndexes();
        // An open lets the last segment's index grow by the present interval.
        for (final long base : new long[] {bases[bases.length - 1], bases[1]}) {
            final byte[] sound = Files.readAllBytes(file(base, other));
            final byte[] good = Files.readAllBytes(file(base, suffix));
            for (final boolean isMissing : new boolean[] {true, false}) {
                Files.write(file(base, suffix), Arrays.copyOf(good, good.length - 1));
                if (isMissing) {
                    Files.delete(file(base, suffix));
                }
                final LogConfig now =
                        LogConfig.of(Map.of("internal.segment.bytes", "16384", "index.interval.bytes", "300"));
                try (Log log = new LogBuilder(storage, "")
                        .config(now)
                        .indexes(indexes)
                        .recoveryPoint(Long.MAX_VALUE)
                        .open(NOW)) {
                    assertEquals(List.of(RecoveryReport.Kind.INDEX_REBUILT), kinds(log));
                }
                assertArrayEquals(sound, Files.readAllBytes(file(base, other)), "base " + base);
                Files.delete(file(base, suffix));
                indexes.rebuild(storage, "", base, new IndexLimits(1 << 20, 100), suffix);
                assertArrayEquals(sound, Files.readAllBytes(file(base, other)), "base " + base);
                Files.delete(file(base, suffix));
                indexes.rebuild(storage, "", base, new IndexLimits(1 << 20, 1024), suffix);
                assertArrayEquals(sound, Files.readAllBytes(file(base, other)), "base " + base);
                assertArrayEquals(good, Files.readAllBytes(file(base, suffix)), "base " + base);
            }
        }
        assertThrows(
                IllegalArgumentException.class,
                () -> indexes.rebuild(storage, "", 0, new IndexLimits(1 << 20, 1024), LogFiles.TXN_INDEX));
    }

    /** A full index is as long as one that was preallocated, and one without timestamps as short as one that was lost. */
    @Test
    void anIndexThatIsFullOrLegallyEmptyIsNotToldOf() throws IOException {
        final LogConfig config = LogConfig.of(Map.of(
                "internal.segment.bytes", "1000000", "index.interval.bytes", "300", "segment.index.bytes", "96"));
        for (final boolean hasTimes : new boolean[] {true, false}) {
            storage.close();
            directory = Files.createDirectory(directory.resolve("times-" + hasTimes));
            storage = new DiskStorage(directory);
            final LogBuilder builder = new LogBuilder(storage, "")
                    .config(config)
                    .indexes(new SparseIndexes())
                    .recoveryPoint(Long.MAX_VALUE);
            final long[] bases;
            try (Log log = builder.open(NOW)) {
                for (int i = 0; i < 60; i++) {
                    append(log, i, hasTimes ? NOW + i / 20 * 20L : -1);
                }
                bases = log.baseOffsets();
            }
            assertTrue(bases.length > 2);
            assertEquals(96, Files.size(file(0, LogFiles.OFFSET_INDEX)), "full");
            assertEquals(hasTimes, Files.size(file(0, LogFiles.TIME_INDEX)) > 0);
            for (int round = 0; round < 2; round++) {
                try (Log log = builder.open(NOW)) {
                    assertEquals(List.of(), kinds(log), "round " + round);
                }
            }
            // As long as a full one, but padded.
            final byte[] full = Files.readAllBytes(file(0, LogFiles.OFFSET_INDEX));
            Files.write(file(0, LogFiles.OFFSET_INDEX), Arrays.copyOf(Arrays.copyOf(full, 80), 96));
            try (Log log = builder.open(NOW)) {
                assertEquals(List.of(RecoveryReport.Kind.INDEX_REBUILT), kinds(log));
            }
            assertArrayEquals(full, Files.readAllBytes(file(0, LogFiles.OFFSET_INDEX)));
        }
    }

    /** Only of the last append a crash leaves a beginning: where a good batch follows, batches are lost. */
    @Test
    void aCutInFrontOfAGoodBatchIsNoTornEnd() throws IOException {
        closed(20);
        final Path segment = file(0, LogFiles.LOG);
        final byte[] whole = Files.readAllBytes(segment);
        final int batch = whole.length / 20;
        final byte[] tooLong = whole.clone();
        new UnsafeBuffer(tooLong).putInt(10 * batch + 8, 1_000_000, ByteOrder.BIG_ENDIAN);
        final byte[] zeroed = whole.clone();
        Arrays.fill(zeroed, 10 * batch, 19 * batch, (byte) 0);
        for (final byte[] damaged : new byte[][] {tooLong, zeroed}) {
            Files.write(segment, damaged);
            final Log log = open(0);
            assertEquals(List.of(RecoveryReport.Kind.CUT), kinds(log));
            assertEquals(10, log.endOffset());
            log.closeUncleanly();
        }
        Arrays.fill(zeroed, 10 * batch, 20 * batch, (byte) 0);
        for (final byte[] torn : new byte[][] {zeroed, Arrays.copyOf(whole, 10 * batch + 100)}) {
            Files.write(segment, torn);
            final Log log = open(0);
            assertEquals(List.of(RecoveryReport.Kind.TAIL_CUT), kinds(log));
            assertEquals(10, log.endOffset());
            log.closeUncleanly();
        }
    }

    /** A directory of our own that was closed cleanly: nothing is read but what lies behind the last entries. */
    @Test
    void aDirectoryThatWasClosedCleanlyIsOpenedWithoutAScan() {
        final PartitionName name = new PartitionName("a", 0);
        final LogSetup setup = (cells, builder) -> {
            builder.config(LogConfig.of(Map.of("internal.segment.bytes", "16384", "index.interval.bytes", "1024")))
                    .indexes(new SparseIndexes());
            return true;
        };
        final MetaProperties fresh = MetaProperties.fresh(new UUID(1, 2), "cluster", 1);
        long bytes = 0;
        for (int round = 0; round < 4; round++) {
            if (round == 3) {
                assertTrue(storage.delete(CleanShutdownMarker.FILE));
                assertTrue(storage.delete(OffsetCheckpoint.RECOVERY_POINTS));
            }
            try (LogDirectory data = LogDirectory.openOwned(storage, DirectoryConfig.defaults(), fresh)) {
                data.create(name, null);
                final Log log =
                        Objects.requireNonNull(data.open(name, setup, NOW)).log();
                final long scanned = log.recovery().scannedBytes();
                if (round == 3) {
                    assertEquals(bytes, scanned, "nobody vouches for anything");
                } else {
                    assertTrue(scanned <= 1024 + 2 * VALUE_BYTES, round + ": " + scanned + " bytes scanned");
                }
                for (long end = log.endOffset(), i = 0; i < 100; i++) {
                    append(log, end + i, NOW + end + i);
                }
                bytes = log.sizeInBytes();
            }
        }
    }

    /** A clean open reads no segment through; but it looks where a file shows that there was one. */
    @ParameterizedTest
    @ValueSource(booleans = {true, false})
    void aCleanOpenNamesASegmentThatIsMissingInTheMiddle(final boolean isSnapshotLeft) throws IOException {
        final long[] bases = closed(200);
        final long gone = bases[2];
        Files.delete(file(gone, LogFiles.LOG));
        if (isSnapshotLeft) {
            Files.delete(file(gone, LogFiles.OFFSET_INDEX));
            Files.delete(file(gone, LogFiles.TIME_INDEX));
            Files.createFile(file(gone, LogFiles.SNAPSHOT));
        }
        try (Log log = open(Long.MAX_VALUE)) {
            final RecoveryReport.Entry told = log.recovery().entries().stream()
                    .filter(entry -> entry.kind() == RecoveryReport.Kind.OFFSETS_MISSING)
                    .findFirst()
                    .orElseThrow();
            assertEquals(gone, told.offset());
            assertEquals(LogFiles.name(bases[1], LogFiles.LOG), told.file());
            assertEquals(isSnapshotLeft ? 1 : 3, log.recovery().entries().size());
            assertEquals(200, log.endOffset());
        }
    }

    /** Kafka leaves a snapshot at each clean stop, wherever that was; and a cleaner leaves gaps. */
    @Test
    void aSnapshotInsideASegmentIsNoTraceOfAnother() throws IOException {
        final long[] bases;
        try (Log log = open(0)) {
            long offset = 0;
            for (int i = 0; i < 200; i++) {
                append(log, offset, NOW + i);
                offset += i % 7 == 6 ? 3 : 1;
            }
            bases = log.baseOffsets();
        }
        Files.createFile(file(bases[1] + 1, LogFiles.SNAPSHOT));
        try (Log log = open(Long.MAX_VALUE)) {
            assertEquals(List.of(), kinds(log));
            assertTrue(
                    log.recovery().scannedBytes() < 2048,
                    "read " + log.recovery().scannedBytes());
        }
        Files.delete(file(bases[2], LogFiles.LOG));
        Files.delete(file(bases[2], LogFiles.OFFSET_INDEX));
        Files.delete(file(bases[2], LogFiles.TIME_INDEX));
        Files.createFile(file(bases[2], LogFiles.SNAPSHOT));
        try (Log log = open(Long.MAX_VALUE)) {
            assertEquals(List.of(), kinds(log), "the segment in front of it shows that a cleaner was there");
        }
    }

    /** The power took the last batch of a sealed segment; the next segment begins where it would have ended. */
    @ParameterizedTest
    @ValueSource(longs = {0, 20, 40})
    void aHoleAboveTheRecoveryPointIsToldOfWhereverItsSegmentIsReadFrom(final long point) throws IOException {
        final long[] bases = closed(60);
        final Path segment = file(0, LogFiles.LOG);
        final byte[] whole = Files.readAllBytes(segment);
        Files.write(segment, Arrays.copyOf(whole, (int) (whole.length / bases[1] * (bases[1] - 1))));
        try (Log log = open(point)) {
            assertEquals(List.of(RecoveryReport.Kind.OFFSETS_MISSING), kinds(log));
            assertEquals(bases[1] - 1, log.recovery().entries().get(0).offset());
        }
    }

    /** Twice over the same batches is no fall of epochs, though the last epoch is followed by the first. */
    @Test
    void anEpochThatTheLastBatchBeganIsNoDamage() {
        final Log log = open(0);
        append(log, 0, 0, NOW);
        append(log, 1, 0, NOW);
        append(log, 2, 1, NOW);
        log.flush();
        log.closeUncleanly();
        final Log again = open(1);
        assertEquals(List.of(), again.recovery().entries());
        again.closeUncleanly();
    }
}
