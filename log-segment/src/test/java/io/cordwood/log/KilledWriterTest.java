package io.cordwood.log;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.cordwood.log.store.DiskStorage;
import java.io.BufferedReader;
import java.io.InputStreamReader;
import java.lang.management.ManagementFactory;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.agrona.concurrent.UnsafeBuffer;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** The process of a writer is killed: what it had published is there without any force, by channel writes and by a mapping. */
final class KilledWriterTest {
    private static final LogConfig CONFIG = LogConfig.of(Map.of("segment.bytes", "65536"));
    private static final int ACKNOWLEDGED_EVERY = 50;

    @TempDir
    private Path root;

    /** Appends without end and without a force, and says up to where. */
    static final class Writer {
        private Writer() {}

        public static void main(final String[] arguments) {
            final LogBuilder builder = builder(new DiskStorage(Path.of(arguments[0])));
            final Log log = (Boolean.parseBoolean(arguments[1]) ? builder.mapped() : builder).open(1);
            while (true) {
                final UnsafeBuffer batch = TestBatches.batch(1, "value " + log.endOffset());
                log.append(batch, 0, batch.capacity(), AppendAs.client(0), 1);
                if (log.endOffset() % ACKNOWLEDGED_EVERY == 0) {
                    System.out.println("end " + log.endOffset());
                    System.out.flush();
                }
            }
        }
    }

    private static LogBuilder builder(final DiskStorage storage) {
        return new LogBuilder(storage, "t-0").config(CONFIG);
    }

    private static long writeAndKill(final Path root, final boolean mapped, final long end) throws Exception {
        final List<String> command = new ArrayList<>();
        command.add(Path.of(System.getProperty("java.home"), "bin", "java").toString());
        for (final String flag : ManagementFactory.getRuntimeMXBean().getInputArguments()) {
            if (flag.startsWith("--")) {
                command.add(flag);
            }
        }
        command.addAll(List.of(
                "-cp",
                System.getProperty("surefire.test.class.path", System.getProperty("java.class.path")),
                Writer.class.getName(),
                root.toString(),
                Boolean.toString(mapped)));
        final Process process = new ProcessBuilder(command)
                .redirectError(ProcessBuilder.Redirect.INHERIT)
                .start();
        long said = 0;
        try (BufferedReader out = new BufferedReader(new InputStreamReader(process.getInputStream(), UTF_8))) {
            for (String line = out.readLine(); line != null; line = out.readLine()) {
                // The last line may be cut: it is no number, or a smaller one.
                said = Math.max(said, line.matches("end \\d+") ? Long.parseLong(line.substring(4)) : 0);
                if (said > end + 3000) {
                    process.toHandle().destroyForcibly();
                }
            }
        } finally {
            process.destroyForcibly();
        }
        assertEquals(137, process.waitFor(), "128 and the number of the signal");
        return said;
    }

    @ParameterizedTest
    @ValueSource(booleans = {false, true})
    @Timeout(120)
    void whatWasPublishedSurvivesTheProcess(final boolean mapped) throws Exception {
        long end = 0;
        for (int round = 0; round < 2; round++) {
            final long said = writeAndKill(root, mapped, end);
            try (DiskStorage storage = new DiskStorage(root);
                    Log log = builder(storage).open(1)) {
                end = log.endOffset();
                assertTrue(end >= said, said + " was said, the log ends at " + end);
                final List<String> values = LogTest.values(log, 0);
                assertEquals(end, values.size());
                for (int i = 0; i < end; i++) {
                    assertEquals(i + "=value " + i, values.get(i));
                }
                assertTrue(log.segmentCount() > 3, "it has rolled");
            }
        }
    }
}
