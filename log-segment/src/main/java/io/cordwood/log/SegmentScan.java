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
    private final BatchesBehind further = new BatchesBehind();
    private @Nullable Segment segment;
    private long to;
    private long end;
    private long keepBelow;
    private long servedFrom;
    private long expected;
    private long behindBad;
    private boolean isPlaced;
    private boolean isUncommitted;
    private boolean isThinned;
    private boolean isBehindBad;

    /** Position of a batch that is not believed, nor is the one before it; -1 for none. */
    private long doubted = -1;

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
        behindBad = -1;
        to = bytes;
        end = endOffset;
        keepBelow = keptBelow;
        expected = expectedOffset;
        reason = null;
        further.start(walked, bytes);
        doubted = -1;
        if (bytes > 0) {
            isBehindBad = false;
            isThinned &= from > 0;
        }
        scan.start(walked.file(), from, bytes);
    }

    /**
     * Says where the log begins. Where nothing in front of {@code keptBelow} is served any more, nothing is kept for its sake that hides what
     * lies behind.
     */
    void servedFrom(final long logStartOffset) {
        servedFrom = logStartOffset;
    }

    Step next() {
        reason = null;
        epochFault = -1;
        isPlaced = false;
        isUncommitted = false;
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
        return keepBelow > Math.max(0, expected) && !hidesUnforced() ? searchBehind() : Step.END;
    }

    /** Whether damage of which nothing is served reaches over what was not forced, and so is what a power cut has left of that. */
    private boolean hidesUnforced() {
        return keepBelow <= servedFrom && further.goodBase(scan.position(), Math.max(0, expected)) > keepBelow;
    }

    private Step inOrder() {
        final BatchHeader header = scan.header();
        final long first = header.baseOffset();
        final long last = header.lastOffset();
        reason = scan.position() == doubted ? doubtful(first, last) : misplaced(first, last);
        final boolean isGap = expected >= 0 && first > expected;
        boolean isEndOfWalk = false;
        if (reason == null && isGap) {
            final long hidden = hidden(first, last);
            if (hidden >= 0) {
                kind = Fault.Kind.OFFSET_FALLS;
                reason = "offsets " + first + " to " + last + ", but the next good batch begins at " + hidden;
                // What lies between is damage.
                isEndOfWalk = hidden != scan.followingOffset();
            }
        }
        if (reason != null) {
            isUncommitted = isUncommitted(first);
            if (keepBelow <= Math.max(0, expected) && (isEndOfWalk || isTornHead(first) || isUncommitted)) {
                return Step.END;
            }
            isBehindBad = true;
            return Step.BAD;
        }
        watchEpoch(header.partitionLeaderEpoch());
        // What is missing behind a bad batch may be its fault, and in front of the log's start a truncation's: neither
        // is a sign of a cleaner.
        isThinned |= (isGap && first > servedFrom && !isBehindBad)
                || header.magic() < RecordBatchDescriptor.MAGIC_V2
                || header.recordCount() != last - first + 1
                || header.hasDeleteHorizon();
        isBehindBad = false;
        expected = last + 1;
        return Step.SOUND;
    }

    /** Offset of a good batch behind this one that shows that there is no gap in front of it; -1 if there is none. */
    private long hidden(final long first, final long last) {
        final long behind = scan.position() + scan.batch().sizeInBytes();
        final long following = scan.followingOffset();
        final long bound = Math.min(end, segment().reach());
        if (following >= expected && following <= last) {
            final BatchesBehind.Misplaced wrong =
                    further.ofTwo(scan.batch().crc(), expected, first, last, behind, following, bound);
            if (wrong == BatchesBehind.Misplaced.EITHER) {
                doubted = behind;
            }
            return wrong == BatchesBehind.Misplaced.FOLLOWER ? -1 : following;
        }
        // Of batches that are in order among themselves a block may be out of its place.
        final long at = scan.disorderAhead(last, bound);
        if (at < 0) {
            return -1;
        }
        final long good = further.goodBase(at, expected);
        final boolean isHidden = at == behind ? good <= last : good < first && !further.isAlone(at, scan.orderedLast());
        return good >= expected && isHidden ? good : -1;
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

    /** Whether this was encoded in the log's own memory when the process died, and never committed: then nothing is behind it. */
    private boolean isUncommitted(final long first) {
        final RecordBatchFlyweight batch = scan.batch();
        return first == 0
                && batch.partitionLeaderEpoch() == NO_EPOCH
                && further.goodBase(scan.position() + batch.sizeInBytes(), 0) == Long.MAX_VALUE;
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
        final BatchCursor cursor = further.from(position);
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
                    && (isSealed || last < further.goodBase(behind, expected))) {
                // What a wrong checksum covers must not claim the offsets of others.
                isPlaced = true;
                expected = last + 1;
            }
        }
        behindBad = behind;
        isBehindBad = true;
        return Step.BAD;
    }

    private Segment segment() {
        final Segment walked = segment;
        if (walked == null) {
            throw new IllegalStateException("the scan was not started");
        }
        return walked;
    }

    /** The batch that was found; after {@link Step#BAD} only if {@link #isPlaced} or {@link #isMisplaced}. */
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

    /** After {@link Step#BAD}: whether only the offsets of the {@link #batch} are wrong, and its bytes are right. */
    boolean isMisplaced() {
        return kind == Fault.Kind.OFFSET_FALLS
                || kind == Fault.Kind.OFFSET_OUTSIDE_SEGMENT
                || kind == Fault.Kind.SEGMENT_OVERLAP;
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
     * a batch, one that was not committed, or zeros, which nobody was told is there.
     */
    boolean isTornTail() {
        final long from = scan.position();
        try (FileView view = new FileView()) {
            return isUncommitted || ((isCutShort(from, view) || isZero(from, view)) && !isFollowed(from));
        }
    }

    /** Less than a header, or a header that fits here of a batch that reaches behind the end. */
    private boolean isCutShort(final long from, final FileView view) {
        final StorageFile file = segment().file();
        final int shown = view.show(file, from, (int) Math.min(RecordBatchDescriptor.HEADER_BYTES, to - from));
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
            final int shown = view.show(segment().file(), at, (int) Math.min(ZERO_BYTES, to - at));
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
        final BatchCursor cursor = further.from(from);
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
        further.release();
        scan.release();
    }

    @Override
    public void close() {
        scan.close();
        further.close();
    }
}
