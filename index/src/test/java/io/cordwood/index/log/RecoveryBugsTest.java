package io.cordwood.index.log;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.cordwood.index.SparseIndexes;
import io.cordwood.index.log.RecoveryCorpus.Walk;
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
import io.cordwood.log.store.StorageException;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.stream.LongStream;
import org.agrona.concurrent.UnsafeBuffer;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** The public bug reports about crash recovery, by number, on logs with sparse indexes. */
final class RecoveryBugsTest {
    private static final long NOW = 1_700_000_000_000L;
    private static final Map<String, String> SETTINGS =
            Map.of("segment.bytes", "10000", "index.interval.bytes", "500", "file.delete.delay.ms", "0");

    @TempDir
    Path directory;

    @TempDir
    Path origin;

    private static Log open(final Storage storage, final long recoveryPoint) {
        return builder(storage, SETTINGS).recoveryPoint(recoveryPoint).open(NOW);
    }

    private static LogBuilder builder(final Storage storage, final Map<String, String> settings) {
        return new LogBuilder(storage, "").config(LogConfig.of(settings)).indexes(new SparseIndexes());
    }

    /** One batch of so many records with a value of about so many bytes. */
    private static long append(final Log log, final int records, final int valueBytes) {
        final long[] timestamps = new long[records];
        Arrays.setAll(timestamps, i -> NOW + log.endOffset() + i);
        final byte[] bytes = StoredBatch.encode(0, -1, CompressionType.NONE, timestamps, "v".repeat(valueBytes))
                .bytes();
        return log.append(new UnsafeBuffer(bytes), 0, bytes.length, AppendAs.client(0), NOW);
    }

    private static String name(final long base, final String suffix) {
        return LogFiles.name(base, suffix);
    }

    private void soundNow() {
        try (DiskStorage storage = new DiskStorage(directory)) {
            assertEquals(List.of(), DirectoryCheck.faults(storage, "", true));
        }
    }

    /** Closes without a trace, as a kill does, after the page cache has everything. */
    private void fill(final int batches, final int records, final int valueBytes) {
        try (DiskStorage storage = new DiskStorage(directory)) {
            final Log log = open(storage, 0);
            for (int i = 0; i < batches; i++) {
                append(log, records, valueBytes);
            }
            log.closeUncleanly();
        }
    }

    private void change(final String file, final int from, final int to, final int xor, final boolean isZeroed)
            throws IOException {
        final byte[] bytes = Files.readAllBytes(directory.resolve(file));
        for (int i = from; i < to; i++) {
            bytes[i] = (byte) (isZeroed ? 0 : bytes[i] ^ xor);
        }
        Files.write(directory.resolve(file), bytes);
    }

    @Test
    void aCleanOpenReadsLittleAndLeavesTheFilesAsTheyAre() throws IOException {
        try (DiskStorage storage = new DiskStorage(directory)) {
            try (Log log = open(storage, 0)) {
                for (int i = 0; i < 600; i++) {
                    append(log, 1, 300);
                }
                assertTrue(log.segmentCount() > 20);
            }
            final byte[][] before = indexesOfTheLast();
            final CountedStorage counted = new CountedStorage(storage);
            final Log log = open(counted.storage(), Long.MAX_VALUE);
            assertEquals(600, log.endOffset());
            assertTrue(counted.segmentBytes() <= 20_000, "read " + counted.segmentBytes());
            assertTrue(counted.indexBytes() <= 10_000, "read " + counted.indexBytes());
            assertArrayEquals(before, indexesOfTheLast());
            assertEquals(599, log.truncateTo(599, NOW));
            assertTrue(indexesOfTheLast()[1].length < before[1].length, "the last time entry is not true any more");
            log.closeUncleanly();
        }
    }

    private byte[][] indexesOfTheLast() throws IOException {
        try (var files = Files.list(directory)) {
            final String last = files.map(file -> directory.relativize(file).toString())
                    .filter(file -> file.endsWith(LogFiles.LOG))
                    .max(String::compareTo)
                    .orElseThrow();
            final long base = LogFiles.offset(last, LogFiles.LOG);
            return new byte[][] {
                Files.readAllBytes(directory.resolve(name(base, LogFiles.OFFSET_INDEX))),
                Files.readAllBytes(directory.resolve(name(base, LogFiles.TIME_INDEX)))
            };
        }
    }

