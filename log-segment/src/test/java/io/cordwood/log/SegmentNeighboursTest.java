package io.cordwood.log;

import static io.cordwood.log.TestBatches.batch;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.cordwood.log.store.DiskStorage;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import org.agrona.concurrent.UnsafeBuffer;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * The files of transactions that lie beside the segments and that no module of ours keeps here, in a directory that Kafka wrote:
 * what becomes untrue goes, what stays true stays.
 */
final class SegmentNeighboursTest {
    private static final long NOW = 1_800_000_000_000L;
    private static final int TXN_ENTRY_BYTES = 34;
    private static final int TXN_LAST_OFFSET = 18;

    @TempDir
    Path root;

    private Path directory;

    @BeforeEach
    void copy() throws IOException {
        directory = Files.createDirectories(root.resolve("t-0"));
        final Path corpus = Path.of(Objects.requireNonNull(System.getProperty("cordwood.corpus")), "03-txn/dmg-txn-0");
        try (var files = Files.newDirectoryStream(corpus)) {
            for (final Path file : files) {
                Files.copy(file, directory.resolve(Objects.requireNonNull(file.getFileName())));
            }
        }
    }

    private static Log open(final DiskStorage storage, final long recoveryPoint) {
        return new LogBuilder(storage, "t-0").recoveryPoint(recoveryPoint).open(NOW);
    }

    private List<Long> offsets(final String suffix) throws IOException {
        final List<Long> offsets = new ArrayList<>();
        try (var files = Files.newDirectoryStream(directory, "*" + suffix)) {
            for (final Path file : files) {
                offsets.add(LogFiles.offset(
                        Objects.requireNonNull(file.getFileName()).toString(), suffix));
            }
        }
        offsets.sort(null);
        return offsets;
    }

    private List<Long> aborted(final long base) throws IOException {
        final byte[] bytes = Files.readAllBytes(directory.resolve(LogFiles.name(base, LogFiles.TXN_INDEX)));
        final List<Long> lasts = new ArrayList<>();
        for (int at = 0; at < bytes.length; at += TXN_ENTRY_BYTES) {
            lasts.add(ByteBuffer.wrap(bytes).getLong(at + TXN_LAST_OFFSET));
        }
        return lasts;
    }

    @ParameterizedTest
    @ValueSource(longs = {0, 1, 22, 30, 43, 50, 61, 62, 80, 81, 88, 91})
    void aTruncationCutsWhatSpeaksOfLaterOffsets(final long offset) throws IOException {
        final List<Long> before = aborted(0);
        try (DiskStorage storage = new DiskStorage(root);
                Log log = open(storage, Long.MAX_VALUE)) {
            assertEquals(92, log.endOffset());
            final long end = log.truncateTo(offset, NOW);
            assertEquals(
                    List.of(22L, 43L, 62L, 81L, 92L).stream()
                            .filter(snapshot -> snapshot <= end)
                            .toList(),
                    offsets(LogFiles.SNAPSHOT));
            for (final long base : offsets(LogFiles.TXN_INDEX)) {
                assertTrue(base < end, base + " is not below " + end);
                assertTrue(aborted(base).stream().allMatch(last -> last < end), aborted(base) + " and " + end);
            }
            assertEquals(before.stream().filter(last -> last < end).toList(), end == 0 ? List.of() : aborted(0));
        }
    }

    /** A cut below the recovery that finds damage: as a truncation, also when no segment goes as a whole. */
    @ParameterizedTest
    @ValueSource(strings = {"00000000000000000081.log", "00000000000000000043.log"})
    void aRecoveryThatCutsTakesThemAlong(final String damaged) throws IOException {
        try (FileChannel channel = FileChannel.open(directory.resolve(damaged), StandardOpenOption.WRITE)) {
            channel.write(ByteBuffer.wrap(new byte[] {77, 77, 77}), channel.size() - 20);
        }
        try (DiskStorage storage = new DiskStorage(root);
                Log log = open(storage, 0)) {
            final long end = log.endOffset();
            assertTrue(end < 92 && end > 43, "end " + end);
            assertTrue(offsets(LogFiles.SNAPSHOT).stream().allMatch(snapshot -> snapshot <= end));
            assertFalse(offsets(LogFiles.SNAPSHOT).isEmpty());
            for (final long base : offsets(LogFiles.TXN_INDEX)) {
                assertTrue(base < end && aborted(base).stream().allMatch(last -> last < end));
            }
        }
    }

    /** Nothing is cut: the end of the last file is not there any more, up to the edge of a batch. */
    @ParameterizedTest
    @ValueSource(longs = {0, 81, Long.MAX_VALUE})
    void anEndThatIsGoneAtTheEdgeOfABatchTakesItsEntriesAlong(final long recoveryPoint) throws IOException {
        Files.delete(directory.resolve("00000000000000000092.snapshot"));
        final Path last = directory.resolve("00000000000000000081.log");
        final long length = Files.size(last);
        long end = 92;
        try (DiskStorage storage = new DiskStorage(root)) {
            try (Log log = open(storage, Long.MAX_VALUE)) {
                assertEquals(92, log.endOffset());
            }
            assertFalse(aborted(81).isEmpty());
            final long lastAborted = aborted(81).get(aborted(81).size() - 1);
            final ByteBuffer bytes = ByteBuffer.wrap(Files.readAllBytes(last));
            int position = 0;
            while (bytes.getLong(position) < lastAborted) {
                end = bytes.getLong(position) + bytes.getInt(position + 23) + 1;
                position += 12 + bytes.getInt(position + 8);
                if (end > lastAborted) {
                    break;
                }
            }
            assertTrue(position < length && end <= lastAborted, position + " of " + length + ", " + end);
            try (FileChannel channel = FileChannel.open(last, StandardOpenOption.WRITE)) {
                channel.truncate(position);
            }
            try (Log log = open(storage, recoveryPoint)) {
                assertEquals(end, log.endOffset());
                for (final long base : offsets(LogFiles.TXN_INDEX)) {
                    assertTrue(aborted(base).stream().allMatch(offset -> offset < log.endOffset()), "of " + base);
                }
                assertEquals(0, Files.size(last.resolveSibling("00000000000000000081.txnindex")) % TXN_ENTRY_BYTES);
            }
        }
    }

