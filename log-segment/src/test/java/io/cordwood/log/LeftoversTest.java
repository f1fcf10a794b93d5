package io.cordwood.log;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.cordwood.log.codec.Codecs;
import io.cordwood.log.record.BatchValidator;
import io.cordwood.log.record.Refusal;
import io.cordwood.log.store.DiskStorage;
import io.cordwood.log.store.StorageException;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Random;
import java.util.TreeMap;
import org.agrona.concurrent.UnsafeBuffer;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** What an open does with files that are named like a cleaner's or a deletion's: sound data never goes for one that is not sound. */
final class LeftoversTest {
    private static final long NOW = 1_800_000_000_000L;
    private static final String LOG_0 = "00000000000000000000.log";
    private static final String LOG_16 = "00000000000000000016.log";
    private static final String MERGED = LOG_0 + ".swap";

    @TempDir
    Path root;

    private Path directory;
    private byte[] merged;

    /** Segments 0, 16, 33 and 49, and apart from them what 0 and 16 were cleaned to. */
    @BeforeEach
    void copy() throws IOException {
        directory = Files.createDirectories(root.resolve("t-0"));
        final Path corpus = Path.of(
                Objects.requireNonNull(System.getProperty("cordwood.corpus")),
                "09-corrupt/swap-merged-two-segments/dmg-plain-0");
        try (var files = Files.newDirectoryStream(corpus)) {
            for (final Path file : files) {
                Files.copy(file, directory.resolve(Objects.requireNonNull(file.getFileName())));
            }
        }
        merged = Files.readAllBytes(directory.resolve(MERGED));
        Files.delete(directory.resolve(MERGED));
    }

    private Map<String, byte[]> logs() throws IOException {
        final Map<String, byte[]> logs = new TreeMap<>();
        try (var files = Files.newDirectoryStream(directory, "*.log")) {
            for (final Path file : files) {
                logs.put(Objects.requireNonNull(file.getFileName()).toString(), Files.readAllBytes(file));
            }
        }
        return logs;
    }

    private byte[] firstBatch(final String name) throws IOException {
        final byte[] log = Files.readAllBytes(directory.resolve(name));
        return Arrays.copyOf(log, 12 + ByteBuffer.wrap(log).getInt(8));
    }

    private static byte[] moved(final byte[] batch, final long base) {
        ByteBuffer.wrap(batch).putLong(0, base);
        return batch;
    }

    private static byte[] concat(final byte[] first, final byte[] second) {
        final byte[] both = Arrays.copyOf(first, first.length + second.length);
        System.arraycopy(second, 0, both, first.length, second.length);
        return both;
    }

    private void isLeft(final String swap, final byte[] content) throws IOException {
        final Map<String, byte[]> before = logs();
        final Path file = directory.resolve(swap);
        Files.write(file, content);
        final Path deleted = directory.resolve("00000000000000000016.log.deleted");
        Files.write(deleted, new byte[3]);
        for (final long recoveryPoint : new long[] {Long.MAX_VALUE, 0}) {
            try (DiskStorage storage = new DiskStorage(root);
                    Log log = new LogBuilder(storage, "t-0")
                            .recoveryPoint(recoveryPoint)
                            .open(NOW)) {
                assertArrayEquals(new long[] {0, 16, 33, 49}, log.baseOffsets(), swap);
                assertEquals(56, log.endOffset(), swap);
                final RecoveryReport.Entry entry = log.recovery().entries().get(0);
                assertEquals(RecoveryReport.Kind.SWAP_LEFT, entry.kind(), entry.toString());
            }
            final Map<String, byte[]> after = logs();
            assertEquals(before.keySet(), after.keySet());
            before.forEach((name, bytes) -> assertArrayEquals(bytes, after.get(name), name));
            assertArrayEquals(content, Files.readAllBytes(file), swap);
            assertTrue(Files.exists(deleted), "the swap may have been made of it");
        }
        Files.delete(file);
    }

