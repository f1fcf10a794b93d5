package io.cordwood.simulation.damage;

import io.cordwood.log.record.RecordBatchDescriptor;
import org.jspecify.annotations.Nullable;

/**
 * The bytes that no checksum covers and that may be wrong unseen, and why that is so: two fields of a batch of magic 2, and the files
 * that have no checksum. A wrong byte anywhere else in a batch is an error, and the offset index, which has no checksum either, is
 * held against the segment by each look-up.
 */
enum Unchecked {
    /** Assigned by the log after the producer has sealed the batch. */
    BASE_OFFSET(
            RecordBatchDescriptor.BASE_OFFSET_OFFSET,
            Long.BYTES,
            "outside the checksum; seen by its neighbours, the segment's name and the end of the segment, unless it falls into a legal gap"),
    /** Assigned by the log after the producer has sealed the batch. */
    LEADER_EPOCH(
            RecordBatchDescriptor.PARTITION_LEADER_EPOCH_OFFSET,
            Integer.BYTES,
            "outside the checksum; seen by the table of leader epochs and the next batch, unless they do not contradict"),
    /** Of any entry: Kafka's format has no checksum, and one that is in order looks like a right one. */
    TIME_INDEX(
            "no checksum; seen if the file is not in order. A look-up by time may begin behind a record that is old enough, or pass "
                    + "over a segment; reads by offset, and what is served, do not depend on it"),
    /** Text without a checksum. */
    LEADER_EPOCHS(
            "no checksum; seen if lines, order or count are wrong, and mended from the batches. Else the table tells another epoch or "
                    + "start, and a batch that contradicts it and whose follower agrees with it is refused"),
    /** Text without a checksum: recovery points, log starts, high watermarks, cleaner offsets. */
    CHECKPOINT(
            "no checksum; seen if the form is wrong. A lower recovery point costs a scan, a higher one spares it; a log start hides "
                    + "records below it as a deletion does; a name is that of a partition that is not here"),
    /** Text without a checksum. */
    META_PROPERTIES(
            "no checksum; seen if version or node are no numbers. Says whose directory it is, nothing of the logs"),
    /** Base64 without a checksum. */
    PARTITION_METADATA(
            "no checksum; seen if it is no topic id. Another id is the id of another topic, for the broker to refuse"),
    /** Text without a checksum. */
    CLEAN_SHUTDOWN(
            "no checksum; seen if it is not the JSON that is written. Digits of the broker's epoch, or white space");

    private final int offset;
    private final int bytes;
    private final String reason;

    Unchecked(final int offset, final int bytes, final String reason) {
        this.offset = offset;
        this.bytes = bytes;
        this.reason = reason;
    }

    Unchecked(final String reason) {
        this(-1, 0, reason);
    }

    /** Why it cannot be seen, and what follows from it at most. */
    String reason() {
        return reason;
    }

    /** The field that holds a byte of a batch; null if the checksum, or what follows from it, tells of a change there. */
    static @Nullable Unchecked at(final int byteInBatch) {
        for (final Unchecked field : values()) {
            if (byteInBatch >= field.offset && byteInBatch < field.offset + field.bytes) {
                return field;
            }
        }
        return null;
    }
}
