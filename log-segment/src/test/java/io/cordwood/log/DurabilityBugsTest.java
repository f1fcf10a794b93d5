package io.cordwood.log;

import static io.cordwood.log.TestBatches.batch;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNotNull;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.cordwood.log.record.Refusal;
import io.cordwood.log.store.DiskStorage;
import io.cordwood.log.store.Storage;
import io.cordwood.log.store.StorageException;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.concurrent.CountDownLatch;
import org.agrona.concurrent.UnsafeBuffer;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** The public bug reports B07 and B90 about forces, by number: what is forced, in which order, and who waits for it. */
final class DurabilityBugsTest {
    private static final long NOW = 1_700_000_000_000L;
    private static final AppendAs CLIENT = AppendAs.client(0);
    private static final Map<String, String> SMALL =
            Map.of("segment.bytes", "65536", "file.delete.delay.ms", "0", "preallocate", "false");

    @TempDir
    Path root;

    private static Log open(final Storage storage, final boolean mapped) {
        final LogBuilder builder = new LogBuilder(storage, "topics/t-0").config(LogConfig.of(SMALL));
        return (mapped ? builder.mapped() : builder).open(NOW);
    }

    private static long append(final Log log, final String value) {
        final UnsafeBuffer batch = batch(NOW, value);
        return log.append(batch, 0, batch.capacity(), CLIENT, NOW);
    }

    private static String traced(final FailingStorage storage) {
        return String.join("\n", storage.takeTrace()).replace("000000000000000000", "");
    }

    /** A power cut forgets each name whose directory was not synced, and each byte that was not forced: so both are here. */
    @Test
    void b07EachForceOfAFileAndOfADirectoryIsWhereItMustBe() {
        try (DiskStorage disk = new DiskStorage(root)) {
            final FailingStorage storage = new FailingStorage(disk);
            final Log log = open(storage, false);
            assertEquals("""
                    make t-0
                    sync topics
                    sync .
                    open 00.log""", traced(storage));
            append(log, "a");
            log.flush();
            assertEquals("""
                    publish 00.log
                    force 00.log
                    open leader-epoch-checkpoint.tmp
                    publish leader-epoch-checkpoint.tmp
                    force leader-epoch-checkpoint.tmp
                    rename leader-epoch-checkpoint.tmp leader-epoch-checkpoint
                    sync t-0
                    sync t-0""", traced(storage));
            append(log, "b");
            log.flush();
            assertEquals("publish 00.log\nforce 00.log", traced(storage));
            append(log, "c");
            log.roll(NOW);
            append(log, "d");
            assertEquals("publish 00.log\nopen 03.log\ntruncate 00.log\npublish 03.log", traced(storage));
            log.flush();
            assertEquals("force 00.log\nforce 03.log\nsync t-0", traced(storage));
            log.truncateTo(2, NOW);
            assertEquals("""
                    delete 03.log
                    sync t-0
                    open 00.log
                    truncate 00.log
                    force 00.log
                    sync t-0""", traced(storage));
            log.truncateFullyAndStartAt(7, NOW);
            assertEquals("""
                    open leader-epoch-checkpoint.tmp
                    force leader-epoch-checkpoint.tmp
                    rename leader-epoch-checkpoint.tmp leader-epoch-checkpoint
                    sync t-0
                    delete 00.log
                    sync t-0
                    open 07.log
                    force 07.log
                    sync t-0""", traced(storage).replace("publish leader-epoch-checkpoint.tmp\n", ""));
            append(log, "e");
            log.close();
            assertEquals("""
                    publish 07.log
                    truncate 07.log
                    force 07.log
                    open leader-epoch-checkpoint.tmp
                    publish leader-epoch-checkpoint.tmp
                    force leader-epoch-checkpoint.tmp
                    rename leader-epoch-checkpoint.tmp leader-epoch-checkpoint
                    sync t-0
                    sync t-0""", traced(storage));
        }
    }

