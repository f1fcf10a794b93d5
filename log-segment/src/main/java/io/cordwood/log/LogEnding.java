package io.cordwood.log;

import io.cordwood.log.record.Refusal;
import java.util.ArrayList;
import java.util.List;
import org.agrona.CloseHelper;

/**
 * The end of a log, which comes once: cleanly, when all of it is made durable and complete, or with nothing more written. Owns
 * which of them it was. The writer's thread, but for what is asked.
 */
final class LogEnding {
    private final LogSegments segments;
    private final LogPositions positions;
    private final LogAppends appends;
    private final LogForces forces;
    private final LogRequests requests;
    private final List<DerivedState> states;
    private volatile boolean isClosed;
    private volatile boolean isClosedCleanly;

    LogEnding(
            final LogSegments segments,
            final LogPositions positions,
            final LogAppends appends,
            final LogForces forces,
            final LogRequests requests,
            final List<DerivedState> states) {
        this.segments = segments;
        this.positions = positions;
        this.appends = appends;
        this.forces = forces;
        this.requests = requests;
        this.states = states;
    }

    /** Whether the log is closed, in whichever way. Any thread. */
    boolean isClosed() {
        return isClosed;
    }

    /** Whether the log was closed and needs no scan at the next open. Any thread. */
    boolean isClosedCleanly() {
        return isClosedCleanly;
    }

    /** Closes the log cleanly, unless it is fenced; what fails on the way keeps nothing open. */
    void close() {
        if (!isClosed) {
            CloseHelper.closeAll(this::complete, this::closeUncleanly);
        }
    }

    private void complete() {
        if (appends.isFenced()) {
            return;
        }
        appends.abort();
        appends.publish();
        segments.active().index().seal();
        segments.trim(segments.active().file());
        for (final DerivedState state : states) {
            state.snapshot(positions.publishedEnd());
        }
        while (forces.flush() == Refusal.FORCE_UNDER_WAY) {
            forces.awaitIdle();
            // The force that was under way may have failed.
            appends.requireUsable("close");
        }
        isClosedCleanly = true;
    }

    /** Gives everything back and writes nothing. */
    void closeUncleanly() {
        if (isClosed) {
            return;
        }
        isClosed = true;
        // Never given back: nothing is forced in a closed log.
        forces.exclude();
        final IllegalStateException closed = new IllegalStateException("the log is closed");
        appends.fence(closed);
        requests.close(closed);
        final List<AutoCloseable> closing = new ArrayList<>();
        closing.add(segments);
        closing.addAll(states);
        closing.add(appends);
        CloseHelper.closeAll(closing);
    }
}
