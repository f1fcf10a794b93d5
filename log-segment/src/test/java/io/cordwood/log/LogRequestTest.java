package io.cordwood.log;

import static io.cordwood.log.TestBatches.batch;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertSame;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.cordwood.log.record.Refusal;
import io.cordwood.log.store.DiskStorage;
import io.cordwood.log.store.StorageException;
import java.nio.file.Path;
import java.util.List;
import java.util.Objects;
import org.agrona.concurrent.UnsafeBuffer;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** What other threads ask of a log: each request is carried out once, in order, and its outcome told, whatever it is. */
final class LogRequestTest {
    private static final long NOW = 1_700_000_000_000L;

    @TempDir
    Path root;

    private static void append(final Log log, final String value) {
        final UnsafeBuffer batch = batch(NOW, value);
        log.append(batch, 0, batch.capacity(), AppendAs.client(0), NOW);
    }

    private static Log open(final io.cordwood.log.store.Storage storage) {
        final Log log = new LogBuilder(storage, "t-0").open(NOW);
        append(log, "a");
        append(log, "b");
        append(log, "c");
        return log;
    }

    @Test
    void eachChangeCanBeAskedForAndIsMadeInOrder() {
        try (DiskStorage storage = new DiskStorage(root);
                Log log = open(storage)) {
            final LogRequest flush = log.request(LogRequest.flush());
            final LogRequest cut = log.request(LogRequest.truncateTo(2));
            final LogRequest roll = log.request(LogRequest.roll());
            final LogRequest prefix = log.request(LogRequest.deletePrefix(1, 2));
            final LogRequest retain = log.request(LogRequest.retain(2));
            final LogRequest anew = log.request(LogRequest.truncateFullyAndStartAt(70));
            assertThrows(IllegalStateException.class, flush::result);
            assertEquals(1, log.doWork(NOW));
            assertFalse(cut.isDone());
            assertEquals(3, flush.result());
            assertEquals(3, log.flushedOffset());
            for (final LogRequest request : List.of(cut, roll, prefix, retain)) {
                assertFalse(request.isDone());
                assertTrue(log.doWork(NOW) > 0);
                assertTrue(request.isDone());
            }
            assertEquals(2, cut.result());
            assertEquals(2, roll.result());
            assertEquals(1, prefix.result());
            assertEquals(1, retain.result());
            assertEquals(2, log.endOffset());
            assertTrue(log.doWork(NOW) > 0);
            assertEquals(70, anew.result());
            assertEquals(70, log.startOffset());
            assertEquals(70, log.endOffset());
            append(log, "d");
            assertEquals(List.of("70=d"), LogTest.values(log, 70));
        }
    }

    @Test
    void aRefusalIsAResultAndAFailureAnException() {
        try (DiskStorage storage = new DiskStorage(root)) {
            final FailingStorage disk = new FailingStorage(storage);
            try (Log log = open(disk)) {
                final LogRequest refused = log.request(LogRequest.truncateFullyAndStartAt(-1));
                log.doWork(NOW);
                assertEquals(Refusal.OFFSET_OUT_OF_RANGE, refused.result());
                disk.fail("force", ".log", 1);
                final LogRequest failed = log.request(LogRequest.flush());
                final LogRequest next = log.request(LogRequest.flush());
                assertEquals(1, log.doWork(NOW));
                final Throwable cause = assertThrows(IllegalStateException.class, failed::result)
                        .getCause();
                assertEquals("force", assertThrowsNothingBut(cause).operation());
                assertEquals(1, log.doWork(NOW));
                assertThrows(IllegalStateException.class, next::result);
            }
        }
    }

    private static StorageException assertThrowsNothingBut(final @org.jspecify.annotations.Nullable Throwable cause) {
        return assertThrows(StorageException.class, () -> {
            throw Objects.requireNonNull(cause);
        });
    }

    /** Forces that come one behind the other leave the writer no time for its own: theirs will do. */
    @Test
    void aFlushIsDoneWhenTheForcesOfOthersHaveCoveredIt() {
        try (DiskStorage storage = new DiskStorage(root);
                Log log = open(storage)) {
            final LogRequest flush = log.request(LogRequest.flush());
            final ForceTarget first = Objects.requireNonNull(log.beginForce());
            append(log, "d");
            log.doWork(NOW);
            final boolean wasDoneBesideFirst = flush.isDone();
            first.run();
            final ForceTarget second = Objects.requireNonNull(log.beginForce());
            log.doWork(NOW);
            final boolean wasDoneBesideSecond = flush.isDone();
            append(log, "e");
            second.run();
            final ForceTarget third = Objects.requireNonNull(log.beginForce());
            log.doWork(NOW);
            third.run();
            assertFalse(wasDoneBesideFirst);
            assertFalse(wasDoneBesideSecond, "the first force does not cover what was there when the writer came");
            assertEquals(4, flush.result());
        }
    }

    @Test
    void anErrorIsToldToWhoAskedAndGoesOnAndIsNotMetAgain() {
        final Error error = new InternalError("a fault in a mapping");
        try (DiskStorage storage = new DiskStorage(root)) {
            final FailingStorage disk = new FailingStorage(storage);
            try (Log log = open(disk)) {
                disk.watch(act -> {
                    if (act.startsWith("truncate")) {
                        throw error;
                    }
                });
                final LogRequest cut = log.request(LogRequest.truncateTo(1));
                final LogRequest next = log.request(LogRequest.roll());
                assertSame(error, assertThrows(InternalError.class, () -> log.doWork(NOW)));
                assertSame(
                        error,
                        assertThrows(IllegalStateException.class, cut::result).getCause());
                assertFalse(next.isDone());
                // The cut is half done: nothing may be appended to it.
                final StorageException fenced = assertThrows(StorageException.class, () -> append(log, "x"));
                assertSame(error, fenced.getCause());
                assertEquals(1, log.doWork(NOW));
                assertTrue(next.isDone());
                assertEquals(List.of("0=a"), LogTest.values(log, 0));
            }
        }
    }

    @Test
    void whoAsksAClosedLogIsToldAtOnce() {
        try (DiskStorage storage = new DiskStorage(root)) {
            final Log log = open(storage);
            log.close();
            final LogRequest late = log.request(LogRequest.roll());
            assertTrue(late.isDone());
            assertThrows(IllegalStateException.class, late::result);
        }
    }
}