    @Test
    void b08AHoleIsCutAboveTheRecoveryPointAndToldOnceBelow() throws IOException {
        fill(60, 1, 300);
        final int size = StoredBatch.encode(0, -1, CompressionType.NONE, new long[] {NOW}, "v".repeat(300))
                .size();
        change(name(0, LogFiles.LOG), 4096, 8192, 0, true);
        final int bad = 4096 / size;
        try (DiskStorage storage = new DiskStorage(directory)) {
            final Log log = open(storage, Long.MAX_VALUE);
            assertEquals(60, log.endOffset());
            final Walk walk = RecoveryCorpus.walk(log);
            assertEquals(1, walk.faults().size());
            assertEquals((long) bad * size, walk.faults().get(0).position());
            assertTrue(walk.faults().get(0).file().endsWith(name(0, LogFiles.LOG)));
            assertEquals((8192 + size - 1) / size, walk.faults().get(0).nextOffset());
            log.closeUncleanly();
            try (Log cut = open(storage, 0)) {
                assertEquals(bad, cut.endOffset());
                assertEquals(1, cut.segmentCount());
                assertEquals(
                        LongStream.range(0, bad).boxed().toList(),
                        RecoveryCorpus.walk(cut).offsets());
                assertEquals(Kind.CUT, cut.recovery().entries().get(0).kind());
            }
        }
        soundNow();
    }

    @Test
    void b09TheOnlyTornSegmentStaysTheActiveOne() throws IOException {
        Files.write(directory.resolve(name(0, LogFiles.LOG)), new byte[30]);
        try (DiskStorage storage = new DiskStorage(directory)) {
            try (Log log = open(storage, 0)) {
                assertEquals(0, log.endOffset());
                assertEquals(0, Files.size(directory.resolve(name(0, LogFiles.LOG))));
                assertEquals(0, append(log, 1, 10));
            }
            try (Log log = open(storage, 0)) {
                assertEquals(List.of(0L), RecoveryCorpus.walk(log).offsets());
            }
        }
    }

    @Test
    void b11AnEmptyActiveSegmentIsInOrder() {
        try (DiskStorage storage = new DiskStorage(directory)) {
            try (Log log = open(storage, 0)) {
                append(log, 10, 10);
                log.roll(NOW);
            }
            final CountedStorage counted = new CountedStorage(storage);
            try (Log log = open(counted.storage(), Long.MAX_VALUE)) {
                assertTrue(log.recovery().isClean(), log.recovery().toString());
                assertEquals(0, log.recovery().scannedBytes());
                assertEquals(0, counted.segmentBytes());
                assertEquals(10, append(log, 1, 10));
            }
        }
        soundNow();
    }

    @Test
    void b12OnlyWhatIsDamagedOrNotForcedIsRead() throws IOException {
        fill(200, 1, 900);
        final long[] bases;
        final long segmentBytes = Files.size(directory.resolve(name(0, LogFiles.LOG)));
        try (DiskStorage storage = new DiskStorage(directory)) {
            try (Log log = open(storage, 0)) {
                bases = log.baseOffsets();
            }
            assertTrue(bases.length >= 19, "segments " + bases.length);
            Files.write(directory.resolve(name(0, LogFiles.OFFSET_INDEX)), new byte[11]);
            final CountedStorage counted = new CountedStorage(storage);
            final Log log = open(counted.storage(), bases[bases.length - 1]);
            assertEquals(200, log.endOffset());
            assertTrue(counted.segmentBytes() > segmentBytes, "segment 0 was read");
            assertTrue(counted.segmentBytes() <= 2 * segmentBytes + 20_000, "read " + counted.segmentBytes());
            log.close();
            final CountedStorage clean = new CountedStorage(storage);
            open(clean.storage(), Long.MAX_VALUE).closeUncleanly();
            assertTrue(clean.segmentBytes() <= 20_000, "read at a clean open " + clean.segmentBytes());
            assertTrue(clean.indexBytes() <= 2_000, "of indexes " + clean.indexBytes());
        }
        soundNow();
    }

    /** Bytes of the whole batches in the first half. */
    private static int firstBatches(final byte[] log) {
        int at = 0;
        for (int next = 0;
                next <= log.length / 2;
                next += 12 + ByteBuffer.wrap(log).getInt(next + 8)) {
            at = next;
        }
        return at;
    }

