package io.cordwood.log.record;

import static java.nio.ByteOrder.BIG_ENDIAN;

import org.agrona.DirectBuffer;
import org.agrona.concurrent.UnsafeBuffer;

/**
 * A run of messages of magic 0 or 1: a plain one is a run of one, a wrapper's decompressed value a run of all inner ones.
 * Checks all of them when it begins, since a wrapper of magic 1 tells its offsets from the last one backwards.
 */
final class LegacyMessages {
    private final UnsafeBuffer buffer = new UnsafeBuffer(0, 0);
    private final Flaw flaw;
    private int position;
    private int limit;

    private int keyIndex;
    private int keyLength;
    private int valueIndex;
    private int valueLength;

    LegacyMessages(final Flaw flaw) {
        this.flaw = flaw;
    }

    /** Shows a run of messages, before the first one. */
    void begin(final DirectBuffer messages, final int first, final int length) {
        buffer.wrap(messages, first, length);
        position = 0;
        limit = length;
    }

    boolean hasNext() {
        return position < limit;
    }

    /**
     * Checks every message and comes back to the first.
     *
     * @return the last one's offset field, or -1 if a message is wrong, which the flaw notes.
     */
    long lastOffsetOfAll() {
        int number = 0;
        long last = -1;
        if (!hasNext()) {
            flaw.note("inner messages", 0, "must be at least", 1, 0);
            return -1;
        }
        for (; hasNext(); number++) {
            final long offset = position + RecordBatchDescriptor.LOG_OVERHEAD <= limit ? offset() : -1;
            final boolean isSound = decode() && isPlain();
            if (isSound && offset <= last) {
                flaw.note("inner offset", offset, "must be more than", last, position);
            }
            if (!isSound || offset <= last) {
                flaw.ofRecord(number, 0);
                return -1;
            }
            last = offset;
            position += sizeInBytes();
        }
        position = 0;
        return last;
    }

    private boolean isPlain() {
        return codecId() == 0 || flaw.note("codec of an inner message", codecId(), "must be", 0, position);
    }

    long offset() {
        return buffer.getLong(position, BIG_ENDIAN);
    }

    int codecId() {
        return buffer.getByte(position + LegacyDescriptor.ATTRIBUTES_OFFSET) & RecordBatchDescriptor.CODEC_MASK;
    }

    long timestamp() {
        return magic() == 0
                ? RecordBatchDescriptor.NO_TIMESTAMP
                : buffer.getLong(position + LegacyDescriptor.TIMESTAMP_OFFSET, BIG_ENDIAN);
    }

    int valueIndex() {
        return valueIndex;
    }

    int valueLength() {
        return valueLength;
    }

    private byte magic() {
        return buffer.getByte(position + RecordBatchDescriptor.MAGIC_OFFSET);
    }

    private int sizeInBytes() {
        return RecordBatchDescriptor.LOG_OVERHEAD
                + buffer.getInt(position + RecordBatchDescriptor.LENGTH_OFFSET, BIG_ENDIAN);
    }

    /** Checks the lengths of the message at the position and notes where key and value are. */
    boolean decode() {
        final int left = limit - position;
        if (left < LegacyDescriptor.SIZE_MIN_V0) {
            return flaw.note("bytes of a message", left, "must be at least", LegacyDescriptor.SIZE_MIN_V0, position);
        }
        final byte magic = magic();
        if (magic != 0 && magic != 1) {
            return flaw.note("magic of a message", magic, "must be 0 or", 1, position);
        }
        final int length = buffer.getInt(position + RecordBatchDescriptor.LENGTH_OFFSET, BIG_ENDIAN);
        final int lengthMin = (magic == 0 ? LegacyDescriptor.SIZE_MIN_V0 : LegacyDescriptor.SIZE_MIN_V1)
                - RecordBatchDescriptor.LOG_OVERHEAD;
        if (length < lengthMin) {
            return flaw.note("message length", length, "must be at least", lengthMin, position);
        }
        if (length > left - RecordBatchDescriptor.LOG_OVERHEAD) {
            return flaw.note(
                    "message length", length, "must be at most", left - RecordBatchDescriptor.LOG_OVERHEAD, position);
        }
        return decodeKeyAndValue(magic, position + RecordBatchDescriptor.LOG_OVERHEAD + length);
    }

    private boolean decodeKeyAndValue(final byte magic, final int end) {
        final int keyLengthIndex =
                position + (magic == 0 ? LegacyDescriptor.KEY_LENGTH_OFFSET_V0 : LegacyDescriptor.KEY_LENGTH_OFFSET_V1);
        keyIndex = keyLengthIndex + Integer.BYTES;
        keyLength = buffer.getInt(keyLengthIndex, BIG_ENDIAN);
        final int keyLengthMax = end - keyIndex - Integer.BYTES;
        if (keyLength < -1 || keyLength > keyLengthMax) {
            return flaw.note("key length", keyLength, "must be -1 to", keyLengthMax, keyLengthIndex);
        }
        final int valueLengthIndex = keyIndex + Math.max(keyLength, 0);
        valueIndex = valueLengthIndex + Integer.BYTES;
        valueLength = buffer.getInt(valueLengthIndex, BIG_ENDIAN);
        if (valueLength < -1 || Math.max(valueLength, 0) != end - valueIndex) {
            return flaw.note("value length", valueLength, "must be exactly", end - valueIndex, valueLengthIndex);
        }
        return true;
    }

    /** Shows the message that was decoded, on a flyweight that has begun on the same bytes, and moves behind it. */
    void showAndAdvance(final RecordFlyweight record) {
        record.showLegacy(position, keyIndex, keyLength, valueIndex, valueLength);
        position += sizeInBytes();
    }
}
