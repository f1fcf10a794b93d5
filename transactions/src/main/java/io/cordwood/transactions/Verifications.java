package io.cordwood.transactions;

import org.agrona.collections.Long2ObjectHashMap;
import org.jspecify.annotations.Nullable;

/**
 * Transactions of which the coordinator is being asked, or has said, that they are ongoing, before their first batch is in the log. A few at a
 * time; the writer's thread.
 */
final class Verifications {
    /** One producer's. */
    static final class Verification {
        private final short epoch;
        private final long guard;
        private final long sinceMs;
        private final boolean startsAtZero;
        private int lowestSequence;

        private Verification(
                final short epoch,
                final long guard,
                final long sinceMs,
                final int lowestSequence,
                final boolean startsAtZero) {
            this.epoch = epoch;
            this.guard = guard;
            this.sinceMs = sinceMs;
            this.lowestSequence = lowestSequence;
            this.startsAtZero = startsAtZero;
        }

        long guard() {
            return guard;
        }

        /** Lowest sequence of the batches that waited, of which none may be overtaken. */
        int lowestSequence() {
            return lowestSequence;
        }

        /** Whether the producer bumps its epoch with each transaction, so that each begins with sequence 0. */
        boolean startsAtZero() {
            return startsAtZero;
        }
    }

    private final Long2ObjectHashMap<Verification> byProducer = new Long2ObjectHashMap<>();
    private long lastGuard;

    /** The producer's verification, begun or joined. */
    long begin(
            final long producerId,
            final short epoch,
            final int sequence,
            final boolean startsAtZero,
            final long nowMs) {
        final Verification known = byProducer.get(producerId);
        if (known == null || known.epoch < epoch) {
            byProducer.put(producerId, new Verification(epoch, ++lastGuard, nowMs, sequence, startsAtZero));
            return lastGuard;
        }
        if (known.epoch == epoch) {
            known.lowestSequence = Math.min(known.lowestSequence, sequence);
        }
        return known.guard;
    }

    @Nullable
    Verification find(final long producerId) {
        return byProducer.isEmpty() ? null : byProducer.get(producerId);
    }

    /** The producer's transaction has begun, or ended: who asks for the next one must ask anew. */
    void end(final long producerId) {
        if (!byProducer.isEmpty()) {
            byProducer.remove(producerId);
        }
    }

    void expire(final long nowMs, final long expirationMs) {
        byProducer.values().removeIf(verification -> nowMs - verification.sinceMs >= expirationMs);
    }

    void clear() {
        byProducer.clear();
    }
}
