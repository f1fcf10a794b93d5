package io.cordwood.log;

import static io.cordwood.log.TestBatches.at;
import static io.cordwood.log.TestBatches.batch;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNotNull;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.cordwood.log.record.RecordBatchFlyweight;
import io.cordwood.log.record.Refusal;
import io.cordwood.log.store.DiskStorage;
import io.cordwood.log.store.Storage;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.atomic.AtomicLong;
import org.agrona.CloseHelper;
import org.agrona.concurrent.Agent;
import org.agrona.concurrent.AgentRunner;
import org.agrona.concurrent.UnsafeBuffer;
import org.agrona.concurrent.YieldingIdleStrategy;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** The door for many threads, and the thread that forces behind it. */
@Timeout(120)
final class LogAppenderTest {
    private static final long NOW = 1_700_000_000_000L;
    private static final int PRODUCERS = 6;
    private static final int RUNS = 150;
    private static final AppendAs CLIENT = AppendAs.client(0);
    private static final AppendAs FORCED = AppendAs.client(0).forced();

    @TempDir
    Path root;

    private static Log open(final Storage storage, final boolean mapped) {
        final LogBuilder builder =
                new LogBuilder(storage, "t-0").config(LogConfig.of(Map.of("segment.bytes", "65536")));
        return (mapped ? builder.mapped() : builder).open(NOW);
    }

    private static boolean offer(
            final LogAppender appender, final AppendTicket ticket, final UnsafeBuffer run, final AppendAs as) {
        return appender.offer(ticket, run, 0, run.capacity(), as);
    }

    /** Offers one run until the ring takes it, and waits for its outcome. */
    private static long await(
            final LogAppender appender, final AppendTicket ticket, final UnsafeBuffer run, final AppendAs as) {
        while (!offer(appender, ticket, run, as)) {
            assertEquals(Refusal.BACK_PRESSURE, ticket.outcome());
            Thread.onSpinWait();
        }
        while (ticket.outcome() == AppendTicket.PENDING) {
            Thread.onSpinWait();
        }
        return ticket.outcome();
    }

    private static AgentRunner start(final Agent agent, final ConcurrentLinkedQueue<Throwable> errors) {
        final AgentRunner runner = new AgentRunner(new YieldingIdleStrategy(), errors::add, null, agent);
        AgentRunner.startOnThread(runner);
        return runner;
    }

    @ParameterizedTest
    @ValueSource(booleans = {false, true})
    void eachOfManyProducersSeesItsOwnOutcomeAndForcesAreShared(final boolean mapped) throws InterruptedException {
        final ConcurrentLinkedQueue<Throwable> errors = new ConcurrentLinkedQueue<>();
        final ConcurrentLinkedQueue<String> acknowledged = new ConcurrentLinkedQueue<>();
        try (DiskStorage storage = new DiskStorage(root)) {
            final Log log = open(storage, mapped);
            final LogAppender appender = new LogAppender(log, () -> NOW, 4096);
            final FlushAgent flush = new FlushAgent(() -> NOW);
            flush.add(log);
            final List<Thread> producers = new ArrayList<>();
            final AgentRunner flushing = start(flush, errors);
            final AgentRunner appending = start(appender, errors);
            try {
                for (int producer = 0; producer < PRODUCERS; producer++) {
                    final int id = producer;
                    final AppendTicket ticket = appender.newTicket();
                    final Thread thread = new Thread(() -> produce(log, appender, ticket, id, acknowledged));
                    thread.setUncaughtExceptionHandler((self, failure) -> errors.add(failure));
                    producers.add(thread);
                }
                producers.forEach(Thread::start);
                for (final Thread producer : producers) {
                    producer.join();
                }
            } finally {
                CloseHelper.closeAll(appending, flushing);
            }
            assertEquals(List.of(), List.copyOf(errors));
            assertEquals(PRODUCERS * RUNS, log.endOffset());
            final List<String> expected = LogTest.values(log, 0);
            assertEquals(new HashSet<>(expected), new HashSet<>(acknowledged));
            assertEquals(PRODUCERS * RUNS, acknowledged.size());
            log.close();
        }
    }

