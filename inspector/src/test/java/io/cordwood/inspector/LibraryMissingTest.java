package io.cordwood.inspector;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.File;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Locale;
import java.util.stream.Collectors;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** A codec's library that is missing is no damage: it is named, nothing is made, and what needs no library is done. */
final class LibraryMissingTest {
    private static final String ARTIFACT = "com.github.luben:zstd-jni";

    @TempDir
    private Path scratch;

    private Path partition = Path.of("");

    @BeforeEach
    void append() {
        partition = scratch.resolve("t-0");
        final Run appended =
                Run.withInput("a\nb\nc\n", "append", "--batch-records", 1, "--compression", "zstd", partition);
        assertEquals(0, appended.exitCode(), appended.err());
    }

    private static List<String> withoutZstd(final Object... args) throws IOException, InterruptedException {
        final String[] line = Arrays.stream(args).map(Object::toString).toArray(String[]::new);
        final ProcessBuilder builder = Subprocess.builder("-Xmx64m", line);
        final List<String> command = builder.command();
        final int at = command.indexOf("-cp") + 1;
        command.set(
                at,
                Arrays.stream(command.get(at).split(File.pathSeparator))
                        .filter(entry -> !entry.contains("zstd-jni"))
                        .collect(Collectors.joining(File.pathSeparator)));
        final List<String> lines = new ArrayList<>(Subprocess.lines(builder, "x\n"));
        // What a library of the test class path says of its own logging.
        lines.removeIf(text -> text.startsWith("SLF4J"));
        final String text = String.join("\n", lines);
        assertEquals("exit code 3", lines.get(lines.size() - 1), text);
        assertTrue(text.contains(ARTIFACT), text);
        assertFalse(text.toLowerCase(Locale.ROOT).contains("damaged"), text);
        assertFalse(text.contains("\tat "), text);
        return lines;
    }

    @Test
    void appendIsRefusedBeforeAnythingIsMade() throws Exception {
        final Path other = scratch.resolve("data").resolve("u-0");
        final List<String> lines = withoutZstd("append", "--compression", "zstd", other);
        assertEquals(2, lines.size(), lines.toString());
        assertFalse(Files.exists(scratch.resolve("data")));
    }

    @Test
    void readNamesTheLibrary() throws Exception {
        assertEquals(2, withoutZstd("read", partition).size());
        assertEquals(2, withoutZstd("read", "--from-timestamp", 1, partition).size());
    }

    @Test
    void dumpShowsTheBatches() throws Exception {
        final String text = String.join("\n", withoutZstd("dump", "--records", partition));
        assertTrue(text.contains("3 batches"), text);
        assertTrue(text.contains("NOT READ: the records of 3 batches"), text);
    }

    @Test
    void verifyChecksTheRestAndTellsWhatItCouldNotCheck() throws Exception {
        final String text = String.join("\n", withoutZstd("verify", partition));
        assertEquals(
                1, text.lines().filter(line -> line.contains("NOT CHECKED")).count(), text);
        assertTrue(text.contains("0 faults: 1 segment"), text);
        assertTrue(text.contains("3 batches whose records were not read"), text);
    }
}
