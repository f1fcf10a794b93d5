package io.cordwood.log;

import io.cordwood.log.record.Refusal;
import org.jspecify.annotations.Nullable;

/**
 * A change that some thread wants of a log, made by the log's writer. Used once: handed to {@link Log#request}, then looked
 * at until {@link #isDone}.
 */
public final class LogRequest {
    private enum Kind {
        TRUNCATE,
        START_ANEW,
        DELETE_PREFIX,
        RETAIN,
        ROLL,
        FLUSH
    }

    private final Kind kind;
    private final long offset;
    private final long highWatermark;
    private boolean isUnattended;
    private long result;
    private long awaitedEnd = -1;
    private @Nullable Throwable failure;
    private volatile boolean isDone;

    private LogRequest(final Kind kind, final long offset, final long highWatermark) {
        this.kind = kind;
        this.offset = offset;
        this.highWatermark = highWatermark;
    }

    /**
     * A {@link Log#truncateTo}.
     *
     * @param offset to truncate to.
     * @return the request, whose result is the end of the log.
     */
    public static LogRequest truncateTo(final long offset) {
        return new LogRequest(Kind.TRUNCATE, offset, 0);
    }

    /**
     * A {@link Log#truncateFullyAndStartAt}.
     *
     * @param offset start and end of the log then.
     * @return the request, whose result is the offset.
     */
    public static LogRequest truncateFullyAndStartAt(final long offset) {
        return new LogRequest(Kind.START_ANEW, offset, 0);
    }

    /**
     * A {@link Log#deletePrefix}.
     *
     * @param offset new start of the log.
     * @param highWatermark bound of the start.
     * @return the request, whose result is the start of the log.
     */
    public static LogRequest deletePrefix(final long offset, final long highWatermark) {
        return new LogRequest(Kind.DELETE_PREFIX, offset, highWatermark);
    }

    /**
     * A {@link Log#retain}.
     *
     * @param highWatermark bound of what may go.
     * @return the request, whose result is the start of the log.
     */
    public static LogRequest retain(final long highWatermark) {
        return new LogRequest(Kind.RETAIN, 0, highWatermark);
    }

    /** A {@link #retain} at whose outcome nobody looks: the duty cycle that carries it out tells of a failure. */
    static LogRequest unattendedRetain(final long highWatermark) {
        final LogRequest request = retain(highWatermark);
        request.isUnattended = true;
        return request;
    }

    /**
     * A {@link Log#roll}.
     *
     * @return the request, whose result is the base of the active segment.
     */
    public static LogRequest roll() {
        return new LogRequest(Kind.ROLL, 0, 0);
    }

    /**
     * A {@link Log#flush}, on the writer's thread; or, if somebody else forces the log at the time, their force of what was
     * published when the writer came to the request.
     *
     * @return the request, whose result is the flushed offset.
     */
    public static LogRequest flush() {
        return new LogRequest(Kind.FLUSH, 0, 0);
    }

    /**
     * The writer's: done, unless it has to be tried again in the next cycle. A failure is told to whoever has asked, and thrown as
     * well if nobody looks, or if it is an error, which concerns more than this request.
     */
    void carryOut(final Log log, final long nowMs) {
        try {
            result = change(log, nowMs);
            isDone = result != Refusal.FORCE_UNDER_WAY;
        } catch (final RuntimeException e) {
            fail(e);
            if (isUnattended) {
                throw e;
            }
        } catch (final Error e) {
            fail(e);
            throw e;
        }
    }

    /** The change is not made. */
    void fail(final Throwable cause) {
        failure = cause;
        isDone = true;
    }

    private long change(final Log log, final long nowMs) {
        return switch (kind) {
            case TRUNCATE -> log.truncateTo(offset, nowMs);
            case START_ANEW -> log.truncateFullyAndStartAt(offset, nowMs);
            case DELETE_PREFIX -> log.deletePrefix(offset, highWatermark, nowMs);
            case RETAIN -> log.retain(nowMs, highWatermark).startOffset();
            case ROLL -> log.roll(nowMs);
            case FLUSH -> flush(log);
        };
    }

    /** Forces come one behind the other under load, and the writer might never find the time between two. */
    private long flush(final Log log) {
        final long own = log.flush();
        if (own != Refusal.FORCE_UNDER_WAY) {
            return own;
        }
        if (awaitedEnd < 0) {
            awaitedEnd = log.endOffset();
        }
        final long flushed = log.flushedOffset();
        return flushed >= awaitedEnd ? flushed : Refusal.FORCE_UNDER_WAY;
    }

    /**
     * Whether the change was made or refused, or has failed. Any thread.
     *
     * @return true if {@link #result} may be called.
     */
    public boolean isDone() {
        return isDone;
    }

    /**
     * What the method that was asked for returned.
     *
     * @return an offset, or a code of {@link Refusal}.
     * @throws IllegalStateException if the request is not done, or has failed: the cause is the failure.
     */
    public long result() {
        if (!isDone) {
            throw new IllegalStateException("the request is not done");
        }
        if (failure != null) {
            final Object reason = failure instanceof Error ? failure : failure.getMessage();
            throw new IllegalStateException("the request has failed: " + reason, failure);
        }
        return result;
    }
}
