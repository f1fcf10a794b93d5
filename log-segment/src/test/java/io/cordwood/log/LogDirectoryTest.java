package io.cordwood.log;

import static io.cordwood.log.DirectoryLogs.A;
import static io.cordwood.log.DirectoryLogs.B;
import static io.cordwood.log.DirectoryLogs.CONFIG;
import static io.cordwood.log.DirectoryLogs.NOW;
import static io.cordwood.log.DirectoryLogs.PLAIN;
import static io.cordwood.log.DirectoryLogs.TOPIC;
import static io.cordwood.log.DirectoryLogs.append;
import static io.cordwood.log.DirectoryLogs.assertSound;
import static io.cordwood.log.DirectoryLogs.cells;
import static io.cordwood.log.DirectoryLogs.checkpoint;
import static io.cordwood.log.DirectoryLogs.fill;
import static io.cordwood.log.DirectoryLogs.isMarked;
import static io.cordwood.log.DirectoryLogs.names;
import static io.cordwood.log.DirectoryLogs.open;
import static io.cordwood.log.DirectoryLogs.owned;
import static java.nio.charset.StandardCharsets.US_ASCII;
import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNotNull;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.cordwood.log.store.DiskStorage;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.UUID;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** The life of a data directory on the real disk. */
final class LogDirectoryTest {
    @TempDir
    Path root = Path.of("");

    private DiskStorage storage = new DiskStorage(root);

    @BeforeEach
    void openDisk() {
        storage = new DiskStorage(root);
    }

    @AfterEach
    void closeDisk() {
        storage.close();
    }

    @Test
    void whatWasClosedCleanlyIsCleanAgain() {
        fill(storage, 100, A, B);
        assertTrue(isMarked(storage));
        assertEquals(Map.of(A, 100L, B, 100L), checkpoint(storage, OffsetCheckpoint.RECOVERY_POINTS));
        try (LogDirectory directory = owned(storage)) {
            assertTrue(directory.wasClean());
            assertEquals(List.of(A, B), directory.names());
            assertEquals(DirectoryLogs.FRESH, directory.properties());
            final PartitionCells partition = cells(directory, A);
            assertTrue(partition.wasClean());
            assertEquals(100, partition.log().endOffset());
            assertEquals(100, partition.log().flushedOffset());
            assertFalse(isMarked(storage));
            assertEquals(List.of(), directory.findings());
        }
        assertTrue(isMarked(storage));
        assertEquals(new PartitionMetadata(TOPIC), PartitionMetadata.read(storage, A.directory()));
        assertSound(storage, A);
        assertSound(storage, B);
    }

    @Test
    void afterACrashTheRecoveryPointSaysWhereDamageIsLookedFor() {
        fill(storage, 100, A, B);
        try (LogDirectory crashed = owned(storage)) {
            final Log log = open(crashed, A);
            append(log, 50);
            log.closeUncleanly();
        }
        assertFalse(isMarked(storage), "a log was not closed cleanly");
        assertEquals(100L, checkpoint(storage, OffsetCheckpoint.RECOVERY_POINTS).get(A));
        try (LogDirectory directory = owned(storage)) {
            assertFalse(directory.wasClean());
            final PartitionCells partition = cells(directory, A);
            assertFalse(partition.wasClean());
            assertEquals(100, partition.recoveryPoint());
            assertEquals(150, partition.log().endOffset());
            assertEquals(100, partition.log().flushedOffset());
        }
        assertFalse(isMarked(storage), "one partition was never opened, and may be damaged");
        try (LogDirectory directory = owned(storage)) {
            open(directory, A);
            open(directory, B);
        }
        assertTrue(isMarked(storage), "the directory is ours, and every partition was closed cleanly");
    }

    @Test
    void aGuestPutsTheMarkerBackOnlyIfItWasThere() throws IOException {
        fill(storage, 3, A, B);
        new CleanShutdownMarker(77).write(storage);
        try (LogDirectory guest = LogDirectory.open(storage, CONFIG)) {
            append(open(guest, A), 1);
        }
        assertEquals(new CleanShutdownMarker(77), CleanShutdownMarker.read(storage));
        Files.delete(root.resolve(CleanShutdownMarker.FILE));
        try (LogDirectory guest = LogDirectory.open(storage, CONFIG)) {
            append(open(guest, A), 1);
            append(open(guest, B), 1);
            guest.brokerEpoch(5);
        }
        assertFalse(isMarked(storage));
        try (LogDirectory ours = owned(storage)) {
            open(ours, A);
            open(ours, B);
            ours.brokerEpoch(5);
        }
        assertEquals(new CleanShutdownMarker(5), CleanShutdownMarker.read(storage));
    }

