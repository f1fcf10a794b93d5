package io.cordwood.log;

import java.util.concurrent.atomic.AtomicInteger;
import org.jspecify.annotations.Nullable;

/**
 * The open of one partition of a data directory, as a piece of work: handed out by {@link LogLoading#next}, run by any one
 * thread, looked at by all.
 */
public final class LoadUnit {
    /** How far the piece of work is. */
    public enum State {
        /** Nobody has begun. */
        WAITING,
        /** Some thread is at it. */
        RUNNING,
        /** The log is open. */
        OPEN,
        /** The {@link LogSetup} did not want it. */
        LEFT_ALONE,
        /** The log could not be opened; the other ones are not concerned. */
        FAILED,
        /** Somebody interrupted; another loading goes on with it. */
        INTERRUPTED
    }

    private static final int NOBODYS = 0;
    private static final int RUN = 1;
    private static final int WITHDRAWN = 2;

    private final LogDirectory directory;
    private final LogSetup setup;
    private final PartitionCells partition;
    private final RecoveryProgress progress = new RecoveryProgress();
    private final Runnable whenDone;
    private @Nullable RuntimeException failure;
    private final AtomicInteger claim = new AtomicInteger(NOBODYS);
    private volatile State state = State.WAITING;

    LoadUnit(
            final LogDirectory directory,
            final LogSetup setup,
            final PartitionCells partition,
            final Runnable whenDone) {
        this.directory = directory;
        this.setup = setup;
        this.partition = partition;
        this.whenDone = whenDone;
    }

    /**
     * Opens the partition, once. Fails by its {@link #state} and not by an exception, except for an {@link Error}. Does nothing
     * if the loading was interrupted before.
     *
     * @param nowMs the time, milliseconds since the epoch.
     */
    public void run(final long nowMs) {
        final int claimed = claim.compareAndExchange(NOBODYS, RUN);
        if (claimed == WITHDRAWN) {
            return;
        }
        if (claimed == RUN) {
            throw new IllegalStateException("the open of " + partition.name() + " was begun before");
        }
        state = State.RUNNING;
        State end = State.FAILED;
        try {
            end = directory.open(partition, setup, progress, nowMs) ? State.OPEN : State.LEFT_ALONE;
        } catch (final RecoveryInterruptedException e) {
            failure = e;
            end = State.INTERRUPTED;
        } catch (final RuntimeException e) {
            failure = e;
        } catch (final Error e) {
            failure = new IllegalStateException("the open of " + partition.name() + " ended by " + e, e);
            throw e;
        } finally {
            state = end;
            whenDone.run();
        }
    }

    /** True if nobody has run it, and now nobody will. */
    boolean withdraw() {
        return claim.compareAndSet(NOBODYS, WITHDRAWN);
    }

    /**
     * The partition; its log is there once the state is {@link State#OPEN}.
     *
     * @return the cells, the log among them.
     */
    public PartitionCells partition() {
        return partition;
    }

    /**
     * How far the open is.
     *
     * @return the state.
     */
    public State state() {
        return state;
    }

    /**
     * Why the open failed.
     *
     * @return the reason; null if it has not failed.
     */
    public @Nullable RuntimeException failure() {
        return state == State.FAILED || state == State.INTERRUPTED ? failure : null;
    }

    /**
     * Segments of the log, done and left.
     *
     * @return the progress, which moves on.
     */
    public RecoveryProgress progress() {
        return progress;
    }
}
