package io.cordwood.log;

import static io.cordwood.log.DirectoryLogs.A;
import static io.cordwood.log.DirectoryLogs.B;
import static io.cordwood.log.DirectoryLogs.NOW;
import static io.cordwood.log.DirectoryLogs.TOPIC;
import static io.cordwood.log.DirectoryLogs.append;
import static io.cordwood.log.DirectoryLogs.assertSound;
import static io.cordwood.log.DirectoryLogs.cells;
import static io.cordwood.log.DirectoryLogs.checkpoint;
import static io.cordwood.log.DirectoryLogs.isMarked;
import static io.cordwood.log.DirectoryLogs.names;
import static io.cordwood.log.DirectoryLogs.owned;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.cordwood.log.store.DiskStorage;
import io.cordwood.log.store.Storage;
import io.cordwood.log.store.StorageException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.UUID;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** The process dies, or the power goes, between any two acts. */
final class LogDirectoryCrashTest {
    private static final List<String> CHECKPOINTS = List.of(
            OffsetCheckpoint.RECOVERY_POINTS,
            OffsetCheckpoint.LOG_STARTS,
            OffsetCheckpoint.HIGH_WATERMARKS,
            OffsetCheckpoint.CLEANER_OFFSETS);

    @TempDir
    Path root = Path.of("");

    /** How far a life came. */
    private static final class Life {
        private long endOfA;
        private long endOfB;
        private boolean isTruncating;
        private boolean isDeleting;
        private boolean isClosed;

        void live(final Storage storage) {
            final LogDirectory directory = owned(storage);
            try (directory) {
                directory.doWork(NOW);
                final PartitionCells a;
                if (directory.create(A, TOPIC)) {
                    a = cells(directory, A);
                } else {
                    throw new AssertionError("the directory is not new");
                }
                appendTo(a, 10, true);
                a.log().flush();
                a.highWatermark(8);
                a.cleanerOffset(7);
                directory.doWork(NOW + 100);
                assertTrue(directory.create(B, TOPIC));
                final PartitionCells b = cells(directory, B);
                appendTo(b, 5, false);
                a.log().deletePrefix(2, 8, NOW);
                isTruncating = true;
                endOfA = 4;
                a.log().truncateTo(4, NOW);
                isTruncating = false;
                appendTo(a, 3, true);
                directory.doWork(NOW + 200);
                b.log().close();
                isDeleting = true;
                directory.delete(B, new UUID(1, 1), NOW);
                directory.doWork(NOW + 1000);
            }
            isClosed = directory.failure() == null;
        }

        private void appendTo(final PartitionCells partition, final int records, final boolean isA) {
            for (int i = 0; i < records; i++) {
                append(partition.log(), 1);
                if (isA) {
                    endOfA = partition.log().endOffset();
                } else {
                    endOfB = partition.log().endOffset();
                }
            }
        }
    }

    @Test
    void theProcessDiesBetweenAnyTwoActs() throws Exception {
        int crashes = 0;
        int markedEarly = 0;
        for (int acts = 0; ; acts++) {
            final Path directory = Files.createDirectory(root.resolve("after-" + acts));
            final Life life = new Life();
            try (DiskStorage disk = new DiskStorage(directory)) {
                final FailingStorage dying = new FailingStorage(disk).unforced();
                final int[] left = {acts};
                dying.watch(act -> {
                    if (left[0]-- <= 0) {
                        throw new StorageException(act, "crash", "the process is dead", null);
                    }
                });
                try {
                    life.live(dying);
                } catch (final StorageException e) {
                    crashes++;
                }
            }
            try (DiskStorage disk = new DiskStorage(directory)) {
                // All is closed by then: only the sync that makes the marker durable is missing.
                markedEarly += isMarked(disk) && !life.isClosed ? 1 : 0;
                assertSurvived(new FailingStorage(disk).unforced(), life, "after " + acts + " acts");
            }
            if (life.isClosed) {
                assertTrue(crashes > 100, crashes + " crashes");
                assertEquals(1, markedEarly);
                return;
            }
        }
    }

