package io.cordwood.log;

import org.agrona.concurrent.UnsafeBuffer;
import org.jetbrains.lincheck.datastructures.Operation;
import org.jetbrains.lincheck.datastructures.Validate;

/**
 * A producer, the writer and the {@link FlushAgent} at one door: {@link LogAppender} and {@link AppendTicket}. What is acknowledged is
 * in the log at its offset, forced if that was asked for; once the door is closed nobody waits.
 */
public final class AppenderRace {
    private static final long CLOSED = -2;

    private final Log log = RaceLog.open(RaceLog.disk());
    private final LogAppender appender = new LogAppender(log, () -> RaceLog.NOW, 256);
    private final AppendTicket ticket = appender.newTicket();
    private long offered;
    private final FlushAgent flusher = new FlushAgent(() -> RaceLog.NOW);
    private boolean isClosed;

    /** Creates the door of an empty log. */
    public AppenderRace() {
        flusher.add(log);
    }

    /** Offers a run that is to be forced, unless one is pending. */
    @Operation(nonParallelGroup = "producer")
    public void offer() {
        if (ticket.outcome() != AppendTicket.PENDING) {
            final UnsafeBuffer batch = RaceLog.batch(++offered);
            appender.offer(
                    ticket, batch, 0, batch.capacity(), AppendAs.client(0).forced());
        }
    }

    /** Looks what has become of it. */
    @Operation(nonParallelGroup = "producer")
    public void look() {
        final long outcome = ticket.outcome();
        if (outcome >= 0 && log.flushedOffset() <= outcome) {
            throw new IllegalStateException("acknowledged at " + outcome + ", flushed to " + log.flushedOffset());
        }
    }

    /** Appends and acknowledges. */
    @Operation(nonParallelGroup = "writer")
    public void work() {
        appender.doWork();
    }

    /** Forces. */
    @Operation(nonParallelGroup = "flusher")
    public void force() {
        flusher.doWork();
    }

    /** Closes. */
    @Operation(nonParallelGroup = "writer")
    public void close() {
        isClosed = true;
        appender.onClose();
    }

    /** Everybody was answered, and nobody got what is another's. */
    @Validate
    public void validate() {
        if (!isClosed) {
            appender.onClose();
        }
        final long outcome = ticket.outcome();
        if (outcome == AppendTicket.PENDING) {
            throw new IllegalStateException("the producer waits for ever");
        }
        if (outcome < 0) {
            return;
        }
        try (LogReader reader = log.newReader()) {
            final long read = reader.read(outcome, Long.MAX_VALUE, 1);
            final long found = read <= 0 ? CLOSED : RaceLog.number(reader);
            if (found != offered) {
                throw new IllegalStateException("batch " + offered + " got " + outcome + ", there is " + found);
            }
        }
    }
}
