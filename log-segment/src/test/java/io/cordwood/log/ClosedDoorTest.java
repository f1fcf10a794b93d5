package io.cordwood.log;

import static io.cordwood.log.TestBatches.batch;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.cordwood.log.record.Refusal;
import io.cordwood.log.store.DiskStorage;
import java.nio.file.Path;
import java.util.Objects;
import java.util.concurrent.CountDownLatch;
import org.agrona.concurrent.UnsafeBuffer;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Nobody waits at a door that is closed, or that could not be opened. */
@Timeout(60)
final class ClosedDoorTest {
    private static final long NOW = 1_700_000_000_000L;
    private static final AppendAs CLIENT = AppendAs.client(0);

    @TempDir
    Path root;

    private DiskStorage storage;
    private Log log;

    @BeforeEach
    void open() {
        storage = new DiskStorage(root);
        log = new LogBuilder(storage, "t-0").open(NOW);
    }

    @AfterEach
    void close() {
        log.close();
        storage.close();
    }

    /** A run at whose bytes something happens, when they are copied into the ring. */
    private static final class Hooked extends UnsafeBuffer {
        private final Runnable hook;

        Hooked(final UnsafeBuffer run, final Runnable hook) {
            super(run);
            this.hook = hook;
        }

        @Override
        public long addressOffset() {
            if (hook != null) {
                hook.run();
            }
            return super.addressOffset();
        }
    }

    private static boolean offer(final LogAppender door, final AppendTicket ticket, final UnsafeBuffer run) {
        return door.offer(ticket, run, 0, run.capacity(), CLIENT);
    }

    @Test
    void whoOffersBehindTheCloseIsTold() {
        final LogAppender door = new LogAppender(log, () -> NOW, 1000);
        final AppendTicket ticket = door.newTicket();
        door.onClose();
        assertFalse(offer(door, ticket, batch(NOW, "a")));
        assertEquals(AppendTicket.FAILED, ticket.outcome());
        assertTrue(Objects.requireNonNull(ticket.failure()).toString().contains("closed"));
    }

    @Test
    void aRunThatIsStillBeingFilledHidesNobodyFromTheClose() {
        final LogAppender door = new LogAppender(log, () -> NOW, 1000);
        final AppendTicket slow = door.newTicket();
        final AppendTicket behind = door.newTicket();
        offer(door, slow, new Hooked(batch(NOW, "a"), () -> {
            assertTrue(offer(door, behind, batch(NOW, "b")));
            door.onClose();
        }));
        assertEquals(AppendTicket.FAILED, behind.outcome());
        assertEquals(AppendTicket.FAILED, slow.outcome());
        door.doWork();
        assertEquals(0, log.endOffset());
    }

    @Test
    void aRunWhoseBytesCannotBeReadBlocksNobody() {
        final LogAppender door = new LogAppender(log, () -> NOW, 1000);
        final AppendTicket ticket = door.newTicket();
        final UnsafeBuffer unreadable = new Hooked(batch(NOW, "a"), () -> {
            throw new InternalError("made up by a test");
        });
        assertThrows(InternalError.class, () -> offer(door, ticket, unreadable));
        assertTrue(offer(door, ticket, batch(NOW, "b")));
        door.doWork();
        assertEquals(0, ticket.outcome());
    }

    /** Each producer offers until it is told of the close, which comes at some time in between. */
    @Test
    void whoOffersWhileTheDoorClosesIsTold() throws InterruptedException {
        final UnsafeBuffer run = batch(NOW, "a");
        for (int round = 0; round < 300; round++) {
            final LogAppender door = new LogAppender(log, () -> NOW, 1000);
            final CountDownLatch started = new CountDownLatch(2);
            final Thread[] producers = new Thread[2];
            for (int i = 0; i < producers.length; i++) {
                final AppendTicket ticket = door.newTicket();
                producers[i] = new Thread(() -> {
                    started.countDown();
                    do {
                        offer(door, ticket, run);
                        while (ticket.outcome() == AppendTicket.PENDING) {
                            Thread.onSpinWait();
                        }
                    } while (ticket.outcome() != AppendTicket.FAILED);
                });
                producers[i].setDaemon(true);
                producers[i].start();
            }
            started.await();
            door.doWork();
            door.doWork();
            door.onClose();
            for (final Thread producer : producers) {
                producer.join(10_000);
                assertFalse(producer.isAlive(), "waits for ever, round " + round);
            }
        }
    }

    @ParameterizedTest
    @ValueSource(
            ints = {Integer.MIN_VALUE, 0, LogAppender.RUN_BYTES_LIMIT + 1, 200 << 20, 300 << 20, Integer.MAX_VALUE})
    void aDoorForRunsBeyondTheLimitIsRefusedByName(final int runBytesMax) {
        final String message = assertThrows(
                        IllegalArgumentException.class, () -> new LogAppender(log, () -> NOW, runBytesMax))
                .toString();
        assertTrue(message.contains(String.valueOf(LogAppender.RUN_BYTES_LIMIT)), message);
    }

    @Test
    void aRunOfAllBytesThatAnIntCountsIsTooLarge() {
        final LogAppender door = new LogAppender(log, () -> NOW, 1000);
        final AppendTicket ticket = door.newTicket();
        // Never looked at.
        final UnsafeBuffer largest = new UnsafeBuffer(4096L, Integer.MAX_VALUE);
        assertFalse(offer(door, ticket, largest));
        assertEquals(Refusal.BATCH_TOO_LARGE, ticket.outcome());
    }
}