    @Test
    void whoChangesNothingWritesNothing() throws IOException {
        fill(storage, 3, A);
        final List<String> before = names(storage, "");
        final var modified = Files.getLastModifiedTime(root.resolve(CleanShutdownMarker.FILE));
        try (LogDirectory guest = LogDirectory.open(storage, CONFIG)) {
            assertTrue(isMarked(storage));
            assertEquals(0, guest.doWork(NOW));
            assertEquals(0, guest.doWork(NOW + 100_000));
        }
        assertEquals(before, names(storage, ""));
        assertEquals(modified, Files.getLastModifiedTime(root.resolve(CleanShutdownMarker.FILE)));
    }

    @Test
    void aMarkerVouchesOnlyForPartitionsWithARecoveryPoint() throws IOException {
        fill(storage, 10, A, B);
        Files.writeString(root.resolve(OffsetCheckpoint.RECOVERY_POINTS), "0\n1\na 0 10\n");
        try (LogDirectory directory = LogDirectory.open(storage, CONFIG)) {
            assertTrue(cells(directory, A).wasClean());
            final PartitionCells unknown = cells(directory, B);
            assertFalse(unknown.wasClean());
            assertEquals(0, unknown.recoveryPoint());
            assertTrue(unknown.log().recovery().scannedBytes() > 0);
        }
    }

    @Test
    void damagedFilesAreToldOfAndCountAsMissing() throws IOException {
        fill(storage, 10, A);
        Files.writeString(root.resolve(OffsetCheckpoint.RECOVERY_POINTS), "0\n1\na 0 1");
        Files.writeString(root.resolve(OffsetCheckpoint.LOG_STARTS), "garbage");
        Files.writeString(root.resolve(MetaProperties.FILE), "garbage");
        try (LogDirectory directory = LogDirectory.open(storage, CONFIG)) {
            assertFalse(directory.wasClean());
            assertNull(directory.properties());
            assertEquals(3, directory.findings().size());
            assertTrue(directory.findings().get(0).contains(OffsetCheckpoint.RECOVERY_POINTS));
            assertFalse(cells(directory, A).wasClean());
        }
        assertEquals(Map.of(A, 10L), checkpoint(storage, OffsetCheckpoint.RECOVERY_POINTS));
        assertEquals("garbage", Files.readString(root.resolve(MetaProperties.FILE)));
        assertFalse(isMarked(storage));
        Files.writeString(root.resolve(CleanShutdownMarker.FILE), "");
        try (LogDirectory directory = LogDirectory.open(storage, CONFIG)) {
            assertFalse(directory.wasClean());
            open(directory, A);
            assertFalse(isMarked(storage), "an unreadable marker goes as well");
        }
        assertFalse(isMarked(storage));
    }

    @Test
    void eachValueIsItsOwnersAndTheOthersAreKept() throws IOException {
        fill(storage, 20, A, B);
        final String foreign = "0\n3\na 0 7\nb 1 5\ngone 4 9\n";
        for (final String file : List.of(
                OffsetCheckpoint.LOG_STARTS, OffsetCheckpoint.HIGH_WATERMARKS, OffsetCheckpoint.CLEANER_OFFSETS)) {
            Files.writeString(root.resolve(file), foreign);
        }
        try (LogDirectory directory = LogDirectory.open(storage, CONFIG)) {
            final PartitionCells partition = cells(directory, A);
            assertEquals(7, partition.startOffset());
            assertEquals(7, partition.log().startOffset());
            assertEquals(7, partition.highWatermarkFound());
            assertEquals(7, partition.cleanerOffset());
            assertEquals(20, partition.highWatermark(), "without a replica the end of the log");
            directory.doWork(NOW);
            directory.doWork(NOW + 100);
            assertEquals(foreign, Files.readString(root.resolve(OffsetCheckpoint.HIGH_WATERMARKS)));

            append(partition.log(), 10);
            partition.log().flush();
            partition.highWatermark(25);
            partition.cleanerOffset(12);
            assertEquals(15, partition.log().deletePrefix(15, 25, NOW));
            directory.doWork(NOW + 199);
            assertEquals(foreign, Files.readString(root.resolve(OffsetCheckpoint.HIGH_WATERMARKS)));
            directory.doWork(NOW + 200);
            assertEquals(Map.of(A, 30L, B, 20L), checkpoint(storage, OffsetCheckpoint.RECOVERY_POINTS));
            final PartitionName gone = new PartitionName("gone", 4);
            assertEquals(Map.of(A, 15L, B, 5L, gone, 9L), checkpoint(storage, OffsetCheckpoint.LOG_STARTS));
            assertEquals(Map.of(A, 25L, B, 5L, gone, 9L), checkpoint(storage, OffsetCheckpoint.HIGH_WATERMARKS));
            assertEquals(Map.of(A, 12L, B, 5L, gone, 9L), checkpoint(storage, OffsetCheckpoint.CLEANER_OFFSETS));
        }
    }

