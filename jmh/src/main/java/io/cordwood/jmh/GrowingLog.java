package io.cordwood.jmh;

import java.util.Map;

/** Settings of the logs that are appended to, the same on both sides: segments roll, old ones go so that the disk does not fill. */
final class GrowingLog {
    /** Bytes after which a segment is rolled, and after which retention is looked at. */
    static final int SEGMENT_BYTES = 256 << 20;

    /** The same where each iteration is to see rolls and retention, at the pace of {@link Pace.Fixed}. */
    static final int SHORT_SEGMENT_BYTES = 32 << 20;

    private static final int RETAINED_SEGMENTS = 2;

    private GrowingLog() {}

    /**
     * The topic's properties, all others at Kafka's defaults.
     *
     * @param segmentBytes after which a segment is rolled.
     * @return by name.
     */
    static Map<String, ?> topic(final int segmentBytes) {
        return Map.of("segment.bytes", segmentBytes, "retention.bytes", (long) RETAINED_SEGMENTS * segmentBytes);
    }

    /**
     * Fails if old segments have stayed.
     *
     * @param startOffset of the log.
     * @param retentions how often retention was looked at, once for each segment's bytes.
     */
    static void requireRetention(final long startOffset, final long retentions) {
        if (startOffset == 0 && retentions > RETAINED_SEGMENTS + 1) {
            throw new IllegalStateException("retention has dropped nothing");
        }
    }
}
