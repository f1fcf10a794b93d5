package io.cordwood.log;

import static io.cordwood.log.DirectoryLogs.NOW;
import static io.cordwood.log.DirectoryLogs.append;
import static io.cordwood.log.DirectoryLogs.isMarked;
import static io.cordwood.log.DirectoryLogs.owned;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertInstanceOf;
import static org.junit.jupiter.api.Assertions.assertNotNull;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.cordwood.log.record.RecordBatchFlyweight;
import io.cordwood.log.record.Refusal;
import io.cordwood.log.store.DiskStorage;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CyclicBarrier;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** Opening many partitions: by several threads, interrupted, repeated, and with one that fails. B13. */
@Timeout(value = 60, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
final class LogLoadingTest {
    private static final LogConfig SMALL = LogConfig.of(Map.of("segment.bytes", "14000"));
    private static final LogSetup SETUP = (partition, builder) -> {
        builder.config(SMALL);
        return true;
    };

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

    private static PartitionName name(final int partition) {
        return new PartitionName("t", partition);
    }

    /** Partitions of eleven segments, ten of them full and none forced. */
    private void fillAndCrash(final int partitions) {
        try (LogDirectory directory = owned(storage)) {
            for (int i = 0; i < partitions; i++) {
                assertTrue(directory.create(name(i), null));
                final PartitionCells opened = directory.open(name(i), SETUP, NOW);
                assertNotNull(opened);
                while (opened.log().segmentCount() < 11) {
                    append(opened.log(), 10);
                }
                opened.log().closeUncleanly();
            }
        }
        assertFalse(isMarked(storage));
    }

    @Test
    void eightLogsAreOpenedByFourThreads() throws Exception {
        fillAndCrash(8);
        try (LogDirectory directory = owned(storage)) {
            final Set<String> threads = ConcurrentHashMap.newKeySet();
            final CyclicBarrier together = new CyclicBarrier(4);
            final LogLoading loading = directory.load((partition, builder) -> {
                builder.config(SMALL);
                if (threads.add(Thread.currentThread().getName())) {
                    await(together);
                }
                return true;
            });
            assertEquals(8, loading.partitionsLeft());
            assertThrows(IllegalStateException.class, () -> directory.load(SETUP));
            final List<Thread> running = new ArrayList<>();
            for (int i = 0; i < 4; i++) {
                final LoadAgent agent = new LoadAgent(List.of(loading), () -> NOW);
                final Thread thread = new Thread(
                        () -> {
                            while (agent.doWork() > 0) {
                                Thread.onSpinWait();
                            }
                        },
                        agent.roleName() + i);
                running.add(thread);
                thread.start();
            }
            for (final Thread thread : running) {
                thread.join();
            }
            assertEquals(4, threads.size(), threads.toString());
            assertTrue(loading.isDone());
            assertEquals(8, loading.partitionsDone());
            assertEquals(0, loading.partitionsLeft());
            for (final LoadUnit unit : loading.units()) {
                assertEquals(LoadUnit.State.OPEN, unit.state(), () -> String.valueOf(unit.failure()));
                assertEquals(11, unit.progress().segmentsDone());
                assertEquals(0, unit.progress().segmentsLeft());
            }
            assertEquals(8, directory.partitions().size());
        }
        assertTrue(isMarked(storage));
    }

    private static void await(final CyclicBarrier barrier) {
        try {
            barrier.await();
        } catch (final Exception e) {
            throw new IllegalStateException(e);
        }
    }

    @Test
    void anInterruptedLoadingEndsBetweenSegmentsAndAnotherOneFinishes() {
        fillAndCrash(3);
        long end = 0;
        try (LogDirectory directory = owned(storage)) {
            final LogLoading[] loading = new LogLoading[1];
            loading[0] = directory.load((partition, builder) -> {
                builder.config(SMALL).state(new Watcher(() -> {
                    if (partition.name().equals(name(1))
                            && loading[0].units().get(1).progress().segmentsDone() == 4) {
                        loading[0].interrupt();
                    }
                }));
                return true;
            });
            final LoadAgent agent = new LoadAgent(List.of(loading[0]), () -> NOW);
            assertEquals(1, agent.doWork());
            assertEquals(1, agent.doWork());
            assertEquals(0, agent.doWork(), "nothing more is handed out");
            assertTrue(loading[0].isDone());
            assertEquals(1, loading[0].partitionsLeft());
            final LoadUnit interrupted = loading[0].units().get(1);
            assertEquals(LoadUnit.State.INTERRUPTED, interrupted.state());
            assertInstanceOf(RecoveryInterruptedException.class, interrupted.failure());
            assertEquals(5, interrupted.progress().segmentsDone());
            assertEquals(6, interrupted.progress().segmentsLeft());
            assertEquals(LoadUnit.State.WAITING, loading[0].units().get(2).state());
            assertNull(loading[0].units().get(2).failure());
            assertThrows(
                    IllegalStateException.class, () -> interrupted.partition().log());

            end = directory.partitions().get(0).log().endOffset();
            final LogLoading second = directory.load(SETUP);
            assertEquals(2, second.units().size());
            final LoadAgent again = new LoadAgent(List.of(second), () -> NOW);
            assertEquals(2, again.doWork() + again.doWork() + again.doWork());
            for (final PartitionCells partition : directory.partitions()) {
                assertEquals(end, partition.log().endOffset());
                assertEquals(11, partition.log().segmentCount());
            }
        }
        assertTrue(isMarked(storage));
        for (int i = 0; i < 3; i++) {
            DirectoryLogs.assertSound(storage, name(i));
        }
    }

    @Test
    void aClosedDirectoryWithAHalfLoadedPartitionIsNoCleanOne() {
        fillAndCrash(1);
        try (LogDirectory directory = owned(storage)) {
            final LogLoading[] loading = new LogLoading[1];
            loading[0] = directory.load((partition, builder) -> {
                loading[0].interrupt();
                return true;
            });
            assertEquals(1, new LoadAgent(List.of(loading[0]), () -> NOW).doWork());
            assertEquals(LoadUnit.State.INTERRUPTED, loading[0].units().get(0).state());
        }
        assertFalse(isMarked(storage));
    }

    @Test
    void onePartitionThatCannotBeOpenedDoesNotHoldUpTheOthers() throws Exception {
        fillAndCrash(3);
        try (LogDirectory directory = owned(storage)) {
            final LogLoading loading = directory.load((partition, builder) -> {
                builder.config(SMALL);
                if (partition.name().equals(name(1))) {
                    throw new CorruptLogException("f", 0, "the test says so");
                }
                return !partition.name().equals(name(2));
            });
            final LoadAgent agent = new LoadAgent(List.of(loading), () -> NOW);
            assertEquals(3, agent.doWork() + agent.doWork() + agent.doWork());
            assertEquals(LoadUnit.State.OPEN, loading.units().get(0).state());
            assertEquals(LoadUnit.State.FAILED, loading.units().get(1).state());
            assertInstanceOf(CorruptLogException.class, loading.units().get(1).failure());
            assertEquals(LoadUnit.State.LEFT_ALONE, loading.units().get(2).state());
            assertThrows(
                    IllegalStateException.class, () -> loading.units().get(0).run(NOW));
            assertEquals(1, directory.partitions().size());
            assertNull(directory.failure(), "the disk is well");
        }
        assertFalse(isMarked(storage));
        assertTrue(Files.exists(root.resolve("t-1")));
    }

    @Test
    void aPartitionThatCouldNotBeOpenedTakesTheMarkerAway() {
        DirectoryLogs.fill(storage, 5, name(0), name(1));
        try (LogDirectory directory = owned(storage)) {
            assertTrue(directory.wasClean());
            final LogLoading loading = directory.load((partition, builder) -> {
                if (partition.name().equals(name(1))) {
                    throw new CorruptLogException("f", 0, "the test says so");
                }
                return true;
            });
            final LoadAgent agent = new LoadAgent(List.of(loading), () -> NOW);
            assertEquals(2, agent.doWork() + agent.doWork());
        }
        assertFalse(isMarked(storage));
    }

    @Test
    void aClosedDirectoryInterruptsItsLoading() {
        fillAndCrash(2);
        final LogLoading loading;
        try (LogDirectory directory = owned(storage)) {
            loading = directory.load(SETUP);
            final LoadUnit first = loading.next();
            assertNotNull(first);
            first.run(NOW);
        }
        assertNull(loading.next());
        assertTrue(loading.units().get(0).partition().log().isClosedCleanly());
    }

    /** Sees every batch that is read again. */
    private record Watcher(Runnable whenApplied) implements DerivedState {
        @Override
        public long check(final RecordBatchFlyweight batch, final Origin origin, final long guard) {
            return Refusal.ACCEPTED;
        }

        @Override
        public void apply(final RecordBatchFlyweight batch, final long segmentBase) {
            whenApplied.run();
        }

        @Override
        public void snapshot(final long offset) {}

        @Override
        public void force(final long offset) {}

        @Override
        public void retain(final long logStartOffset, final long[] bases) {}

        @Override
        public long restore(final long logStartOffset, final long[] bases, final long upTo) {
            return bases[0];
        }

        @Override
        public void close() {}
    }

    @Test
    void aUnitThatWasTakenAndNeverRunIsWithdrawn() {
        try (DiskStorage storage = new DiskStorage(root)) {
            DirectoryLogs.fill(storage, 5, DirectoryLogs.A, DirectoryLogs.B);
            final LogDirectory directory = DirectoryLogs.owned(storage);
            final LogLoading loading = directory.load(DirectoryLogs.PLAIN);
            final LoadUnit taken = loading.next();
            loading.interrupt();
            assertTrue(loading.isDone());
            directory.close();
            assertNotNull(taken);
            taken.run(DirectoryLogs.NOW);
            assertEquals(LoadUnit.State.WAITING, taken.state());
        }
    }

    @Test
    void anErrorIsAFailureWithAReason() {
        try (DiskStorage storage = new DiskStorage(root)) {
            DirectoryLogs.fill(storage, 5, DirectoryLogs.A);
            try (LogDirectory directory = DirectoryLogs.owned(storage)) {
                final LogLoading loading = directory.load((partition, builder) -> {
                    throw new StackOverflowError("the test says so");
                });
                final LoadUnit unit = loading.next();
                assertNotNull(unit);
                assertThrows(StackOverflowError.class, () -> unit.run(DirectoryLogs.NOW));
                assertEquals(LoadUnit.State.FAILED, unit.state());
                assertInstanceOf(StackOverflowError.class, assertNotNullCause(unit));
            }
        }
    }

    private static Throwable assertNotNullCause(final LoadUnit unit) {
        final RuntimeException failure = unit.failure();
        assertNotNull(failure);
        final Throwable cause = failure.getCause();
        assertNotNull(cause);
        return cause;
    }
}
