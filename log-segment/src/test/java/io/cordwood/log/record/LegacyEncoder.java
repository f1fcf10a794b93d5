package io.cordwood.log.record;

import static java.nio.ByteOrder.BIG_ENDIAN;

import org.agrona.concurrent.UnsafeBuffer;
import org.jspecify.annotations.Nullable;

/** Messages of magic 0 and 1, which only tests write. */
final class LegacyEncoder {
    private LegacyEncoder() {}

    static UnsafeBuffer message(
            final int magic,
            final int attributes,
            final long offset,
            final long timestamp,
            final byte @Nullable [] key,
            final byte @Nullable [] value) {
        final int keyLengthIndex = magic == 0 ? 18 : 26;
        final int keyBytes = key == null ? 0 : key.length;
        final int valueBytes = value == null ? 0 : value.length;
        final UnsafeBuffer message = new UnsafeBuffer(new byte[keyLengthIndex + 8 + keyBytes + valueBytes]);
        message.putLong(0, offset, BIG_ENDIAN);
        message.putInt(8, message.capacity() - 12, BIG_ENDIAN);
        message.putByte(16, (byte) magic);
        message.putByte(17, (byte) attributes);
        if (magic == 1) {
            message.putLong(18, timestamp, BIG_ENDIAN);
        }
        put(message, keyLengthIndex, key);
        put(message, keyLengthIndex + 4 + keyBytes, value);
        return seal(message);
    }

    static UnsafeBuffer seal(final UnsafeBuffer message) {
        final long crc = new Crc32c().crc32(message, 16, message.capacity() - 16);
        message.putInt(12, (int) crc, BIG_ENDIAN);
        return message;
    }

    private static void put(final UnsafeBuffer message, final int index, final byte @Nullable [] bytes) {
        message.putInt(index, bytes == null ? -1 : bytes.length, BIG_ENDIAN);
        if (bytes != null) {
            message.putBytes(index + 4, bytes);
        }
    }
}
