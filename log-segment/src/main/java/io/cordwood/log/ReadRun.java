package io.cordwood.log;

import io.cordwood.log.record.BatchHeader;
import io.cordwood.log.record.BatchValidator;
import io.cordwood.log.record.RecordBatchDescriptor;
import org.agrona.DirectBuffer;
import org.jspecify.annotations.Nullable;

/**
 * Judges the batches that a read is about to show, one behind the other: the run ends in front of one that nobody must get. One
 * reader's; allocates nothing unless something is wrong.
 */
final class ReadRun implements AutoCloseable {
    private static final int MAGIC_END = RecordBatchDescriptor.MAGIC_OFFSET + 1;
    static final int WALK_BYTES = BatchHeader.BYTES;
    // Kafka's smallest message: magic 0, no key, no value.
    private static final int LEGACY_BYTES_MIN = 26;

    private final LeaderEpochTable epochs;
    private final BatchValidator validator;
    private final BatchHeader batch = new BatchHeader();
    private final BatchHeader following = new BatchHeader();
    private final IndexedGap gaps = new IndexedGap();
    private @Nullable Segment segment;
    private long position;
    private boolean isVerifying = true;
    private String reason = "";
    private long nextOffset;
    private long behindFlaw;
    private boolean isFollowing;
    private boolean isFirstGapKnown;
    private boolean isGapDoubted;
    private int lastEpoch;

    ReadRun(final LeaderEpochTable epochs, final BatchValidator validator) {
        this.epochs = epochs;
        this.validator = validator;
    }

    void verifying(final boolean verifies) {
        isVerifying = verifies;
    }

    BatchValidator validator() {
        return validator;
    }

    IndexedGap gaps() {
        return gaps;
    }

    /** Why the run ended in front of the last batch that was looked at. */
    String reason() {
        return reason;
    }

    /** Offset behind the last good batch of the run. */
    long nextOffset() {
        return nextOffset;
    }

    /** Offset behind the batch in front of which the run ended; -1 if nobody can tell. */
    long behindFlaw() {
        return behindFlaw;
    }

    /** The header that {@link #size} read last. */
    BatchHeader batch() {
        return batch;
    }

    /**
     * Reads a header into {@link #batch} and checks what a walk depends on.
     *
     * @return its size; -1 if it is none, then see {@link #reason}.
     */
    int size(final DirectBuffer buffer, final int index, final long left) {
        final int shown = buffer.capacity() - index;
        if (shown < MAGIC_END) {
            return noBatch(left);
        }
        final byte magic = batch.read(buffer, index).magic();
        final long size = batch.batchLength() + (long) RecordBatchDescriptor.LOG_OVERHEAD;
        return isBatch(magic, size, shown, left) ? (int) size : noBatch(magic, size, left);
    }

    private static boolean isBatch(final byte magic, final long size, final int shown, final long left) {
        final int least = magic == RecordBatchDescriptor.MAGIC_V2 ? WALK_BYTES : LEGACY_BYTES_MIN;
        return magic >= 0
                && magic <= RecordBatchDescriptor.MAGIC_V2
                && size >= least
                && size <= Math.min(left, Integer.MAX_VALUE)
                && shown >= least;
    }

    /**
     * Whether what lies behind a batch agrees that there is a gap in front of it: nothing, or a batch with higher offsets. Else that
     * batch may be one from further back, and hide those that lie behind it.
     *
     * @param index of what lies behind it.
     * @param left bytes in the file from there on.
     * @param last offset of the batch.
     * @param segmentEnd base of the next segment.
     */
    boolean isFollowedRightly(
            final DirectBuffer buffer, final int index, final long left, final long last, final long segmentEnd) {
        if (left <= 0) {
            return true;
        }
        return isWhole(following, buffer, index, left)
                && following.baseOffset() > last
                && following.lastOffset() >= following.baseOffset()
                && following.lastOffset() < segmentEnd;
    }

    /** Whether something looks like the header of a batch that fits; reads it. */
    static boolean isWhole(final BatchHeader header, final DirectBuffer buffer, final int index, final long left) {
        final int shown = buffer.capacity() - index;
        if (shown < MAGIC_END) {
            return false;
        }
        final byte magic = header.read(buffer, index).magic();
        return isBatch(magic, header.batchLength() + (long) RecordBatchDescriptor.LOG_OVERHEAD, shown, left);
    }

    // What words need is kept out of the methods that are called for each batch: they should stay small.

    private int noBatch(final long left) {
        reason = left + " bytes are no batch";
        return -1;
    }

    private int noBatch(final byte magic, final long size, final long left) {
        reason = magic < 0 || magic > RecordBatchDescriptor.MAGIC_V2
                ? "magic is " + magic + ", but should be 0 to 2"
                : "the batch claims " + size + " bytes, but " + left + " are left, and none has more than "
                        + Integer.MAX_VALUE;
        return -1;
    }

    private boolean isWrong(final String words) {
        reason = words;
        return false;
    }

