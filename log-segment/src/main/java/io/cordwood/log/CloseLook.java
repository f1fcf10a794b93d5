package io.cordwood.log;

import io.cordwood.log.store.StorageException;
import org.jspecify.annotations.Nullable;

/**
 * Looks closely where a reader's quick walk through the headers met something odd: finds the good batch that holds an offset or
 * legally follows it, or says what is wrong with the bytes that should hold it and where the reader can go on. One reader's.
 */
final class CloseLook implements AutoCloseable {
    private static final int CHUNK_BYTES = 1 << 16;
    private static final String ACCESS_FAULT = "unsafe memory access";

    private final LogParts parts;
    private final SegmentScan scan;
    private final IndexedGap gaps;
    private long sought;

    CloseLook(final LogParts parts, final ReadRun run) {
        this.parts = parts;
        this.scan = new SegmentScan(CHUNK_BYTES, run.validator());
        this.gaps = run.gaps();
    }

    /**
     * Finds a batch.
     *
     * @param segment to look in.
     * @param from position in front of a batch.
     * @param expected offset that is due there.
     * @param end base of the next segment, or {@link Long#MAX_VALUE} for the last.
     * @param offset to find.
     * @param logEnd end of what is published.
     * @return position of the batch; -1 if the segment ends below the offset and nothing is wrong.
     * @throws CorruptLogException if what should hold the offset is damaged.
     */
    long find(
            final Segment segment,
            final long from,
            final long expected,
            final long end,
            final long offset,
            final long logEnd) {
        sought = offset;
        return within(segment, from, segment.bytes(), expected, end, Math.min(end, logEnd));
    }

    /**
     * The same for the bytes up to a position.
     *
     * @param next where a reader goes on if the last of them are damaged.
     */
    private long within(
            final Segment segment,
            final long from,
            final long to,
            final long expected,
            final long end,
            final long next) {
        long badPosition = -1;
        String reason = "";
        // A batch that is refused for its offsets alone may be the one that is sought, whatever follows it.
        boolean isClaimed = false;
        scan.start(segment, from, to, expected, end, Long.MAX_VALUE);
        for (SegmentScan.Step step = scan.next(); step != SegmentScan.Step.END; step = scan.next()) {
            if (step == SegmentScan.Step.BAD) {
                if (badPosition < 0) {
                    badPosition = scan.position();
                    reason = scan.kind() + ": " + scan.reason();
                }
                isClaimed |= scan.isMisplaced()
                        && scan.batch().baseOffset() <= sought
                        && scan.batch().lastOffset() >= sought;
            } else if (scan.batch().lastOffset() >= sought) {
                final long first = scan.batch().baseOffset();
                if (first <= sought) {
                    return scan.position();
                }
                final long behind = gaps.lowerBehind(segment, scan.position(), first);
                if (behind >= 0 && behind < to) {
                    // Out of its place: what is sought lies in front of the one that is not, or is that.
                    final long base = gaps.base();
                    final long found = base <= sought ? -1 : within(segment, from, behind, expected, base, base);
                    return found >= 0 ? found : within(segment, behind, to, -1, end, next);
                }
                if (badPosition >= 0) {
                    throw damaged(segment, badPosition, reason, first);
                }
                return scan.position();
            } else if (!isClaimed) {
                badPosition = -1;
            }
        }
        if (scan.reason() != null) {
            badPosition = scan.position();
            reason = String.valueOf(scan.reason());
        }
        if (badPosition >= 0) {
            throw damaged(segment, badPosition, reason, next);
        }
        return -1;
    }

    /** Fails if the offsets between the end of a segment and the next one's base are missing, and not cleaned away. */
    void checkGap(final SegmentList list, final int index, final long offset, final long logEnd) {
        final long next = list.endOffset(index, logEnd);
        if (next - list.get(index).baseOffset() > Integer.MAX_VALUE) {
            // The segment could not have reached up to there: its log jumped.
            return;
        }
        for (int i = index; i >= 0; i--) {
            final Segment segment = list.get(i);
            scan.start(
                    segment,
                    0,
                    segment.bytes(),
                    segment.baseOffset(),
                    list.endOffset(i, Long.MAX_VALUE),
                    Long.MAX_VALUE);
            boolean isEmpty = true;
            while (scan.next() != SegmentScan.Step.END) {
                isEmpty = false;
                if (scan.isThinned()) {
                    return;
                }
            }
            if (!isEmpty) {
                break;
            }
        }
        throw damaged(
                list.get(index),
                list.get(index).bytes(),
                "offsets " + offset + " to " + (next - 1) + " are missing in front of the next segment",
                next);
    }

    /** What the JVM makes of an access to mapped bytes that the system cannot bring. */
    StorageException unreadable(final InternalError failure, final @Nullable Segment used) {
        final String message = String.valueOf(failure.getMessage());
        if (used == null || !message.contains(ACCESS_FAULT)) {
            throw failure;
        }
        return new StorageException(
                parts.storage().describe(used.path()),
                "read",
                "the disk failed, or somebody cut the segment or an index of it",
                failure);
    }

    CorruptLogException damaged(
            final Segment segment, final long position, final String reason, final long nextOffset) {
        return new CorruptLogException(parts.storage().describe(segment.path()), position, reason, nextOffset);
    }

    void release() {
        scan.release();
    }

    @Override
    public void close() {
        scan.close();
    }
}
