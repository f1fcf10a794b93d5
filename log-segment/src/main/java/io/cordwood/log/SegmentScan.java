package io.cordwood.log;

import io.cordwood.log.record.BatchHeader;
import io.cordwood.log.record.BatchValidator;
import io.cordwood.log.record.RecordBatchDescriptor;
import io.cordwood.log.record.RecordBatchFlyweight;
import io.cordwood.log.store.FileView;
import io.cordwood.log.store.StorageFile;
import java.nio.ByteOrder;
import org.agrona.DirectBuffer;
import org.jspecify.annotations.Nullable;

/**
 * Walks the batches of segments and judges each by its bytes, its segment and its neighbours. A batch that is not what it should
 * be is stepped over if it may be kept and something good follows or it is the last one and whole; else the walk ends in front
 * of it.
 *
 * <p>What lies outside the checksum shows only here: a magic that is none, offsets that overlap those before or behind, a leader
 * epoch that one batch alone has. Gaps between offsets are legal. One thread's; allocates nothing per batch.
 */
final class SegmentScan implements AutoCloseable {
    /** What {@link #next} came to. */
    enum Step {
        /** A batch that is in order. */
        SOUND,
        /** Bytes that no reader must get, and behind which the walk goes on. */
        BAD,
        /** The end; if {@link #reason} is not null, then with bytes behind it that are not to be kept. */
        END
    }

    private static final int ZERO_BYTES = 1 << 16;
    /** What a disk writes whole or not at all. */
    private static final int SECTOR_BYTES = 512;

    private static final int NO_EPOCH = RecordBatchDescriptor.NO_PARTITION_LEADER_EPOCH;

    private final BatchScan scan;
    private @Nullable BatchCursor search;
    private @Nullable Segment segment;
    private boolean isSearching;
    private long to;
    private long end;
    private long keepBelow;
    private long expected;
    private long behindBad;
    private boolean isPlaced;
    private boolean isThinned;
    private boolean isBehindBad;

    /** Position of a batch that is not believed, nor is the one before it; -1 for none. */
    private long doubted = -1;

    /** The first good batch at or behind some place that was searched. */
    private long goodPosition;

    private long goodBase;
    private Fault.Kind kind = Fault.Kind.FOREIGN_BYTES;
    private @Nullable String reason;

    private int lastEpoch = NO_EPOCH;
    private int epochBefore = NO_EPOCH;
    private int epochRun;
    private long lastEpochPosition;
    private long epochFault = -1;
    private boolean isDip;

    SegmentScan(final int chunkBytes, final BatchValidator validator) {
        scan = new BatchScan(chunkBytes, validator);
    }

    /**
     * Begins in front of a batch.
     *
     * @param walked segment.
     * @param from position of the batch.
     * @param bytes where the walk ends.
     * @param expectedOffset below which no batch begins; -1 if that is not known.
     * @param endOffset at or above which no batch ends.
     * @param keptBelow damaged bytes below this offset are stepped over, those above end the walk.
     */
    void start(
            final Segment walked,
            final long from,
            final long bytes,
            final long expectedOffset,
            final long endOffset,
            final long keptBelow) {
        if (from > 0 || segment == null || walked.baseOffset() <= segment.baseOffset()) {
            // What was walked before does not lie in front of this.
            lastEpoch = NO_EPOCH;
            epochBefore = NO_EPOCH;
            epochRun = 0;
            isDip = false;
        }
        segment = walked;
        isSearching = false;
        behindBad = -1;
        to = bytes;
        end = endOffset;
        keepBelow = keptBelow;
        expected = expectedOffset;
        reason = null;
        goodPosition = -1;
        doubted = -1;
        if (bytes > 0) {
            isBehindBad = false;
            isThinned &= from > 0;
        }
        scan.start(walked.file(), from, bytes);
    }

    Step next() {
        reason = null;
        epochFault = -1;
        isPlaced = false;
        if (behindBad >= 0) {
            scan.skipTo(behindBad);
            behindBad = -1;
        }
        if (scan.next()) {
            return inOrder();
        }
        final String damage = scan.damage();
        if (damage == null) {
            return Step.END;
        }
        reason = damage;
        if (scan.isForeignMagic()) {
            kind = Fault.Kind.BAD_MAGIC;
            return stepOver(scan.position() + scan.declaredBytes());
        }
        return keepBelow > Math.max(0, expected) ? searchBehind() : Step.END;
    }

