package io.cordwood.inspector;

import java.io.BufferedWriter;
import java.io.IOException;
import java.io.OutputStream;
import java.io.OutputStreamWriter;
import java.io.Writer;
import java.nio.charset.StandardCharsets;

/** Writes lines of text, and says so when they cannot be written, which a {@link java.io.PrintWriter} keeps to itself. */
final class Lines {
    private static final int BUFFER_CHARS = 1 << 16;

    private final Writer out;

    Lines(final OutputStream out) {
        this.out = new BufferedWriter(new OutputStreamWriter(out, StandardCharsets.UTF_8), BUFFER_CHARS);
    }

    void line(final CharSequence text) throws IOException {
        out.append(text).append('\n');
    }

    void line() throws IOException {
        out.append('\n');
    }

    void flush() throws IOException {
        out.flush();
    }
}
