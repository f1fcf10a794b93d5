package io.cordwood.log;

import static io.cordwood.log.DirectoryLogs.A;
import static io.cordwood.log.DirectoryLogs.B;
import static io.cordwood.log.DirectoryLogs.NOW;
import static io.cordwood.log.DirectoryLogs.TOPIC;
import static io.cordwood.log.DirectoryLogs.append;
import static io.cordwood.log.DirectoryLogs.cells;
import static io.cordwood.log.DirectoryLogs.checkpoint;
import static io.cordwood.log.DirectoryLogs.fill;
import static io.cordwood.log.DirectoryLogs.isMarked;
import static io.cordwood.log.DirectoryLogs.open;
import static io.cordwood.log.DirectoryLogs.owned;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNotNull;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.cordwood.log.record.Refusal;
import io.cordwood.log.store.DiskStorage;
import io.cordwood.log.store.StorageException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.UUID;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.atomic.AtomicReference;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Every act on the files of a data directory, in its order: a force that is missing here is lost data after a power cut. */
final class LogDirectoryTraceTest {
    private static final UUID ID = new UUID(7, 8);

    @TempDir
    Path root = Path.of("");

    private DiskStorage disk = new DiskStorage(root);
    private FailingStorage storage = new FailingStorage(disk);

    @BeforeEach
    void openDisk() {
        disk = new DiskStorage(root);
        storage = new FailingStorage(disk);
    }

    @AfterEach
    void closeDisk() {
        disk.close();
    }

    private static List<String> replaced(final String file) {
        return List.of(
                "open " + file + ".tmp",
                "publish " + file + ".tmp",
                "force " + file + ".tmp",
                "rename " + file + ".tmp " + file,
                "sync .");
    }

    @SafeVarargs
    private static List<String> all(final List<String>... parts) {
        final List<String> all = new ArrayList<>();
        for (final List<String> part : parts) {
            all.addAll(part);
        }
        return all;
    }

    @Test
    void aDirectoryOfOursBeginsWithItsProperties() {
        try (LogDirectory directory = owned(storage)) {
            assertNotNull(directory.properties());
            assertEquals(all(List.of("make "), replaced(MetaProperties.FILE)), storage.takeTrace());
        }
        assertEquals(List.of(), storage.takeTrace());
    }

    @Test
    void theMarkerGoesDurablyBeforeAnythingElseAndComesBackLast() {
        fill(storage, 5, A);
        storage.takeTrace();
        try (LogDirectory directory = owned(storage)) {
            storage.takeTrace();
            final Log log = open(directory, A);
            assertEquals(
                    List.of("delete " + CleanShutdownMarker.FILE, "sync ."),
                    storage.takeTrace().subList(0, 2));
            append(log, 5);
            log.close();
            storage.takeTrace();
        }
        assertEquals(
                all(replaced(OffsetCheckpoint.RECOVERY_POINTS), replaced(CleanShutdownMarker.FILE)),
                storage.takeTrace());
    }

    @Test
    void aCheckpointWritesWhatHasChangedAndNothingElse() {
        fill(storage, 5, A);
        try (LogDirectory directory = owned(storage)) {
            final PartitionCells partition = cells(directory, A);
            directory.doWork(NOW);
            storage.takeTrace();
            directory.doWork(NOW + 100);
            assertEquals(List.of(), storage.takeTrace());
            partition.highWatermark(4);
            directory.doWork(NOW + 200);
            assertEquals(replaced(OffsetCheckpoint.HIGH_WATERMARKS), storage.takeTrace());
            append(partition.log(), 1);
            storage.takeTrace();
            directory.doWork(NOW + 300);
            assertEquals(List.of(), storage.takeTrace(), "nothing of that is forced");
        }
    }

    @Test
    void aPartitionIsMadeBehindItsOldEntries() {
        fill(storage, 5, A);
        try (LogDirectory directory = owned(storage)) {
            open(directory, A).close();
            storage.takeTrace();
            assertTrue(directory.create(B, TOPIC));
            assertEquals(
                    List.of(
                            "make b-1",
                            "open partition.metadata.tmp",
                            "publish partition.metadata.tmp",
                            "force partition.metadata.tmp",
                            "rename partition.metadata.tmp partition.metadata",
                            "sync b-1",
                            "sync ."),
                    storage.takeTrace());
            final String renamed = A.deletingDirectory(ID);
            assertTrue(directory.delete(A, ID, NOW));
            assertEquals(
                    all(List.of("rename a-0 " + renamed, "sync ."), replaced(OffsetCheckpoint.RECOVERY_POINTS)),
                    storage.takeTrace());
            directory.doWork(NOW + 500);
            final List<String> trace = storage.takeTrace();
            assertEquals(List.of("remove " + renamed, "sync ."), trace.subList(trace.size() - 2, trace.size()));
            assertTrue(trace.subList(0, trace.size() - 2).stream().allMatch(act -> act.startsWith("delete ")));
        }
    }

