package io.cordwood.simulation.soak;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.zip.CRC32C;

/**
 * The seed of the samples that a build plays: another one whenever a line changes of what the campaigns run, so that builds look at more
 * and more; and the same one for the same sources on each machine, so that what one build has found the next one finds as well.
 */
public final class SourceSeed {
    private static final List<String> MODULES = List.of("log-segment", "index", "testkit", "simulation");

    private static final long SEED = seedOf(Path.of(System.getProperty("cordwood.root", ".")));

    private SourceSeed() {}

    /**
     * Gives the seed.
     *
     * @return what {@code -Dcordwood.seed=N} says, else what follows from the sources.
     */
    public static long get() {
        final Long given = Long.getLong("cordwood.seed");
        return given != null ? given : SEED;
    }

    /** From the Java sources of a repository: their names, in order, and their bytes. */
    static long seedOf(final Path root) {
        final CRC32C crc = new CRC32C();
        for (final String module : MODULES) {
            try (var paths = Files.walk(root.resolve(module).resolve("src"))) {
                final List<Path> sources = paths.filter(path -> path.toString().endsWith(".java"))
                        .sorted()
                        .toList();
                for (final Path source : sources) {
                    final String name = root.relativize(source).toString().replace('\\', '/');
                    crc.update(name.getBytes(StandardCharsets.UTF_8));
                    crc.update(Files.readAllBytes(source));
                }
            } catch (final IOException e) {
                throw new UncheckedIOException(root.toString(), e);
            }
        }
        return crc.getValue();
    }
}
