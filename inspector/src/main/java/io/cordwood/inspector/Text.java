package io.cordwood.inspector;

import java.time.Instant;
import java.time.ZoneOffset;
import java.time.format.DateTimeFormatter;
import java.util.Locale;
import org.agrona.DirectBuffer;

/** How numbers, times and bytes look to a person. */
final class Text {
    private static final int SHORT_CHARS = 60;
    private static final int BYTES_SHOWN = 120;
    private static final DateTimeFormatter TIME =
            DateTimeFormatter.ofPattern("uuuu-MM-dd HH:mm:ss.SSS", Locale.ROOT).withZone(ZoneOffset.UTC);
    private static final long TIME_MAX = 253_402_300_799_999L;
    private static final char[] HEX = "0123456789abcdef".toCharArray();

    private Text() {}

    static String shorten(final String text) {
        return text.length() <= SHORT_CHARS ? text : text.substring(0, SHORT_CHARS) + "...";
    }

    static String number(final long value) {
        return String.format(Locale.ROOT, "%,d", value);
    }

    /** A count with its noun, which gets an s if it is not one. */
    static String count(final long value, final String noun) {
        return number(value) + " "
                + (value == 1 ? noun : noun.endsWith("x") || noun.endsWith("ch") ? noun + "es" : noun + "s");
    }

    /** Milliseconds since the epoch as a time in UTC; -1 is none; what no calendar has stays a number. */
    static String time(final long epochMs) {
        if (epochMs == -1) {
            return "-";
        }
        return epochMs < 0 || epochMs > TIME_MAX ? Long.toString(epochMs) : TIME.format(Instant.ofEpochMilli(epochMs));
    }

    /** Bytes as quoted text if they are printable ASCII or UTF-8, else as hexadecimal digits; long ones are cut. */
    static String bytes(final DirectBuffer buffer, final int index, final int length) {
        final int shown = Math.min(length, BYTES_SHOWN);
        final byte[] copy = new byte[shown];
        buffer.getBytes(index, copy, 0, shown);
        final String more = shown < length ? "... (" + number(length) + " bytes)" : "";
        final String text = Utf8.decode(copy, shown < length);
        return text == null ? "0x" + hex(copy) + more : '"' + text + '"' + more;
    }

    private static String hex(final byte[] bytes) {
        final StringBuilder text = new StringBuilder(2 * bytes.length);
        for (final byte b : bytes) {
            text.append(HEX[(b >> 4) & 0xf]).append(HEX[b & 0xf]);
        }
        return text.toString();
    }
}
