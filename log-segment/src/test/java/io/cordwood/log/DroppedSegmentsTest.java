package io.cordwood.log;

import static io.cordwood.log.TestBatches.batch;
import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.cordwood.log.store.DiskStorage;
import io.cordwood.log.store.StorageException;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import org.agrona.concurrent.UnsafeBuffer;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Segments that are dropped while the disk refuses to rename or to delete: nothing else is lost, and the next try finishes. */
final class DroppedSegmentsTest {
    private static final long NOW = 1_700_000_000_000L;
    private static final long DELAY_MS = 60_000;

    @TempDir
    Path root;

    private static Log openWithThreeSegments(final FailingStorage disk) {
        final Log log = new LogBuilder(disk, "t-0")
                .config(LogConfig.of(Map.of("file.delete.delay.ms", "" + DELAY_MS)))
                .open(NOW);
        for (final String value : List.of("a", "b", "c")) {
            append(log, value);
            log.roll(NOW);
        }
        return log;
    }

    private static void append(final Log log, final String value) {
        final UnsafeBuffer batch = batch(NOW, value);
        log.append(batch, 0, batch.capacity(), AppendAs.client(0), NOW);
    }

    private static List<String> logs(final DiskStorage storage) {
        return storage.list("t-0").stream()
                .map(status -> status.name())
                .filter(name -> name.contains(LogFiles.LOG))
                .map(name -> name.substring(19))
                .toList();
    }

    @Test
    void aRenameThatFailsIsDoneInTheNextCycle() {
        try (DiskStorage storage = new DiskStorage(root)) {
            final FailingStorage disk = new FailingStorage(storage);
            try (Log log = openWithThreeSegments(disk)) {
                disk.fail("rename 00000000000000000000.log", LogFiles.DELETED, 1);
                final StorageException failure =
                        assertThrows(StorageException.class, () -> log.deletePrefix(2, log.endOffset(), NOW));
                assertTrue(failure.file().contains("00000000000000000000.log"), failure.file());
                assertEquals(2, log.startOffset());
                assertArrayEquals(new long[] {2, 3}, log.baseOffsets());
                assertEquals(List.of("0.log", "1.log", "2.log", "3.log"), logs(storage));

                append(log, "d");
                assertEquals(List.of("2=c", "3=d"), LogTest.values(log, 2));
                assertEquals(2, log.doWork(NOW));
                assertEquals(List.of("0.log.deleted", "1.log.deleted", "2.log", "3.log"), logs(storage));
                assertEquals(2, log.doWork(NOW + DELAY_MS));
                assertEquals(List.of("2.log", "3.log"), logs(storage));
            }
        }
    }

    @Test
    void aDroppedSegmentThatKeptItsNameTakesNoneFromTheLogThatStartsAnew() {
        try (DiskStorage storage = new DiskStorage(root)) {
            final FailingStorage disk = new FailingStorage(storage);
            try (Log log = openWithThreeSegments(disk)) {
                disk.fail("rename 00000000000000000000.log", LogFiles.DELETED, 1);
                assertThrows(StorageException.class, () -> log.deletePrefix(2, log.endOffset(), NOW));
                assertEquals(0, log.truncateFullyAndStartAt(0, NOW));
                append(log, "anew");
                log.publish();
                log.doWork(NOW);
                log.doWork(NOW + DELAY_MS);
                assertEquals(List.of("0.log"), logs(storage));
                assertEquals(List.of("0=anew"), LogTest.values(log, 0));
            }
            try (Log again = new LogBuilder(storage, "t-0").open(NOW)) {
                assertEquals(List.of("0=anew"), LogTest.values(again, 0));
            }
        }
    }

    @Test
    void aDeletionThatFailsIsDoneInTheNextCycle() {
        try (DiskStorage storage = new DiskStorage(root)) {
            final FailingStorage disk = new FailingStorage(storage);
            try (Log log = openWithThreeSegments(disk)) {
                assertEquals(2, log.deletePrefix(2, log.endOffset(), NOW));
                disk.fail("delete", "00000000000000000001.log.deleted", 1);
                assertThrows(StorageException.class, () -> log.doWork(NOW + DELAY_MS));
                assertEquals(List.of("1.log.deleted", "2.log", "3.log"), logs(storage));
                append(log, "d");
                assertEquals(List.of("2=c", "3=d"), LogTest.values(log, 2));
                assertEquals(1, log.doWork(NOW + DELAY_MS));
                assertEquals(List.of("2.log", "3.log"), logs(storage));
            }
        }
    }

    @Test
    void aCloseThatCannotDeleteClosesAllTheSame() {
        try (DiskStorage storage = new DiskStorage(root)) {
            final FailingStorage disk = new FailingStorage(storage);
            final Log log = openWithThreeSegments(disk);
            assertEquals(2, log.deletePrefix(2, log.endOffset(), NOW));
            disk.fail("delete", "00000000000000000000.log.deleted", 1);
            assertThrows(StorageException.class, log::close);
            try (Log again = new LogBuilder(storage, "t-0").open(NOW)) {
                assertEquals(List.of("2.log", "3.log"), logs(storage));
                assertEquals(List.of("2=c"), LogTest.values(again, 2));
            }
        }
    }
}
