package io.cordwood.log;

import org.agrona.concurrent.ManyToOneConcurrentLinkedQueue;
import org.jspecify.annotations.Nullable;

/**
 * The changes that other threads want of a log, in the order in which they have asked. Each is told its outcome, also if the log
 * is closed before its turn comes, or was when it was asked for.
 */
final class LogRequests {
    private final ManyToOneConcurrentLinkedQueue<LogRequest> queue = new ManyToOneConcurrentLinkedQueue<>();
    private volatile @Nullable RuntimeException closed;

    /** Any thread. */
    void add(final LogRequest request) {
        queue.add(request);
        // Closed at this moment, nobody may look at the queue any more; what the writer still came to is done by now.
        final RuntimeException cause = closed;
        if (cause != null && !request.isDone()) {
            request.fail(cause);
        }
    }

    /** The writer's: carries out the next request, if that can be done now; says how many are done, and throws what failed earlier. */
    int carryOutNext(final Log log, final long nowMs, final @Nullable RuntimeException earlier) {
        final LogRequest request = queue.peek();
        if (request == null) {
            Failures.throwIfAny(earlier);
            return 0;
        }
        RuntimeException failure = earlier;
        try {
            request.carryOut(log, nowMs);
        } catch (final RuntimeException e) {
            failure = Failures.joined(failure, e);
        } finally {
            if (request.isDone()) {
                queue.poll();
            }
        }
        Failures.throwIfAny(failure);
        return request.isDone() ? 1 : 0;
    }

    /** The writer's: none is carried out any more. */
    void close(final RuntimeException cause) {
        closed = cause;
        for (LogRequest request = queue.poll(); request != null; request = queue.poll()) {
            request.fail(cause);
        }
    }
}