    @Test
    void aTruncationLowersTheFilesBeforeItCuts() {
        fill(storage, 20, A);
        try (LogDirectory directory = owned(storage)) {
            final PartitionCells partition = cells(directory, A);
            partition.cleanerOffset(18);
            directory.doWork(NOW);
            directory.doWork(NOW + 100);
            storage.takeTrace();
            assertEquals(12, partition.log().truncateTo(12, NOW));
            final List<String> expected = all(
                    replaced(OffsetCheckpoint.RECOVERY_POINTS),
                    replaced(OffsetCheckpoint.CLEANER_OFFSETS),
                    List.of("truncate 00000000000000000000.log", "force 00000000000000000000.log"));
            final List<String> trace = storage.takeTrace();
            final int begin = trace.indexOf(expected.get(0));
            assertEquals(expected, trace.subList(begin, begin + expected.size()));
            assertFalse(trace.subList(0, begin).contains("truncate 00000000000000000000.log"));
            assertEquals(12, partition.cleanerOffset());
            append(partition.log(), 10);
            partition.log().closeUncleanly();
        }
        assertEquals(12L, checkpoint(disk, OffsetCheckpoint.RECOVERY_POINTS).get(A));
    }

    @Test
    void aTruncationAboveTheRecoveryPointWritesNoFile() {
        fill(storage, 20, A);
        try (LogDirectory directory = owned(storage)) {
            final Log log = open(directory, A);
            append(log, 20);
            storage.takeTrace();
            assertEquals(25, log.truncateTo(25, NOW));
            assertFalse(storage.takeTrace().contains("sync ."));
        }
    }

    @Test
    void aLogThatBeginsAnewLowersItsStartAsWell() {
        fill(storage, 20, A);
        try (LogDirectory directory = owned(storage)) {
            final PartitionCells partition = cells(directory, A);
            partition.log().deletePrefix(15, 20, NOW);
            directory.doWork(NOW);
            directory.doWork(NOW + 100);
            assertEquals(Map.of(A, 15L), checkpoint(disk, OffsetCheckpoint.LOG_STARTS));
            assertEquals(3, partition.log().truncateFullyAndStartAt(3, NOW));
            assertEquals(Map.of(A, 3L), checkpoint(disk, OffsetCheckpoint.LOG_STARTS));
            // Until the next checkpoint nothing is vouched for: what an interruption would have left is replayed whole.
            assertEquals(Map.of(A, 0L), checkpoint(disk, OffsetCheckpoint.RECOVERY_POINTS));
            append(partition.log(), 20);
            partition.log().closeUncleanly();
        }
        try (LogDirectory directory = owned(disk)) {
            final Log log = open(directory, A);
            assertEquals(3, log.startOffset());
            assertEquals(23, log.endOffset());
        }
    }

    @Test
    void aCheckpointDuringATruncationDoesNotRaiseWhatWasLowered() {
        fill(storage, 20, A);
        try (LogDirectory directory = owned(storage)) {
            final PartitionCells partition = cells(directory, A);
            directory.doWork(NOW);
            final List<Long> seen = new ArrayList<>();
            storage.watch(act -> {
                if (act.equals("truncate 00000000000000000000.log")) {
                    directory.doWork(NOW + 1000);
                    seen.add(checkpoint(disk, OffsetCheckpoint.RECOVERY_POINTS).getOrDefault(A, -1L));
                }
            });
            assertEquals(12, partition.log().truncateTo(12, NOW));
            assertEquals(List.of(12L), seen);
        }
    }

