package io.cordwood.jmh;

import java.util.Map;

/** Settings of the logs that are appended to, the same on both sides: segments roll, old ones go so that the disk does not fill. */
final class GrowingLog {
    /** Bytes after which a segment is rolled, and after which retention is looked at. */
    static final int SEGMENT_BYTES = 256 << 20;

    /** The topic's properties, all others at Kafka's defaults. */
    static final Map<String, ?> TOPIC = Map.of("segment.bytes", SEGMENT_BYTES, "retention.bytes", 2L * SEGMENT_BYTES);

    private GrowingLog() {}
}
