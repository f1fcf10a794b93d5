package io.cordwood.index.example;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Objects;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** The README's example works, and is what the README shows. */
final class EmbeddedLogTest {
    private static final long NOW = 1_700_000_000_000L;

    @TempDir
    Path directory;

    @Test
    void theExampleDoesWhatItSays() {
        assertEquals(
                List.of("0: first", "1: second"),
                EmbeddedLog.writeAndRead(directory, 0, List.of("first", "second"), NOW));
        assertEquals(List.of("2: third"), EmbeddedLog.writeAndRead(directory, 2, List.of("third"), NOW));
    }

    @Test
    void theReadmeShowsTheExample() throws IOException {
        final Path root = Path.of(Objects.requireNonNull(System.getProperty("cordwood.root")));
        final String source =
                Files.readString(root.resolve("index/src/test/java/io/cordwood/index/example/EmbeddedLog.java"));
        final int begin = source.indexOf('\n', source.indexOf("// README begins")) + 1;
        final String example = source.substring(begin, source.indexOf("    // README ends"))
                .stripTrailing()
                .stripIndent();
        assertTrue(Files.readString(root.resolve("README.md")).contains(example), "README.md must show:\n" + example);
    }
}
