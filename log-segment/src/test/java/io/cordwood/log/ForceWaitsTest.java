package io.cordwood.log;

import static io.cordwood.log.TestBatches.at;
import static io.cordwood.log.TestBatches.batch;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.cordwood.log.store.DiskStorage;
import io.cordwood.log.store.FileStatus;
import io.cordwood.log.store.Storage;
import io.cordwood.log.store.StorageException;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicReference;
import org.agrona.concurrent.UnsafeBuffer;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** What must wait for a force that hangs is asleep meanwhile, interrupted or not, and is done when the force has ended. */
@Timeout(60)
final class ForceWaitsTest {
    private static final long NOW = 1_700_000_000_000L;

    @TempDir
    Path root;

    private static Log open(final Storage storage, final boolean mapped) {
        final LogBuilder builder = new LogBuilder(storage, "t-0").config(LogConfig.of(Map.of("segment.bytes", "1000")));
        return (mapped ? builder.mapped() : builder).open(NOW);
    }

    private static long append(final Log log, final String value) {
        final UnsafeBuffer batch = batch(NOW, value);
        return log.append(batch, 0, batch.capacity(), AppendAs.client(0), NOW);
    }

    /** A force that began and goes on until it is told to end. */
    private static final class HangingForce {
        private final CountDownLatch hasBegun = new CountDownLatch(1);
        private final CountDownLatch mayEnd = new CountDownLatch(1);
        private final Thread thread;

        HangingForce(final Log log, final FailingStorage storage) throws InterruptedException {
            storage.watch(act -> {
                if (act.startsWith("force") && hasBegun.getCount() > 0) {
                    hasBegun.countDown();
                    awaitUninterruptibly(mayEnd);
                }
            });
            thread = new Thread(Objects.requireNonNull(log.beginForce())::tryRun, "flusher");
            thread.setDaemon(true);
            thread.start();
            hasBegun.await();
        }

        void end() throws InterruptedException {
            mayEnd.countDown();
            thread.join();
        }
    }

    private static void awaitUninterruptibly(final CountDownLatch latch) {
        try {
            latch.await();
        } catch (final InterruptedException e) {
            throw new AssertionError(e);
        }
    }

    /** Runs an act that has to wait for a force, and ends the force when the act's thread sleeps. */
    private static void assertSleepsUntil(final HangingForce force, final boolean interrupted, final Runnable act)
            throws InterruptedException {
        final AtomicReference<Throwable> failure = new AtomicReference<>();
        final AtomicBoolean isInterrupted = new AtomicBoolean();
        final Thread thread = new Thread(
                () -> {
                    if (interrupted) {
                        Thread.currentThread().interrupt();
                    }
                    act.run();
                    isInterrupted.set(Thread.currentThread().isInterrupted());
                },
                "waiter");
        thread.setUncaughtExceptionHandler((self, error) -> failure.set(error));
        thread.setDaemon(true);
        thread.start();
        try {
            // Who spins never gets there, nor who stays interrupted.
            while (thread.getState() != Thread.State.TIMED_WAITING || thread.isInterrupted()) {
                assertTrue(thread.isAlive(), "the act did not wait for the force");
                assertFalse(Thread.currentThread().isInterrupted(), "it does not sleep");
                Thread.onSpinWait();
            }
        } finally {
            force.end();
        }
        thread.join();
        assertEquals(null, failure.get());
        assertEquals(interrupted, isInterrupted.get());
    }

    @ParameterizedTest
    @CsvSource({"false, false", "false, true", "true, false", "true, true"})
    void aCloseSleepsUntilTheForceHasEnded(final boolean mapped, final boolean interrupted)
            throws InterruptedException {
        try (DiskStorage disk = new DiskStorage(root)) {
            final FailingStorage storage = new FailingStorage(disk);
            final Log log = open(storage, mapped);
            append(log, "a");
            final HangingForce force = new HangingForce(log, storage);
            append(log, "b");
            assertSleepsUntil(force, interrupted, log::close);
            assertTrue(log.isClosedCleanly());
            assertEquals(2, log.flushedOffset());
            assertEquals(List.of(), storage.open());
            try (Log again = new LogBuilder(disk, "t-0").recoveryPoint(2).open(NOW)) {
                assertEquals(List.of("0=a", "1=b"), LogTest.values(again, 0));
            }
        }
    }

    @ParameterizedTest
    @CsvSource({"false, false", "false, true", "true, false", "true, true"})
    void anUncleanCloseSleepsUntilTheForceHasEnded(final boolean mapped, final boolean interrupted)
            throws InterruptedException {
        try (DiskStorage disk = new DiskStorage(root)) {
            final FailingStorage storage = new FailingStorage(disk);
            final Log log = open(storage, mapped);
            append(log, "a");
            final HangingForce force = new HangingForce(log, storage);
            assertSleepsUntil(force, interrupted, log::closeUncleanly);
            assertEquals(null, log.forceFailure());
            assertEquals(1, log.flushedOffset());
            assertFalse(log.isClosedCleanly());
            assertEquals(List.of(), storage.open());
        }
    }

