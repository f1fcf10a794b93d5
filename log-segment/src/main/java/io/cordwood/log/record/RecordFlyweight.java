package io.cordwood.log.record;

import static io.cordwood.log.record.RecordBatchDescriptor.NO_SEQUENCE;
import static io.cordwood.log.record.Varint.behind;
import static io.cordwood.log.record.Varint.ofSevenBits;
import static io.cordwood.log.record.Varint.pair;
import static io.cordwood.log.record.Varint.value;
import static io.cordwood.log.record.Varint.zigzag;

import org.agrona.DirectBuffer;
import org.agrona.concurrent.UnsafeBuffer;
import org.jspecify.annotations.Nullable;

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

    private static final String AT_LEAST = "must be at least";
    private static final String AT_MOST_LEFT = "must be at most the bytes left,";

    private final UnsafeBuffer view = new UnsafeBuffer(0, 0);
    private final RecordHeader header = new RecordHeader();
    private final Flaw flaw;

    private DirectBuffer buffer = view;

    // Where the buffer's bytes are: what is read of a record lies in front of a limit that was checked.
    private byte @Nullable [] array;
    private long address;

    private int begin;
    private int position;
    private int limit;
    private boolean isVarintBroken;
    private long longRaw;

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
    private int baseSequence;

    private int headersLeft;
    private int headerPosition;

    RecordFlyweight(final Flaw flaw) {
        this.flaw = flaw;
    }

    /** Shows a run of records, before the first one; indexes count from its first byte. */
    void begin(final DirectBuffer records, final int first, final int length) {
        view.wrap(records, first, length);
        beginWithin(view, 0, length);
    }

    /** Same, but indexes count from the start of the buffer, which must stay where it is as long as records are read. */
    void beginWithin(final DirectBuffer source, final int first, final int length) {
        source.boundsCheck(first, length);
        // Most often the buffer of the batch before; a reference that is not written costs the collector nothing.
        if (buffer != source) {
            buffer = source;
        }
        array = source.byteArray();
        address = source.addressOffset();
        begin = first;
        position = first;
        limit = first + length;
        isVarintBroken = false;
    }

    /** Index of the first record of the run. */
    int beginIndex() {
        return begin;
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

    /** Says from which sequence those of the records count; -1 if they have none. */
    void countFrom(final int sequence) {
        baseSequence = sequence;
    }

    void assign(final long newOffset, final long newTimestamp) {
        offset = newOffset;
        timestamp = newTimestamp;
    }

    /** Moves to the next record of magic 2 and checks each of its lengths; false if one is wrong, which the flaw notes. */
    boolean decode() {
        return decodeCommon() || decodeAny();
    }

    /**
     * Takes what most records are: a length of one or two bytes, both deltas and the key's length in one byte each, a value's length
     * of one or two, no headers. Two looks show all of it. False if the record is another, sound or not.
     */
    private boolean decodeCommon() {
        final int first = position;
        if (limit - first < Long.BYTES) {
            return false;
        }
        long bytes = RawBytes.int64Little(array, address + first);
        final int raw = Varint.shortRaw((int) bytes);
        final int lengthBytes = Varint.bytesOfShort(raw);
        bytes >>>= lengthBytes * Byte.SIZE;
        int at = first + lengthBytes;
        final int end = at + zigzag(raw);
        // Attributes, the deltas and the key's length.
        if (raw < 0 || (bytes & 0x8080_8000L) != 0 || zigzag(raw) > limit - at) {
            return false;
        }
        at += Integer.BYTES;
        final int lengthOfKey = ofSevenBits((int) (bytes >>> 24));
        keyIndex = at;
        // A branch, not a maximum: it is foreseen, so that what follows is read before the length is known.
        if (lengthOfKey > 0) {
            at += lengthOfKey;
        }
        if (lengthOfKey < -1 || at > end - Short.BYTES) {
            return false;
        }
        final int rawValue = Varint.shortRaw(RawBytes.int16Little(array, address + at));
        at += Varint.bytesOfShort(rawValue);
        final int lengthOfValue = zigzag(rawValue);
        final int behindValue = lengthOfValue > 0 ? at + lengthOfValue : at;
        if (rawValue < 0
                || lengthOfValue < -1
                || behindValue != end - 1
                || RawBytes.int8(array, address + end - 1) != 0) {
            return false;
        }
        index = first;
        timestampDelta = ofSevenBits((int) (bytes >>> 8));
        offsetDelta = ofSevenBits((int) (bytes >>> 16));
        keyLength = lengthOfKey;
        valueIndex = at;
        valueLength = lengthOfValue;
        headerCount = 0;
        headersLeft = 0;
        headersIndex = end;
        position = end;
        return true;
    }

    private boolean decodeAny() {
        final int first = position;
        index = first;
        long read = varint(first, limit);
        final int length = value(read);
        int at = behind(read);
        final int left = limit - at;
        if (length < BODY_BYTES_MIN || length > left) {
            return noteLength(length, left);
        }
        final int end = at + length;
        at = timestamp(at + 1, end);
        read = varint(at, end);
        offsetDelta = value(read);
        read = varint(behind(read), end);
        at = behind(read);
        keyLength = value(read);
        keyIndex = at;
        if (!spans("key length", keyLength, at, end)) {
            return false;
        }
        read = varint(at + Math.max(keyLength, 0), end);
        at = behind(read);
        valueLength = value(read);
        valueIndex = at;
        return spans("value length", valueLength, at, end) && decodeHeaders(end);
    }

    private boolean decodeHeaders(final int end) {
        final int at = headers(valueIndex + Math.max(valueLength, 0), end);
        if (at != end) {
            return at >= 0 && flaw.note("bytes after the last header", end - at, "must be", 0, at);
        }
        position = end;
        return true;
    }

    private boolean noteLength(final int length, final int left) {
        return !isVarintBroken
                && (length < BODY_BYTES_MIN
                        ? flaw.note("record length", length, AT_LEAST, BODY_BYTES_MIN, index)
                        : flaw.note("record length", length, AT_MOST_LEFT, left, index));
    }

    /** Takes the headers from their count on; index behind them, or -1 if something is wrong. */
    private int headers(final int from, final int end) {
        final long read = varint(from, end);
        final int count = value(read);
        int at = behind(read);
        headerCount = count;
        headersIndex = at;
        if (isVarintBroken) {
            return -1;
        }
        if (count < 0 || count > (end - at) / RecordHeader.BYTES_MIN) {
            flaw.note("header count", count, "must be 0 to", (end - at) / RecordHeader.BYTES_MIN, at);
            return -1;
        }
        for (int i = 0; i < count; i++) {
            final long name = varint(at, end);
            at = behind(name);
            final String field = "header name length";
            if (value(name) < 0
                    ? !flaw.note(field, value(name), AT_LEAST, 0, at)
                    : !spans(field, value(name), at, end)) {
                return -1;
            }
            final long content = varint(at + value(name), end);
            at = behind(content);
            if (!spans("header value length", value(content), at, end)) {
                return -1;
            }
            at += Math.max(value(content), 0);
        }
        rewindHeaders();
        return at;
    }

    private boolean spans(final String field, final int length, final int at, final int end) {
        if (isVarintBroken || length < -1) {
            return !isVarintBroken && flaw.note(field, length, AT_LEAST, -1, at);
        }
        return length <= end - at || flaw.note(field, length, AT_MOST_LEFT, end - at, at);
    }

    // One and two bytes are nearly all there is: lengths below 8 KiB, and what counts from a base.
    private long varint(final int at, final int end) {
        if (at < end) {
            final byte first = RawBytes.int8(array, address + at);
            if (first >= 0) {
                return pair((first >>> 1) ^ -(first & 1), at + 1);
            }
            if (at + 1 < end) {
                final byte second = RawBytes.int8(array, address + at + 1);
                if (second >= 0) {
                    return pair(zigzag((first & 0x7F) | (second << 7)), at + 2);
                }
            }
        }
        final int behind = longVarint(at, end, 28);
        return pair(zigzag((int) longRaw), behind);
    }

    /** Takes the timestamp delta; index behind it. */
    private int timestamp(final int at, final int end) {
        if (at < end) {
            final byte only = RawBytes.int8(array, address + at);
            if (only >= 0) {
                timestampDelta = (only >>> 1) ^ -(long) (only & 1);
                return at + 1;
            }
        }
        final int behind = longVarint(at, end, 63);
        timestampDelta = (longRaw >>> 1) ^ -(longRaw & 1);
        return behind;
    }

    private int longVarint(final int from, final int end, final int shiftMax) {
        long raw = 0;
        int at = from;
        for (int shift = 0; shift <= shiftMax && at < end; shift += 7) {
            final byte next = RawBytes.int8(array, address + at++);
            raw |= (next & 0x7FL) << shift;
            if (next >= 0) {
                longRaw = raw;
                return at;
            }
        }
        if (!isVarintBroken) {
            isVarintBroken = true;
            flaw.note("bytes of an unfinished varint", at - from, AT_MOST_LEFT, end - from, from);
        }
        longRaw = 0;
        return from;
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
        return baseSequence < 0 ? NO_SEQUENCE : RecordBatchDescriptor.sequenceAfter(baseSequence, offsetDelta);
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
        headerPosition = header.read(array, address, headerPosition, position);
        return true;
    }

    /**
     * Where the header's name begins.
     *
     * @return index of the first byte, UTF-8.
     */
    public int headerNameIndex() {
        return header.nameIndex();
    }

    /**
     * Length of the header's name.
     *
     * @return bytes, at least 0.
     */
    public int headerNameLength() {
        return header.nameLength();
    }

    /**
     * Where the header's value begins.
     *
     * @return index of the first byte; of no meaning if there is no value.
     */
    public int headerValueIndex() {
        return header.valueIndex();
    }

    /**
     * Length of the header's value.
     *
     * @return bytes; -1 if there is no value.
     */
    public int headerValueLength() {
        return header.valueLength();
    }
}