    private Step inOrder() {
        final BatchHeader header = scan.header();
        final long first = header.baseOffset();
        final long last = header.lastOffset();
        reason = scan.position() == doubted ? doubtful(first, last) : misplaced(first, last);
        final boolean isGap = expected >= 0 && first > expected;
        boolean isEndOfWalk = false;
        if (reason == null && isGap) {
            final long following = scan.followingOffset();
            final boolean isBeside = following >= expected && following <= last;
            final long hidden = isBeside ? following : hiddenBehind(first, last);
            if (hidden >= 0 && !(isBeside && isFollowerWrong(following, first, last))) {
                kind = Fault.Kind.OFFSET_FALLS;
                reason = "offsets " + first + " to " + last + ", but the next good batch begins at " + hidden;
                // What lies between is damage.
                isEndOfWalk = hidden != following;
            }
        }
        if (reason != null) {
            if (keepBelow <= Math.max(0, expected) && (isEndOfWalk || isTornHead(first))) {
                return Step.END;
            }
            isBehindBad = true;
            return Step.BAD;
        }
        watchEpoch(header.partitionLeaderEpoch());
        // What is missing behind a bad batch may be its fault, and is no sign of a cleaner.
        isThinned |= (isGap && !isBehindBad)
                || header.magic() < RecordBatchDescriptor.MAGIC_V2
                || header.recordCount() != last - first + 1
                || header.hasDeleteHorizon();
        isBehindBad = false;
        expected = last + 1;
        return Step.SOUND;
    }

