package io.cordwood.index.oracle;

import io.cordwood.log.record.RecordFlyweight;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.HexFormat;
import java.util.List;
import org.apache.kafka.common.header.Header;
import org.apache.kafka.common.record.internal.Record;
import org.jspecify.annotations.Nullable;

/**
 * One record as either side reads it, in a form that compares by content and that a person can read in a failed assertion.
 *
 * @param offset of the record.
 * @param epoch leader epoch of its batch.
 * @param timestamp milliseconds since the epoch; the append time where the batch says so.
 * @param key in hexadecimal digits; null if absent.
 * @param value in hexadecimal digits; null if absent.
 * @param headers in order, as {@code name=digits} or {@code name} alone if the value is absent.
 */
record LogRecord(
        long offset,
        int epoch,
        long timestamp,
        @Nullable String key,
        @Nullable String value,
        List<String> headers) {

    static LogRecord of(final Record record, final int epoch) {
        final List<String> headers = new ArrayList<>();
        for (final Header header : record.headers()) {
            headers.add(header(header.key(), header.value()));
        }
        return new LogRecord(
                record.offset(),
                epoch,
                record.timestamp(),
                hex(record.key()),
                hex(record.value()),
                List.copyOf(headers));
    }

    static LogRecord of(final RecordFlyweight record, final int epoch) {
        final List<String> headers = new ArrayList<>();
        record.rewindHeaders();
        while (record.nextHeader()) {
            final byte[] name = bytes(record, record.headerNameIndex(), record.headerNameLength());
            final int length = record.headerValueLength();
            headers.add(header(
                    new String(name, StandardCharsets.UTF_8),
                    length < 0 ? null : bytes(record, record.headerValueIndex(), length)));
        }
        return new LogRecord(
                record.offset(),
                epoch,
                record.timestamp(),
                record.hasKey() ? hex(bytes(record, record.keyIndex(), record.keyLength())) : null,
                record.hasValue() ? hex(bytes(record, record.valueIndex(), record.valueLength())) : null,
                List.copyOf(headers));
    }

    private static byte[] bytes(final RecordFlyweight record, final int index, final int length) {
        final byte[] bytes = new byte[length];
        record.buffer().getBytes(index, bytes);
        return bytes;
    }

    static String header(final String name, final byte @Nullable [] value) {
        return value == null ? name : name + "=" + hex(value);
    }

    static @Nullable String hex(final @Nullable ByteBuffer bytes) {
        if (bytes == null) {
            return null;
        }
        final byte[] copy = new byte[bytes.remaining()];
        bytes.duplicate().get(copy);
        return hex(copy);
    }

    private static String hex(final byte[] bytes) {
        return HexFormat.of().formatHex(bytes);
    }
}