    @Test
    void aStartOfZeroNeedsNoEntry() {
        fill(storage, 5, A);
        assertEquals(Map.of(), checkpoint(storage, OffsetCheckpoint.LOG_STARTS));
    }

    /** A follower that restarts keeps what lies above its high watermark: only the leader's epochs say what goes. */
    @Test
    void b45AHighWatermarkBelowTheEndCutsNothing() {
        fill(storage, 2, A);
        for (final boolean isClean : new boolean[] {true, false}) {
            SmallFile.replace(storage, "", OffsetCheckpoint.HIGH_WATERMARKS, "0\n1\na 0 1\n".getBytes(US_ASCII));
            if (!isClean) {
                storage.delete(CleanShutdownMarker.FILE);
            }
            try (LogDirectory directory = owned(storage)) {
                final PartitionCells partition = cells(directory, A);
                assertEquals(1, partition.highWatermarkFound());
                assertEquals(2, partition.log().endOffset());
                assertEquals(List.of("0=0", "1=1"), LogTest.values(partition.log(), 0));
            }
        }
    }

    /** B15: what the checkpoints say of a log is older than the log. */
    @Test
    void staleCheckpointsDoNotWinOverTheData() throws IOException {
        final LogConfig small = LogConfig.of(Map.of("segment.bytes", "14000", "retention.bytes", "14000"));
        final LogSetup setup = (partition, builder) -> {
            builder.config(small);
            return true;
        };
        try (LogDirectory directory = owned(storage)) {
            assertTrue(directory.create(A, TOPIC));
            final PartitionCells partition = directory.open(A, setup, NOW);
            assertNotNull(partition);
            append(partition.log(), 900);
            partition.log().deletePrefix(300, 900, NOW);
        }
        Files.delete(root.resolve(CleanShutdownMarker.FILE));
        Files.writeString(root.resolve(OffsetCheckpoint.LOG_STARTS), "0\n1\na 0 100\n");
        Files.writeString(root.resolve(OffsetCheckpoint.RECOVERY_POINTS), "0\n1\na 0 500\n");
        try (LogDirectory directory = owned(storage)) {
            final PartitionCells partition = directory.open(A, setup, NOW);
            assertNotNull(partition);
            final Log log = partition.log();
            final long first = log.baseOffsets()[0];
            assertTrue(first > 100 && first <= 300, first + " is the first segment");
            assertEquals(first, log.startOffset());
            assertEquals(900, log.endOffset());
            assertEquals(500, partition.recoveryPoint());
            final long bytes = names(storage, "a-0").stream()
                    .filter(name -> name.endsWith(".log"))
                    .mapToLong(
                            name -> root.resolve("a-0").resolve(name).toFile().length())
                    .sum();
            assertEquals(bytes, log.sizeInBytes());
            directory.doWork(NOW);
            directory.doWork(NOW + 999);
            assertEquals(first, log.startOffset());
            directory.doWork(NOW + 1000);
            assertEquals(first, log.startOffset(), "retention is asked for, and done by the writer");
            assertEquals(1, log.doWork(NOW + 1000));
            assertTrue(log.sizeInBytes() <= 28_000 && log.startOffset() > 500, log.sizeInBytes() + " bytes are left");
            directory.doWork(NOW + 2000);
            assertEquals(
                    log.startOffset(),
                    checkpoint(storage, OffsetCheckpoint.LOG_STARTS).get(A));
        }
    }

