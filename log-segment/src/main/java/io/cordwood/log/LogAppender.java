package io.cordwood.log;

import io.cordwood.log.record.Refusal;
import java.util.ArrayDeque;
import java.util.Arrays;
import java.util.Objects;
import org.agrona.BitUtil;
import org.agrona.BufferUtil;
import org.agrona.DirectBuffer;
import org.agrona.MutableDirectBuffer;
import org.agrona.concurrent.Agent;
import org.agrona.concurrent.EpochClock;
import org.agrona.concurrent.MessageHandler;
import org.agrona.concurrent.UnsafeBuffer;
import org.agrona.concurrent.ringbuffer.ManyToOneRingBuffer;
import org.agrona.concurrent.ringbuffer.RingBufferDescriptor;
import org.jspecify.annotations.Nullable;

/**
 * The door of a log for many threads: runs go through a ring buffer to the one thread that appends. What arrives in one cycle
 * is gathered and published with one write; a forced append is acknowledged when a force has covered it, and one force
 * acknowledges every append before it.
 *
 * <p>An edge: its thread is the log's writer, and calls {@link Log#doWork} too. Run it under an {@code AgentRunner}, or step
 * it. Forced appends need a {@link FlushAgent} that serves the log.
 */
public final class LogAppender implements Agent {
    /** Largest run that a door may be made for: Agrona's ring has 1 GiB at most, and takes an eighth of that at once. */
    public static final int RUN_BYTES_LIMIT = (1 << 27) - 64;

    private static final int MESSAGES_MAX = 256;
    private static final int RUN = 1;

    private final Log log;
    private final EpochClock clock;
    private final ManyToOneRingBuffer ring;
    private final MessageHandler onRun = this::onRun;
    private final ArrayDeque<AppendTicket> published = new ArrayDeque<>();
    private final ArrayDeque<AppendTicket> forced = new ArrayDeque<>();
    private volatile AppendTicket[] tickets = {};
    private long nowMs;
    private @Nullable RuntimeException failure;

    /** What {@link #onClose} tells; set before it looks for tickets that are pending, as producers look here after theirs is. */
    private volatile @Nullable RuntimeException closed;

    /**
     * Creates the door.
     *
     * @param log of which this is going to be the writer.
     * @param clock for append times and the log's duty cycle.
     * @param runBytesMax largest run that may be offered, up to {@link #RUN_BYTES_LIMIT}; the ring has room for eight of them
     *     at least.
     * @throws IllegalArgumentException if that is no size of a run, or one above the limit.
     */
    public LogAppender(final Log log, final EpochClock clock, final int runBytesMax) {
        this.log = Objects.requireNonNull(log, "log");
        this.clock = Objects.requireNonNull(clock, "clock");
        if (runBytesMax <= 0 || runBytesMax > RUN_BYTES_LIMIT) {
            throw new IllegalArgumentException(
                    "runs of up to " + runBytesMax + " bytes; possible are 1 to " + RUN_BYTES_LIMIT);
        }
        final int capacity =
                BitUtil.findNextPositivePowerOfTwo(8 * BitUtil.align(Math.max(runBytesMax, 1024) + 64, 64));
        this.ring = new ManyToOneRingBuffer(
                new UnsafeBuffer(BufferUtil.allocateDirectAligned(capacity + RingBufferDescriptor.TRAILER_LENGTH, 64)));
    }

    /**
     * Makes a ticket for a producer thread. Not on a hot path; one thread at a time.
     *
     * @return the ticket.
     */
    public AppendTicket newTicket() {
        final AppendTicket[] old = tickets;
        final AppendTicket ticket = new AppendTicket(old.length);
        final AppendTicket[] next = Arrays.copyOf(old, old.length + 1);
        next[old.length] = ticket;
        tickets = next;
        return ticket;
    }

    /**
     * Offers a run of whole batches. Any thread, with a ticket of its own whose last run is not pending any more. Once the door
     * is closed, nobody waits: a run that is offered then, or was while it was being closed, has failed.
     *
     * @param ticket of this appender, that will tell the outcome.
     * @param buffer that holds the batches; copied.
     * @param index of the first batch.
     * @param length of the run in bytes.
     * @param as on whose behalf, and on what terms.
     * @return false if the run was not taken. The ticket tells why: the ring is full (try again), the run is larger than the
     *     ring takes, or the door is closed ({@link AppendTicket#FAILED}).
     * @throws IllegalArgumentException if the ticket is another appender's.
     * @throws IllegalStateException if the ticket's last run is still pending.
     * @throws IndexOutOfBoundsException if the buffer does not hold the run.
     */
    public boolean offer(
            final AppendTicket ticket,
            final DirectBuffer buffer,
            final int index,
            final int length,
            final AppendAs as) {
        final AppendTicket[] own = tickets;
        if (ticket.number() >= own.length || own[ticket.number()] != ticket) {
            throw new IllegalArgumentException("the ticket is another appender's");
        }
        if (ticket.outcome() == AppendTicket.PENDING) {
            throw new IllegalStateException("the ticket's last run is still pending");
        }
        // Before anything is claimed: a claim that is not filled would block the ring.
        buffer.boundsCheck(index, length);
        if (length > ring.maxMsgLength() - Integer.BYTES) {
            ticket.refused(Refusal.BATCH_TOO_LARGE);
            return false;
        }
        final RuntimeException before = closed;
        if (before != null) {
            ticket.failed(before);
            return false;
        }
        ticket.offered(as);
        final int claim = ring.tryClaim(RUN, length + Integer.BYTES);
        if (claim < 0) {
            ticket.withdrawn();
            return false;
        }
        fill(claim, ticket, buffer, index, length);
        // Closed in between: whoever closed looked at the ticket before it was pending, perhaps.
        final RuntimeException since = closed;
        if (since != null) {
            ticket.failedIfPending(since);
        }
        return true;
    }

