package io.cordwood.log;

import org.jspecify.annotations.Nullable;

/**
 * Looks further back in a segment than a {@link SegmentScan} is, byte for byte where need be: for the next good batch behind damage, and for the
 * witnesses that say which of two batches is out of its place. One scan's. Most walks find nothing odd and do without its memory.
 */
final class BatchesBehind implements AutoCloseable {
    /** Which of two neighbours is out of its place. */
    enum Misplaced {
        FIRST,
        FOLLOWER,
        /** One of them; nothing tells which. */
        EITHER
    }

    private @Nullable Segment segment;
    private long to;
    private @Nullable BatchCursor cursor;
    private boolean isOpen;

    /** The first good batch at or behind some place that was searched. */
    private long goodPosition;

    private long goodBase;

    void start(final Segment searched, final long bytes) {
        segment = searched;
        to = bytes;
        isOpen = false;
        goodPosition = -1;
    }

    /** A cursor in front of a position. */
    BatchCursor from(final long position) {
        final Segment searched = segment;
        if (searched == null) {
            throw new IllegalStateException("the search was not started");
        }
        BatchCursor moved = cursor;
        if (moved == null) {
            moved = new BatchCursor(1 << 20, Long.MAX_VALUE);
            cursor = moved;
        }
        if (isOpen) {
            moved.moveTo(position);
        } else {
            moved.open(searched.file(), searched.baseOffset(), position, to);
            isOpen = true;
        }
        return moved;
    }

    /** Base offset of the next good batch from a position on that is not below an offset; {@link Long#MAX_VALUE} if there is none. */
    long goodBase(final long position, final long least) {
        if (goodPosition < position || goodBase < least) {
            // What was passed over is too early for all that comes: searching there again would make many searches of
            // one.
            final BatchCursor search = from(Math.max(position, goodPosition));
            goodPosition = Long.MAX_VALUE;
            goodBase = Long.MAX_VALUE;
            while (goodPosition == Long.MAX_VALUE && search.next() != BatchCursor.Step.END) {
                if (search.isCrcValid() && search.batch().baseOffset() >= least) {
                    goodPosition = search.position();
                    goodBase = search.batch().baseOffset();
                } else {
                    search.resync();
                }
            }
        }
        return goodBase;
    }

    /**
     * Whether the good batch that {@link #goodBase} found is too early alone: it lies at a position, and what follows it goes on from
     * an offset in front of it.
     */
    boolean isAlone(final long position, final long lastInFront) {
        if (goodPosition != position) {
            return false;
        }
        final BatchCursor search = from(position);
        for (int i = 0; i < 2; i++) {
            if (search.next() == BatchCursor.Step.END || !search.isCrcValid()) {
                return true;
            }
        }
        return search.batch().baseOffset() > lastInFront;
    }

    /**
     * Says of a batch behind a gap and its follower, which begins in the gap or in the batch, which of them is out of its place. A batch whose
     * offset is wrong in one bit belongs where there is room for it: in front of the follower, or between the batch and what comes behind the
     * two. If either may be, neither is believed, but in a log that would have no gap at all if it is the first. Of one batch that lies there
     * twice the first is a copy, which hides what was there.
     *
     * @param crc of the batch.
     * @param expected offset that is due in front of the two.
     * @param first base offset of the batch.
     * @param last its last offset.
     * @param position of the follower.
     * @param following its base offset.
     * @param end at or above which no batch ends.
     */
    Misplaced ofTwo(
            final long crc,
            final long expected,
            final long first,
            final long last,
            final long position,
            final long following,
            final long end) {
        final BatchCursor search = from(position);
        if (search.next() == BatchCursor.Step.END || !search.isCrcValid()) {
            return Misplaced.FIRST;
        }
        final long behindFollower = search.batch().lastOffset() + 1;
        if (following == first && behindFollower == last + 1 && search.batch().crc() == crc) {
            return Misplaced.FIRST;
        }
        final boolean isThird = search.next() != BatchCursor.Step.END && search.isCrcValid();
        final long third = isThird ? search.batch().baseOffset() : end;
        final long highest = following - (last - first + 1);
        final boolean isDense = highest == expected && (!isThird || third == behindFollower);
        if (third <= last || isDense) {
            return Misplaced.FIRST;
        }
        final boolean isFirst = isOneBitFrom(first, expected, highest);
        final boolean isFollower = isOneBitFrom(following, last + 1, third - (behindFollower - following));
        if (isFirst) {
            return isFollower ? Misplaced.EITHER : Misplaced.FIRST;
        }
        return isFollower || following >= first ? Misplaced.FOLLOWER : Misplaced.FIRST;
    }

    private static boolean isOneBitFrom(final long offset, final long least, final long most) {
        for (int bit = 0; bit < Long.SIZE - 1; bit++) {
            final long other = offset ^ 1L << bit;
            if (other >= least && other <= most) {
                return true;
            }
        }
        return false;
    }

    void release() {
        segment = null;
    }

    @Override
    public void close() {
        if (cursor != null) {
            cursor.close();
        }
    }
}
