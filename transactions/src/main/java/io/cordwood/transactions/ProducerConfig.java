package io.cordwood.transactions;

import io.cordwood.log.ConfigException;

/**
 * How long and how many producers a log remembers.
 *
 * @param expirationMs time after which a producer that writes nothing is forgotten, Kafka's {@code producer.id.expiration.ms}; at least 1. One
 *     with an open transaction never is.
 * @param producersMax most producers that are remembered at once; a batch of one more is refused. At least 1.
 * @param isVerifying whether a client's batch that would begin a transaction must have been verified, Kafka's {@code
 *     transaction.partition.verification.enable}; see {@link ProducerState#beginVerification}.
 */
public record ProducerConfig(long expirationMs, int producersMax, boolean isVerifying) {
    private static final ProducerConfig DEFAULTS =
            new ProducerConfig(86_400_000, ProducerSnapshot.PRODUCERS_MAX, false);

    /**
     * Checks the limits.
     *
     * @param expirationMs time after which a producer is forgotten.
     * @param producersMax most producers.
     * @param isVerifying whether transactions are verified.
     */
    public ProducerConfig {
        if (expirationMs < 1) {
            throw new ConfigException("expirationMs", Long.toString(expirationMs), "the least is 1");
        }
        if (producersMax < 1 || producersMax > ProducerSnapshot.PRODUCERS_MAX) {
            throw new ConfigException(
                    "producersMax",
                    Integer.toString(producersMax),
                    "the least is 1, the most " + ProducerSnapshot.PRODUCERS_MAX);
        }
    }

    /**
     * One day, as many as a snapshot can hold, and no verification, which takes a coordinator.
     *
     * @return the settings.
     */
    public static ProducerConfig defaults() {
        return DEFAULTS;
    }
}