    private static void assertSurvived(final Storage disk, final Life life, final String when) {
        assertTrue(!life.isClosed || isMarked(disk), when);
        assertEntries(disk, life, when);
        try (LogDirectory directory = owned(disk)) {
            assertEquals(List.of(), directory.findings(), when);
            for (final PartitionName name : directory.names()) {
                final Log log = cells(directory, name).log();
                final long end = name.equals(A) ? life.endOfA : life.endOfB;
                if (name.equals(A) && life.isTruncating) {
                    assertTrue(log.endOffset() == 4 || log.endOffset() == 10, when + " a ends at " + log.endOffset());
                } else {
                    assertEquals(end, log.endOffset(), when + " of " + name);
                }
                append(log, 1);
            }
            assertTrue(life.endOfA == 0 || directory.names().contains(A), when);
            assertTrue(life.endOfB == 0 || life.isDeleting || directory.names().contains(B), when);
            directory.doWork(NOW);
            assertFalse(names(disk, "").stream().anyMatch(name -> name.endsWith("-delete")), when);
        }
        assertTrue(isMarked(disk) || !names(disk, "").contains("a-0"), when);
        for (final PartitionName name : List.of(A, B)) {
            if (names(disk, "").contains(name.directory())) {
                assertSound(disk, name);
            }
        }
    }

    /** No entry speaks of records that are gone; a truncation that was cut short may have lowered it already. */
    private static void assertEntries(final Storage disk, final Life life, final String when) {
        for (final String file : CHECKPOINTS) {
            final Map<PartitionName, Long> entries = checkpoint(disk, file);
            final long most = life.isTruncating ? 10 : life.endOfA;
            assertTrue(entries.getOrDefault(A, 0L) <= most, when + " " + file + " says " + entries);
            assertTrue(entries.getOrDefault(B, 0L) <= life.endOfB, when + " " + file + " says " + entries);
        }
    }

    @Test
    void aPowerCutLeavesTheOldCheckpointOrTheNewOne() {
        final Random random = new Random(20261130);
        int old = 0;
        int fresh = 0;
        for (int i = 0; i < 2000; i++) {
            final MemoryStorage before = new MemoryStorage();
            final SortedMap<PartitionName, Long> first = new TreeMap<>(Map.of(A, 1L));
            final SortedMap<PartitionName, Long> second = new TreeMap<>(Map.of(A, 1L, B, 123_456_789L));
            SmallFile.replace(before, "", OffsetCheckpoint.LOG_STARTS, OffsetCheckpoint.encode(first));
            before.failAfter(random.nextInt(6));
            try {
                SmallFile.replace(before, "", OffsetCheckpoint.LOG_STARTS, OffsetCheckpoint.encode(second));
            } catch (final StorageException e) {
                assertTrue(e.toString().contains("the test says so"));
            }
            final Map<PartitionName, Long> left =
                    OffsetCheckpoint.read(before.powerCut(random), "", OffsetCheckpoint.LOG_STARTS);
            assertTrue(first.equals(left) || second.equals(left), "round " + i + " left " + left);
            old += first.equals(left) ? 1 : 0;
            fresh += second.equals(left) ? 1 : 0;
        }
        assertTrue(old > 500 && fresh > 300, old + " old, " + fresh + " new");
    }

    @Test
    void aMarkerThatWasRemovedDoesNotComeBackWithThePower() {
        final Random random = new Random(7);
        for (int i = 0; i < 200; i++) {
            final MemoryStorage before = new MemoryStorage();
            new CleanShutdownMarker(1).write(before);
            final CleanShutdown marker = new CleanShutdown(before, true, new java.util.ArrayList<>());
            assertTrue(marker.wasFound());
            marker.remove();
            before.put("a-0", new byte[0]);
            assertFalse(before.powerCut(random).has(CleanShutdownMarker.FILE), "round " + i);
            marker.putBack();
            assertTrue(before.powerCut(random).has(CleanShutdownMarker.FILE), "round " + i);
        }
    }
}
