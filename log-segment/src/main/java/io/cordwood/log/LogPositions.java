package io.cordwood.log;

import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;

/**
 * The few numbers of a log that its writer moves and other threads look at. Each is stored with release and loaded with
 * acquire semantics: who sees an offset sees the bytes below it.
 */
@SuppressWarnings("UnusedVariable") // The fields are read and written through their handles.
final class LogPositions {
    private static final VarHandle START;
    private static final VarHandle APPENDED;
    private static final VarHandle PUBLISHED;
    private static final VarHandle FLUSHED;
    private static final VarHandle HISTORY;

    static {
        try {
            final MethodHandles.Lookup lookup = MethodHandles.lookup();
            START = lookup.findVarHandle(LogPositions.class, "startOffset", long.class);
            APPENDED = lookup.findVarHandle(LogPositions.class, "appendedEnd", long.class);
            PUBLISHED = lookup.findVarHandle(LogPositions.class, "publishedEnd", long.class);
            FLUSHED = lookup.findVarHandle(LogPositions.class, "flushedEnd", long.class);
            HISTORY = lookup.findVarHandle(LogPositions.class, "history", long.class);
        } catch (final ReflectiveOperationException e) {
            throw new ExceptionInInitializerError(e);
        }
    }

    /** Offsets without a batch in which a truncation has ended. */
    private record Gap(long from, long to) {}

    private long startOffset;
    private long appendedEnd;
    private long publishedEnd;
    private long flushedEnd;
    private long history;
    private volatile long stableEnd;
    private volatile Gap gap = new Gap(0, 0);
    private long lowestCut = Long.MAX_VALUE;

    LogPositions(final long startOffset, final long endOffset, final long flushedEnd) {
        this.startOffset = startOffset;
        this.appendedEnd = endOffset;
        this.publishedEnd = endOffset;
        this.flushedEnd = flushedEnd;
        VarHandle.releaseFence();
    }

    /** First offset that may be read. */
    long startOffset() {
        return (long) START.getAcquire(this);
    }

    void startOffset(final long offset) {
        START.setRelease(this, offset);
    }

    /**
     * End of what is in the files or about to be: moved before a publication, so that a reader who finds bytes in a file
     * knows an upper bound for their offsets.
     */
    long appendedEnd() {
        return (long) APPENDED.getAcquire(this);
    }

    void appendedEnd(final long offset) {
        APPENDED.setRelease(this, offset);
    }

    /** The log end offset: everything below it may be read. */
    long publishedEnd() {
        return (long) PUBLISHED.getAcquire(this);
    }

    void publishedEnd(final long offset) {
        PUBLISHED.setRelease(this, offset);
    }

    /**
     * From where a checkpoint says to look for damage at the next open: the flushed end, or the end of the last batch, if behind that lies
     * only a gap in which a truncation has ended. No file tells of such a gap, and an end below the recovery point looks like a loss.
     */
    long recoveryPoint() {
        final long flushed = flushedEnd();
        final Gap last = gap;
        return flushed > last.from && flushed <= last.to ? last.from : flushed;
    }

    /** Offsets in front of the end of a log that was cut, which have no batch. */
    void gap(final long from, final long to) {
        gap = new Gap(Math.min(from, to), to);
    }

    /** Everything below is durable. */
    long flushedEnd() {
        return (long) FLUSHED.getAcquire(this);
    }

    void flushedEnd(final long offset) {
        FLUSHED.setRelease(this, offset);
    }

    /**
     * Tells one history of the log from the next. A reader that finds another number after its read than before may have
     * seen bytes of two histories and reads again.
     */
    long history() {
        return (long) HISTORY.getVolatile(this);
    }

    /**
     * Called before anything is cut, and before what is kept of the log elsewhere is lowered for it, so that the change is seen
     * by whoever sees the cut, and nobody raises again what was lowered; the number is odd then.
     *
     * @param offset everything at or above it may go.
     */
    void historyChanges(final long offset) {
        stableEnd = offset;
        HISTORY.setVolatile(this, history + 1);
        VarHandle.fullFence();
    }

    /** Everything at or above an offset goes. */
    void cutTo(final long offset) {
        lowestCut = Math.min(lowestCut, offset);
    }

    /**
     * Below which offset nothing is taken back while a number of the history holds: a bound for who reads beside a truncation, if
     * the number is still the same after the read.
     */
    long stableEnd(final long seen) {
        return isChanging(seen) ? stableEnd : Long.MAX_VALUE;
    }

    /** The lowest offset that was cut to since the last call; {@link Long#MAX_VALUE} if nothing was. The writer's. */
    long takeLowestCut() {
        final long lowest = lowestCut;
        lowestCut = Long.MAX_VALUE;
        return lowest;
    }

    /** Called when nothing is being cut any more: the number is even. */
    void historySettles() {
        if (isChanging(history)) {
            HISTORY.setVolatile(this, history + 1);
        }
    }

    /** Whether bytes were being taken back when the number was read. */
    static boolean isChanging(final long history) {
        return (history & 1) != 0;
    }
}
