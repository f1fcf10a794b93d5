package io.cordwood.log;

import static io.cordwood.log.TestBatches.batch;
import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.cordwood.log.store.DiskStorage;
import io.cordwood.log.store.StorageException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.concurrent.atomic.AtomicLong;
import org.agrona.concurrent.UnsafeBuffer;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** Segments that are dropped while the disk refuses to rename or to delete: nothing else is lost, and the next try finishes. */
@Timeout(60)
final class DroppedSegmentsTest {
    private static final long NOW = 1_700_000_000_000L;
    private static final long DELAY_MS = 60_000;
    private static final long HOUR_MS = 3_600_000;
    private static final String ZERO = "00000000000000000000.log";
    private static final String ONE = "00000000000000000001.log";
    private static final String TWO = "00000000000000000002.log";

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

    /** A truncation that ended in a gap: the segment that begins there is named by an offset that was forced long ago. */
    @Test
    void theNextSegmentHasItsNameDurablyWhateverItsOffset() {
        try (DiskStorage disk = new DiskStorage(root)) {
            final FailingStorage storage = new FailingStorage(disk);
            try (Log log = new LogBuilder(storage, "t-0").open(NOW)) {
                for (final long base : new long[] {0, 1, 50}) {
                    final UnsafeBuffer batch = TestBatches.at(base, 0, batch(NOW, "v"));
                    log.append(batch, 0, batch.capacity(), AppendAs.replica(), NOW);
                }
                assertEquals(20, log.truncateTo(20, NOW));
                log.flush();
                assertEquals(2, log.roll(NOW));
                storage.takeTrace();
                assertEquals(20, log.deletePrefix(20, 20, NOW));
                final List<String> trace = storage.takeTrace();
                final int synced = trace.indexOf("sync t-0");
                assertTrue(
                        synced >= 0 && synced < trace.indexOf("rename " + ZERO + " " + ZERO + ".deleted"),
                        trace.toString());
            }
        }
    }

    /** A name that a force has made durable, or a step before, is not made so again. */
    @Test
    void aNameThatIsDurableCostsNoSync() {
        try (DiskStorage disk = new DiskStorage(root)) {
            final FailingStorage storage = new FailingStorage(disk);
            try (Log log = openWithThreeSegments(storage)) {
                log.flush();
                storage.takeTrace();
                log.deletePrefix(1, 3, NOW);
                assertEquals(0, Collections.frequency(storage.takeTrace(), "sync t-0"));
                append(log, "d");
                log.roll(NOW);
                storage.takeTrace();
                log.deletePrefix(2, 3, NOW);
                final int syncs = Collections.frequency(storage.takeTrace(), "sync t-0");
                assertTrue(syncs > 0, "the last name is new");
                log.deletePrefix(3, 3, NOW);
                // Of the rename before alone.
                assertEquals(1, Collections.frequency(storage.takeTrace(), "sync t-0"));
            }
        }
    }

