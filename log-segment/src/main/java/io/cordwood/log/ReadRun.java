package io.cordwood.log;

import io.cordwood.log.record.BatchValidator;
import io.cordwood.log.record.RecordBatchDescriptor;
import io.cordwood.log.record.RecordBatchFlyweight;
import java.nio.ByteOrder;
import org.agrona.DirectBuffer;
import org.jspecify.annotations.Nullable;

/**
 * Judges the batches that a read is about to show, one behind the other: the run ends in front of one that nobody must get. One
 * reader's; allocates nothing unless something is wrong.
 */
final class ReadRun implements AutoCloseable {
    private static final int MAGIC_END = RecordBatchDescriptor.MAGIC_OFFSET + 1;
    static final int WALK_BYTES = RecordBatchDescriptor.LAST_OFFSET_DELTA_OFFSET + 4;
    // Kafka's smallest message: magic 0, no key, no value.
    private static final int LEGACY_BYTES_MIN = 26;

    private final LeaderEpochTable epochs;
    private final BatchValidator validator;
    private final RecordBatchFlyweight batch = new RecordBatchFlyweight();
    private final RecordBatchFlyweight following = new RecordBatchFlyweight();
    private boolean isVerifying = true;
    private String reason = "";
    private long nextOffset;
    private long behindFlaw;
    private boolean isFollowing;
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

    /** The batch on whose header {@link #size} was put last. */
    RecordBatchFlyweight batch() {
        return batch;
    }

    /**
     * Puts {@link #batch} on a header and checks what a walk depends on.
     *
     * @return its size; -1 if it is none, then see {@link #reason}.
     */
    int size(final DirectBuffer buffer, final int index, final long left) {
        final int shown = buffer.capacity() - index;
        if (shown < MAGIC_END) {
            reason = shown + " bytes are no batch";
            return -1;
        }
        final byte magic = buffer.getByte(index + RecordBatchDescriptor.MAGIC_OFFSET);
        final int declared = buffer.getInt(index + RecordBatchDescriptor.LENGTH_OFFSET, ByteOrder.BIG_ENDIAN);
        final long size = declared + (long) RecordBatchDescriptor.LOG_OVERHEAD;
        if (magic < 0 || magic > RecordBatchDescriptor.MAGIC_V2) {
            reason = "magic is " + magic + ", but should be 0 to 2";
            return -1;
        }
        final int least = magic == RecordBatchDescriptor.MAGIC_V2 ? WALK_BYTES : LEGACY_BYTES_MIN;
        if (size < least || size > left || shown < least) {
            reason = "the batch claims " + size + " bytes, but " + left + " are left";
            return -1;
        }
        batch.wrap(buffer, index);
        return (int) size;
    }

    /** Begins a run: whether the first batch is the one behind what was read before, and so may not begin below the offset. */
    void start(final long offset, final boolean follows) {
        nextOffset = offset;
        isFollowing = follows;
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
        behindFlaw = -1;
        lastEpoch = Integer.MIN_VALUE;
        int at = 0;
        while (most - at >= WALK_BYTES || (most - at == LEGACY_BYTES_MIN && isLegacy(buffer, at))) {
            final int size = size(buffer, at, left - at);
            if (size >= 0 && (at + size > most || (at > 0 && batch.baseOffset() >= upTo))) {
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
        final boolean isDue = at > 0;
        final long first = batch.baseOffset();
        final long last = batch.lastOffset();
        behindFlaw = last + 1;
        if (last >= segmentEnd || last < nextOffset || ((isDue || isFollowing) && first < nextOffset)) {
            reason = "offsets " + first + " to " + last + " where " + nextOffset + " is due, in front of " + segmentEnd;
            return false;
        }
        final boolean isFollowed = buffer.capacity() - at - size >= MAGIC_END;
        if (isFollowed) {
            following.wrap(buffer, at + size);
        }
        if (isDue && !isFollowed && size < left && (first > nextOffset || batch.partitionLeaderEpoch() != lastEpoch)) {
            // What follows must be seen to judge it: the next read begins here.
            return false;
        }
        if (first > nextOffset
                && isFollowed
                && following.baseOffset() <= last
                && following.baseOffset() >= nextOffset) {
            reason = "offsets " + first + " to " + last + ", but the next batch begins at " + following.baseOffset();
            return false;
        }
        if (isVerifying && validator.header(buffer, at, size) < 0) {
            reason = String.valueOf(validator.reason());
            return false;
        }
        final String wrongEpoch = wrongEpoch(isFollowed);
        if (wrongEpoch != null) {
            reason = wrongEpoch;
            return false;
        }
        return true;
    }

    /** An epoch that neither the table nor the following batch agrees with. */
    private @Nullable String wrongEpoch(final boolean isFollowed) {
        final int epoch = batch.partitionLeaderEpoch();
        if (epoch == lastEpoch) {
            return null;
        }
        lastEpoch = epoch;
        final int known = epochs.epochAt(batch.baseOffset());
        if (epoch < 0 || epoch == known || known < 0 || !isFollowed) {
            return null;
        }
        final int next = following.partitionLeaderEpoch();
        final boolean isWrong = epoch > known ? next >= 0 && next < epoch : next == known;
        return isWrong
                ? "leader epoch " + epoch + ", but " + known + " wrote this, and the next batch has " + next
                : null;
    }

    @Override
    public void close() {
        validator.close();
    }
}
