package io.cordwood.transactions;

import io.cordwood.log.Origin;
import io.cordwood.log.record.CorruptRecordException;
import io.cordwood.log.record.RecordBatchDescriptor;
import io.cordwood.log.record.RecordBatchFlyweight;
import io.cordwood.log.record.Refusal;
import org.jspecify.annotations.Nullable;

/**
 * Says what may be appended on behalf of a producer. Changes nothing. The rules are Kafka's {@code ProducerAppendInfo}'s and {@code
 * ProducerStateManager}'s; what a leader has accepted is not judged again. The writer's thread; allocates nothing.
 */
final class ProducerRules {
    private final ProducerTable table;
    private final Verifications verifications;
    private final ProducerConfig config;
    private final Marker marker = new Marker();

    ProducerRules(final ProducerTable table, final Verifications verifications, final ProducerConfig config) {
        this.table = table;
        this.verifications = verifications;
        this.config = config;
    }

    /** As {@link io.cordwood.log.DerivedState#check}. */
    long check(final RecordBatchFlyweight batch, final Origin origin, final long guard) {
        if (origin == Origin.REPLICA || !batch.hasProducerId()) {
            return Refusal.ACCEPTED;
        }
        final int row = table.find(batch.producerId());
        if (row == ProducerTable.NONE && table.size() >= config.producersMax()) {
            return Refusal.TOO_MANY_PRODUCERS;
        }
        if (batch.isControl()) {
            return checkMarker(batch, row, guard);
        }
        if (origin == Origin.CLIENT && row != ProducerTable.NONE) {
            final long original = duplicate(batch, row);
            if (original >= 0) {
                return original;
            }
        }
        return checkData(batch, row, origin, guard);
    }

    /** Offset of the first record of the same batch, if it is among the last ones; else -1. */
    private long duplicate(final RecordBatchFlyweight batch, final int row) {
        if (batch.producerEpoch() != table.epoch(row)) {
            return -1;
        }
        final int lastSequence = batch.lastSequence();
        final int delta = batch.lastOffsetDelta();
        for (int number = table.batches(row) - 1; number >= 0; number--) {
            // The first sequence follows from these two.
            if (table.batchLastSequence(row, number) == lastSequence && table.batchOffsetDelta(row, number) == delta) {
                return table.batchLastOffset(row, number) - delta;
            }
        }
        return -1;
    }

    private long checkData(final RecordBatchFlyweight batch, final int row, final Origin origin, final long guard) {
        final short epoch = batch.producerEpoch();
        final boolean isKnown = row != ProducerTable.NONE;
        if (isKnown && epoch < table.epoch(row)) {
            return Refusal.INVALID_PRODUCER_EPOCH;
        }
        final boolean isTransactional = batch.isTransactional();
        final boolean isOngoing = isKnown && table.transactionFirst(row) >= 0;
        final Verifications.@Nullable Verification verification =
                isTransactional ? verifications.find(batch.producerId()) : null;
        if (origin == Origin.CLIENT) {
            final boolean isOfOngoing = isOngoing && epoch == table.epoch(row);
            if (isTransactional && config.isVerifying() && !isOfOngoing && !isVerified(verification, guard)) {
                return Refusal.INVALID_TRANSACTION_STATE;
            }
            if (!isInSequence(batch.baseSequence(), epoch, row, verification)) {
                return Refusal.OUT_OF_ORDER_SEQUENCE;
            }
        }
        return isOngoing && !isTransactional ? Refusal.INVALID_TRANSACTION_STATE : Refusal.ACCEPTED;
    }

    private static boolean isVerified(final Verifications.@Nullable Verification verification, final long guard) {
        return verification != null && verification.guard() == guard;
    }

    private boolean isInSequence(
            final int sequence,
            final short epoch,
            final int row,
            final Verifications.@Nullable Verification verification) {
        if (verification != null && sequence > verification.lowestSequence()) {
            return false;
        }
        if (row == ProducerTable.NONE || table.epoch(row) == RecordBatchDescriptor.NO_PRODUCER_EPOCH) {
            return sequence == 0 || verification == null || !verification.startsAtZero();
        }
        if (epoch != table.epoch(row)) {
            return sequence == 0;
        }
        final int last = table.lastSequence(row);
        return last == Integer.MAX_VALUE ? sequence == 0 : sequence == last + 1;
    }

    private long checkMarker(final RecordBatchFlyweight batch, final int row, final long guard) {
        final boolean isEnd;
        try {
            isEnd = marker.read(batch);
        } catch (final CorruptRecordException e) {
            return Refusal.INVALID_RECORD;
        }
        if (!isEnd) {
            return Refusal.INVALID_RECORD;
        }
        if (row == ProducerTable.NONE) {
            return Refusal.ACCEPTED;
        }
        final short epoch = batch.producerEpoch();
        final boolean isRepeated = epoch == table.epoch(row) && table.transactionFirst(row) < 0;
        final boolean isTooOld = guard == ProducerState.MARKER_OF_SECOND_PROTOCOL
                ? epoch <= table.epoch(row) && !isRepeated
                : epoch < table.epoch(row);
        if (isTooOld) {
            return Refusal.INVALID_PRODUCER_EPOCH;
        }
        return marker.coordinatorEpoch() < table.coordinatorEpoch(row)
                ? Refusal.FENCED_COORDINATOR_EPOCH
                : Refusal.ACCEPTED;
    }
}
