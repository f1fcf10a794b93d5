package io.cordwood.log.record;

import static java.nio.charset.StandardCharsets.UTF_8;

import org.agrona.DirectBuffer;
import org.agrona.ExpandableArrayBuffer;
import org.agrona.concurrent.UnsafeBuffer;
import org.jspecify.annotations.Nullable;

/**
 * The headers of a record to be written, encoded as they are added, so that {@link BatchBuilder} copies one run of bytes.
 *
 * <p>One thread's, to be kept, cleared and reused; grows to what the largest headers need.
 */
public final class RecordHeaders {
    private final ExpandableArrayBuffer encoded = new ExpandableArrayBuffer();
    private final UnsafeBuffer nameView = new UnsafeBuffer(0, 0);
    private final UnsafeBuffer valueView = new UnsafeBuffer(0, 0);
    private int length;
    private int count;

    /** Creates a list of no headers. */
    public RecordHeaders() {}

    /**
     * Forgets all headers.
     *
     * @return this.
     */
    public RecordHeaders clear() {
        length = 0;
        count = 0;
        return this;
    }

    /**
     * Adds a header without allocating.
     *
     * @param name of the header in UTF-8; names may repeat.
     * @param nameIndex of the first byte.
     * @param nameLength bytes, at least 0.
     * @param value of the header; may be null if the length is -1.
     * @param valueIndex of the first byte.
     * @param valueLength bytes; -1 for a null value.
     * @return this.
     */
    public RecordHeaders add(
            final DirectBuffer name,
            final int nameIndex,
            final int nameLength,
            final @Nullable DirectBuffer value,
            final int valueIndex,
            final int valueLength) {
        int at = Varint.put(encoded, length, nameLength);
        encoded.putBytes(at, name, nameIndex, nameLength);
        at = Varint.put(encoded, at + nameLength, valueLength);
        if (value != null && valueLength > 0) {
            encoded.putBytes(at, value, valueIndex, valueLength);
        }
        length = at + Math.max(valueLength, 0);
        count++;
        return this;
    }

    /**
     * Adds a header. Convenient, and allocates.
     *
     * @param name of the header; names may repeat.
     * @param value of the header, or null.
     * @return this.
     */
    public RecordHeaders add(final String name, final byte @Nullable [] value) {
        final byte[] nameBytes = name.getBytes(UTF_8);
        nameView.wrap(nameBytes);
        if (value == null) {
            return add(nameView, 0, nameBytes.length, null, 0, -1);
        }
        valueView.wrap(value);
        return add(nameView, 0, nameBytes.length, valueView, 0, value.length);
    }

    /**
     * How many headers there are.
     *
     * @return at least 0.
     */
    public int count() {
        return count;
    }

    /**
     * How long the encoded headers are, without the count.
     *
     * @return bytes.
     */
    public int length() {
        return length;
    }

    /**
     * The encoded headers.
     *
     * @return a buffer that they fill from index 0 to {@link #length}.
     */
    public DirectBuffer buffer() {
        return encoded;
    }
}