    private boolean isMisplaced(final long segmentEnd) {
        return isWrong("offsets " + batch.baseOffset() + " to " + batch.lastOffset() + " where " + nextOffset
                + " is due, in front of " + segmentEnd);
    }

    /**
     * Begins a run.
     *
     * @param in segment that is read.
     * @param from position of the first batch in it.
     * @param follows whether the first batch is the one behind what was read before, and so may not begin below the offset.
     * @param isGapKnown whether a gap in front of it was looked at closely.
     */
    void start(final Segment in, final long from, final long offset, final boolean follows, final boolean isGapKnown) {
        segment = in;
        position = from;
        nextOffset = offset;
        isFollowing = follows;
        isFirstGapKnown = isGapKnown;
        isGapDoubted = false;
        behindFlaw = -1;
    }

    /** Whether the run has no batch because what follows the first does not agree with the gap in front of it. */
    boolean isGapDoubted() {
        return isGapDoubted;
    }

    /**
     * Length of the run of good batches at the start of some bytes.
     *
     * @param buffer of the bytes.
     * @param most bytes of them, whole or not.
     * @param left bytes in the file.
     * @param segmentEnd base of the next segment.
     * @param upTo no batch that begins at or above is taken.
     * @return bytes; 0 if the first batch is too late, -1 if it is not good.
     */
    int length(final DirectBuffer buffer, final int most, final long left, final long segmentEnd, final long upTo) {
        lastEpoch = Integer.MIN_VALUE;
        int at = 0;
        while (most - at >= WALK_BYTES || (most - at == LEGACY_BYTES_MIN && isLegacy(buffer, at))) {
            final int size = size(buffer, at, left - at);
            if (size >= 0 && (size > most - at || (at > 0 && batch.baseOffset() >= upTo))) {
                break;
            }
            behindFlaw = -1;
            if (size < 0 || !isGood(buffer, at, size, left - at, segmentEnd)) {
                return at == 0 ? -1 : at;
            }
            if (batch.baseOffset() >= upTo) {
                return 0;
            }
            nextOffset = batch.nextOffset();
            at += size;
        }
        return at;
    }

    private static boolean isLegacy(final DirectBuffer buffer, final int at) {
        return buffer.getByte(at + RecordBatchDescriptor.MAGIC_OFFSET) < RecordBatchDescriptor.MAGIC_V2;
    }

    private boolean isGood(
            final DirectBuffer buffer, final int at, final int size, final long left, final long segmentEnd) {
        final long first = batch.baseOffset();
        final long last = batch.lastOffset();
        behindFlaw = last + 1;
        if (last >= segmentEnd || last < nextOffset || ((at > 0 || isFollowing) && first < nextOffset)) {
            return isMisplaced(segmentEnd);
        }
        if ((first > nextOffset || batch.partitionLeaderEpoch() != lastEpoch)
                && !isRightBesideNext(buffer, at, size, left, segmentEnd)) {
            return false;
        }
        return !isVerifying || validator.header(batch, size) >= 0 || isWrong(String.valueOf(validator.reason()));
    }

    /** Judges a gap or a new epoch, for which the batch that follows must be seen. */
    private boolean isRightBesideNext(
            final DirectBuffer buffer, final int at, final int size, final long left, final long segmentEnd) {
        final int behind = at + size;
        final int shown = buffer.capacity() - behind;
        if (at > 0 && shown < Math.min(WALK_BYTES, left - size)) {
            // The next read begins here.
            return false;
        }
        final boolean isGap = batch.baseOffset() > nextOffset && !(at == 0 && isFirstGapKnown);
        if (isGap
                && (!isFollowedRightly(buffer, behind, left - size, batch.lastOffset(), segmentEnd)
                        || isContradicted(at))) {
            isGapDoubted = at == 0;
            return isMisplaced(segmentEnd);
        }
        return batch.partitionLeaderEpoch() == lastEpoch || isRightEpoch(buffer, behind, shown >= MAGIC_END);
    }

    private boolean isContradicted(final int at) {
        final Segment in = segment;
        return in != null && gaps.lowerBehind(in, position + at, batch.baseOffset()) >= 0;
    }

    /** Not one that neither the table nor the following batch agrees with. */
    private boolean isRightEpoch(final DirectBuffer buffer, final int behind, final boolean isFollowed) {
        final int epoch = batch.partitionLeaderEpoch();
        lastEpoch = epoch;
        final int known = epochs.epochAt(batch.baseOffset());
        if (epoch < 0 || epoch == known || known < 0 || !isFollowed) {
            return true;
        }
        final int next = following.read(buffer, behind).partitionLeaderEpoch();
        final boolean isWrong = epoch > known ? next >= 0 && next < epoch : next == known;
        return !isWrong
                || isWrong("leader epoch " + epoch + ", but " + known + " wrote this, and the next batch has " + next);
    }

    @Override
    public void close() {
        gaps.close();
        validator.close();
    }
}