    @Test
    void retentionDropsNothingAboveTheHighWatermark() {
        final LogConfig small = LogConfig.of(Map.of("segment.bytes", "14000", "retention.bytes", "14000"));
        try (LogDirectory directory = owned(storage)) {
            assertTrue(directory.create(A, null));
            final PartitionCells partition = directory.open(
                    A,
                    (cells, builder) -> {
                        builder.config(small);
                        cells.highWatermark(0);
                        return true;
                    },
                    NOW);
            assertNotNull(partition);
            append(partition.log(), 900);
            directory.doWork(NOW);
            directory.doWork(NOW + 1000);
            partition.log().doWork(NOW + 1000);
            assertEquals(0, partition.log().startOffset());
            final long second = partition.log().baseOffsets()[1];
            partition.highWatermark(second);
            directory.doWork(NOW + 2000);
            directory.doWork(NOW + 3000);
            assertEquals(1, partition.log().doWork(NOW + 3000));
            assertEquals(0, partition.log().doWork(NOW + 3000), "not asked again before it is done");
            assertEquals(second, partition.log().startOffset());
        }
    }

    @Test
    void logsAreForcedWhenTheyAreDue() {
        try (LogDirectory directory = owned(storage)) {
            assertTrue(directory.create(A, null));
            final PartitionCells partition = directory.open(
                    A,
                    (cells, builder) -> {
                        builder.config(LogConfig.of(Map.of("flush.messages", "3")));
                        return true;
                    },
                    NOW);
            assertNotNull(partition);
            append(partition.log(), 2);
            assertEquals(0, directory.doWork(NOW));
            append(partition.log(), 1);
            assertEquals(1, directory.doWork(NOW));
            assertEquals(3, partition.log().flushedOffset());
        }
    }

    @Test
    void aPartitionIsDeletedInTwoSteps() throws IOException {
        fill(storage, 5, A, B);
        final UUID id = new UUID(7, 8);
        final String renamed = A.deletingDirectory(id);
        try (LogDirectory directory = owned(storage)) {
            final Log log = open(directory, A);
            assertThrows(IllegalStateException.class, () -> directory.delete(A, id, NOW));
            log.closeUncleanly();
            assertTrue(directory.delete(A, id, NOW));
            assertFalse(directory.delete(A, id, NOW));
            assertTrue(names(storage, "").contains(renamed));
            assertFalse(names(storage, "").contains("a-0"));
            assertEquals(Map.of(B, 5L), checkpoint(storage, OffsetCheckpoint.RECOVERY_POINTS));
            assertEquals(List.of(B), directory.names());
            directory.doWork(NOW);
            directory.doWork(NOW + 499);
            assertTrue(names(storage, "").contains(renamed));
            directory.doWork(NOW + 500);
            assertFalse(names(storage, "").contains(renamed));
            assertTrue(directory.create(A, TOPIC));
            assertEquals(0, open(directory, A).endOffset());
        }
        assertTrue(names(storage, "").contains("a-0"));
    }

    @Test
    void aDeletionThatACrashCutShortIsFinished() throws IOException {
        fill(storage, 5, A, B);
        final UUID id = new UUID(7, 8);
        try (LogDirectory directory = owned(storage)) {
            assertTrue(directory.delete(A, id, NOW));
        }
        final Path renamed = root.resolve(A.deletingDirectory(id));
        assertTrue(Files.exists(renamed));
        final Path stray = Files.createDirectory(root.resolve("c-0." + "0".repeat(32) + "-stray"));
        final Path future = Files.createDirectory(root.resolve("c-0." + "0".repeat(32) + "-future"));
        final Path unknown = Files.createDirectory(root.resolve("lost+found"));
        final Path file = Files.writeString(root.resolve("d-0"), "a file");
        try (LogDirectory directory = owned(storage)) {
            assertEquals(List.of(B), directory.names());
            assertEquals(1, directory.doWork(NOW));
            assertEquals(0, directory.doWork(NOW));
        }
        assertFalse(Files.exists(renamed));
        for (final Path left : List.of(stray, future, unknown, file)) {
            assertTrue(Files.exists(left), left.toString());
        }
    }

