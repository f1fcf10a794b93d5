package io.cordwood.inspector;

import java.io.IOException;
import java.io.InputStream;
import java.util.Arrays;
import org.agrona.DirectBuffer;
import org.agrona.concurrent.UnsafeBuffer;

/** Reads lines of bytes, of which nothing is assumed but the line feeds between them. Keeps one line, up to a bound. */
final class LineReader {
    private static final int FIRST_BYTES = 8192;

    private final InputStream in;
    private final int lineBytesMax;
    private final byte[] input = new byte[1 << 16];
    private int inputIndex;
    private int inputEnd;
    private byte[] line = new byte[FIRST_BYTES];
    private final UnsafeBuffer view = new UnsafeBuffer(line);
    private int length;
    private long number;

    LineReader(final InputStream in, final int lineBytesMax) {
        this.in = in;
        this.lineBytesMax = lineBytesMax;
    }

    /** Moves to the next line; false at the end. A last line without a line feed is one, too. */
    boolean next() throws IOException {
        length = 0;
        boolean isLine = false;
        while (inputIndex < inputEnd || fill()) {
            isLine = true;
            int at = inputIndex;
            while (at < inputEnd && input[at] != '\n') {
                at++;
            }
            append(at - inputIndex);
            inputIndex = at + 1;
            if (at < inputEnd) {
                break;
            }
        }
        number += isLine ? 1 : 0;
        return isLine;
    }

    private boolean fill() throws IOException {
        inputIndex = 0;
        inputEnd = Math.max(0, in.read(input));
        return inputEnd > 0;
    }

    private void append(final int bytes) {
        if (bytes > lineBytesMax - length) {
            throw CommandFailure.usage("line " + (number + 1) + " has more than " + lineBytesMax + " bytes");
        }
        if (length + bytes > line.length) {
            line = Arrays.copyOf(line, Math.max(length + bytes, Math.min(lineBytesMax, 2 * line.length)));
            view.wrap(line);
        }
        System.arraycopy(input, inputIndex, line, length, bytes);
        length += bytes;
    }

    /** The line, without its line feed. */
    DirectBuffer buffer() {
        return view;
    }

    int length() {
        return length;
    }

    /** Number of the line, from 1. */
    long number() {
        return number;
    }

    /** Index of the first occurrence of some bytes in the line, or -1. */
    int indexOf(final byte[] bytes) {
        for (int at = 0; at + bytes.length <= length; at++) {
            if (Arrays.equals(line, at, at + bytes.length, bytes, 0, bytes.length)) {
                return at;
            }
        }
        return -1;
    }
}
