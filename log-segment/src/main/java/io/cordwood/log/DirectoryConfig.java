package io.cordwood.log;

/**
 * The schedule of a data directory.
 *
 * @param retentionCheckMs time between two passes of retention, Kafka's {@code log.retention.check.interval.ms}; at least 1.
 * @param checkpointMs time between two looks at the offsets that the checkpoint files hold; a file is written only if one
 *     has changed. At least 1.
 * @param deleteDelayMs time between the renaming of a deleted partition and the deletion of its files, Kafka's
 *     {@code file.delete.delay.ms}; at least 0.
 */
public record DirectoryConfig(long retentionCheckMs, long checkpointMs, long deleteDelayMs) {
    private static final DirectoryConfig DEFAULTS = new DirectoryConfig(300_000, 5_000, 60_000);

    /**
     * Checks the limits.
     *
     * @param retentionCheckMs time between two passes of retention.
     * @param checkpointMs time between two writings of the checkpoints.
     * @param deleteDelayMs time between the two steps of a deletion.
     */
    public DirectoryConfig {
        require("retentionCheckMs", retentionCheckMs, 1);
        require("checkpointMs", checkpointMs, 1);
        require("deleteDelayMs", deleteDelayMs, 0);
    }

    private static void require(final String field, final long value, final long least) {
        if (value < least) {
            throw new ConfigException(field, Long.toString(value), "the least is " + least);
        }
    }

    /**
     * Kafka's: five minutes, five seconds, one minute.
     *
     * @return the schedule.
     */
    public static DirectoryConfig defaults() {
        return DEFAULTS;
    }
}