    /** A close during which the force fails: not clean, and nothing left open. */
    @Test
    void aCloseBesideAForceThatFailsIsUnclean() throws InterruptedException {
        try (DiskStorage disk = new DiskStorage(root)) {
            final FailingStorage storage = new FailingStorage(disk).fail("force", ".log", 1);
            final Log log = open(storage, false);
            append(log, "a");
            final HangingForce force = new HangingForce(log, storage);
            assertSleepsUntil(force, false, () -> assertThrows(StorageException.class, log::close));
            assertFalse(log.isClosedCleanly());
            assertEquals(0, log.flushedOffset());
            assertEquals(List.of(), storage.open());
        }
    }

    private static UnsafeBuffer large(final long offset) {
        final String[] values = new String[40];
        java.util.Arrays.fill(values, "x".repeat(100));
        return at(offset, 0, batch(NOW, values));
    }

    /** A leader's batch that is larger than a segment gets another file in place of the empty one, which the force looks at. */
    @ParameterizedTest
    @ValueSource(booleans = {false, true})
    void aBatchThatNeedsALargerFileSleepsUntilTheForceHasEnded(final boolean interrupted) throws InterruptedException {
        try (DiskStorage disk = new DiskStorage(root)) {
            final FailingStorage storage = new FailingStorage(disk);
            try (Log log = open(storage, true)) {
                append(log, "a");
                log.roll(NOW);
                final HangingForce force = new HangingForce(log, storage);
                final UnsafeBuffer batch = large(1);
                assertSleepsUntil(
                        force,
                        interrupted,
                        () -> assertEquals(
                                1,
                                log.append(batch, 0, batch.capacity(), AppendAs.replica(), NOW),
                                log.refusalReason()));
                assertEquals(null, log.forceFailure());
                assertEquals(1, log.flushedOffset());
                assertEquals(41, log.endOffset());
                assertEquals(41, log.flush());
                assertEquals(41, LogTest.values(log, 0).size());
            }
            try (Log again = open(disk, true)) {
                assertEquals(41, LogTest.values(again, 0).size());
            }
        }
    }

    @Test
    void aLargerFileThatCannotBeMadeFencesTheLogAndLeavesItReadable() {
        try (DiskStorage disk = new DiskStorage(root)) {
            final FailingStorage storage = new FailingStorage(disk);
            try (Log log = open(storage, true)) {
                append(log, "a");
                log.roll(NOW);
                storage.fail("open", "00000000000000000001.log", 1);
                final UnsafeBuffer batch = large(1);
                assertThrows(
                        StorageException.class, () -> log.append(batch, 0, batch.capacity(), AppendAs.replica(), NOW));
                final StorageException fenced = assertThrows(StorageException.class, () -> append(log, "b"));
                assertTrue(String.valueOf(fenced.getMessage()).contains("opened anew"), fenced.toString());
                assertEquals(List.of("0=a"), LogTest.values(log, 0));
                assertEquals(1, log.endOffset());
            }
            assertEquals(List.of(), storage.open());
            try (Log again = open(disk, true)) {
                assertEquals(1, append(again, "b"));
            }
        }
    }

    /** The one segment of a log that began anew is empty, and its name is all that tells where the log begins. */
    @Test
    void aLargerIndexThatCannotBeMadeLeavesTheLogWhereItBegan() {
        try (DiskStorage disk = new DiskStorage(root)) {
            final FailingIndexes indexes = new FailingIndexes();
            try (Log log = new LogBuilder(disk, "t-0")
                    .config(LogConfig.of(Map.of("segment.bytes", "1000")))
                    .mapped()
                    .startOffset(70)
                    .indexes(indexes)
                    .open(NOW)) {
                indexes.isFailing = true;
                final UnsafeBuffer batch = large(70);
                assertThrows(
                        StorageException.class, () -> log.append(batch, 0, batch.capacity(), AppendAs.replica(), NOW));
            }
            indexes.isFailing = false;
            try (Log again = new LogBuilder(disk, "t-0").indexes(indexes).open(NOW)) {
                assertEquals(70, again.startOffset());
                assertEquals(70, again.endOffset());
            }
        }
    }

    private static final class FailingIndexes implements SegmentIndexFactory {
        private final SegmentIndexFactory indexes = new ScanIndexes();
        private boolean isFailing;

        @Override
        public SegmentIndex create(
                final Storage storage, final String directory, final long baseOffset, final IndexLimits limits) {
            if (isFailing) {
                throw new StorageException(directory, "open", "No space left on device", null);
            }
            return indexes.create(storage, directory, baseOffset, limits);
        }

        @Override
        public SegmentIndex open(
                final Storage storage, final String directory, final long baseOffset, final IndexLimits limits) {
            return indexes.open(storage, directory, baseOffset, limits);
        }

        @Override
        public boolean isPlausible(
                final List<FileStatus> files, final long baseOffset, final long logBytes, final IndexLimits limits) {
            return indexes.isPlausible(files, baseOffset, logBytes, limits);
        }

        @Override
        public List<String> suffixes() {
            return indexes.suffixes();
        }
    }
}
