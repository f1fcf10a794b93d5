package io.cordwood.log;

import io.cordwood.log.record.Refusal;
import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import org.jspecify.annotations.Nullable;

/**
 * One producer thread's place at a {@link LogAppender}: it offers one run at a time and looks here for the outcome. Reused
 * for every run; got from {@link LogAppender#newTicket}.
 *
 * <p>Threads: offered and looked at by one producer thread, completed by the appender's.
 */
public final class AppendTicket {
    /** {@link #outcome} while there is none yet. */
    public static final long PENDING = Long.MIN_VALUE;

    /** {@link #outcome} if the log failed: see {@link #failure}. */
    public static final long FAILED = Long.MIN_VALUE + 1;

    private static final VarHandle OUTCOME;

    static {
        try {
            OUTCOME = MethodHandles.lookup().findVarHandle(AppendTicket.class, "outcome", long.class);
        } catch (final ReflectiveOperationException e) {
            throw new ExceptionInInitializerError(e);
        }
    }

    private final int number;
    private AppendAs as = AppendAs.client(-1);
    private @Nullable RuntimeException failure;
    private volatile long outcome = FAILED;

    // The appender's own, between the append and its acknowledgement.
    private long awaitedEnd;
    private long appendedAt;

    AppendTicket(final int number) {
        this.number = number;
    }

    int number() {
        return number;
    }

    AppendAs as() {
        return as;
    }

    void offered(final AppendAs terms) {
        as = terms;
        failure = null;
        outcome = PENDING;
    }

    void withdrawn() {
        outcome = Refusal.BACK_PRESSURE;
    }

    void appended(final long firstOffset, final long endOffset) {
        appendedAt = firstOffset;
        awaitedEnd = endOffset;
    }

    long awaitedEnd() {
        return awaitedEnd;
    }

    void acknowledged() {
        outcome = appendedAt;
    }

    void refused(final long refusal) {
        outcome = refusal;
    }

    void failed(final RuntimeException cause) {
        failure = cause;
        outcome = FAILED;
    }

    /** By the thread that closes, or the producer who sees that it has: only the first of all outcomes is one. */
    void failedIfPending(final RuntimeException cause) {
        if (outcome == PENDING) {
            failure = cause;
            OUTCOME.compareAndSet(this, PENDING, FAILED);
        }
    }

    /**
     * What became of the run that was offered last.
     *
     * @return offset of its first record once the append is acknowledged on the terms that were asked for; a code of
     *     {@link Refusal}; {@link #PENDING}; or {@link #FAILED}.
     */
    public long outcome() {
        return outcome;
    }

    /**
     * Why the log failed.
     *
     * @return the exception, if the outcome is {@link #FAILED} and a run was offered.
     */
    public @Nullable RuntimeException failure() {
        return outcome == FAILED ? failure : null;
    }
}