    /** Even runs are forced: their record is durable when the outcome shows. */
    private static void produce(
            final Log log,
            final LogAppender appender,
            final AppendTicket ticket,
            final int id,
            final ConcurrentLinkedQueue<String> acknowledged) {
        for (int i = 0; i < RUNS; i++) {
            final String value = id + "." + i;
            final boolean isForced = i % 2 == 0;
            final long offset = await(appender, ticket, batch(NOW, value), isForced ? FORCED : CLIENT);
            assertTrue(offset >= 0, value + ": " + offset);
            assertTrue(offset < (isForced ? log.flushedOffset() : log.endOffset()), value + " at " + offset);
            acknowledged.add(offset + "=" + value);
        }
    }

    @Test
    void oneForceAcknowledgesAllThatCameBeforeItAndNothingElseDoes() {
        try (DiskStorage storage = new DiskStorage(root)) {
            final Log log = open(storage, false);
            final LogAppender appender = new LogAppender(log, () -> NOW, 4096);
            final FlushAgent flush = new FlushAgent(() -> NOW);
            flush.add(log);
            final List<AppendTicket> tickets = new ArrayList<>();
            for (int i = 0; i < 20; i++) {
                tickets.add(appender.newTicket());
                assertTrue(offer(appender, tickets.get(i), batch(NOW, "v" + i), FORCED));
            }
            final AppendTicket unforced = appender.newTicket();
            offer(appender, unforced, batch(NOW, "u"), CLIENT);
            appender.doWork();
            assertEquals(20, unforced.outcome());
            for (int i = 0; i < 3; i++) {
                appender.doWork();
                tickets.forEach(ticket -> assertEquals(AppendTicket.PENDING, ticket.outcome()));
            }
            assertEquals(1, flush.doWork());
            assertEquals(0, flush.doWork());
            assertEquals(1, log.forceCount());
            appender.doWork();
            for (int i = 0; i < 20; i++) {
                assertEquals(i, tickets.get(i).outcome());
            }
            flush.remove(log);
            log.close();
        }
    }

    @Test
    void afterAFailedForceNobodyIsAcknowledged() {
        try (DiskStorage disk = new DiskStorage(root)) {
            final FailingStorage storage = new FailingStorage(disk).fail("force", ".log", 2);
            final Log log = open(storage, false);
            final LogAppender appender = new LogAppender(log, () -> NOW, 4096);
            final FlushAgent flush = new FlushAgent(() -> NOW);
            flush.add(log);
            final AppendTicket first = appender.newTicket();
            final AppendTicket second = appender.newTicket();
            final AppendTicket third = appender.newTicket();
            offer(appender, first, batch(NOW, "a"), FORCED);
            appender.doWork();
            flush.doWork();
            appender.doWork();
            assertEquals(0, first.outcome());
            offer(appender, first, batch(NOW, "b"), FORCED);
            offer(appender, second, batch(NOW, "c"), FORCED);
            appender.doWork();
            flush.doWork();
            offer(appender, third, batch(NOW, "d"), CLIENT);
            appender.doWork();
            appender.doWork();
            for (final AppendTicket ticket : List.of(first, second, third)) {
                assertEquals(AppendTicket.FAILED, ticket.outcome());
                assertTrue(Objects.requireNonNull(ticket.failure()).toString().contains("made up by a test"));
            }
            offer(appender, third, batch(NOW, "e"), CLIENT);
            final LogRequest request = log.request(LogRequest.truncateTo(1));
            appender.doWork();
            flush.doWork();
            appender.doWork();
            assertEquals(AppendTicket.FAILED, third.outcome());
            assertTrue(request.isDone());
            assertThrows(IllegalStateException.class, request::result);
            assertEquals(1, log.flushedOffset());
            log.close();
        }
    }

