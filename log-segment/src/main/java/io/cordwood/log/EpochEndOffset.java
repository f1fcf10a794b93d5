package io.cordwood.log;

/**
 * The answer to a follower who asks how far a leader epoch reached.
 *
 * @param epoch the largest known epoch that is not above the one asked for, or {@link #UNDEFINED}.
 * @param endOffset the offset at which that epoch ended: the start of the next one or the end of the log; or
 *     {@link #UNDEFINED}.
 */
public record EpochEndOffset(int epoch, long endOffset) {
    /** What both fields have when nothing is known of the epoch, as in Kafka's protocol. */
    public static final int UNDEFINED = -1;

    /** Nothing is known of the epoch. */
    static final EpochEndOffset UNKNOWN = new EpochEndOffset(UNDEFINED, UNDEFINED);

    /**
     * Whether the table had an answer.
     *
     * @return false if both fields are undefined.
     */
    public boolean isDefined() {
        return endOffset != UNDEFINED;
    }
}