    /** A directory in which there is everything that an open has to do. */
    private void makeEverything() throws IOException {
        fill(110, 2, 200);
        final byte[] log = Files.readAllBytes(directory.resolve(name(0, LogFiles.LOG)));
        Files.write(directory.resolve(name(0, LogFiles.LOG) + ".deleted"), log);
        Files.write(directory.resolve(name(0, LogFiles.LOG) + ".cleaned"), log);
        Files.write(directory.resolve(name(0, LogFiles.LOG) + ".swap"), Arrays.copyOf(log, firstBatches(log)));
        Files.write(directory.resolve(name(7_777, LogFiles.OFFSET_INDEX)), new byte[8]);
        Files.write(directory.resolve(name(9_999, LogFiles.SNAPSHOT)), new byte[10]);
        Files.write(directory.resolve(LogFiles.LEADER_EPOCHS), "0\n1\n9 0".getBytes(StandardCharsets.US_ASCII));
        final long[] bases;
        try (var files = Files.list(directory)) {
            bases = files.mapToLong(file -> LogFiles.offset(file.getFileName().toString(), LogFiles.LOG))
                    .filter(base -> base >= 0)
                    .sorted()
                    .toArray();
        }
        assertTrue(bases.length >= 5, "segments " + bases.length);
        Files.delete(directory.resolve(name(bases[1], LogFiles.OFFSET_INDEX)));
        Files.write(directory.resolve(name(bases[2], LogFiles.TIME_INDEX)), new byte[10_000]);
        change(name(bases[3], LogFiles.LOG), 5_000, 5_001, 4, false);
        Files.write(directory.resolve(name(bases[4], LogFiles.TXN_INDEX)), new byte[34]);
    }

    @Test
    void b13StoppedBetweenAnyTwoActsAndOpenedAgainItIsTheSame() throws IOException {
        makeEverything();
        RecoveryCorpus.copy(directory, origin);
        final Map<String, byte[]> expected = recovered();
        assertFalse(expected.containsKey(name(9_999, LogFiles.SNAPSHOT)));
        int act = 1;
        while (isDeadAt(act)) {
            final Map<String, byte[]> again = recover(directory.resolve("dying-" + act));
            assertEquals(expected.keySet(), again.keySet(), "act " + act);
            for (final String file : expected.keySet()) {
                assertArrayEquals(expected.get(file), again.get(file), "act " + act + ": " + file);
            }
            act++;
        }
        assertTrue(act > 30, "acts " + act);
    }

    /** Opens a copy that dies at an act; false if the open was through before. */
    private boolean isDeadAt(final int act) throws IOException {
        RecoveryCorpus.copy(origin, directory.resolve("dying-" + act));
        try (Storage disk = UnforcedStorage.over(new DiskStorage(directory.resolve("dying-" + act)))) {
            open(new CountedStorage(disk).diesAt(act).storage(), 0).closeUncleanly();
            return false;
        } catch (final StorageException e) {
            return true;
        }
    }

    private Map<String, byte[]> recovered() throws IOException {
        RecoveryCorpus.copy(origin, directory.resolve("whole"));
        return recover(directory.resolve("whole"));
    }

    private static Map<String, byte[]> recover(final Path copy) throws IOException {
        try (Storage storage = UnforcedStorage.over(new DiskStorage(copy))) {
            open(storage, 0).close();
            assertEquals(List.of(), DirectoryCheck.faults(storage, "", true));
        }
        return RecoveryCorpus.content(copy);
    }

    @Test
    void b14WhatLiesBehindABadChecksumDoesNotComeBack() throws IOException {
        fill(3, 10, 10);
        final int size = (int) Files.size(directory.resolve(name(0, LogFiles.LOG))) / 3;
        change(name(0, LogFiles.LOG), size + 100, size + 101, 1, false);
        // An aborted transaction of offsets 5 to 25.
        Files.write(
                directory.resolve(name(0, LogFiles.TXN_INDEX)),
                ByteBuffer.allocate(34).putLong(10, 5).putLong(18, 25).array());
        try (DiskStorage storage = new DiskStorage(directory)) {
            try (Log log = open(storage, 0)) {
                assertEquals(10, log.endOffset());
                assertEquals(NOW + 9, log.largestTimestamp());
                assertEquals(Kind.CUT, log.recovery().entries().get(0).kind());
                assertEquals(size, log.recovery().entries().get(0).position());
                assertEquals(10, log.recovery().entries().get(0).offset());
            }
            assertEquals(size, Files.size(directory.resolve(name(0, LogFiles.LOG))));
            assertEquals(0, Files.size(directory.resolve(name(0, LogFiles.TXN_INDEX))));
            try (Log log = open(storage, 0)) {
                assertEquals(
                        LongStream.range(0, 10).boxed().toList(),
                        RecoveryCorpus.walk(log).offsets());
                assertTrue(log.recovery().isClean());
            }
        }
        soundNow();
    }