    @ParameterizedTest
    @ValueSource(booleans = {false, true})
    @Timeout(60)
    void b90AForceThatHangsDelaysNothingButATruncation(final boolean mapped) throws InterruptedException {
        final CountDownLatch isForcing = new CountDownLatch(1);
        final CountDownLatch mayEnd = new CountDownLatch(1);
        try (DiskStorage disk = new DiskStorage(root)) {
            final FailingStorage storage = new FailingStorage(disk);
            final Log log = open(storage, mapped);
            append(log, "a");
            log.roll(NOW);
            append(log, "b");
            storage.watch(act -> {
                if (act.equals("force 00000000000000000000.log") && isForcing.getCount() > 0) {
                    isForcing.countDown();
                    awaitUninterruptibly(mayEnd);
                }
            });
            final ForceTarget target = Objects.requireNonNull(log.beginForce());
            assertEquals(2, target.endOffset());
            final Thread flusher = new Thread(target::run, "flusher");
            flusher.start();
            isForcing.await();

            // More rolls than files are kept open for a force, and a prefix that goes while it is being forced.
            for (int i = 0; i < 12; i++) {
                assertEquals(2 + i, append(log, "v" + i));
                log.roll(NOW);
                log.doWork(NOW);
            }
            assertEquals(5, log.deletePrefix(5, log.endOffset(), NOW));
            log.doWork(NOW);
            assertEquals(0, log.retain(NOW, log.endOffset()).dropped());
            assertEquals(0, log.flushedOffset());
            assertEquals(Refusal.FORCE_UNDER_WAY, log.truncateTo(6, NOW));
            assertEquals(Refusal.FORCE_UNDER_WAY, log.truncateFullyAndStartAt(6, NOW));
            assertEquals(Refusal.FORCE_UNDER_WAY, log.flush());
            final LogRequest request = log.request(LogRequest.truncateTo(7));
            log.doWork(NOW);
            assertFalse(request.isDone());
            assertEquals(14, log.endOffset());

            mayEnd.countDown();
            flusher.join();
            assertEquals(null, log.forceFailure());
            assertEquals(2, log.flushedOffset());
            log.doWork(NOW);
            assertEquals(7, request.result());
            assertEquals(7, log.endOffset());
            assertEquals(7, append(log, "after"));
            assertEquals(8, log.flush());
            assertEquals(List.of("5=v3", "6=v4", "7=after"), LogTest.values(log, 5));
            log.close();
        }
    }

    private static void awaitUninterruptibly(final CountDownLatch latch) {
        try {
            latch.await();
        } catch (final InterruptedException e) {
            throw new AssertionError(e);
        }
    }

    @ParameterizedTest
    @ValueSource(booleans = {false, true})
    void aFailedForcePoisonsTheLogUntilItIsOpenedAnew(final boolean mapped) {
        try (DiskStorage disk = new DiskStorage(root)) {
            final FailingStorage storage = new FailingStorage(disk).fail("force", ".log", 1);
            final Log log = open(storage, mapped);
            append(log, "a");
            assertThrows(StorageException.class, log::flush);
            assertNotNull(log.forceFailure());
            assertEquals(0, log.flushedOffset());
            // The second force would succeed, and prove nothing.
            assertThrows(StorageException.class, log::flush);
            assertThrows(StorageException.class, () -> append(log, "b"));
            assertEquals(null, log.beginForce());
            assertEquals(List.of("0=a"), LogTest.values(log, 0));
            log.close();
            assertFalse(storage.takeTrace().contains("truncate 00000000000000000000.log"));
            try (Log reopened = open(disk, mapped)) {
                assertEquals(1, append(reopened, "b"));
                assertEquals(2, reopened.flush());
            }
        }
    }

    @Test
    void flushMsCountsFromTheLastForceAndNotFromTheLastIdleMoment() {
        final LogConfig config = LogConfig.of(Map.of("flush.ms", "1000"));
        try (DiskStorage disk = new DiskStorage(root);
                Log log = new LogBuilder(disk, "t-0").config(config).open(NOW)) {
            append(log, "a");
            assertFalse(log.isFlushDue(NOW + 999));
            assertTrue(log.isFlushDue(NOW + 1000));
            // Appends go on, so that there is always something to force.
            final ForceTarget target = Objects.requireNonNull(log.beginForce());
            append(log, "b");
            target.run();
            assertFalse(log.isFlushDue(NOW + 1001));
            assertFalse(log.isFlushDue(NOW + 2000));
            assertTrue(log.isFlushDue(NOW + 2001));
        }
    }
}