    @Test
    void aRenameThatFailsIsDoneALittleLater() {
        try (DiskStorage storage = new DiskStorage(root)) {
            final FailingStorage disk = new FailingStorage(storage);
            try (Log log = openWithThreeSegments(disk)) {
                disk.fail("rename 00000000000000000000.log", LogFiles.DELETED, 1);
                final StorageException failure =
                        assertThrows(StorageException.class, () -> log.deletePrefix(2, log.endOffset(), NOW));
                assertTrue(failure.file().contains("00000000000000000000.log"), failure.file());
                assertEquals(2, log.startOffset());
                assertArrayEquals(new long[] {2, 3}, log.baseOffsets());
                assertEquals(List.of("0.log", "1.log.deleted", "2.log", "3.log"), logs(storage));

                append(log, "d");
                assertEquals(List.of("2=c", "3=d"), LogTest.values(log, 2));
                assertEquals(1, log.doWork(NOW + DoomedSegments.RETRY_MS));
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
    void aDeletionThatFailsIsDoneALittleLater() {
        try (DiskStorage storage = new DiskStorage(root)) {
            final FailingStorage disk = new FailingStorage(storage);
            try (Log log = openWithThreeSegments(disk)) {
                assertEquals(2, log.deletePrefix(2, log.endOffset(), NOW));
                disk.fail("delete", "00000000000000000001.log.deleted", 1);
                assertThrows(StorageException.class, () -> log.doWork(NOW + DELAY_MS));
                assertEquals(List.of("1.log.deleted", "2.log", "3.log"), logs(storage));
                append(log, "d");
                assertEquals(List.of("2=c", "3=d"), LogTest.values(log, 2));
                assertEquals(1, log.doWork(NOW + DELAY_MS + DoomedSegments.RETRY_MS));
                assertEquals(List.of("2.log", "3.log"), logs(storage));
            }
        }
    }

    /** Acts that begin like this fail, however often they are tried. */
    private static void refuse(final FailingStorage disk, final String... acts) {
        disk.watch(act -> {
            for (final String refused : acts) {
                if (act.startsWith(refused)) {
                    throw new StorageException(refused, "test", "refused", null);
                }
            }
        });
    }

    @Test
    void aRenameThatFailsAtEachTryKeepsNothingElseWaiting() {
        try (DiskStorage storage = new DiskStorage(root)) {
            final FailingStorage disk = new FailingStorage(storage);
            try (Log log = openWithThreeSegments(disk)) {
                refuse(disk, "rename " + ZERO);
                assertThrows(StorageException.class, () -> log.deletePrefix(2, log.endOffset(), NOW));
                assertEquals(List.of("0.log", "1.log.deleted", "2.log", "3.log"), logs(storage));
                append(log, "d");
                assertEquals(4, log.flush());
                assertEquals(2, Collections.frequency(disk.open(), TWO), "the writer's file, and the readers'");
                final LogRequest roll = log.request(LogRequest.roll());
                final LogRequest prefix = log.request(LogRequest.deletePrefix(3, 4));
                assertThrows(StorageException.class, () -> log.doWork(NOW + DoomedSegments.RETRY_MS));
                assertEquals(4, roll.result());
                assertEquals(1, Collections.frequency(disk.open(), TWO));
                assertThrows(StorageException.class, () -> log.doWork(NOW + 2 * DoomedSegments.RETRY_MS));
                assertTrue(prefix.isDone());
                assertEquals(3, log.startOffset());
                assertEquals(List.of("0.log", "1.log.deleted", "2.log.deleted", "3.log", "4.log"), logs(storage));

                final long dueMs = NOW + 2 * DoomedSegments.RETRY_MS + DELAY_MS;
                final StorageException failure = assertThrows(StorageException.class, () -> log.doWork(dueMs));
                assertEquals("rename " + ZERO, failure.file());
                assertEquals(List.of("3.log", "4.log"), logs(storage));
                assertEquals(0, log.doWork(dueMs + DoomedSegments.RETRY_MS));
            }
        }
    }

    /** A disk that refuses is asked again once a second, and not by each of a million cycles. */
    @Test
    void aStepThatFailsIsTriedAgainAtAPace() {
        try (DiskStorage storage = new DiskStorage(root)) {
            final FailingStorage disk = new FailingStorage(storage);
            try (Log log = openWithThreeSegments(disk)) {
                final List<String> tries = new ArrayList<>();
                disk.watch(act -> {
                    if (act.startsWith("rename " + ZERO) || act.startsWith("delete " + ZERO)) {
                        tries.add(act.substring(0, 6));
                        throw new StorageException(act, "test", "refused", null);
                    }
                });
                assertThrows(StorageException.class, () -> log.deletePrefix(1, log.endOffset(), NOW));
                assertEquals(List.of("rename"), tries);
                for (long ms = 0; ms < DoomedSegments.RETRY_MS; ms += 100) {
                    assertEquals(0, log.doWork(NOW + ms));
                }
                assertEquals(1, log.deletePrefix(1, log.endOffset(), NOW));
                assertEquals(List.of("rename"), tries);
                assertThrows(StorageException.class, () -> log.doWork(NOW + DoomedSegments.RETRY_MS));
                assertEquals(List.of("rename", "rename"), tries);
                // Its delay is over: both steps are due, and each has a pace of its own.
                tries.clear();
                final long dueMs = NOW + DELAY_MS;
                assertThrows(StorageException.class, () -> log.doWork(dueMs));
                assertEquals(0, log.doWork(dueMs + DoomedSegments.RETRY_MS - 1));
                assertEquals(List.of("rename", "delete"), tries);
                assertThrows(StorageException.class, () -> log.doWork(dueMs + DoomedSegments.RETRY_MS));
                assertEquals(List.of("rename", "delete", "rename", "delete"), tries);
                // The clock was set back: nobody waits for it to come round again.
                assertThrows(StorageException.class, () -> log.doWork(dueMs));
                assertEquals(6, tries.size());
                disk.watch(act -> {});
            }
            assertEquals(List.of("1.log", "2.log", "3.log"), logs(storage));
        }
    }

    @Test
    void deletionsThatFailAtEachTryKeepNothingElseWaitingAndAreToldTogether() {
        try (DiskStorage storage = new DiskStorage(root)) {
            final FailingStorage disk = new FailingStorage(storage);
            try (Log log = openWithThreeSegments(disk)) {
                append(log, "d");
                log.roll(NOW);
                assertEquals(3, log.deletePrefix(3, log.endOffset(), NOW));
                refuse(disk, "delete " + ZERO, "delete " + ONE);
                for (int cycle = 0; cycle < 2; cycle++) {
                    final LogRequest request = log.request(LogRequest.retain(4));
                    final long tryMs = NOW + DELAY_MS + cycle * DoomedSegments.RETRY_MS;
                    final StorageException failure = assertThrows(StorageException.class, () -> log.doWork(tryMs));
                    assertEquals("delete " + ZERO, failure.file());
                    assertEquals(1, failure.getSuppressed().length);
                    assertTrue(failure.getSuppressed()[0].toString().contains(ONE));
                    assertEquals(List.of("0.log.deleted", "1.log.deleted", "3.log", "4.log"), logs(storage));
                    assertEquals(3, request.result());
                }
                disk.watch(act -> {});
                assertEquals(2, log.doWork(NOW + DELAY_MS + 2 * DoomedSegments.RETRY_MS));
                assertEquals(List.of("3.log", "4.log"), logs(storage));
            }
        }
    }

    /** Else a power cut may leave the first without the second, and nothing would tell where the gap is from. */
    @Test
    void segmentsThatKeptTheirNamesGoDurablyOneByOne() {
        try (DiskStorage storage = new DiskStorage(root)) {
            final FailingStorage disk = new FailingStorage(storage);
            try (Log log = openWithThreeSegments(disk)) {
                refuse(disk, "rename " + ZERO, "rename " + ONE);
                assertThrows(StorageException.class, () -> log.deletePrefix(2, log.endOffset(), NOW));
                disk.takeTrace();
                assertThrows(StorageException.class, () -> log.doWork(NOW + DELAY_MS));
                final List<String> trace = disk.takeTrace();
                final int first = trace.indexOf("delete " + ZERO);
                final int second = trace.indexOf("delete " + ONE);
                assertTrue(first >= 0 && trace.subList(first, second).contains("sync t-0"), trace.toString());
            }
        }
    }

    /** The directory asks and does not look at the outcome; whoever runs the writer is told. */
    @Test
    void aRetentionThatNobodyWaitsForTellsOfItsFailureInTheDutyCycle() {
        try (DiskStorage storage = new DiskStorage(root)) {
            final FailingStorage disk = new FailingStorage(storage);
            try (Log log = openWithThreeSegments(disk)) {
                log.configure(LogConfig.of(Map.of("retention.bytes", "0", "file.delete.delay.ms", "" + DELAY_MS)));
                refuse(disk, "rename " + ZERO);
                final LogRequest request = log.request(LogRequest.unattendedRetain(log.endOffset()));
                final StorageException failure = assertThrows(StorageException.class, () -> log.doWork(NOW));
                assertTrue(failure.toString().contains(ZERO), failure.toString());
                assertTrue(request.isDone());
                assertEquals(0, log.doWork(NOW));
                disk.watch(act -> {});
            }
        }
    }

    @Test
    void aRetentionDropsForEachReasonAlsoIfTheDiskRefusesToRename() {
        try (DiskStorage storage = new DiskStorage(root)) {
            final FailingStorage disk = new FailingStorage(storage);
            try (Log log = openWithThreeSegments(disk)) {
                refuse(disk, "rename " + ZERO);
                // By their age the first two are to go, by their size all.
                append(log, "d");
                log.configure(LogConfig.of(Map.of("retention.bytes", "0", "retention.ms", "3600000")));
                final UnsafeBuffer young = batch(NOW + HOUR_MS, "e");
                log.append(young, 0, young.capacity(), AppendAs.client(0), NOW + HOUR_MS);
                assertThrows(StorageException.class, () -> log.retain(NOW + HOUR_MS + 1, log.endOffset()));
                assertArrayEquals(new long[] {5}, log.baseOffsets());
                assertEquals(
                        List.of("0.log", "1.log.deleted", "2.log.deleted", "3.log.deleted", "5.log"), logs(storage));
            }
        }
    }

    @Test
    void whoIsTakenBackInACycleThatFailsIsToldAtOnce() {
        try (DiskStorage storage = new DiskStorage(root)) {
            final FailingStorage disk = new FailingStorage(storage);
            try (Log log = openWithThreeSegments(disk)) {
                final AtomicLong time = new AtomicLong(NOW);
                final LogAppender door = new LogAppender(log, time::get, 1000);
                final AppendTicket ticket = door.newTicket();
                final UnsafeBuffer batch = batch(NOW, "d");
                assertTrue(door.offer(
                        ticket, batch, 0, batch.capacity(), AppendAs.client(0).forced()));
                door.doWork();
                assertEquals(AppendTicket.PENDING, ticket.outcome());
                refuse(disk, "rename " + ZERO);
                assertThrows(StorageException.class, () -> log.deletePrefix(1, 3, NOW));
                final LogRequest cut = log.request(LogRequest.truncateTo(3));
                time.addAndGet(DoomedSegments.RETRY_MS);
                assertThrows(StorageException.class, door::doWork);
                assertEquals(3, cut.result());
                assertEquals(AppendTicket.FAILED, ticket.outcome());
            }
        }
    }

    @Test
    void aCloseThatCannotDeleteClosesAllTheSameAndTellsOfEachFailure() {
        try (DiskStorage storage = new DiskStorage(root)) {
            final FailingStorage disk = new FailingStorage(storage);
            final Log log = openWithThreeSegments(disk);
            append(log, "d");
            log.roll(NOW);
            assertEquals(3, log.deletePrefix(3, log.endOffset(), NOW));
            refuse(disk, "delete " + ZERO, "delete " + ONE);
            final StorageException failure = assertThrows(StorageException.class, log::close);
            assertEquals("delete " + ZERO, failure.file());
            assertEquals(1, failure.getSuppressed().length);
            assertTrue(failure.getSuppressed()[0].toString().contains(ONE));
            assertTrue(log.isClosedCleanly());
            assertEquals(List.of(), disk.open());
            assertEquals(List.of("0.log.deleted", "1.log.deleted", "3.log", "4.log"), logs(storage));
            try (Log again = new LogBuilder(storage, "t-0").open(NOW)) {
                assertEquals(List.of("3.log", "4.log"), logs(storage));
                assertEquals(List.of("3=d"), LogTest.values(again, 3));
            }
        }
    }

    @Test
    void anUncleanCloseClosesWhateverFailsToClose() {
        try (DiskStorage storage = new DiskStorage(root)) {
            final FailingStorage disk = new FailingStorage(storage);
            final Log log = new LogBuilder(disk, "t-0")
                    .state(new RecordCountState(disk, "t-0"))
                    .open(NOW);
            append(log, "a");
            log.roll(NOW);
            append(log, "b");
            assertEquals(List.of(ZERO, ZERO, "00000000000000000001.counts", ONE), disk.open());
            disk.fail("close", ZERO, 1).fail("close", ONE, 1).fail("close", ".counts", 1);
            final StorageException failure = assertThrows(StorageException.class, log::closeUncleanly);
            assertTrue(failure.file().endsWith(ZERO), failure.file());
            assertEquals(2, failure.getSuppressed().length);
            assertEquals(List.of(), disk.open());
        }
    }

    @Test
    void aCloseThatFailsTwiceTellsOfBoth() {
        try (DiskStorage storage = new DiskStorage(root)) {
            final FailingStorage disk = new FailingStorage(storage);
            final Log log = openWithThreeSegments(disk);
            assertEquals(1, log.deletePrefix(1, log.endOffset(), NOW));
            disk.fail("force", "3.log", 1).fail("delete", ZERO + LogFiles.DELETED, 1);
            final StorageException failure = assertThrows(StorageException.class, log::close);
            assertEquals("force", failure.operation());
            assertEquals(1, failure.getSuppressed().length);
            assertTrue(failure.getSuppressed()[0].toString().contains(": delete failed"));
            assertFalse(log.isClosedCleanly());
            assertEquals(List.of(), disk.open());
        }
    }

    @Test
    void aWriterThatFailsToCloseAtARollKeepsNoForceAway() {
        try (DiskStorage storage = new DiskStorage(root)) {
            final FailingStorage disk = new FailingStorage(storage);
            try (Log log = openWithThreeSegments(disk)) {
                assertEquals(3, log.flush());
                append(log, "d");
                disk.fail("close", TWO, 1);
                assertThrows(StorageException.class, () -> log.roll(NOW));
                assertEquals(4, log.flush());
                assertEquals(4, log.roll(NOW));
            }
            assertEquals(List.of(), disk.open());
        }
    }

    @Test
    void aDelayThatIsForEverDeletesNothingBeforeTheClose() {
        try (DiskStorage storage = new DiskStorage(root)) {
            try (Log log = openWithThreeSegments(new FailingStorage(storage))) {
                log.configure(LogConfig.of(Map.of("file.delete.delay.ms", "" + Long.MAX_VALUE)));
                assertEquals(2, log.deletePrefix(2, log.endOffset(), NOW));
                assertEquals(0, log.doWork(NOW + HOUR_MS));
                assertEquals(List.of("0.log.deleted", "1.log.deleted", "2.log", "3.log"), logs(storage));
            }
            assertEquals(List.of("2.log", "3.log"), logs(storage));
        }
    }
}
