package io.cordwood.inspector;

import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.io.OutputStream;
import java.lang.management.ManagementFactory;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;

/** Runs the command line in a JVM of its own. */
final class Subprocess {
    private Subprocess() {}

    /** The lines that a command writes to both streams, and one with its exit code. */
    static List<String> cordwood(final String heap, final String... args) throws IOException, InterruptedException {
        return lines(builder(heap, args), "");
    }

    /** A process to be started. */
    static ProcessBuilder builder(final String heap, final String... args) {
        final List<String> line = new ArrayList<>();
        line.add(Path.of(System.getProperty("java.home"), "bin", "java").toString());
        for (final String flag : ManagementFactory.getRuntimeMXBean().getInputArguments()) {
            if (flag.startsWith("--add") || flag.startsWith("--sun") || flag.startsWith("--enable")) {
                line.add(flag);
            }
        }
        line.addAll(List.of(heap, "-cp", System.getProperty("java.class.path"), Cordwood.class.getName()));
        line.addAll(List.of(args));
        return new ProcessBuilder(line);
    }

    /** The lines that a process writes, and one with its exit code. */
    static List<String> lines(final ProcessBuilder builder, final String input)
            throws IOException, InterruptedException {
        final Process process = builder.redirectErrorStream(true).start();
        try (OutputStream in = process.getOutputStream()) {
            in.write(input.getBytes(StandardCharsets.UTF_8));
        }
        final List<String> lines = new ArrayList<>();
        try (BufferedReader reader =
                new BufferedReader(new InputStreamReader(process.getInputStream(), StandardCharsets.UTF_8))) {
            for (String text = reader.readLine(); text != null; text = reader.readLine()) {
                lines.add(text);
            }
        }
        lines.add("exit code " + process.waitFor());
        return lines;
    }
}
