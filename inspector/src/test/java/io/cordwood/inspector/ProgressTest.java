package io.cordwood.inspector;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.ByteArrayInputStream;
import java.io.ByteArrayOutputStream;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Long work tells a person at a terminal how far it is, on standard error, and tells nobody else. */
final class ProgressTest {
    private static final String LINE = "\r0 MiB ";
    private static final String WIPED = " ".repeat(40) + "\r";

    @TempDir
    private Path scratch;

    static Progress toldToNobody() {
        final PrintStream err = new PrintStream(new ByteArrayOutputStream(), true, StandardCharsets.UTF_8);
        return new Progress(
                new Streams(new ByteArrayInputStream(new byte[0]), new ByteArrayOutputStream(), err, -1, false),
                "read");
    }

    private static void assertTold(final Run run, final String verb) {
        assertTrue(run.err().startsWith(LINE + verb), run.err());
        assertTrue(run.err().contains("\r" + WIPED), run.err());
        assertFalse(run.out().contains("\r"), run.out());
    }

    @ParameterizedTest
    @ValueSource(strings = {"dump", "dump --format json", "verify", "verify --format json"})
    void whoLooksAtStandardErrorIsTold(final String command) {
        final String line = command + " " + Corpus.root().resolve("01-plain/plain-big-0");
        final Object[] args = line.split(" ");
        final Run alone = Run.of(args);
        assertEquals("", alone.err());
        final Run told = Run.atTerminal("", false, args);
        assertTold(told, command.startsWith("dump") ? "read" : "verified");
        assertTrue(told.err().endsWith("\r" + WIPED), told.err());
        assertEquals(alone.out(), told.out());
    }

    @Test
    void nobodyIsToldBetweenTheResultsThatSheSees() {
        final Path partition = Corpus.root().resolve("01-plain/plain-big-0");
        assertEquals("", Run.atTerminal("", true, "dump", partition).err());
        assertTold(Run.atTerminal("", true, "verify", partition), "verified");
    }

    @Test
    void progressIsWipedBeforeAMessage() throws Exception {
        final Run run = Run.atTerminal("a\n" + "x".repeat(2_000_000) + "\n", false, "append", scratch.resolve("t-0"));
        assertTold(run, "appended");
        assertTrue(run.err().contains(WIPED + "cordwood: line 2"), run.err());
        Files.writeString(scratch.resolve("t-0/00000000000000000001.log"), "damaged");
        final Run verified = Run.atTerminal("", false, "verify", scratch);
        assertEquals(1, verified.exitCode());
        assertTold(verified, "verified");
    }
}
