package io.cordwood.index.oracle;

import java.nio.ByteBuffer;
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

    static String header(final String name, final byte @Nullable [] value) {
        return value == null ? name : name + "=" + HexFormat.of().formatHex(value);
    }

    static @Nullable String hex(final @Nullable ByteBuffer bytes) {
        if (bytes == null) {
            return null;
        }
        final byte[] copy = new byte[bytes.remaining()];
        bytes.duplicate().get(copy);
        return HexFormat.of().formatHex(copy);
    }
}
