package io.cordwood.jmh;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Comparator;
import java.util.List;
import java.util.stream.Stream;

/** Where the logs of the benchmarks lie: under {@code -Dcordwood.bench.directory}, on a real disk, or in the system's own. */
public final class BenchDirectory {
    private BenchDirectory() {}

    /**
     * Makes an empty directory for the logs of one trial.
     *
     * @return its path; to be removed by the caller.
     */
    public static Path fresh() {
        try {
            return Files.createTempDirectory(Files.createDirectories(root()), "trial");
        } catch (final IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    /**
     * Directory of a log that is built once and read by many trials.
     *
     * @param name of the log.
     * @return its path, which need not exist.
     */
    public static Path kept(final String name) {
        return root().resolve("kept").resolve(name);
    }

    /**
     * Removes a directory and all that is in it.
     *
     * @param directory to be removed; nothing is done if there is none.
     */
    public static void remove(final Path directory) {
        if (!Files.exists(directory)) {
            return;
        }
        try (Stream<Path> found = Files.walk(directory)) {
            final List<Path> deepestFirst =
                    found.sorted(Comparator.reverseOrder()).toList();
            for (final Path path : deepestFirst) {
                Files.delete(path);
            }
        } catch (final IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    /**
     * The directory of all logs.
     *
     * @return its path, which need not exist.
     */
    public static Path root() {
        return Path.of(
                System.getProperty("cordwood.bench.directory", System.getProperty("java.io.tmpdir") + "/cordwood"));
    }
}
