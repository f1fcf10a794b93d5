package io.cordwood.inspector;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.ByteArrayInputStream;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.OutputStream;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** What a wrong command line gets, and a right one that asks for help. */
final class CommandLineTest {
    @TempDir
    private Path scratch;

    @ParameterizedTest
    @ValueSource(
            strings = {
                "",
                "frobnicate",
                "--frobnicate",
                "dump",
                "dump --format xml .",
                "dump --max-bytes 60 .",
                "dump --max-bytes lots .",
                "dump --max-bytes",
                "verify",
                "verify --records .",
                "append",
                "append a-0 b-0",
                "append --compression brotli a-0",
                "append --durability never a-0",
                "append --batch-records 0 a-0",
                "append no_partition",
                "append /",
                "read",
                "read --tail --from-offset 3 a-0",
                "read --from-offset three a-0",
                "read --from-timestamp yesterday a-0",
                "read --max-records -1 a-0",
                "recover",
                "recover a-0 b-0",
                "recover no_partition",
                "recover /",
                "recover --recovery-point -1 a-0",
                "recover --recovery-point one a-0",
                "recover --recovery-point 1 --clean a-0",
                "recover --set segment.bytes=none a-0",
                "recover --set no.such.property=1 a-0",
                "recover --set segment.bytes a-0",
                "recover --format xml a-0"
            })
    void wrongArgumentsGetUsageAndNoStackTrace(final String line) {
        final Run run = Run.of((Object[]) (line.isEmpty() ? new String[0] : line.split(" ")));
        assertEquals(2, run.exitCode(), run.err());
        assertEquals("", run.out());
        assertTrue(run.err().startsWith("cordwood: "), run.err());
        assertTrue(run.err().endsWith(" --help'.\n"), run.err());
        assertFalse(run.err().contains("Exception"), run.err());
        assertFalse(run.err().contains("\tat "), run.err());
    }

    @ParameterizedTest
    @ValueSource(strings = {"dump", "verify", "read", "recover"})
    void missingPathIsNamedOnOneLine(final String command) {
        final Path missing = scratch.resolve("not-there-0");
        final Run run = Run.of(command, missing);
        assertEquals(3, run.exitCode());
        assertEquals("cordwood: " + missing + ": no such file or directory\n", run.err());
        assertEquals("", run.out());
    }

    @ParameterizedTest
    @ValueSource(strings = {"dump", "verify", "read"})
    void directoryWithoutLogsIsNamedOnOneLine(final String command) {
        final Run run = Run.of(command, scratch);
        assertEquals(2, run.exitCode());
        assertEquals("cordwood: " + scratch + ": holds neither segments nor partitions\n", run.err());
    }

    @ParameterizedTest
    @ValueSource(strings = {"", "dump", "verify", "append", "read", "recover"})
    void helpHasExamplesAndExitCodes(final String command) {
        final Run run = command.isEmpty() ? Run.of("--help") : Run.of(command, "--help");
        assertEquals(0, run.exitCode(), run.err());
        assertTrue(run.out().contains("Examples:"), run.out());
        assertTrue(run.out().contains("Exit code"), run.out());
        assertTrue(run.out().contains("cordwood " + command), run.out());
    }

    @ParameterizedTest
    @ValueSource(strings = {"", "dump", "verify", "append", "read", "recover"})
    void version(final String command) {
        final Run run = command.isEmpty() ? Run.of("--version") : Run.of(command, "--version");
        assertEquals(0, run.exitCode());
        assertTrue(run.out().startsWith("cordwood "), run.out());
    }

    @Test
    void anIndexIsNotASegment() {
        final Path index = Corpus.root().resolve("01-plain/plain-0/00000000000000000000.index");
        final Run run = Run.of("dump", index);
        assertEquals(2, run.exitCode());
        assertTrue(run.err().contains("is an index"), run.err());
    }

    @ParameterizedTest
    @ValueSource(booleans = {false, true})
    void anUnexpectedFailureIsOneLine(final boolean isError) throws IOException {
        TestBatch.write(scratch.resolve("t-0").resolve("00000000000000000000.log"), TestBatch.of(0, "v"));
        final OutputStream out = new OutputStream() {
            @Override
            public void write(final int b) {
                if (isError) {
                    throw new InternalError("a fault in\na memory access");
                }
                throw new IllegalStateException("a fault in\na memory access");
            }

            @Override
            public void flush() {}
        };
        final ByteArrayOutputStream err = new ByteArrayOutputStream();
        final Streams streams = new Streams(
                new ByteArrayInputStream(new byte[0]),
                out,
                new PrintStream(err, true, StandardCharsets.UTF_8),
                -1,
                false);
        assertEquals(3, Cordwood.execute(streams, "read", scratch.resolve("t-0").toString()));
        final String text = err.toString(StandardCharsets.UTF_8);
        assertTrue(text.startsWith("cordwood: unexpected failure: "), text);
        assertEquals(1, text.lines().count(), text);
    }
}
