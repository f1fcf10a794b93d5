package io.cordwood.log;

import static java.nio.charset.StandardCharsets.US_ASCII;

import org.agrona.DirectBuffer;

/**
 * Reads Kafka's checkpoint text: a line with the version, a line with the number of entries, a line for each entry, whose
 * fields are separated by one blank. Strict: every line ends with a line feed (a carriage return before it is allowed), since
 * a cut number reads as a smaller one.
 */
final class CheckpointLines {
    private final String file;
    private final DirectBuffer buffer;
    private final int begin;
    private final int end;
    private int index;
    private int lineBegin;
    private int lineEnd;
    private int fieldBegin;

    CheckpointLines(final String file, final DirectBuffer buffer, final int index, final int length) {
        this.file = file;
        this.buffer = buffer;
        this.begin = index;
        this.end = index + length;
        this.index = index;
    }

    /** Reads the two lines before the entries, and answers the number of entries that they announce. */
    long header(final int versionKnown) {
        next("the version");
        final long version = lastNumber("the version", Integer.MAX_VALUE);
        if (version != versionKnown) {
            throw damaged("version " + version + ", known is " + versionKnown);
        }
        next("the number of entries");
        return lastNumber("the number of entries", Integer.MAX_VALUE);
    }

    boolean hasNext() {
        return index < end;
    }

    /** Goes to the next line. */
    void next(final String what) {
        lineBegin = index;
        int at = index;
        while (at < end && buffer.getByte(at) != '\n') {
            at++;
        }
        if (at == end) {
            throw damaged("ends before or inside the line of " + what);
        }
        index = at + 1;
        lineEnd = at > lineBegin && buffer.getByte(at - 1) == '\r' ? at - 1 : at;
        fieldBegin = lineBegin;
    }

    /** A field that others follow. */
    String word() {
        final int from = fieldBegin;
        final byte[] word = new byte[endOfField() - from];
        buffer.getBytes(from, word);
        return new String(word, US_ASCII);
    }

    /** A field that others follow. */
    long number(final String what, final long max) {
        final int from = fieldBegin;
        return number(from, endOfField(), what, max);
    }

    /** The last field of the line. */
    long lastNumber(final String what, final long max) {
        return number(fieldBegin, lineEnd, what, max);
    }

    private int endOfField() {
        int blank = fieldBegin;
        while (blank < lineEnd && buffer.getByte(blank) != ' ') {
            blank++;
        }
        fieldBegin = blank + 1;
        return blank;
    }

    private long number(final int from, final int to, final String what, final long max) {
        long value = 0;
        for (int i = from; i < to; i++) {
            final int digit = buffer.getByte(i) - '0';
            if (digit < 0 || digit > 9 || value > (max - digit) / 10) {
                throw damaged("no number from 0 to " + max + " where " + what + " should be");
            }
            value = value * 10 + digit;
        }
        if (from >= to) {
            throw damaged("nothing where " + what + " should be");
        }
        return value;
    }

    /** After the last line: are there as many entries as were announced. */
    void requireCount(final long announced, final int found) {
        if (found != announced) {
            lineBegin = end;
            throw damaged(announced + " entries are announced, " + found + " are there");
        }
    }

    CorruptLogException damaged(final String reason) {
        return new CorruptLogException(file, lineBegin - begin, reason);
    }
}
