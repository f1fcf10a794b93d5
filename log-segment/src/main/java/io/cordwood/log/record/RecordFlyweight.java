package io.cordwood.log.record;

import org.agrona.DirectBuffer;
import org.agrona.concurrent.UnsafeBuffer;

/**
 * A view on one record, of any magic. {@link RecordReader} moves it; nothing is copied and nothing allocated.
 *
 * <pre>
 *   length            varint    bytes that follow
 *   attributes        1         none in use
 *   timestamp delta   varlong   from the batch's base timestamp
 *   offset delta      varint    from the batch's base offset
 *   key length        varint    -1: null
 *   key
 *   value length      varint    -1: null
 *   value
 *   header count      varint
 *     name length     varint    then the name in UTF-8
 *     value length    varint    -1: null; then the value
 * </pre>
 *
 * <p>Belongs to its reader's thread and shows the reader's current record only. Magic 0 and 1 have other bytes (see {@code
 * LegacyDescriptor}) but the same accessors, with no headers.
 */
public final class RecordFlyweight {
    /** Attributes, two deltas, two lengths and a count, one byte each. */
    static final int BODY_BYTES_MIN = 6;

    /** The same with its length. */
    static final int RECORD_BYTES_MIN = 7;

    private static final int HEADER_BYTES_MIN = 2;
    private static final String AT_LEAST = "must be at least";
    private static final String AT_MOST_LEFT = "must be at most the bytes left,";

    private final UnsafeBuffer buffer = new UnsafeBuffer(0, 0);
    private final Flaw flaw;
    private int position;
    private int limit;
    private boolean isVarintBroken;

    private int index;
    private int offsetDelta;
    private long timestampDelta;
    private int keyIndex;
    private int keyLength;
    private int valueIndex;
    private int valueLength;
    private int headerCount;
    private int headersIndex;

    private long offset;
    private long timestamp;
    private int sequence;

    private int headersLeft;
    private int headerPosition;
    private int headerNameIndex;
    private int headerNameLength;
    private int headerValueIndex;
    private int headerValueLength;

    RecordFlyweight(final Flaw flaw) {
        this.flaw = flaw;
    }

    /** Shows a run of records, before the first one. */
    void begin(final DirectBuffer records, final int first, final int length) {
        buffer.wrap(records, first, length);
        position = 0;
        limit = length;
    }

    int remaining() {
        return limit - position;
    }

    int position() {
        return position;
    }

    int offsetDelta() {
        return offsetDelta;
    }

    long timestampDelta() {
        return timestampDelta;
    }

    void assign(final long newOffset, final long newTimestamp, final int newSequence) {
        offset = newOffset;
        timestamp = newTimestamp;
        sequence = newSequence;
    }

    /** Moves to the next record of magic 2 and checks each of its lengths; false if one is wrong, which the flaw notes. */
    boolean decode() {
        final int first = position;
        isVarintBroken = false;
        index = first;
        final int length = varint();
        final int left = limit - position;
        if (isVarintBroken) {
            return false;
        }
        if (length < BODY_BYTES_MIN || length > left) {
            return length < BODY_BYTES_MIN
                    ? flaw.note("record length", length, AT_LEAST, BODY_BYTES_MIN, first)
                    : flaw.note("record length", length, AT_MOST_LEFT, left, first);
        }
        final int batchLimit = limit;
        limit = position + length;
        position++;
        timestampDelta = varlong();
        offsetDelta = varint();
        keyLength = varint();
        if (!spans("key length", keyLength)) {
            return false;
        }
        keyIndex = position;
        position += Math.max(keyLength, 0);
        valueLength = varint();
        if (!spans("value length", valueLength)) {
            return false;
        }
        valueIndex = position;
        position += Math.max(valueLength, 0);
        if (!decodeHeaders()) {
            return false;
        }
        if (position != limit) {
            return flaw.note("bytes after the last header", limit - position, "must be", 0, position);
        }
        limit = batchLimit;
        return true;
    }

    private boolean decodeHeaders() {
        headerCount = varint();
        headersIndex = position;
        if (isVarintBroken) {
            return false;
        }
        if (headerCount != 0) {
            if (headerCount < 0 || headerCount > (limit - position) / HEADER_BYTES_MIN) {
                return flaw.note("header count", headerCount, "must be 0 to", (limit - position) / 2, position);
            }
            for (int i = 0; i < headerCount; i++) {
                final int nameLength = varint();
                if (nameLength < 0) {
                    return flaw.note("header name length", nameLength, AT_LEAST, 0, position);
                }
                if (!spans("header name length", nameLength)) {
                    return false;
                }
                position += nameLength;
                final int length = varint();
                if (!spans("header value length", length)) {
                    return false;
                }
                position += Math.max(length, 0);
            }
        }
        rewindHeaders();
        return true;
    }

    private boolean spans(final String field, final int length) {
        if (isVarintBroken) {
            return false;
        }
        if (length < -1) {
            return flaw.note(field, length, AT_LEAST, -1, position);
        }
        return length <= limit - position || flaw.note(field, length, AT_MOST_LEFT, limit - position, position);
    }

    // One and two bytes are nearly all there is: lengths below 8 KiB, and what counts from a base.
    private int varint() {
        final int at = position;
        if (at < limit) {
            final byte first = buffer.getByte(at);
            if (first >= 0) {
                position = at + 1;
                return (first >>> 1) ^ -(first & 1);
            }
            if (at + 1 < limit) {
                final byte second = buffer.getByte(at + 1);
                if (second >= 0) {
                    position = at + 2;
                    final int raw = (first & 0x7F) | (second << 7);
                    return (raw >>> 1) ^ -(raw & 1);
                }
            }
        }
        final int raw = (int) longVarint(28);
        return (raw >>> 1) ^ -(raw & 1);
    }

