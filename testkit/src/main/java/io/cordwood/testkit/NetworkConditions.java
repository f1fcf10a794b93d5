package io.cordwood.testkit;

/**
 * What a {@link SimulatedNetwork} does to messages by its seed. Immutable.
 *
 * @param delayMinMs least time that a message takes.
 * @param delayMaxMs most time that it takes, unless one before it on the same way takes longer.
 * @param lost how many of 1000 messages are lost.
 * @param duplicated how many of 1000 arrive twice.
 * @param reordered how many of 1000 wait for none before them.
 */
public record NetworkConditions(long delayMinMs, long delayMaxMs, int lost, int duplicated, int reordered) {
    private static final int ALL = 1000;

    /**
     * Checks the values.
     *
     * @param delayMinMs least time that a message takes.
     * @param delayMaxMs most time that it takes.
     * @param lost how many of 1000 messages are lost.
     * @param duplicated how many of 1000 arrive twice.
     * @param reordered how many of 1000 wait for none before them.
     */
    public NetworkConditions {
        if (delayMinMs < 0 || delayMaxMs < delayMinMs || delayMaxMs == Long.MAX_VALUE) {
            throw new IllegalArgumentException("a delay from " + delayMinMs + " to " + delayMaxMs + " ms");
        }
        if (lost < 0 || lost > ALL || duplicated < 0 || duplicated > ALL || reordered < 0 || reordered > ALL) {
            throw new IllegalArgumentException("lost " + lost + ", duplicated " + duplicated + ", reordered "
                    + reordered + ": each is a number of 1000 messages");
        }
    }

    /**
     * A network that does what one hopes for.
     *
     * @return a delay of 1 ms, and nothing lost, duplicated or reordered.
     */
    public static NetworkConditions good() {
        return new NetworkConditions(1, 1, 0, 0, 0);
    }

    /**
     * A network that one has to expect.
     *
     * @return delays up to 50 ms; one of 20 messages is lost, as many arrive twice, and twice as many overtake others.
     */
    public static NetworkConditions bad() {
        return new NetworkConditions(1, 50, 50, 50, 100);
    }
}
