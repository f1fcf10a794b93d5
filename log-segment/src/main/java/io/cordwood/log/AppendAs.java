package io.cordwood.log;

import java.util.Objects;

/**
 * On whose behalf and on what terms a run of batches is appended. Immutable: make it once and reuse it.
 *
 * @param origin who the batches come from.
 * @param leaderEpoch written into each batch, at least 0, or -1 for none; a {@link Origin#REPLICA replica's} batches keep
 *     the epochs that they bring.
 * @param durability when the append counts as acknowledged.
 * @param guard an opaque value that is handed to {@link DerivedState#check}.
 */
public record AppendAs(Origin origin, int leaderEpoch, Durability durability, long guard) {
    /**
     * Checks the values.
     *
     * @param origin who the batches come from.
     * @param leaderEpoch written into each batch.
     * @param durability when the append counts as acknowledged.
     * @param guard handed to the derived states.
     */
    public AppendAs {
        Objects.requireNonNull(origin, "origin");
        Objects.requireNonNull(durability, "durability");
        if (leaderEpoch < -1) {
            throw new IllegalArgumentException("leader epoch is " + leaderEpoch + ", but the least is -1");
        }
    }

    /**
     * A producer's batches, acknowledged from the page cache.
     *
     * @param leaderEpoch of this leader.
     * @return the terms.
     */
    public static AppendAs client(final int leaderEpoch) {
        return new AppendAs(Origin.CLIENT, leaderEpoch, Durability.PAGE_CACHE, 0);
    }

    /**
     * A coordinator's batches, acknowledged from the page cache.
     *
     * @param leaderEpoch of this leader.
     * @return the terms.
     */
    public static AppendAs coordinator(final int leaderEpoch) {
        return new AppendAs(Origin.COORDINATOR, leaderEpoch, Durability.PAGE_CACHE, 0);
    }

    /**
     * What a follower fetched from its leader, acknowledged from the page cache.
     *
     * @return the terms.
     */
    public static AppendAs replica() {
        return new AppendAs(Origin.REPLICA, -1, Durability.PAGE_CACHE, 0);
    }

    /**
     * The same with a force before the acknowledgement.
     *
     * @return the terms.
     */
    public AppendAs forced() {
        return new AppendAs(origin, leaderEpoch, Durability.FORCED, guard);
    }

    /**
     * The same with another guard.
     *
     * @param newGuard handed to the derived states.
     * @return the terms.
     */
    public AppendAs guardedBy(final long newGuard) {
        return new AppendAs(origin, leaderEpoch, durability, newGuard);
    }
}