    @Test
    void theStartStaysUntilTheOldRecordsAreGone() {
        fill(storage, 20, A);
        try (LogDirectory directory = owned(storage)) {
            final PartitionCells partition = cells(directory, A);
            partition.log().deletePrefix(15, 20, NOW);
            directory.doWork(NOW);
            directory.doWork(NOW + 100);
            final List<Long> seen = new ArrayList<>();
            storage.watch(act -> {
                if (act.equals("delete 00000000000000000000.log") || act.equals("force 00000000000000000003.log")) {
                    directory.doWork(NOW + 1000);
                    seen.add(checkpoint(disk, OffsetCheckpoint.LOG_STARTS).getOrDefault(A, -1L));
                }
            });
            assertEquals(3, partition.log().truncateFullyAndStartAt(3, NOW));
            assertEquals(List.of(15L, 15L), seen);
            assertEquals(Map.of(A, 3L), checkpoint(disk, OffsetCheckpoint.LOG_STARTS));
        }
    }

    /** Also old segments that are deleted late are acts of it. */
    @ParameterizedTest
    @ValueSource(booleans = {false, true})
    void noCheckpointAtAnyActOfATruncationRaisesWhatWasLowered(final boolean isWhole) {
        fill(storage, 20, A);
        try (LogDirectory directory = owned(storage)) {
            final PartitionCells partition = cells(directory, A);
            partition.log().roll(NOW);
            append(partition.log(), 20);
            partition.log().flush();
            partition.log().deletePrefix(30, 40, NOW);
            directory.doWork(NOW);
            directory.doWork(NOW + 100);
            assertEquals(Map.of(A, 40L), checkpoint(disk, OffsetCheckpoint.RECOVERY_POINTS));
            final long end = isWhole ? 35 : 32;
            final AtomicLong time = new AtomicLong(NOW + 1000);
            final List<String> raised = new ArrayList<>();
            storage.watch(act -> {
                final long before =
                        checkpoint(disk, OffsetCheckpoint.RECOVERY_POINTS).getOrDefault(A, 0L);
                if (before <= end) {
                    directory.doWork(time.addAndGet(1000));
                    final long after =
                            checkpoint(disk, OffsetCheckpoint.RECOVERY_POINTS).getOrDefault(A, 0L);
                    if (after > before) {
                        raised.add(act + ": " + before + " to " + after);
                    }
                }
            });
            assertEquals(
                    end,
                    isWhole
                            ? partition.log().truncateFullyAndStartAt(end, NOW)
                            : partition.log().truncateTo(end, NOW));
            storage.watch(act -> {});
            assertEquals(List.of(), raised);
        }
    }

    @Test
    void aTruncationIsPutOffWhileAnotherThreadWritesTheFiles() {
        fill(storage, 20, A);
        try (LogDirectory directory = owned(storage)) {
            final PartitionCells partition = cells(directory, A);
            directory.doWork(NOW);
            partition.highWatermark(4);
            final AtomicReference<Long> answer = new AtomicReference<>(0L);
            storage.watch(act -> {
                if (act.equals("force " + OffsetCheckpoint.HIGH_WATERMARKS + ".tmp")) {
                    answer.set(partition.log().truncateTo(12, NOW));
                }
            });
            directory.doWork(NOW + 100);
            storage.watch(act -> {});
            assertEquals(Refusal.FORCE_UNDER_WAY, answer.get());
            assertEquals(20, partition.log().endOffset());
            assertEquals(20, LogTest.values(partition.log(), 0).size());
            assertEquals(12, partition.log().truncateTo(12, NOW));
        }
        assertTrue(isMarked(disk));
    }

    @Test
    void aTruncationWhoseFileCannotBeWrittenCutsNothing() {
        fill(storage, 20, A);
        final LogDirectory directory = owned(storage);
        final PartitionCells partition = cells(directory, A);
        final Log log = partition.log();
        storage.fail("force", OffsetCheckpoint.RECOVERY_POINTS + ".tmp", 1);
        assertThrows(StorageException.class, () -> log.truncateTo(12, NOW));
        assertNotNull(directory.failure());
        assertEquals(20, log.endOffset());
        assertThrows(StorageException.class, () -> directory.create(B, null));
        assertThrows(RuntimeException.class, () -> append(log, 1));
        partition.highWatermark(4);
        storage.takeTrace();
        directory.close();
        assertEquals(List.of(), storage.takeTrace(), "offline: nothing more is written");
        assertFalse(isMarked(disk));
        try (LogDirectory again = owned(disk)) {
            assertNull(again.failure());
            assertEquals(20, open(again, A).endOffset());
        }
    }

