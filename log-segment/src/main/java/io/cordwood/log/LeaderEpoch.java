package io.cordwood.log;

/**
 * One line of a leader-epoch table: from this offset on, and up to the next line's, batches were written by the leader of this
 * epoch.
 *
 * @param epoch of the leader, at least 0.
 * @param startOffset of the first record that this leader wrote or was going to write, at least 0.
 */
public record LeaderEpoch(int epoch, long startOffset) {
    /**
     * Checks the values.
     *
     * @param epoch at least 0.
     * @param startOffset at least 0.
     */
    public LeaderEpoch {
        if (epoch < 0 || startOffset < 0) {
            throw new IllegalArgumentException(
                    "leader epoch " + epoch + " from offset " + startOffset + " is negative");
        }
    }
}