    @Test
    void aFullRingPushesBackAndARunThatIsTooLargeIsRefused() {
        try (DiskStorage storage = new DiskStorage(root);
                Log log = open(storage, false)) {
            final LogAppender appender = new LogAppender(log, () -> NOW, 1024);
            final UnsafeBuffer run = batch(NOW, "v".repeat(900));
            final List<AppendTicket> taken = new ArrayList<>();
            AppendTicket ticket = appender.newTicket();
            while (offer(appender, ticket, run, CLIENT)) {
                taken.add(ticket);
                ticket = appender.newTicket();
            }
            assertTrue(taken.size() >= 8, "runs in the ring: " + taken.size());
            assertEquals(Refusal.BACK_PRESSURE, ticket.outcome());
            appender.doWork();
            for (int i = 0; i < taken.size(); i++) {
                assertEquals(i, taken.get(i).outcome());
            }
            assertTrue(offer(appender, ticket, run, CLIENT));
            // At the ring's end a cycle ends as well.
            appender.doWork();
            appender.doWork();
            assertEquals(taken.size(), ticket.outcome());

            assertFalse(offer(appender, ticket, batch(NOW, "v".repeat(9_000)), CLIENT));
            assertEquals(Refusal.BATCH_TOO_LARGE, ticket.outcome());
            final AppendTicket wrong = ticket;
            assertThrows(IndexOutOfBoundsException.class, () -> appender.offer(wrong, run, 5, run.capacity(), CLIENT));
            assertThrows(IndexOutOfBoundsException.class, () -> appender.offer(wrong, run, 0, -4, CLIENT));
            assertTrue(offer(appender, ticket, run, CLIENT), "the ring is blocked by an offer that failed");
            assertThrows(IllegalStateException.class, () -> offer(appender, wrong, run, CLIENT));
            appender.doWork();
            appender.doWork();
            assertEquals(taken.size() + 1, ticket.outcome());
        }
    }

    @Test
    void aRefusedRunTellsItsOwnerAloneAndNamesTheReason() {
        try (DiskStorage storage = new DiskStorage(root);
                Log log = open(storage, false)) {
            final LogAppender appender = new LogAppender(log, () -> NOW, 4096);
            final AppendTicket good = appender.newTicket();
            final AppendTicket bad = appender.newTicket();
            final AppendTicket old = appender.newTicket();
            final UnsafeBuffer torn = batch(NOW, "torn");
            torn.putByte(torn.capacity() - 2, (byte) 99);
            offer(appender, bad, torn, CLIENT);
            offer(appender, good, batch(NOW, "good"), AppendAs.client(3));
            offer(appender, old, batch(NOW, "old"), AppendAs.client(2));
            appender.doWork();
            assertEquals(Refusal.CORRUPT_BATCH, bad.outcome());
            assertEquals("corrupt batch", Refusal.name(bad.outcome()));
            assertEquals(0, good.outcome());
            assertEquals(Refusal.FENCED_LEADER_EPOCH, old.outcome());
            assertTrue(log.refusalReason().contains("epoch"), log.refusalReason());
            assertEquals(List.of("0=good"), LogTest.values(log, 0));
        }
    }

    @Test
    void whoWaitsForAForceOfWhatIsTakenBackIsNotAcknowledgedByWhatFollows() {
        try (DiskStorage storage = new DiskStorage(root)) {
            final Log log = open(storage, false);
            final LogAppender appender = new LogAppender(log, () -> NOW, 4096);
            final FlushAgent flush = new FlushAgent(() -> NOW);
            flush.add(log);
            final AppendTicket kept = appender.newTicket();
            final AppendTicket takenBack = appender.newTicket();
            final AppendTicket next = appender.newTicket();
            offer(appender, kept, batch(NOW, "a"), FORCED);
            offer(appender, takenBack, batch(NOW, "b"), FORCED);
            final LogRequest request = log.request(LogRequest.truncateTo(1));
            appender.doWork();
            assertEquals(1, request.result());
            offer(appender, next, batch(NOW, "c"), FORCED);
            appender.doWork();
            flush.doWork();
            appender.doWork();
            assertEquals(0, kept.outcome());
            assertEquals(AppendTicket.FAILED, takenBack.outcome());
            assertNotNull(takenBack.failure());
            assertEquals(1, next.outcome());
            assertFalse(log.isFlushDue(NOW));
            log.close();
        }
    }

    /** A state that knows every batch already. */
    private static final class Duplicates implements DerivedState {
        private boolean isKnown;

        @Override
        public long check(final RecordBatchFlyweight batch, final Origin origin, final long guard) {
            return isKnown ? 0 : Refusal.ACCEPTED;
        }

        @Override
        public void apply(final RecordBatchFlyweight batch, final long segmentBase) {
            isKnown = true;
        }

        @Override
        public void snapshot(final long offset) {}

        @Override
        public void force(final long offset) {}

        @Override
        public void retain(final long logStartOffset, final long[] bases) {}

        @Override
        public long restore(final long logStartOffset, final long[] bases, final long upTo) {
            return upTo;
        }

        @Override
        public void close() {}
    }

