package io.cordwood.log;

import static io.cordwood.log.DirectoryLogs.A;
import static io.cordwood.log.DirectoryLogs.B;
import static io.cordwood.log.DirectoryLogs.NOW;
import static io.cordwood.log.DirectoryLogs.append;
import static io.cordwood.log.DirectoryLogs.cells;
import static io.cordwood.log.DirectoryLogs.fill;
import static io.cordwood.log.DirectoryLogs.isMarked;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNotNull;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertSame;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.cordwood.log.store.DiskStorage;
import io.cordwood.log.store.Storage;
import io.cordwood.log.store.StorageException;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Several data directories, of which one fails. */
final class LogDirectoriesTest {
    @TempDir
    Path root = Path.of("");

    @Test
    void aDiskThatFailsTakesOnlyItsOwnDirectoryOffline() {
        try (DiskStorage first = new DiskStorage(root.resolve("one"));
                DiskStorage second = new DiskStorage(root.resolve("two"))) {
            fill(first, 5, A);
            fill(second, 5, B);
            final FailingStorage failing = new FailingStorage(first);
            final LogDirectories directories =
                    new LogDirectories(List.<Storage>of(failing, second), DirectoryLogs::owned);
            assertEquals(2, directories.online().size());
            final LogDirectory one = directories.holding(A).get(0);
            final LogDirectory two = directories.holding(B).get(0);
            final PartitionCells a = cells(one, A);
            final PartitionCells b = cells(two, B);
            a.highWatermark(3);
            b.highWatermark(3);
            directories.doWork(NOW);
            failing.fail("force", OffsetCheckpoint.HIGH_WATERMARKS + ".tmp", 1);
            directories.doWork(NOW + 1000);
            assertNotNull(one.failure());
            assertEquals(List.of(two), directories.online());
            assertEquals(List.of(), directories.holding(A));
            assertSame(two, directories.roomiest());
            append(b.log(), 5);
            b.highWatermark(9);
            assertTrue(directories.doWork(NOW + 2000) > 0);
            assertEquals(
                    9L,
                    DirectoryLogs.checkpoint(second, OffsetCheckpoint.HIGH_WATERMARKS)
                            .get(B));
            directories.close();
            assertFalse(isMarked(first));
            assertTrue(isMarked(second));
        }
    }

    @Test
    void aDirectoryThatCannotBeOpenedIsOfflineFromTheStart() {
        try (DiskStorage first = new DiskStorage(root.resolve("one"));
                DiskStorage second = new DiskStorage(root.resolve("two"))) {
            fill(first, 5, A);
            final LogDirectory holder = DirectoryLogs.owned(first);
            try (LogDirectories directories = new LogDirectories(List.of(first, second), DirectoryLogs::owned)) {
                assertEquals(1, directories.failures().size());
                assertTrue(directories.failures().get(0).toString().contains("one"));
                assertEquals(1, directories.online().size());
            }
            holder.close();
            try (LogDirectories directories = new LogDirectories(List.of(first, second), DirectoryLogs::owned)) {
                assertEquals(List.of(), directories.failures());
                final LogDirectory roomiest = directories.roomiest();
                assertNotNull(roomiest);
                assertEquals(0, roomiest.names().size());
            }
            try (LogDirectories none = new LogDirectories(List.of(), DirectoryLogs::owned)) {
                assertNull(none.roomiest());
            }
        }
    }

    @Test
    void everyDirectoryIsClosedWhateverHappensToTheOthers() {
        try (DiskStorage first = new DiskStorage(root.resolve("one"));
                DiskStorage second = new DiskStorage(root.resolve("two"))) {
            final FailingStorage failing = new FailingStorage(first);
            final LogDirectories directories =
                    new LogDirectories(List.<Storage>of(failing, second), DirectoryLogs::owned);
            for (final LogDirectory directory : directories.online()) {
                assertTrue(directory.create(A, null));
                append(cells(directory, A).log(), 1);
            }
            failing.fail("force", ".log", 1);
            assertThrows(StorageException.class, directories::close);
            assertFalse(isMarked(first));
            assertTrue(isMarked(second));
            DirectoryLogs.owned(first).close();
            DirectoryLogs.owned(second).close();
        }
    }

    @Test
    void aFailureThatIsNoDisksStopsNoOtherDirectoryAndLeaksNoLock() {
        try (DiskStorage first = new DiskStorage(root.resolve("one"));
                DiskStorage second = new DiskStorage(root.resolve("two"))) {
            fill(first, 5, A);
            fill(second, 5, B);
            assertThrows(
                    IllegalStateException.class,
                    () -> new LogDirectories(List.of(first, second), storage -> {
                        if (storage == second) {
                            throw new IllegalStateException("the test says so");
                        }
                        return DirectoryLogs.owned(storage);
                    }));
            final FailingStorage failing = new FailingStorage(first);
            try (LogDirectories directories = new LogDirectories(List.of(failing, second), DirectoryLogs::owned)) {
                assertEquals(List.of(), directories.failures(), "locks");
                final PartitionCells a = cells(directories.holding(A).get(0), A);
                final PartitionCells b = cells(directories.holding(B).get(0), B);
                directories.doWork(NOW);
                a.highWatermark(3);
                b.highWatermark(3);
                failing.watch(act -> {
                    if (act.contains(OffsetCheckpoint.HIGH_WATERMARKS)) {
                        throw new IllegalStateException("the test says so");
                    }
                });
                assertThrows(IllegalStateException.class, () -> directories.doWork(NOW + 1000));
                assertEquals(
                        3L,
                        DirectoryLogs.checkpoint(second, OffsetCheckpoint.HIGH_WATERMARKS)
                                .get(B));
                failing.watch(act -> {});
            }
        }
    }

    @Test
    void aWriteThatFailsTakesTheDirectoryOffline() {
        try (DiskStorage disk = new DiskStorage(root.resolve("one"))) {
            fill(disk, 5, A);
            final FailingStorage failing = new FailingStorage(disk);
            final LogDirectory directory = DirectoryLogs.owned(failing);
            final Log log = cells(directory, A).log();
            directory.doWork(NOW);
            failing.fail("publish", ".log", 1);
            assertThrows(StorageException.class, () -> append(log, 1));
            directory.doWork(NOW + 1);
            assertNotNull(directory.failure());
            directory.close();
            assertFalse(isMarked(disk));
        }
    }
}