    @Test
    void aSwapWhoseOffsetsAreNotThoseOfTheOldSegmentsIsLeftAlone() throws IOException {
        isLeft(MERGED, moved(firstBatch(LOG_0), 1_000_000_000_000_000L));
        isLeft(MERGED, moved(firstBatch(LOG_0), 40));
        isLeft(MERGED, moved(firstBatch(LOG_0), 1000));
        isLeft(MERGED, moved(firstBatch(LOG_0), Long.MAX_VALUE));
        isLeft(MERGED, moved(firstBatch(LOG_0), -1));
        // It begins within a segment that stays.
        isLeft("00000000000000000008.log.swap", moved(firstBatch(LOG_0), 8));
        // Offsets below its base, offsets that fall.
        isLeft(LOG_16 + ".swap", firstBatch(LOG_0));
        isLeft(MERGED, concat(firstBatch(LOG_16), firstBatch(LOG_0)));
        // The last segment takes appends, and no cleaner.
        byte[] all = merged;
        for (final String name : List.of("00000000000000000033.log", "00000000000000000049.log")) {
            all = concat(all, Files.readAllBytes(directory.resolve(name)));
        }
        isLeft(MERGED, all);
    }

    @Test
    void aSwapThatIsNoneIsLeftAlone() throws IOException {
        final byte[] garbage = new byte[300];
        new Random(1).nextBytes(garbage);
        isLeft(MERGED, garbage);
        isLeft(LOG_16 + ".swap", new byte[0]);
        isLeft(MERGED, Arrays.copyOf(merged, merged.length - 1));
        final byte[] flipped = merged.clone();
        flipped[merged.length - 5] ^= 1;
        isLeft(MERGED, flipped);
    }

    @Test
    void aSwapThatLacksBatchesOfTheOldSegmentsIsFinished() throws IOException {
        Files.write(directory.resolve(MERGED), concat(firstBatch(LOG_0), firstBatch(LOG_16)));
        try (DiskStorage storage = new DiskStorage(root);
                Log log = new LogBuilder(storage, "t-0").recoveryPoint(0).open(NOW)) {
            assertArrayEquals(new long[] {0, 33, 49}, log.baseOffsets());
            assertEquals(56, log.endOffset());
        }
    }

    @Test
    void filesThatAreNoSegmentsAreLeftAloneWhateverTheyEndWith() throws IOException {
        final List<String> names = List.of(
                ".swap",
                "..swap",
                "...swap",
                ".deleted",
                "notes.txt.swap",
                "partition.metadata.swap",
                "my-thesis.deleted",
                "7.log.cleaned",
                "7.log.tmp",
                "notes.tmp",
                "00000000000000000016.log.swap.tmp",
                "foo.swap",
                "00000000000000000016.snapshot.swap",
                "00000000000000000016.log.swap.swap",
                "09223372036854775807.log",
                "09223372036854775807.log.swap");
        final byte[] content = "mine".getBytes(StandardCharsets.US_ASCII);
        for (final String name : names) {
            Files.write(directory.resolve(name), content);
        }
        Files.createDirectory(directory.resolve("foo"));
        Files.writeString(directory.resolve("notes.txt"), "notes");
        final byte[] metadata = Files.readAllBytes(directory.resolve(LogFiles.PARTITION_METADATA));
        try (DiskStorage storage = new DiskStorage(root);
                Log log = new LogBuilder(storage, "t-0").recoveryPoint(0).open(NOW)) {
            assertEquals(56, log.endOffset());
            assertArrayEquals(new long[] {0, 16, 33, 49}, log.baseOffsets());
        }
        for (final String name : names) {
            assertArrayEquals(content, Files.readAllBytes(directory.resolve(name)), name);
        }
        assertEquals("notes", Files.readString(directory.resolve("notes.txt")));
        assertArrayEquals(metadata, Files.readAllBytes(directory.resolve(LogFiles.PARTITION_METADATA)));
    }

    @Test
    void aDirectoryWithTheNameThatASwapWantsKeepsIt() throws IOException {
        Files.delete(directory.resolve(LOG_16));
        Files.createDirectory(directory.resolve(LOG_16));
        Files.write(directory.resolve(LOG_16 + ".swap"), firstBatchOfMerged16());
        try (DiskStorage storage = new DiskStorage(root);
                Log log = new LogBuilder(storage, "t-0").open(NOW)) {
            assertArrayEquals(new long[] {0, 33, 49}, log.baseOffsets());
        }
        assertTrue(Files.isDirectory(directory.resolve(LOG_16)));
        assertTrue(Files.exists(directory.resolve(LOG_16 + ".swap")));
    }