    @Test
    void aForcedDuplicateIsForcedBeforeItIsAcknowledged() {
        try (DiskStorage storage = new DiskStorage(root);
                Log log = new LogBuilder(storage, "t-0").state(new Duplicates()).open(NOW)) {
            final LogAppender appender = new LogAppender(log, () -> NOW, 4096);
            final FlushAgent flush = new FlushAgent(() -> NOW);
            flush.add(log);
            final AppendTicket ticket = appender.newTicket();
            offer(appender, ticket, batch(NOW, "a"), CLIENT);
            appender.doWork();
            assertEquals(0, flush.doWork());
            offer(appender, ticket, batch(NOW, "a"), FORCED);
            appender.doWork();
            assertEquals(AppendTicket.PENDING, ticket.outcome());
            assertEquals(1, flush.doWork());
            appender.doWork();
            assertEquals(0, ticket.outcome());
            assertEquals(1, log.endOffset());
        }
    }

    /** Other threads ask for changes while forces are under way all the time. */
    @Test
    void requestsFromOtherThreadsComeBetweenTheForces() {
        final ConcurrentLinkedQueue<Throwable> errors = new ConcurrentLinkedQueue<>();
        final AtomicLong time = new AtomicLong(NOW);
        try (DiskStorage storage = new DiskStorage(root)) {
            final Log log = open(storage, false);
            final LogAppender appender = new LogAppender(log, time::get, 4096);
            final FlushAgent flush = new FlushAgent(time::get);
            flush.add(log);
            final Set<Long> ends = new HashSet<>();
            final AgentRunner flushing = start(flush, errors);
            final AgentRunner appending = start(appender, errors);
            try {
                final AppendTicket ticket = appender.newTicket();
                for (int i = 0; i < 50; i++) {
                    final long first = await(appender, ticket, batch(NOW, "a"), FORCED);
                    final long second = await(appender, ticket, batch(NOW, "b"), CLIENT);
                    assertEquals(first + 1, second);
                    ends.add(result(log.request(LogRequest.truncateTo(second))));
                    assertEquals(second, result(log.request(LogRequest.roll())));
                    assertEquals(first, result(log.request(LogRequest.deletePrefix(first, second))));
                }
            } finally {
                CloseHelper.closeAll(appending, flushing);
            }
            assertEquals(50, ends.size());
            assertEquals(List.of(), List.copyOf(errors));
            assertEquals(50, log.endOffset());
            assertEquals(List.of("49=a"), LogTest.values(log, 49));
            log.close();
        }
    }

    private static long result(final LogRequest request) {
        while (!request.isDone()) {
            Thread.onSpinWait();
        }
        return request.result();
    }

    /** Its number is a place here as well: somebody else's outcome would go to it, or none at all. */
    @Test
    void aTicketOfAnotherAppenderIsRefused() {
        try (DiskStorage storage = new DiskStorage(root);
                Log log = open(storage, false)) {
            final LogAppender appender = new LogAppender(log, () -> NOW, 4096);
            final LogAppender other = new LogAppender(log, () -> NOW, 4096);
            final AppendTicket own = appender.newTicket();
            final AppendTicket foreign = other.newTicket();
            final AppendTicket beyond = other.newTicket();
            assertThrows(IllegalArgumentException.class, () -> offer(appender, foreign, batch(NOW, "a"), CLIENT));
            assertThrows(IllegalArgumentException.class, () -> offer(appender, beyond, batch(NOW, "a"), CLIENT));
            assertTrue(offer(appender, own, batch(NOW, "b"), CLIENT));
            appender.doWork();
            assertEquals(0, own.outcome());
            assertEquals(AppendTicket.FAILED, foreign.outcome(), "as before any run was offered");
            assertEquals(1, log.endOffset());
        }
    }

    @Test
    void aReplicaAppendsThroughTheDoorAsWell() {
        try (DiskStorage storage = new DiskStorage(root);
                Log log = open(storage, false)) {
            final LogAppender appender = new LogAppender(log, () -> NOW, 4096);
            final AppendTicket ticket = appender.newTicket();
            assertEquals(AppendTicket.FAILED, ticket.outcome());
            offer(appender, ticket, at(7, 2, batch(NOW, "a")), AppendAs.replica());
            appender.doWork();
            assertEquals(7, ticket.outcome());
        }
    }
}