    /** What the log cannot bear out is lowered before the log can be appended to: later records would pass for sound. */
    @Test
    void b39AnOpenLowersWhatLiesBeyondTheEnd() {
        fill(storage, 20, A);
        final String beyond = "0\n1\na 0 500\n";
        for (final String file : List.of(
                OffsetCheckpoint.RECOVERY_POINTS, OffsetCheckpoint.HIGH_WATERMARKS, OffsetCheckpoint.CLEANER_OFFSETS)) {
            SmallFile.replace(disk, "", file, beyond.getBytes(java.nio.charset.StandardCharsets.US_ASCII));
        }
        try (LogDirectory directory = owned(storage)) {
            final PartitionCells partition = cells(directory, A);
            for (final String file : List.of(
                    OffsetCheckpoint.RECOVERY_POINTS,
                    OffsetCheckpoint.HIGH_WATERMARKS,
                    OffsetCheckpoint.CLEANER_OFFSETS)) {
                assertEquals(Map.of(A, 20L), checkpoint(disk, file), file);
            }
            assertEquals(500, partition.highWatermarkFound());
            assertEquals(20, partition.cleanerOffset());
        }
    }

    @Test
    void aForceThatFailsTakesTheDirectoryOffline() {
        final LogDirectory directory = owned(storage);
        assertTrue(directory.create(A, TOPIC));
        final PartitionCells partition = directory.open(
                A,
                (cells, builder) -> {
                    builder.config(LogConfig.of(Map.of("flush.messages", "1")));
                    return true;
                },
                NOW);
        assertNotNull(partition);
        append(partition.log(), 5);
        storage.fail("force", ".log", 1);
        assertEquals(1, directory.doWork(NOW));
        final StorageException failure = (StorageException) directory.failure();
        assertNotNull(failure);
        assertEquals(disk.describe(A.directory()), failure.file());
        assertEquals(0, directory.doWork(NOW + 100_000));
        directory.close();
        assertFalse(isMarked(disk));
        try (LogDirectory again = owned(disk)) {
            assertEquals(5, open(again, A).endOffset());
        }
        assertTrue(isMarked(disk));
    }

    @Test
    void eachFailureOfACloseIsTold() {
        final PartitionName sound = new PartitionName("c", 0);
        fill(storage, 5, A, B, sound);
        final LogDirectory directory = owned(storage);
        append(open(directory, A), 5);
        append(open(directory, B), 5);
        append(open(directory, sound), 5);
        storage.fail("force", ".log", 1).fail("force", ".log", 1);
        storage.fail("rename", OffsetCheckpoint.RECOVERY_POINTS, 1);
        final StorageException e = assertThrows(StorageException.class, directory::close);
        assertTrue(e.file().contains(A.directory()), e.toString());
        assertEquals(2, e.getSuppressed().length, Arrays.toString(e.getSuppressed()));
        assertTrue(e.getSuppressed()[0].toString().contains(B.directory()), e.getSuppressed()[0].toString());
        assertTrue(
                e.getSuppressed()[1].toString().contains(OffsetCheckpoint.RECOVERY_POINTS),
                e.getSuppressed()[1].toString());
    }

    /** Who catches the error gets the lock of the directory: no log may be open then. */
    @Test
    void anErrorLeavesNoLogOpen() {
        fill(storage, 5, A, B);
        final LogDirectory directory = owned(storage);
        append(open(directory, A), 5);
        final Log other = open(directory, B);
        final AtomicBoolean isThrown = new AtomicBoolean();
        storage.watch(act -> {
            if (act.startsWith("force") && act.endsWith(".log") && !isThrown.getAndSet(true)) {
                throw new AssertionError("as if memory were full");
            }
        });
        assertThrows(AssertionError.class, directory::close);
        assertTrue(isThrown.get());
        assertTrue(other.isClosed());
    }

    @Test
    void aLogThatCannotBeClosedCleanlyLeavesNoMarker() {
        fill(storage, 5, A);
        final LogDirectory directory = owned(storage);
        append(open(directory, A), 5);
        storage.fail("force", ".log", 1);
        assertThrows(StorageException.class, directory::close);
        assertFalse(isMarked(disk));
        try (LogDirectory again = owned(disk)) {
            assertFalse(again.wasClean());
            assertEquals(10, open(again, A).endOffset());
        }
    }
}