    @Test
    void aNewPartitionInheritsNothingFromOneOfThatName() throws IOException {
        fill(storage, 1, B);
        for (final String file : List.of(
                OffsetCheckpoint.LOG_STARTS,
                OffsetCheckpoint.HIGH_WATERMARKS,
                OffsetCheckpoint.CLEANER_OFFSETS,
                OffsetCheckpoint.RECOVERY_POINTS)) {
            Files.writeString(root.resolve(file), "0\n2\na 0 100\nb 1 1\n");
        }
        try (LogDirectory directory = owned(storage)) {
            assertTrue(directory.create(A, TOPIC));
            assertFalse(directory.create(A, TOPIC));
            for (final String file : List.of(
                    OffsetCheckpoint.LOG_STARTS,
                    OffsetCheckpoint.HIGH_WATERMARKS,
                    OffsetCheckpoint.CLEANER_OFFSETS,
                    OffsetCheckpoint.RECOVERY_POINTS)) {
                assertEquals(Map.of(B, 1L), checkpoint(storage, file), file);
            }
            final PartitionCells partition = cells(directory, A);
            assertEquals(0, partition.log().startOffset());
            assertEquals(PartitionCells.UNKNOWN, partition.cleanerOffset());
        }
    }

    @Test
    void aLogThatItsWriterHasClosedIsOpenedAgain() {
        fill(storage, 5, A);
        try (LogDirectory directory = owned(storage)) {
            final Log log = open(directory, A);
            append(log, 5);
            log.deletePrefix(3, 10, NOW);
            assertThrows(IllegalStateException.class, () -> directory.open(A, PLAIN, NOW));
            assertThrows(IllegalStateException.class, () -> directory.open(B, PLAIN, NOW));
            log.close();
            final PartitionCells clean = cells(directory, A);
            assertTrue(clean.wasClean());
            assertEquals(3, clean.log().startOffset());
            append(clean.log(), 5);
            clean.log().closeUncleanly();
            final PartitionCells unclean = cells(directory, A);
            assertFalse(unclean.wasClean());
            assertEquals(10, unclean.recoveryPoint());
            assertEquals(15, unclean.log().endOffset());
        }
        assertTrue(isMarked(storage), "what counts is how the log was closed last");
    }

    @Test
    void aPartitionWithoutADataDirectoryStandsAlone() throws IOException {
        for (int round = 1; round <= 2; round++) {
            try (LogDirectory directory = LogDirectory.openAround(storage, A, CONFIG)) {
                assertEquals(List.of(A), directory.names());
                final PartitionCells partition = cells(directory, A);
                assertFalse(partition.wasClean());
                assertEquals(0, partition.recoveryPoint());
                append(partition.log(), 10);
                partition.log().truncateTo(partition.log().endOffset() - 5, NOW);
                assertEquals(5L * round, partition.log().endOffset());
                assertTrue(names(storage, "a-0").contains(".lock"));
                directory.doWork(NOW);
                directory.doWork(NOW + 1000);
                assertThrows(IllegalStateException.class, () -> directory.create(B, TOPIC));
                assertThrows(IllegalStateException.class, () -> directory.delete(A, TOPIC, NOW));
                assertEquals(List.of("a-0"), names(storage, ""));
                try (DiskStorage other = new DiskStorage(root)) {
                    assertThrows(
                            io.cordwood.log.store.StorageException.class,
                            () -> LogDirectory.openAround(other, A, CONFIG));
                }
            }
            assertEquals(List.of("a-0"), names(storage, ""));
        }
        assertSound(storage, A);
        Files.writeString(root.resolve(OffsetCheckpoint.LOG_STARTS), "0\n1\na 0 4\n");
        try (LogDirectory directory = LogDirectory.openAround(storage, A, CONFIG)) {
            assertEquals(4, open(directory, A).startOffset());
        }
        assertTrue(names(storage, "").contains(".lock"));
        assertArrayEquals(
                "0\n1\na 0 10\n".getBytes(US_ASCII),
                Files.readAllBytes(root.resolve(OffsetCheckpoint.RECOVERY_POINTS)));
    }

    @Test
    void propertiesThatAreThereAreKept() throws IOException {
        final String kafkas = "#\n#Sun Nov 29 23:47:01 UTC 2026\nnode.id=9\nversion=1\n";
        Files.writeString(root.resolve(MetaProperties.FILE), kafkas);
        try (LogDirectory directory = owned(storage)) {
            assertTrue(directory.create(A, TOPIC));
            assertEquals(
                    9,
                    directory.properties() == null ? 0 : directory.properties().nodeId());
        }
        assertEquals(kafkas, Files.readString(root.resolve(MetaProperties.FILE)));
    }
}