    private byte[] firstBatchOfMerged16() throws IOException {
        final int bytes0 = (int) Files.size(directory.resolve(LOG_0));
        return Arrays.copyOfRange(merged, bytes0, merged.length);
    }

    private MemoryStorage inMemory() throws IOException {
        final MemoryStorage storage = new MemoryStorage();
        try (var files = Files.newDirectoryStream(directory)) {
            for (final Path file : files) {
                storage.put(Objects.requireNonNull(file.getFileName()).toString(), Files.readAllBytes(file));
            }
        }
        storage.put(MERGED, merged);
        return storage;
    }

    private static void sweep(final MemoryStorage storage) {
        final BatchValidator validator = new BatchValidator(Codecs.standard());
        try (LogRecovery recovery =
                new LogRecovery(storage, "", new ArrayList<>(), validator, new RecoveryProgress())) {
            Leftovers.sweep(storage, "", new ScanIndexes(), recovery);
        } finally {
            validator.close();
        }
    }

    @Test
    void whatASwapCoversIsDurablyGoneBeforeTheSwapHasItsName() throws IOException {
        final MemoryStorage storage = inMemory();
        sweep(storage);
        final List<String> trace = storage.takeTrace();
        final List<String> acts = trace.stream()
                .filter(act -> !act.startsWith("open"))
                .map(act -> act.startsWith("delete") ? "delete" : act.strip())
                .distinct()
                .toList();
        assertEquals(List.of("sync directory", "delete", "rename to " + LOG_0 + " " + MERGED), acts, trace.toString());
        final int rename = trace.indexOf("rename to " + LOG_0 + " " + MERGED);
        assertTrue(trace.get(rename - 1).startsWith("sync directory"), trace.toString());
        assertTrue(trace.get(rename + 1).startsWith("sync directory"), trace.toString());
    }

    @Test
    void everyPowerCutComesToTheSameEnd() throws IOException {
        final MemoryStorage whole = inMemory();
        sweep(whole);
        final List<String> expected = names(whole);
        final int acts = whole.takeTrace().size();
        for (int act = 0; act < acts; act++) {
            for (int seed = 0; seed < 20; seed++) {
                final MemoryStorage dying = inMemory();
                dying.failAfter(act);
                try {
                    sweep(dying);
                } catch (final StorageException e) {
                    assertTrue(e.toString().contains("the test says so"), e.toString());
                }
                final MemoryStorage after = dying.powerCut(new Random(seed));
                sweep(after);
                assertEquals(expected, names(after), "act " + act);
                assertArrayEquals(merged, after.content(LOG_0));
                assertFalse(after.has(LOG_16));
            }
        }
    }

    /** Names of the largest offsets, and what would go beyond them. */
    @Test
    void noAppendGoesBeyondTheLargestOffset() throws IOException {
        final Path other = Files.createDirectories(root.resolve("u-0"));
        Files.createFile(other.resolve("09223372036854775806.log"));
        Files.createFile(other.resolve("09223372036854775807.log"));
        final AppendAs client = AppendAs.client(0);
        for (int i = 0; i < 2; i++) {
            try (DiskStorage storage = new DiskStorage(root);
                    Log log = new LogBuilder(storage, "u-0").recoveryPoint(0).open(NOW)) {
                final UnsafeBuffer three = TestBatches.batch(NOW, "a", "b", "c");
                assertEquals(Refusal.OFFSET_OUT_OF_RANGE, log.append(three, 0, three.capacity(), client, NOW));
                final UnsafeBuffer one = TestBatches.batch(NOW, "a");
                final UnsafeBuffer two = TestBatches.run(one, TestBatches.batch(NOW, "b"));
                assertEquals(Refusal.OFFSET_OUT_OF_RANGE, log.append(two, 0, two.capacity(), client, NOW));
                final long due = i == 0 ? LogFiles.BASE_MAX : Refusal.OFFSET_OUT_OF_RANGE;
                assertEquals(due, log.append(one, 0, one.capacity(), client, NOW));
                assertEquals(Long.MAX_VALUE, log.endOffset());
                assertEquals(LogFiles.BASE_MAX, log.roll(NOW));
                assertEquals(1, log.segmentCount());
                assertEquals(Refusal.OFFSET_OUT_OF_RANGE, log.truncateFullyAndStartAt(Long.MAX_VALUE, NOW));
            }
        }
        assertEquals(0, Files.size(other.resolve("09223372036854775807.log")));
    }

