package io.cordwood.log;

import static io.cordwood.log.TestBatches.batch;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNotNull;
import static org.junit.jupiter.api.Assertions.assertSame;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.cordwood.log.store.DiskStorage;
import io.cordwood.log.store.StorageException;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import org.agrona.concurrent.UnsafeBuffer;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/**
 * An {@link Error} in the middle of an act, such as a fault in a mapping or a lack of memory: it reaches whoever runs the thread,
 * those who wait are told of it, and the log is fenced as after any failure.
 */
@Timeout(60)
final class ErrorsAreToldTest {
    private static final long NOW = 1_700_000_000_000L;
    private final Error error = new InternalError("made up by a test");

    @TempDir
    Path root;

    private void failAt(final FailingStorage storage, final String verb) {
        storage.watch(act -> {
            if (act.startsWith(verb)) {
                throw error;
            }
        });
    }

    private static long append(final Log log, final AppendAs as) {
        final UnsafeBuffer batch = batch(NOW, "a value");
        return log.append(batch, 0, batch.capacity(), as, NOW);
    }

    private void assertFenced(final Log log) {
        final StorageException fenced = assertThrows(StorageException.class, () -> append(log, AppendAs.client(0)));
        Throwable cause = fenced;
        while (cause.getCause() != null) {
            cause = cause.getCause();
        }
        assertSame(error, cause);
        assertTrue(String.valueOf(fenced.getMessage()).contains("made up by a test"), fenced.toString());
    }

    @Test
    void aForceThatEndsWithAnErrorPoisonsTheLogAndKeepsTheCause() {
        try (DiskStorage disk = new DiskStorage(root)) {
            final FailingStorage storage = new FailingStorage(disk);
            try (Log log = new LogBuilder(storage, "t-0").open(NOW)) {
                append(log, AppendAs.client(0));
                failAt(storage, "force");
                assertSame(error, assertThrows(InternalError.class, log::flush));
                final RuntimeException poison = Objects.requireNonNull(log.forceFailure());
                assertSame(error, poison.getCause());
                final StorageException typed = assertThrows(StorageException.class, () -> {
                    throw poison;
                });
                assertEquals(root.resolve("t-0").toString(), typed.file());
                assertEquals(null, log.beginForce());
                assertEquals(0, log.flushedOffset());
                assertFenced(log);
            }
        }
    }

    @Test
    void whoWaitsForAForceThatEndsWithAnErrorIsToldOfIt() {
        try (DiskStorage disk = new DiskStorage(root)) {
            final FailingStorage storage = new FailingStorage(disk);
            try (Log log = new LogBuilder(storage, "t-0").open(NOW)) {
                final LogAppender door = new LogAppender(log, () -> NOW, 1000);
                final FlushAgent flusher = new FlushAgent(() -> NOW);
                flusher.add(log);
                final AppendTicket ticket = offer(door, AppendAs.client(0).forced());
                door.doWork();
                failAt(storage, "force");
                assertSame(error, assertThrows(InternalError.class, flusher::doWork));
                door.doWork();
                assertEquals(AppendTicket.FAILED, ticket.outcome());
                assertSame(error, Objects.requireNonNull(ticket.failure()).getCause());
            }
        }
    }

    private static AppendTicket offer(final LogAppender door, final AppendAs as) {
        final AppendTicket ticket = door.newTicket();
        final UnsafeBuffer batch = batch(NOW, "x".repeat(200));
        assertTrue(door.offer(ticket, batch, 0, batch.capacity(), as));
        return ticket;
    }

    @Test
    void aPublicationThatEndsWithAnErrorFencesTheLog() {
        try (DiskStorage disk = new DiskStorage(root)) {
            final FailingStorage storage = new FailingStorage(disk);
            try (Log log = new LogBuilder(storage, "t-0").open(NOW)) {
                append(log, AppendAs.client(0));
                failAt(storage, "publish");
                assertSame(error, assertThrows(InternalError.class, () -> append(log, AppendAs.client(0))));
                storage.watch(act -> {});
                assertEquals(1, log.endOffset());
                assertFenced(log);
            }
        }
    }

    @Test
    void aRunOfWhichOneBatchMeetsAnErrorFencesTheLog() {
        try (DiskStorage disk = new DiskStorage(root)) {
            final FailingStorage storage = new FailingStorage(disk);
            try (Log log = new LogBuilder(storage, "t-0")
                    .config(LogConfig.of(Map.of("segment.bytes", "300")))
                    .open(NOW)) {
                failAt(storage, "open 00000000000000000001.log");
                final UnsafeBuffer one = batch(NOW, "x".repeat(150));
                final UnsafeBuffer two = TestBatches.run(TestBatches.at(0, 0, one), TestBatches.at(1, 0, one));
                assertSame(
                        error,
                        assertThrows(
                                InternalError.class,
                                () -> log.append(two, 0, two.capacity(), AppendAs.replica(), NOW)));
                assertFenced(log);
            }
        }
    }

    /** The other producers' runs are not lost with the one that met the error. */
    @Test
    void whoseRunMeetsAnErrorIsToldAndTheOthersGoOn() {
        try (DiskStorage disk = new DiskStorage(root)) {
            final FailingStorage storage = new FailingStorage(disk);
            try (Log log = new LogBuilder(storage, "t-0")
                    .config(LogConfig.of(Map.of("segment.bytes", "300")))
                    .open(NOW)) {
                final LogAppender door = new LogAppender(log, () -> NOW, 1000);
                final AppendTicket first = offer(door, AppendAs.client(0));
                final AppendTicket second = offer(door, AppendAs.client(0));
                final AppendTicket third = offer(door, AppendAs.client(0));
                failAt(storage, "open 00000000000000000001.log");
                assertSame(error, assertThrows(InternalError.class, door::doWork));
                assertEquals(AppendTicket.FAILED, second.outcome());
                assertSame(error, Objects.requireNonNull(second.failure()).getCause());
                assertEquals(AppendTicket.PENDING, third.outcome());
                storage.watch(act -> {});
                door.doWork();
                assertEquals(0, first.outcome());
                assertEquals(1, third.outcome());
                assertEquals(List.of("0=" + "x".repeat(200), "1=" + "x".repeat(200)), LogTest.values(log, 0));
            }
        }
    }

    @Test
    void whoWaitsForAPublicationThatEndsWithAnErrorIsToldOfIt() {
        try (DiskStorage disk = new DiskStorage(root)) {
            final FailingStorage storage = new FailingStorage(disk);
            try (Log log = new LogBuilder(storage, "t-0").open(NOW)) {
                final LogAppender door = new LogAppender(log, () -> NOW, 1000);
                final AppendTicket ticket = offer(door, AppendAs.client(0));
                failAt(storage, "publish");
                assertSame(error, assertThrows(InternalError.class, door::doWork));
                assertEquals(AppendTicket.FAILED, ticket.outcome());
                assertNotNull(ticket.failure());
            }
        }
    }
}