    private long varlong() {
        final int at = position;
        if (at < limit) {
            final byte only = buffer.getByte(at);
            if (only >= 0) {
                position = at + 1;
                return (only >>> 1) ^ -(long) (only & 1);
            }
        }
        final long raw = longVarint(63);
        return (raw >>> 1) ^ -(raw & 1);
    }

    private long longVarint(final int shiftMax) {
        long raw = 0;
        int at = position;
        for (int shift = 0; shift <= shiftMax && at < limit; shift += 7) {
            final byte next = buffer.getByte(at++);
            raw |= (next & 0x7FL) << shift;
            if (next >= 0) {
                position = at;
                return raw;
            }
        }
        if (!isVarintBroken) {
            isVarintBroken = true;
            flaw.note("bytes of an unfinished varint", at - position, AT_MOST_LEFT, limit - position, position);
        }
        return 0;
    }

    /** Shows a message of magic 0 or 1 whose lengths have been checked. */
    void showLegacy(final int first, final int key, final int lengthOfKey, final int value, final int lengthOfValue) {
        index = first;
        keyIndex = key;
        keyLength = lengthOfKey;
        valueIndex = value;
        valueLength = lengthOfValue;
        position = value + Math.max(lengthOfValue, 0);
        headerCount = 0;
        headersIndex = position;
        rewindHeaders();
    }

    /**
     * Offset of the record in the log.
     *
     * @return the absolute offset.
     */
    public long offset() {
        return offset;
    }

    /**
     * Timestamp of the record: the append time if the batch has that type.
     *
     * @return milliseconds, or -1.
     */
    public long timestamp() {
        return timestamp;
    }

    /**
     * The producer's number of the record.
     *
     * @return the sequence, or -1.
     */
    public int sequence() {
        return sequence;
    }

    /**
     * Where the bytes are.
     *
     * @return the buffer that the indexes of this class count in; of the batch, or of its decompressed records.
     */
    public DirectBuffer buffer() {
        return buffer;
    }

    /**
     * Where the record begins.
     *
     * @return index of its first byte.
     */
    public int index() {
        return index;
    }

    /**
     * Size of the record with its own length field.
     *
     * @return bytes.
     */
    public int sizeInBytes() {
        return position - index;
    }

    /**
     * Where the key begins.
     *
     * @return index of its first byte; of no meaning if there is no key.
     */
    public int keyIndex() {
        return keyIndex;
    }

    /**
     * Length of the key.
     *
     * @return bytes; -1 if there is no key, which differs from an empty one.
     */
    public int keyLength() {
        return keyLength;
    }

    /**
     * Whether there is a key.
     *
     * @return false for a null key.
     */
    public boolean hasKey() {
        return keyLength >= 0;
    }

    /**
     * Where the value begins.
     *
     * @return index of its first byte; of no meaning if there is no value.
     */
    public int valueIndex() {
        return valueIndex;
    }

    /**
     * Length of the value.
     *
     * @return bytes; -1 if there is no value, which differs from an empty one.
     */
    public int valueLength() {
        return valueLength;
    }

    /**
     * Whether there is a value.
     *
     * @return false for a null value: a tombstone, if there is a key.
     */
    public boolean hasValue() {
        return valueLength >= 0;
    }

    /**
     * Number of headers.
     *
     * @return how often {@link #nextHeader} answers true.
     */
    public int headerCount() {
        return headerCount;
    }

    /**
     * Where the first header begins, after the count.
     *
     * @return index of the first byte; the headers lie behind one another.
     */
    public int headersIndex() {
        return headersIndex;
    }

    /**
     * Bytes of all headers, without the count.
     *
     * @return 0 if there are none.
     */
    public int headersLength() {
        return position - headersIndex;
    }

    /** Goes back before the first header, where each record starts. */
    public void rewindHeaders() {
        headersLeft = headerCount;
        headerPosition = headersIndex;
    }

    /**
     * Moves to the next header of this record. Names may repeat, and keep their order.
     *
     * @return false if there is none.
     */
    public boolean nextHeader() {
        if (headersLeft == 0) {
            return false;
        }
        headersLeft--;
        // The varint methods work on the record position; it has been checked, so they cannot fail here.
        final int recordEnd = position;
        position = headerPosition;
        headerNameLength = varint();
        headerNameIndex = position;
        position += headerNameLength;
        headerValueLength = varint();
        headerValueIndex = position;
        headerPosition = position + Math.max(headerValueLength, 0);
        position = recordEnd;
        return true;
    }

    /**
     * Where the header's name begins.
     *
     * @return index of the first byte, UTF-8.
     */
    public int headerNameIndex() {
        return headerNameIndex;
    }

    /**
     * Length of the header's name.
     *
     * @return bytes, at least 0.
     */
    public int headerNameLength() {
        return headerNameLength;
    }

    /**
     * Where the header's value begins.
     *
     * @return index of the first byte; of no meaning if there is no value.
     */
    public int headerValueIndex() {
        return headerValueIndex;
    }

    /**
     * Length of the header's value.
     *
     * @return bytes; -1 if there is no value.
     */
    public int headerValueLength() {
        return headerValueLength;
    }
}
