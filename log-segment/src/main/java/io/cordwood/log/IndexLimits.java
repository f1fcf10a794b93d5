package io.cordwood.log;

/**
 * What bounds an index.
 *
 * @param bytesMax size of one index file, Kafka's {@code segment.index.bytes}, at least 12.
 * @param intervalBytes bytes of log between two entries, Kafka's {@code index.interval.bytes}, at least 0.
 */
public record IndexLimits(int bytesMax, int intervalBytes) {
    private static final int TIME_ENTRY_BYTES = 12;

    /**
     * Checks the values.
     *
     * @param bytesMax size of one index file.
     * @param intervalBytes bytes of log between two entries.
     */
    public IndexLimits {
        if (bytesMax < TIME_ENTRY_BYTES) {
            throw new IllegalArgumentException(
                    "segment.index.bytes is " + bytesMax + ", but the least is " + TIME_ENTRY_BYTES);
        }
        if (intervalBytes < 0) {
            throw new IllegalArgumentException("index.interval.bytes is " + intervalBytes + ", but the least is 0");
        }
    }
}
