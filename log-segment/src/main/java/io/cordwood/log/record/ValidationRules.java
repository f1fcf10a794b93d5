package io.cordwood.log.record;

/**
 * What a topic demands of a batch that a client or a coordinator appends. Immutable.
 *
 * @param timestampType of the topic; with {@link TimestampType#LOG_APPEND_TIME} the records' own timestamps are not bounded.
 * @param timestampBeforeMaxMs how far a timestamp may lie in the past, {@code message.timestamp.before.max.ms}.
 * @param timestampAfterMaxMs how far a timestamp may lie in the future, {@code message.timestamp.after.max.ms}.
 * @param keysRequired whether every record needs a key, as compacted topics do.
 * @param maxBatchBytes largest batch as it comes, {@code max.message.bytes}.
 * @param decompressedBytesMax most bytes that the records may decompress to.
 * @param coordinatorOrigin whether the batch comes from a coordinator of this broker, which may write control records, and
 *     batches of a producer without sequences.
 */
public record ValidationRules(
        TimestampType timestampType,
        long timestampBeforeMaxMs,
        long timestampAfterMaxMs,
        boolean keysRequired,
        int maxBatchBytes,
        int decompressedBytesMax,
        boolean coordinatorOrigin) {

    /** Kafka's defaults for a topic, and 64 MiB for what Kafka does not bound. */
    public static final ValidationRules DEFAULTS = new ValidationRules(
            TimestampType.CREATE_TIME, Long.MAX_VALUE, 3_600_000L, false, 1_048_588, 64 << 20, false);

    /**
     * Checks the bounds.
     *
     * @param timestampType CREATE_TIME or LOG_APPEND_TIME.
     * @param timestampBeforeMaxMs at least 0.
     * @param timestampAfterMaxMs at least 0.
     * @param keysRequired true or false.
     * @param maxBatchBytes at least a header.
     * @param decompressedBytesMax at least the smallest record.
     * @param coordinatorOrigin true or false.
     * @throws IllegalArgumentException if a value is out of its bounds; the message names field, limit and value.
     */
    public ValidationRules {
        if (timestampType == TimestampType.NO_TIMESTAMP_TYPE) {
            throw new IllegalArgumentException(
                    "timestampType must be CREATE_TIME or LOG_APPEND_TIME: " + timestampType);
        }
        atLeast("timestampBeforeMaxMs", timestampBeforeMaxMs, 0);
        atLeast("timestampAfterMaxMs", timestampAfterMaxMs, 0);
        atLeast("maxBatchBytes", maxBatchBytes, RecordBatchDescriptor.HEADER_BYTES);
        atLeast("decompressedBytesMax", decompressedBytesMax, RecordFlyweight.RECORD_BYTES_MIN);
    }

    private static void atLeast(final String field, final long value, final long least) {
        if (value < least) {
            throw new IllegalArgumentException(field + " must be at least " + least + ": " + value);
        }
    }

    /**
     * The same rules for batches of a coordinator.
     *
     * @return rules with {@link #coordinatorOrigin}.
     */
    public ValidationRules forCoordinator() {
        return new ValidationRules(
                timestampType,
                timestampBeforeMaxMs,
                timestampAfterMaxMs,
                keysRequired,
                maxBatchBytes,
                decompressedBytesMax,
                true);
    }
}
