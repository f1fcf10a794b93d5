package io.cordwood.log;

import io.cordwood.log.store.FileView;

/**
 * Walks through the headers of a segment to the place of an offset: quickly from where the index says, and with a
 * {@link CloseLook} where something is odd. An index that is wrong costs time and never leads past anything. One reader's.
 */
final class HeaderWalk implements AutoCloseable {
    static final int PROBE_BYTES = 4096 + 256;

    private final ReadRun run;
    private final CloseLook closeLook;
    private final FileView probe = new FileView();
    private int sizeFound;
    private long dueFound;

    /** Base offset of the only batch from an index entry to the end of the segment, if nothing else was seen; else -1. */
    private long loneFirst;

    HeaderWalk(final ReadRun run, final CloseLook closeLook) {
        this.run = run;
        this.closeLook = closeLook;
    }

    /**
     * Position of the batch that holds an offset or legally follows it; the end of the segment if that ends below the offset.
     *
     * @throws CorruptLogException if what should hold the offset is damaged.
     */
    long find(final Segment in, final long offset, final long end, final long logEnd) {
        final long from = offset <= in.baseOffset() ? 0 : in.lookUps().positionOf(offset, probe);
        long found = from == 0 ? -1 : walk(in, from, -1, offset, end, logEnd);
        if (found < 0 && loneFirst >= 0) {
            // What is due at the last batch says the one in front of it.
            final long earlier = in.lookUps().positionOf(loneFirst - 1, probe);
            found = earlier == 0 ? -1 : walk(in, earlier, -1, offset, end, logEnd);
        }
        return found < 0 ? walk(in, 0, in.baseOffset(), offset, end, logEnd) : found;
    }

    /** The same from a position, where {@code due} is due or, if it is -1, only the index says that something is; -1 if it is wrong. */
    private long walk(
            final Segment in, final long from, final long due, final long offset, final long end, final long logEnd) {
        sizeFound = -1;
        dueFound = -1;
        loneFirst = -1;
        final long bytes = in.bytes();
        final long reach = Math.min(end, in.reach());
        long expected = due;
        long at = from;
        long front = -1;
        long frontDue = -1;
        long frontFirst = -1;
        long shownFrom = from;
        int shown = 0;
        while (at < bytes) {
            if (at + ReadRun.WALK_BYTES > shownFrom + shown) {
                shown = probe.look(in.file(), at, (int) Math.min(PROBE_BYTES, bytes - at));
                shownFrom = at;
            }
            final int size = run.size(probe.buffer(), (int) (at - shownFrom), bytes - at);
            final long first = size < 0 ? -1 : run.batch().baseOffset();
            final long last = size < 0 ? -1 : run.batch().lastOffset();
            if (expected < 0 && (size < 0 || first < in.baseOffset() || last > offset)) {
                return -1;
            }
            boolean isOdd = size < 0 || first < expected || last < first || last >= reach;
            // A gap is legal, but only if what lies behind agrees.
            final boolean isDoubtful = expected < 0 ? last >= offset : first > expected;
            if (!isOdd && isDoubtful && at + size < bytes) {
                final long behind = at + size;
                if (behind + ReadRun.WALK_BYTES > shownFrom + shown) {
                    shown = probe.look(in.file(), behind, (int) Math.min(PROBE_BYTES, bytes - behind));
                    shownFrom = behind;
                }
                isOdd = !run.isFollowedRightly(probe.buffer(), (int) (behind - shownFrom), bytes - behind, last, reach);
            }
            // Where only the index led, the fault may lie in front of what shows it.
            final boolean isMissing = last >= offset && first > offset;
            if (due < 0 && (isMissing || isOdd)) {
                return -1;
            }
            if (isOdd || (isMissing && (front >= 0 || run.gaps().lowerBehind(in, at, first) >= 0))) {
                return lookClosely(in, front < 0 ? at : front, front < 0 ? expected : frontDue, offset, end, logEnd);
            }
            if (last >= offset) {
                sizeFound = size;
                dueFound = expected;
                return at;
            }
            frontFirst = first;
            front = at;
            frontDue = expected;
            expected = last + 1;
            at += size;
        }
        if (due < 0 && frontDue < 0) {
            loneFirst = frontFirst;
            return -1;
        }
        return front < 0 ? bytes : lookClosely(in, front, frontDue, offset, end, logEnd);
    }

    /** From the batch in front of what is odd or missing: where that ends it says itself, and nobody has checked it. */
    private long lookClosely(
            final Segment in, final long from, final long due, final long offset, final long end, final long logEnd) {
        final long bytes = in.bytes();
        final long found = closeLook.find(in, from, due, end, offset, logEnd);
        return found < 0 ? bytes : found;
    }

    /** Size of the batch that {@link #find} found; -1 if that took a close look. */
    int sizeFound() {
        return sizeFound;
    }

    /** Offset that is due at the batch that {@link #find} found; -1 if only the index, or a close look, says that it is there. */
    long dueFound() {
        return dueFound;
    }

    /** Size of the batch at a position; -1 if it is none, then the run says why. */
    int size(final Segment in, final long position, final long bytes) {
        probe.look(in.file(), position, (int) Math.min(ReadRun.WALK_BYTES, bytes - position));
        return run.size(probe.buffer(), 0, bytes - position);
    }

    /** Whether what lies behind the batch that {@link #size} found agrees with a gap in front of it. */
    boolean isFollowedRightly(final Segment in, final long behind, final long bytes, final long end) {
        if (behind >= bytes) {
            return true;
        }
        final long last = run.batch().lastOffset();
        probe.look(in.file(), behind, (int) Math.min(ReadRun.WALK_BYTES, bytes - behind));
        return run.isFollowedRightly(probe.buffer(), 0, bytes - behind, last, end)
                && run.gaps().lowerBehind(in, behind - 1, run.batch().baseOffset()) < 0;
    }

    /** Position of the first batch that begins at or above a bound. */
    long stop(final Segment in, final long from, final long upTo, final long bytes) {
        long at = Math.max(from, in.floorPosition(upTo, probe));
        long shownFrom = at;
        int shown = 0;
        while (at < bytes) {
            if (at + ReadRun.WALK_BYTES > shownFrom + shown) {
                shown = probe.look(in.file(), at, (int) Math.min(PROBE_BYTES, bytes - at));
                shownFrom = at;
            }
            final int size = run.size(probe.buffer(), (int) (at - shownFrom), bytes - at);
            if (size < 0) {
                throw closeLook.damaged(in, at, run.reason(), -1);
            }
            if (run.batch().baseOffset() >= upTo) {
                return at;
            }
            at += size;
        }
        return bytes;
    }

    void release() {
        probe.release();
        run.gaps().release();
        closeLook.release();
    }

    @Override
    public void close() {
        probe.close();
        closeLook.close();
    }
}