    @Test
    void b15TheFilesAreRightAndNotTheCheckpoints() throws IOException {
        fill(90, 10, 20);
        long size = 0;
        final long[] bases;
        try (DiskStorage storage = new DiskStorage(directory)) {
            try (Log log = open(storage, 0)) {
                bases = log.baseOffsets();
            }
            for (final String suffix : List.of(LogFiles.LOG, LogFiles.OFFSET_INDEX, LogFiles.TIME_INDEX)) {
                Files.delete(directory.resolve(name(bases[0], suffix)));
            }
            for (int i = 1; i < bases.length; i++) {
                size += Files.size(directory.resolve(name(bases[i], LogFiles.LOG)));
            }
            try (Log log = builder(storage, Map.of("segment.bytes", "10000", "retention.bytes", "10000"))
                    .startOffset(bases[0] + 1)
                    .recoveryPoint(500)
                    .open(NOW)) {
                assertEquals(bases[1], log.startOffset());
                assertEquals(900, log.endOffset());
                assertEquals(size, log.sizeInBytes());
                final long excess = size - 10_000;
                final int dropped = log.retain(NOW, Long.MAX_VALUE).bySize();
                assertTrue(dropped > 0 && log.sizeInBytes() >= size - excess, "dropped " + dropped);
            }
        }
    }

    @Test
    void b25ZerosBehindTheTimeIndexAreNoTimestamps() throws IOException {
        fill(60, 1, 300);
        final Path times = directory.resolve(name(0, LogFiles.TIME_INDEX));
        try (DiskStorage storage = new DiskStorage(directory)) {
            open(storage, 0).close();
            final byte[] good = Files.readAllBytes(times);
            Files.write(times, Arrays.copyOf(good, 10_485_756));
            try (Log log = open(storage, Long.MAX_VALUE)) {
                assertEquals(0, log.retain(NOW + 3_600_000, Long.MAX_VALUE).byTime());
                assertEquals(60, RecoveryCorpus.walk(log).offsets().size());
            }
            assertArrayEquals(good, Files.readAllBytes(times));
        }
        soundNow();
    }

    @Test
    void b30IndexesCutInsideAnEntryAreBuiltAnew() throws IOException {
        fill(60, 1, 300);
        try (DiskStorage storage = new DiskStorage(directory)) {
            open(storage, 0).close();
        }
        final Map<String, byte[]> whole = RecoveryCorpus.content(directory);
        Files.write(
                directory.resolve(name(0, LogFiles.OFFSET_INDEX)),
                Arrays.copyOf(whole.get(name(0, LogFiles.OFFSET_INDEX)), 43));
        Files.write(
                directory.resolve(name(0, LogFiles.TIME_INDEX)),
                Arrays.copyOf(whole.get(name(0, LogFiles.TIME_INDEX)), 55));
        try (DiskStorage storage = new DiskStorage(directory);
                Log log = open(storage, Long.MAX_VALUE)) {
            assertEquals(Kind.INDEX_REBUILT, log.recovery().entries().get(0).kind());
            assertEquals(60, RecoveryCorpus.walk(log).offsets().size());
        }
        final Map<String, byte[]> mended = RecoveryCorpus.content(directory);
        whole.forEach((file, bytes) -> assertArrayEquals(bytes, mended.get(file), file));
    }

