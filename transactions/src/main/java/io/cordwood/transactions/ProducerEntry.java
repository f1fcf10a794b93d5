package io.cordwood.transactions;

import java.util.List;

/**
 * What a log knows of one producer, as a copy.
 *
 * @param producerId of the producer.
 * @param epoch of the producer; -1 if none is known.
 * @param coordinatorEpoch of the coordinator that wrote the producer's last marker; -1 before the first.
 * @param lastTimestamp of what was written last by or for the producer, milliseconds since the epoch, or -1.
 * @param transactionFirst first offset of the open transaction; -1 if there is none.
 * @param batches the last ones, at most five, oldest first.
 */
public record ProducerEntry(
        long producerId,
        short epoch,
        int coordinatorEpoch,
        long lastTimestamp,
        long transactionFirst,
        List<Batch> batches) {
    /**
     * Copies the list.
     *
     * @param producerId of the producer.
     * @param epoch of the producer.
     * @param coordinatorEpoch of the coordinator that wrote the last marker.
     * @param lastTimestamp of what was written last.
     * @param transactionFirst first offset of the open transaction.
     * @param batches the last ones.
     */
    public ProducerEntry {
        batches = List.copyOf(batches);
    }

    /**
     * A batch of the producer.
     *
     * @param firstSequence of its records, or -1.
     * @param lastSequence of its records, or -1.
     * @param firstOffset of its records.
     * @param lastOffset of its records.
     * @param timestamp the largest of its records.
     */
    public record Batch(int firstSequence, int lastSequence, long firstOffset, long lastOffset, long timestamp) {}
}
