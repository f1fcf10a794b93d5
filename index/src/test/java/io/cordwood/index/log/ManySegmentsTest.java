package io.cordwood.index.log;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.lang.management.ManagementFactory;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Collectors;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** A log with far more segments than a process may have files open, in a process of its own. */
final class ManySegmentsTest {
    @TempDir
    Path root;

    @Test
    void twentyThousandSegmentsNeedNoMoreFilesThanAllowed() throws IOException, InterruptedException {
        final List<String> command = new ArrayList<>();
        command.add(Path.of(System.getProperty("java.home"), "bin", "java").toString());
        for (final String flag : ManagementFactory.getRuntimeMXBean().getInputArguments()) {
            if (flag.startsWith("--")) {
                command.add(flag);
            }
        }
        final String classes = System.getProperty("surefire.test.class.path", System.getProperty("java.class.path"));
        command.addAll(List.of("-Xmx256m", "-cp", classes, ManySegments.class.getName(), root.toString(), "20000"));
        final String quoted = command.stream().map(part -> "'" + part + "'").collect(Collectors.joining(" "));
        final Process process = new ProcessBuilder("bash", "-c", "ulimit -n 1024; exec " + quoted)
                .redirectErrorStream(true)
                .start();
        final String output = new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
        assertEquals(0, process.waitFor(), output);
        assertTrue(output.contains("read and appended, segments 20001"), output);
    }
}
