package io.cordwood.simulation.soak;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;

/** The seed of the samples that a build plays: another one for each commit, so that builds look at more and more. */
public final class CommitSeed {
    private static final long WITHOUT_COMMIT = 1;

    private CommitSeed() {}

    /**
     * Reads the seed.
     *
     * @return what {@code -Dcordwood.seed=N} says, else what follows from the commit that is checked out, else 1.
     */
    public static long get() {
        final Long given = Long.getLong("cordwood.seed");
        return given != null ? given : of(Path.of(System.getProperty("cordwood.root", "."), ".git"));
    }

    /** From the files of a repository: {@code HEAD} names a commit, or a file that does, or a line of the packed ones. */
    static long of(final Path repository) {
        try {
            final Path head = repository.resolve("HEAD");
            if (!Files.exists(head)) {
                return WITHOUT_COMMIT;
            }
            final String text = Files.readString(head).trim();
            if (!text.startsWith("ref: ")) {
                return parse(text);
            }
            final String name = text.substring("ref: ".length());
            if (Files.exists(repository.resolve(name))) {
                return parse(Files.readString(repository.resolve(name)).trim());
            }
            final Path packed = repository.resolve("packed-refs");
            return !Files.exists(packed)
                    ? WITHOUT_COMMIT
                    : Files.readAllLines(packed).stream()
                            .filter(line -> line.endsWith(" " + name))
                            .mapToLong(CommitSeed::parse)
                            .findFirst()
                            .orElse(WITHOUT_COMMIT);
        } catch (final IOException e) {
            throw new UncheckedIOException(repository.toString(), e);
        }
    }

    /** Short enough to be typed. */
    private static long parse(final String commit) {
        return commit.matches("[0-9a-f]{7}.*") ? Long.parseLong(commit.substring(0, 7), 16) : WITHOUT_COMMIT;
    }
}
