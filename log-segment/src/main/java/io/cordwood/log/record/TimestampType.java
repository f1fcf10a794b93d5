package io.cordwood.log.record;

/** What the timestamps of a batch mean. */
public enum TimestampType {
    /** Magic 0 has no timestamps at all. */
    NO_TIMESTAMP_TYPE("NoTimestampType"),
    /** Given by whoever made the record. */
    CREATE_TIME("CreateTime"),
    /** Given by the log when it appended the batch: every record has the batch's max timestamp. */
    LOG_APPEND_TIME("LogAppendTime");

    private final String kafkaName;

    TimestampType(final String kafkaName) {
        this.kafkaName = kafkaName;
    }

    /**
     * Kafka's name of the type.
     *
     * @return as in {@code message.timestamp.type}.
     */
    public String kafkaName() {
        return kafkaName;
    }
}
