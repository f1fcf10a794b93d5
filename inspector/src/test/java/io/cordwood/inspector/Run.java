package io.cordwood.inspector;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import java.io.ByteArrayInputStream;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.PrintStream;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;

/** A command line that was run in this process: its exit code and what it wrote. */
record Run(int exitCode, String out, String err) {
    static Run of(final Object... args) {
        return withInput("", args);
    }

    static Run withInput(final String input, final Object... args) {
        return run(input, -1, false, args);
    }

    /** With a person at standard error, and perhaps at standard output, who is told at once how far the work is. */
    static Run atTerminal(final String input, final boolean isOutSeen, final Object... args) {
        return run(input, 0, isOutSeen, args);
    }

    private static Run run(final String input, final long patienceMs, final boolean isOutSeen, final Object... args) {
        final String[] line = new String[args.length];
        for (int i = 0; i < args.length; i++) {
            line[i] = args[i].toString();
        }
        final ByteArrayOutputStream out = new ByteArrayOutputStream();
        final ByteArrayOutputStream err = new ByteArrayOutputStream();
        final Streams streams = new Streams(
                new ByteArrayInputStream(input.getBytes(StandardCharsets.UTF_8)),
                out,
                new PrintStream(err, true, StandardCharsets.UTF_8),
                patienceMs,
                isOutSeen);
        final int exitCode = Cordwood.execute(streams, line);
        return new Run(exitCode, out.toString(StandardCharsets.UTF_8), err.toString(StandardCharsets.UTF_8));
    }

    static Run dump(final Path... paths) {
        final Object[] args = new Object[paths.length + 3];
        args[0] = "dump";
        args[1] = "--format";
        args[2] = "json";
        System.arraycopy(paths, 0, args, 3, paths.length);
        return of(args);
    }

    JsonNode json() {
        try {
            return new ObjectMapper().readTree(out);
        } catch (final IOException e) {
            throw new UncheckedIOException(err + out, e);
        }
    }
}
