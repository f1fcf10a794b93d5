package io.cordwood.log;

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

    private final LogDirectory directory;
    private final LogSetup setup;
    private final PartitionCells partition;
    private final RecoveryProgress progress = new RecoveryProgress();
    private final Runnable whenDone;
    private @Nullable RuntimeException failure;
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
     * Opens the partition, once. Fails by its {@link #state} and not by an exception.
     *
     * @param nowMs the time, milliseconds since the epoch.
     */
    public void run(final long nowMs) {
        if (state != State.WAITING) {
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
        } finally {
            state = end;
            whenDone.run();
        }
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
