package io.cordwood.log;

/**
 * How far the open of one log is, for those who wait for it. Any thread may look and interrupt; the thread that opens the log
 * moves it.
 */
public final class RecoveryProgress {
    private volatile int segments;
    private volatile int begun;
    private volatile int done;
    private volatile boolean isInterrupted;

    /** Creates the progress of an open that has not begun. */
    public RecoveryProgress() {}

    void begin(final int count) {
        segments = count;
    }

    /** The next segment's turn, unless somebody has interrupted. */
    void next() {
        done = begun;
        if (isInterrupted) {
            throw new RecoveryInterruptedException(done, segments);
        }
        begun = done + 1;
    }

    void end() {
        done = segments;
    }

    /**
     * Segments that were recovered, or found behind a cut.
     *
     * @return their number.
     */
    public int segmentsDone() {
        return done;
    }

    /**
     * Segments that are still to be looked at.
     *
     * @return their number; 0 also before the directory was listed.
     */
    public int segmentsLeft() {
        return segments - done;
    }

    /** Ends the open before its next segment, with a {@link RecoveryInterruptedException}. */
    public void interrupt() {
        isInterrupted = true;
    }
}