    @Test
    void aLogWithoutSegmentsBeginsWithoutThem() throws IOException {
        for (final long base : offsets(LogFiles.LOG)) {
            Files.delete(directory.resolve(LogFiles.name(base, LogFiles.LOG)));
        }
        try (DiskStorage storage = new DiskStorage(root);
                Log log = open(storage, 56)) {
            assertEquals(0, log.endOffset());
            assertEquals(List.of(), offsets(LogFiles.SNAPSHOT));
            assertEquals(List.of(), offsets(LogFiles.TXN_INDEX));
            assertEquals(
                    List.of(RecoveryReport.Kind.END_TOO_LOW),
                    log.recovery().entries().stream()
                            .map(RecoveryReport.Entry::kind)
                            .filter(kind -> kind != RecoveryReport.Kind.LEFTOVER_DELETED)
                            .toList());
        }
    }

    @Test
    void aPrefixTakesTheFilesOfItsSegmentsAlong() throws IOException {
        try (DiskStorage storage = new DiskStorage(root);
                Log log = open(storage, Long.MAX_VALUE)) {
            assertEquals(50, log.deletePrefix(50, 92, NOW));
            assertEquals(List.of(43L, 62L, 81L), offsets(LogFiles.TXN_INDEX));
            assertEquals(List.of(43L, 62L, 81L, 92L), offsets(LogFiles.SNAPSHOT));
            assertEquals(List.of(0L, 22L), offsets(LogFiles.TXN_INDEX + LogFiles.DELETED));
            log.doWork(NOW + 60_000);
            assertEquals(List.of(), offsets(LogFiles.DELETED));
            try (var files = Files.newDirectoryStream(directory, "*.deleted")) {
                assertFalse(files.iterator().hasNext());
            }
        }
    }

    @Test
    void aNewSegmentAndANewBeginningFindNothingOfOthers() throws IOException {
        try (DiskStorage storage = new DiskStorage(root);
                Log log = open(storage, Long.MAX_VALUE)) {
            Files.write(directory.resolve("00000000000000000092.txnindex"), new byte[34]);
            assertEquals(92, log.roll(NOW));
            assertEquals(List.of(0L, 22L, 43L, 62L, 81L), offsets(LogFiles.TXN_INDEX));
            assertEquals(List.of(22L, 43L, 62L, 81L), offsets(LogFiles.SNAPSHOT));
            assertEquals(500, log.truncateFullyAndStartAt(500, NOW));
            assertEquals(List.of(), offsets(LogFiles.TXN_INDEX));
            assertEquals(List.of(), offsets(LogFiles.SNAPSHOT));
            assertEquals(List.of(500L), offsets(LogFiles.LOG));
        }
    }

    @Test
    void whatInterruptedActsHaveLeftIsSweptAtTheOpen() throws IOException {
        for (final String name : List.of(
                "00000000000000000000.log.deleted",
                "00000000000000000005.snapshot.deleted",
                "00000000000000000022.log.cleaned",
                "00000000000000000300.index",
                "00000000000000000300.txnindex")) {
            Files.write(directory.resolve(name), new byte[10]);
        }
        // A cleaned segment that took the name of a swap had been decided: it takes the place of 0 and what it covers.
        final Path log0 = directory.resolve("00000000000000000000.log");
        final byte[] both =
                concat(Files.readAllBytes(log0), Files.readAllBytes(directory.resolve("00000000000000000022.log")));
        Files.write(directory.resolve("00000000000000000000.log.swap"), both);
        try (DiskStorage storage = new DiskStorage(root);
                Log log = open(storage, Long.MAX_VALUE)) {
            assertEquals(List.of(0L, 43L, 62L, 81L), offsets(LogFiles.LOG));
            assertEquals(both.length, Files.size(log0));
            assertEquals(List.of(0L, 43L, 62L, 81L), offsets(LogFiles.TXN_INDEX));
            try (var files = Files.newDirectoryStream(directory, "*.{deleted,cleaned,swap}")) {
                assertFalse(files.iterator().hasNext());
            }
            assertFalse(Files.exists(directory.resolve("00000000000000000300.index")));
            final UnsafeBuffer batch = batch(NOW, "on");
            assertEquals(92, log.append(batch, 0, batch.capacity(), AppendAs.client(9), NOW));
            assertEquals(List.of("92=on"), LogTest.values(log, 92));
        }
    }

    private static byte[] concat(final byte[] first, final byte[] second) {
        return ByteBuffer.allocate(first.length + second.length)
                .put(first)
                .put(second)
                .array();
    }
}