    @Test
    void b10ASwapIsAllOrNothing() throws IOException {
        fill(110, 2, 200);
        final long[] bases;
        try (DiskStorage storage = new DiskStorage(directory);
                Log log = open(storage, 0)) {
            bases = log.baseOffsets();
        }
        final byte[] first = Files.readAllBytes(directory.resolve(name(0, LogFiles.LOG)));
        final byte[] second = Files.readAllBytes(directory.resolve(name(bases[1], LogFiles.LOG)));
        final byte[] merged = Arrays.copyOf(first, first.length + second.length);
        System.arraycopy(second, 0, merged, first.length, second.length);
        final String cleaned = name(0, LogFiles.LOG);
        // Not decided: the originals stand.
        Files.write(directory.resolve(cleaned + ".cleaned"), merged);
        try (DiskStorage storage = new DiskStorage(directory);
                Log log = open(storage, Long.MAX_VALUE)) {
            assertArrayEquals(bases, log.baseOffsets());
            assertEquals(Kind.LEFTOVER_DELETED, log.recovery().entries().get(0).kind());
        }
        // Decided: the cleaned one takes their place, and no neighbour goes with them.
        Files.write(directory.resolve(cleaned + ".swap"), merged);
        Files.write(directory.resolve(name(bases[2], LogFiles.SNAPSHOT)), new byte[10]);
        try (DiskStorage storage = new DiskStorage(directory);
                Log log = open(storage, Long.MAX_VALUE)) {
            assertEquals(bases.length - 1, log.segmentCount());
            assertEquals(bases[2], log.baseOffsets()[1]);
            assertEquals(
                    LongStream.range(0, 220).boxed().toList(),
                    RecoveryCorpus.walk(log).offsets());
            assertTrue(Files.exists(directory.resolve(name(bases[2], LogFiles.SNAPSHOT))));
        }
        soundNow();
    }

    @Test
    void anIndexThatLeadsTooFarLosesNothing() throws IOException {
        fill(60, 1, 300);
        try (DiskStorage storage = new DiskStorage(directory)) {
            open(storage, 0).close();
            final Path index = directory.resolve(name(0, LogFiles.OFFSET_INDEX));
            final ByteBuffer entries = ByteBuffer.wrap(Files.readAllBytes(index));
            // Each entry points to the batch of the next one, and the last one into the middle of a batch.
            for (int at = 4; at < entries.capacity(); at += 8) {
                entries.putInt(at, at + 8 < entries.capacity() ? entries.getInt(at + 8) : entries.getInt(at) + 7);
            }
            Files.write(index, entries.array());
            try (Log log = open(storage, Long.MAX_VALUE);
                    LogReader reader = log.newReader()) {
                for (long offset = 0; offset < 60; offset++) {
                    reader.release();
                    assertTrue(reader.read(offset, Long.MAX_VALUE, 1) > 0);
                    assertEquals(offset + 1, reader.nextOffset());
                }
                assertEquals(10, log.truncateTo(10, NOW));
                assertEquals(
                        LongStream.range(0, 10).boxed().toList(),
                        RecoveryCorpus.walk(log).offsets());
            }
        }
    }

    @Test
    void aFailureInTheMiddleIsTypedAndASecondTryIsPossible() throws IOException {
        fill(60, 1, 300);
        try (DiskStorage disk = new DiskStorage(directory)) {
            final CountedStorage dying = new CountedStorage(disk).diesAt(3);
            assertThrows(StorageException.class, () -> open(dying.storage(), 0));
            try (Log log = open(disk, 0)) {
                assertEquals(60, log.endOffset());
            }
        }
    }

    /** The recovery's part; the commands have theirs in their own tests. An array of such a size would not fit the heap. */
    @ParameterizedTest
    @ValueSource(ints = {1_936_946_533, -610_402_302})
    void b43ALengthThatIsGarbageIsNamedAndTakesNoMemory(final int length) throws IOException {
        fill(60, 1, 300);
        final Path first = directory.resolve(name(0, LogFiles.LOG));
        final byte[] bytes = Files.readAllBytes(first);
        final int position = 12 + ByteBuffer.wrap(bytes).getInt(8);
        Files.write(first, ByteBuffer.wrap(bytes).putInt(position + 8, length).array());
        try (DiskStorage storage = new DiskStorage(directory)) {
            final Log kept = open(storage, Long.MAX_VALUE);
            assertEquals(60, kept.endOffset());
            try (LogReader reader = kept.newReader()) {
                final CorruptLogException damage =
                        assertThrows(CorruptLogException.class, () -> reader.read(1, Long.MAX_VALUE, 1 << 20));
                assertEquals(position, damage.position());
                assertEquals(2, damage.nextOffset());
                assertTrue(reader.read(2, Long.MAX_VALUE, 1 << 20) > 0);
            }
            kept.closeUncleanly();
            final Log cut = open(storage, 0);
            assertEquals(1, cut.endOffset());
            assertEquals(Kind.CUT, cut.recovery().entries().get(0).kind());
            assertEquals(position, cut.recovery().entries().get(0).position());
            cut.closeUncleanly();
        }
    }
}