    /**
     * Whether of a batch behind a gap and its follower, which begins in the gap or in the batch, the follower is the one that is out of its place. A
     * batch whose offset is wrong in one bit belongs where there is room for it: in front of the follower, or between the batch and what comes
     * behind the two. If either may be, neither is believed, but in a log that would have no gap at all if it is the first.
     */
    private boolean isFollowerWrong(final long following, final long first, final long last) {
        final long behind = scan.position() + scan.batch().sizeInBytes();
        final BatchCursor cursor = searchFrom(behind);
        if (cursor.next() == BatchCursor.Step.END || !cursor.isCrcValid()) {
            return false;
        }
        final long behindFollower = cursor.batch().lastOffset() + 1;
        final boolean isThird = cursor.next() != BatchCursor.Step.END && cursor.isCrcValid();
        final long third =
                isThird ? cursor.batch().baseOffset() : Math.min(end, segment().reach());
        final long room = following - (last - first + 1);
        final boolean isDense = room == expected && (!isThird || third == behindFollower);
        if (third <= last || isDense) {
            return false;
        }
        final boolean isOwn = isOneBitFrom(first, expected, room);
        final boolean isFollowers = isOneBitFrom(following, last + 1, third - (behindFollower - following));
        if (isOwn && isFollowers) {
            doubted = behind;
        }
        return !isOwn && (isFollowers || following >= first);
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

    /**
     * Offset of a good batch further behind that begins in the gap in front of this one, so that it is none; -1 if there is none. Of batches that are
     * in order among themselves a block may be out of its place.
     */
    private long hiddenBehind(final long first, final long last) {
        final long at = scan.disorderAhead(last, Math.min(end, segment().reach()));
        if (at < 0) {
            return -1;
        }
        final long good = goodBaseBehind(at);
        final boolean isBehind = at == scan.position() + scan.batch().sizeInBytes();
        return good >= expected && (isBehind ? good <= last : good < first && !isAlone(at)) ? good : -1;
    }

    /** Whether a good batch that is too early is so alone: what follows it goes on from those in front. */
    private boolean isAlone(final long position) {
        if (goodPosition != position) {
            return false;
        }
        final BatchCursor cursor = searchFrom(position);
        for (int i = 0; i < 2; i++) {
            if (cursor.next() == BatchCursor.Step.END || !cursor.isCrcValid()) {
                return true;
            }
        }
        return cursor.batch().baseOffset() > scan.orderedLast();
    }

    /**
     * Whether this is the batch that is due, but for the bytes in front of a sector's edge that cuts through its offset: they are zero, and
     * should not be. So a write looks that lost its first sector to a power cut, which no checksum shows. Zeros alone prove
     * nothing: most offsets begin with some.
     */
    private boolean isTornHead(final long first) {
        final int torn = (int) (-scan.position() & (SECTOR_BYTES - 1));
        if (torn >= RecordBatchDescriptor.LOG_OVERHEAD) {
            return false;
        }
        final RecordBatchFlyweight batch = scan.batch();
        for (int i = Long.BYTES; i < torn; i++) {
            if (batch.buffer().getByte(batch.index() + i) != 0) {
                return false;
            }
        }
        final long kept = torn < Long.BYTES ? -1L >>> (torn * Byte.SIZE) : 0;
        return expected >= 0 && first != expected && first == (expected & kept);
    }

    private String doubtful(final long first, final long last) {
        kind = Fault.Kind.OFFSET_FALLS;
        return "offsets " + first + " to " + last + ", or those of the batch before it";
    }

    private @Nullable String misplaced(final long first, final long last) {
        final long base = segment().baseOffset();
        if (first < base || last < first || last - base > Integer.MAX_VALUE) {
            kind = Fault.Kind.OFFSET_OUTSIDE_SEGMENT;
            return "offsets " + first + " to " + last + " in the segment that begins at " + base;
        }
        if (last >= end) {
            kind = Fault.Kind.SEGMENT_OVERLAP;
            return "offsets " + first + " to " + last + ", but the next segment begins at " + end;
        }
        if (first < expected) {
            kind = Fault.Kind.OFFSET_FALLS;
            return "offsets " + first + " to " + last + ", but " + expected + " or more is expected";
        }
        return null;
    }

    /** A fall is the fault of the one batch before it, if that stands out, else of the batch that falls. */
    private void watchEpoch(final int epoch) {
        if (epoch < 0) {
            return;
        }
        if (epoch == lastEpoch) {
            epochRun++;
            isDip = false;
            return;
        }
        if (epoch > lastEpoch) {
            epochBefore = lastEpoch;
            epochRun = 1;
        } else if (epochRun == 1 && epochBefore == epoch) {
            epochFault = lastEpochPosition;
            epochRun = 2;
        } else if (!isDip) {
            // The batches before it are many: it is this one that is wrong, and the next is held against them.
            epochFault = scan.position();
            isDip = true;
            return;
        } else {
            epochRun = 2;
        }
        isDip = false;
        lastEpoch = epoch;
        lastEpochPosition = scan.position();
    }

    private Step searchBehind() {
        final long position = scan.position();
        final BatchCursor cursor = searchFrom(position);
        final BatchCursor.Step found = cursor.next();
        if (found == BatchCursor.Step.END) {
            return Step.END;
        }
        final boolean isBatch = found != BatchCursor.Step.DAMAGE;
        kind = isBatch ? Fault.Kind.BAD_CRC : cursor.kind();
        final long behind = cursor.resync();
        final boolean isWhole = scan.declaredBytes() > 0 && behind == position + scan.declaredBytes();
        return behind < to || (isWhole && isBatch) ? stepOver(behind) : Step.END;
    }

    /** Most walks find no damage, and do without its memory. */
    private BatchCursor searchFrom(final long position) {
        BatchCursor cursor = search;
        if (cursor == null) {
            cursor = new BatchCursor(1 << 20, Long.MAX_VALUE);
            search = cursor;
        }
        if (isSearching) {
            cursor.moveTo(position);
        } else {
            cursor.open(segment().file(), segment().baseOffset(), position, to);
            isSearching = true;
        }
        return cursor;
    }

    private Step stepOver(final long behind) {
        final RecordBatchFlyweight batch = scan.batch();
        if (scan.declaredBytes() >= RecordBatchDescriptor.HEADER_BYTES
                && behind == scan.position() + scan.declaredBytes()
                && batch.magic() >= RecordBatchDescriptor.MAGIC_V2) {
            final long last = batch.lastOffset();
            final boolean isSealed = kind == Fault.Kind.BAD_MAGIC;
            if (expected >= 0
                    && batch.baseOffset() == expected
                    && last >= expected
                    && last < segment().reach()
                    && last < (isSealed ? end : Math.min(end, keepBelow))
                    && (isSealed || last < goodBaseBehind(behind))) {
                isPlaced = true;
                expected = last + 1;
            }
        }
        behindBad = behind;
        isBehindBad = true;
        return Step.BAD;
    }

    /**
     * Base offset of the next good batch that is not too early, {@link Long#MAX_VALUE} if there is none: what a wrong checksum covers
     * must not claim the offsets of others.
     */
    private long goodBaseBehind(final long from) {
        if (goodPosition < from || goodBase < expected) {
            // What was passed over is too early for all that comes: searching there again would make many searches of
            // one.
            final BatchCursor cursor = searchFrom(Math.max(from, goodPosition));
            goodPosition = Long.MAX_VALUE;
            goodBase = Long.MAX_VALUE;
            while (goodPosition == Long.MAX_VALUE && cursor.next() != BatchCursor.Step.END) {
                if (cursor.isCrcValid() && cursor.batch().baseOffset() >= expected) {
                    goodPosition = cursor.position();
                    goodBase = cursor.batch().baseOffset();
                } else {
                    cursor.resync();
                }
            }
        }
        return goodBase;
    }

    private Segment segment() {
        final Segment walked = segment;
        if (walked == null) {
            throw new IllegalStateException("the scan was not started");
        }
        return walked;
    }

    /** The batch that was found; after {@link Step#BAD} only if {@link #isPlaced}. */
    RecordBatchFlyweight batch() {
        return scan.batch();
    }

    /** Position of what was found, or of the end. */
    long position() {
        return scan.position();
    }

    /** After {@link Step#BAD}: whether the batch is whole and its offsets are the ones that are due, so that they are counted. */
    boolean isPlaced() {
        return isPlaced;
    }

    /** After {@link Step#BAD}: whether only the offsets of the batch are wrong, and it says that it holds this one. */
    boolean isClaiming(final long offset) {
        final boolean isMisplaced = kind == Fault.Kind.OFFSET_FALLS
                || kind == Fault.Kind.OFFSET_OUTSIDE_SEGMENT
                || kind == Fault.Kind.SEGMENT_OVERLAP;
        return isMisplaced
                && scan.batch().baseOffset() <= offset
                && scan.batch().lastOffset() >= offset;
    }

    /** Offset behind what was found so far: the least that the next batch may have; -1 if nothing is known. */
    long expectedOffset() {
        return expected;
    }

    /** What is wrong with what was found. */
    Fault.Kind kind() {
        return kind;
    }

    /** Why what was found is bad, or why the walk ended before its end; else null. */
    @Nullable
    String reason() {
        return reason;
    }

    /**
     * After an end with a {@link #reason}: whether all that lies behind it is what a crash leaves of the last append, the beginning of
     * a batch or zeros, which nobody was told is there.
     */
    boolean isTornTail() {
        final long from = scan.position();
        try (FileView view = new FileView()) {
            return (isCutShort(from, view) || isZero(from, view)) && !isFollowed(from);
        }
    }

    /** Less than a header, or a header that fits here of a batch that reaches behind the end. */
    private boolean isCutShort(final long from, final FileView view) {
        final StorageFile file = segment().file();
        final int shown = file.view(from, (int) Math.min(RecordBatchDescriptor.HEADER_BYTES, to - from), view);
        if (shown <= RecordBatchDescriptor.MAGIC_OFFSET) {
            return true;
        }
        final DirectBuffer header = view.buffer();
        final long claimed = RecordBatchDescriptor.LOG_OVERHEAD
                + (long) header.getInt(RecordBatchDescriptor.LENGTH_OFFSET, ByteOrder.BIG_ENDIAN);
        final byte magic = header.getByte(RecordBatchDescriptor.MAGIC_OFFSET);
        return claimed > to - from
                && magic >= 0
                && magic <= RecordBatchDescriptor.MAGIC_V2
                && header.getLong(RecordBatchDescriptor.BASE_OFFSET_OFFSET, ByteOrder.BIG_ENDIAN) >= expected;
    }

    private boolean isZero(final long from, final FileView view) {
        for (long at = from; at < to; ) {
            final int shown = segment().file().view(at, (int) Math.min(ZERO_BYTES, to - at), view);
            for (int i = 0; i < shown; i++) {
                if (view.buffer().getByte(i) != 0) {
                    return false;
                }
            }
            at += Math.max(1, shown);
        }
        return true;
    }

    private boolean isFollowed(final long from) {
        final BatchCursor cursor = searchFrom(from);
        return cursor.next() != BatchCursor.Step.END && cursor.resync() < to;
    }

    /** Position of a batch whose leader epoch stands out, known when its follower is found; -1 for none. */
    long epochFault() {
        return epochFault;
    }

    /** Whether the last segment that was walked and not empty shows that a cleaner took batches or records from it. */
    boolean isThinned() {
        return isThinned;
    }

    /** Whether the last batch that was walked is bad, so that what is missing behind it may be its own. */
    boolean isBehindBad() {
        return isBehindBad;
    }

    /** Lets go of the memory that is looked at; the scan can be started again. */
    void release() {
        segment = null;
        scan.release();
    }

    @Override
    public void close() {
        scan.close();
        if (search != null) {
            search.close();
        }
    }
}