    @Test
    void aCheckpointOfTheLargestOffsetIsNoStart() throws IOException {
        Files.writeString(root.resolve(OffsetCheckpoint.LOG_STARTS), "0\n1\nt 0 " + Long.MAX_VALUE + "\n");
        final List<String> findings = new ArrayList<>();
        try (DiskStorage storage = new DiskStorage(root)) {
            final PartitionName name = Objects.requireNonNull(PartitionName.parse("t-0"));
            assertEquals(
                    0,
                    new CheckpointFiles(storage, true, findings)
                            .cells(name, false)
                            .startOffset());
            assertEquals(1, findings.size(), findings.toString());
            final LogBuilder builder = new LogBuilder(storage, "t-0");
            assertThrows(IllegalArgumentException.class, () -> builder.startOffset(Long.MAX_VALUE));
        }
    }

    private static List<String> names(final MemoryStorage storage) {
        return storage.list("").stream()
                .map(io.cordwood.log.store.FileStatus::name)
                .toList();
    }

    private static byte[] aborted(final int version, final long first, final long last) {
        return ByteBuffer.allocate(34)
                .putShort((short) version)
                .putLong(7)
                .putLong(first)
                .putLong(last)
                .putLong(0)
                .array();
    }

    /** Kafka loads no log with such a file; without the log's swap and with it. */
    @Test
    void anIndexOfAbortedTransactionsThatIsNoneIsNotSwappedIn() throws IOException {
        final String name = "00000000000000000016.txnindex.swap";
        final byte[][] garbage = {
            new byte[33],
            aborted(1, 16, 20),
            aborted(0, 21, 20),
            aborted(0, 2, 15),
            concat(aborted(0, 16, 30), aborted(0, 16, 29))
        };
        for (final byte[] content : garbage) {
            isLeft(name, content);
        }
        Files.write(directory.resolve("00000000000000000000.txnindex.swap"), garbage[0]);
        isLeft(MERGED, merged);
        Files.delete(directory.resolve("00000000000000000000.txnindex.swap"));
        Files.write(directory.resolve(name), aborted(0, 3, 20));
        try (DiskStorage storage = new DiskStorage(root);
                Log log = new LogBuilder(storage, "t-0").open(NOW)) {
            assertEquals(56, log.endOffset());
        }
        assertArrayEquals(aborted(0, 3, 20), Files.readAllBytes(directory.resolve("00000000000000000016.txnindex")));
    }

    /** A file that was being written in the place of another one is deleted, and a swap that is left beside it stays, for Kafka too. */
    @Test
    void whatWasBeingWrittenAnewGoesAndNothingElse() throws IOException {
        final String swap = LOG_16 + ".swap";
        Files.write(directory.resolve(swap), firstBatch(LOG_0));
        final List<String> unfinished = List.of(
                "00000000000000000016.index.tmp", "00000000000000000016.timeindex.tmp", "00000000000000000049.log.tmp");
        for (final String name : unfinished) {
            Files.write(directory.resolve(name), new byte[7]);
        }
        final Map<String, byte[]> before = logs();
        try (DiskStorage storage = new DiskStorage(root);
                Log log = new LogBuilder(storage, "t-0").open(NOW)) {
            assertEquals(
                    unfinished.size(),
                    log.recovery().entries().stream()
                            .filter(entry -> entry.kind() == RecoveryReport.Kind.LEFTOVER_DELETED
                                    && entry.file().endsWith(".tmp"))
                            .count());
        }
        for (final String name : unfinished) {
            assertTrue(Files.notExists(directory.resolve(name)), name);
        }
        assertTrue(Files.exists(directory.resolve(swap)));
        assertEquals(before.keySet(), logs().keySet());
    }
}
