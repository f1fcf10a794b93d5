package io.cordwood.log.record;

/**
 * Layout of a message of magic 0 and 1, which Cordwood reads and never writes. All numbers are big endian.
 *
 * <pre>
 *   byte  0  offset            8   of the record; of the last inner record in a wrapper
 *         8  length            4   bytes after this field
 *        12  CRC-32            4   of the bytes from the magic to the end
 *        16  magic             1   0 or 1
 *        17  attributes        1   bits 0..2 codec, bit 3 append time (magic 1)
 *        18  timestamp         8   magic 1 only: the record's, or the largest inner one
 *   18, 26  key length         4   -1: null
 *            key
 *            value length      4   -1: null
 *            value                 in a wrapper (codec other than none): compressed messages of the same layout
 * </pre>
 *
 * <p>Offsets of inner messages are absolute in magic 0. In magic 1 they are relative: the wrapper's offset is the last inner
 * message's, and the others follow from the differences, so that a log can assign offsets without compressing again.
 */
final class LegacyDescriptor {
    static final int CRC_OFFSET = 12;
    static final int ATTRIBUTES_OFFSET = 17;
    static final int TIMESTAMP_OFFSET = 18;
    static final int KEY_LENGTH_OFFSET_V0 = 18;
    static final int KEY_LENGTH_OFFSET_V1 = 26;
    static final int SIZE_MIN_V0 = 26;
    static final int SIZE_MIN_V1 = 34;

    /** Kafka never allowed zstd below magic 2. */
    static final int CODEC_MAX = 3;

    private LegacyDescriptor() {}
}