    private void fill(
            final int claim, final AppendTicket ticket, final DirectBuffer buffer, final int index, final int length) {
        boolean isFilled = false;
        try {
            ring.buffer().putInt(claim, ticket.number());
            ring.buffer().putBytes(claim + Integer.BYTES, buffer, index, length);
            isFilled = true;
        } finally {
            if (isFilled) {
                ring.commit(claim);
            } else {
                // A claim that is left open would block the ring, and a ticket that stays pending its producer.
                ring.abort(claim);
                ticket.withdrawn();
            }
        }
    }

    @Override
    public int doWork() {
        nowMs = clock.time();
        int done = ring.read(onRun, MESSAGES_MAX);
        if (!published.isEmpty()) {
            publish();
        }
        failTakenBack();
        done += acknowledgeForced();
        try {
            done += log.doWork(nowMs);
        } finally {
            // A truncation may have been requested, and the log's other work have failed.
            failTakenBack();
        }
        return done;
    }

    /** Who waits for a force of what a truncation has taken back must not be acknowledged by what comes in its place. */
    private void failTakenBack() {
        final long cut = log.takeLowestCut();
        if (cut == Long.MAX_VALUE) {
            return;
        }
        forced.removeIf(ticket -> {
            final boolean isTakenBack = ticket.awaitedEnd() > cut;
            if (isTakenBack) {
                ticket.failed(new IllegalStateException("the append was taken back by a truncation to " + cut));
            }
            return isTakenBack;
        });
    }

    /** Tells everybody who still waits: nothing is going to be appended or acknowledged any more. */
    @Override
    public void onClose() {
        if (failure == null) {
            failure = new IllegalStateException("the appender is closed");
        }
        closed = failure;
        fail(failure);
        // All of them, and not what the ring shows: a run that is still being filled hides those behind it.
        for (final AppendTicket ticket : tickets) {
            ticket.failedIfPending(failure);
        }
    }

    private void onRun(final int type, final MutableDirectBuffer buffer, final int index, final int length) {
        final AppendTicket ticket = tickets[buffer.getInt(index)];
        if (failure != null) {
            ticket.failed(failure);
            return;
        }
        try {
            final long offset = log.gather(buffer, index + Integer.BYTES, length - Integer.BYTES, ticket.as(), nowMs);
            if (offset < 0) {
                ticket.refused(offset);
            } else {
                ticket.appended(offset, log.lastAppend().lastOffset() + 1);
                published.add(ticket);
            }
        } catch (final RuntimeException e) {
            ticket.failed(e);
        } catch (final Error e) {
            ticket.failed(told(e));
            throw e;
        }
    }

    /** An error for those who wait; it goes on to whoever runs the agent as well. */
    private static RuntimeException told(final Error error) {
        return new IllegalStateException("the appender met an error: " + error, error);
    }

    private void publish() {
        try {
            log.publish();
        } catch (final RuntimeException e) {
            fail(e);
            return;
        } catch (final Error e) {
            fail(told(e));
            throw e;
        }
        for (AppendTicket ticket = published.poll(); ticket != null; ticket = published.poll()) {
            if (ticket.as().durability() == Durability.FORCED) {
                forced.add(ticket);
            } else {
                ticket.acknowledged();
            }
        }
    }

    private int acknowledgeForced() {
        int done = 0;
        final long flushed = log.flushedOffset();
        for (AppendTicket ticket = forced.peek();
                ticket != null && ticket.awaitedEnd() <= flushed;
                ticket = forced.peek()) {
            forced.remove();
            ticket.acknowledged();
            done++;
        }
        final RuntimeException poison = forced.isEmpty() ? null : log.forceFailure();
        if (poison != null) {
            fail(poison);
        }
        return done;
    }

    /** The log takes no more appends: whoever waits, and whoever comes, is told. */
    private void fail(final RuntimeException cause) {
        failure = cause;
        for (AppendTicket ticket = published.poll(); ticket != null; ticket = published.poll()) {
            ticket.failed(cause);
        }
        for (AppendTicket ticket = forced.poll(); ticket != null; ticket = forced.poll()) {
            ticket.failed(cause);
        }
    }

    @Override
    public String roleName() {
        return "cordwood-appender";
    }
}
