package io.cordwood.log;

import io.cordwood.log.record.Refusal;
import java.util.List;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;
import org.jspecify.annotations.Nullable;

/**
 * When a log is to be forced, and who may force or cut it at the moment. One force at a time, beside the writer; cutting
 * excludes forcing.
 */
final class LogForces {
    private static final int IDLE = 0;
    private static final int FORCING = 1;
    private static final int CUTTING = 2;

    private final LogSegments segments;
    private final LogPositions positions;
    private final List<DerivedState> states;
    private final AtomicInteger guard = new AtomicInteger(IDLE);
    private volatile long requestedEnd;
    private volatile long namesSynced;
    private volatile @Nullable RuntimeException failure;
    private final AtomicLong count = new AtomicLong();

    // Of the one thread that forces the log.
    private long checkedMs;
    private long flushedAtCheck;

    LogForces(
            final LogSegments segments,
            final LogPositions positions,
            final List<DerivedState> states,
            final long nowMs) {
        this.segments = segments;
        this.positions = positions;
        this.states = states;
        this.checkedMs = nowMs;
        this.flushedAtCheck = positions.flushedEnd();
    }

    /** Asks for a force up to an offset; the writer's. */
    void request(final long endOffset) {
        if (endOffset > requestedEnd) {
            requestedEnd = endOffset;
        }
    }

    /** Whether a force was asked for, or the settings say that it is time for one. */
    boolean isDue(final LogConfig config, final long nowMs) {
        final long flushed = positions.flushedEnd();
        final long unflushed = positions.publishedEnd() - flushed;
        if (unflushed <= 0 || flushed != flushedAtCheck) {
            checkedMs = nowMs;
            flushedAtCheck = flushed;
        }
        return unflushed > 0
                && ((failure == null && requestedEnd > flushed)
                        || unflushed >= config.flushMessages()
                        || nowMs - checkedMs >= config.flushMs());
    }

    /** Null if another force, or a cut, is under way. Any thread. */
    @Nullable
    ForceTarget begin() {
        if (failure != null || !guard.compareAndSet(IDLE, FORCING)) {
            return null;
        }
        // The end before the list and the names: the list then holds every file with bytes below that end.
        final long endOffset = positions.publishedEnd();
        final long namesChanged = segments.namesChanged();
        return new ForceTarget(
                this,
                segments,
                states,
                segments.list(),
                // In front of a gap, not in it: a segment may begin there, and the one before it was sealed since.
                Math.min(positions.recoveryPoint(), endOffset),
                endOffset,
                namesChanged);
    }

    /** Forces on the calling thread: the flushed offset, or {@link Refusal#FORCE_UNDER_WAY}. */
    long flush() {
        final ForceTarget target = begin();
        if (target == null) {
            return Refusal.FORCE_UNDER_WAY;
        }
        target.run();
        return positions.flushedEnd();
    }

    /** Whether the directory was synced since its names last changed. */
    boolean areSynced(final long namesChanged) {
        return namesChanged == namesSynced;
    }

    /**
     * Makes the names of all segments durable, unless they are known to be: no force may have come since the last one was made, whatever
     * its offsets are. The writer's.
     */
    void secureNames() {
        if (namesSynced < segments.namesAdded()) {
            final long changed = segments.namesChanged();
            try {
                segments.files().storage().syncDirectory(segments.files().directory());
            } catch (final RuntimeException e) {
                // That a second one succeeds would prove nothing.
                failure = e;
                throw e;
            }
            // Beside a force, which may store an older number: then the next one syncs once more.
            namesSynced = changed;
        }
    }

    void succeeded(final long endOffset, final long namesChanged) {
        count.incrementAndGet();
        // The writer may have seen a sync fail meanwhile, of which this one proves nothing.
        if (failure == null) {
            namesSynced = namesChanged;
            if (endOffset > positions.flushedEnd()) {
                positions.flushedEnd(endOffset);
            }
        }
        guard.set(IDLE);
    }

    /** After a failure nothing is forced any more: a second force that succeeds would prove nothing. */
    void failed(final RuntimeException cause) {
        failure = cause;
        guard.set(IDLE);
    }

    /** Keeps forces away while files are cut; false if one is under way. */
    boolean tryExclude() {
        return guard.compareAndSet(IDLE, CUTTING);
    }

    void include() {
        guard.set(IDLE);
    }

    /** Keeps forces away, as soon as the one that is under way has ended. */
    void exclude() {
        Waits.until(this::tryExclude);
    }

    /**
     * Waits until no force is under way, also if it is interrupted; the next may begin at once. Who waits is to close what the
     * force looks at.
     */
    void awaitIdle() {
        Waits.until(() -> guard.get() == IDLE);
    }

    /** After a cut: what was asked for beyond the new end is void. */
    void cutTo(final long endOffset) {
        requestedEnd = Math.min(requestedEnd, endOffset);
        if (positions.flushedEnd() > endOffset) {
            positions.flushedEnd(endOffset);
        }
    }

    @Nullable
    RuntimeException failure() {
        return failure;
    }

    /** Forces that succeeded since the log was opened. */
    long count() {
        return count.get();
    }
}
