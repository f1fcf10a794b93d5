package io.cordwood.index.log;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/**
 * Random lives of a log beside a naive model. A failure names its seed; {@code -Dcordwood.model.seed=N} lives that one life
 * alone, {@code -Dcordwood.model.seeds=N} lives so many.
 */
final class LogModelTest {
    private static final int STEPS = 120;

    @TempDir
    Path scratch;

    @ParameterizedTest
    @CsvSource({"false, false", "false, true", "true, false", "true, true"})
    void logAndModelAgreeAfterEveryStep(final boolean isMapped, final boolean isIndexed) throws IOException {
        final long first = Long.getLong("cordwood.model.seed", 1);
        final long lives =
                System.getProperty("cordwood.model.seed") != null ? 1 : Long.getLong("cordwood.model.seeds", 50);
        for (long seed = first; seed < first + lives; seed++) {
            live(seed, isMapped, isIndexed);
        }
    }

    private void live(final long seed, final boolean isMapped, final boolean isIndexed) throws IOException {
        final Path root = Files.createDirectories(scratch.resolve(seed + "-" + isMapped + "-" + isIndexed));
        try (LogLife life = new LogLife(seed, root, isMapped, isIndexed)) {
            try {
                for (int step = 0; step < STEPS; step++) {
                    life.step();
                }
                life.end();
            } catch (final RuntimeException | AssertionError e) {
                throw new AssertionError(
                        "seed " + seed + ", step " + life.history().size() + " of " + life.history() + ": " + e, e);
            }
        }
    }
}
