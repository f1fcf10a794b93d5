package io.cordwood.simulation;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Comparator;
import java.util.List;
import java.util.stream.Stream;

/** Directories that a campaign makes for itself. */
public final class Scratch {
    private Scratch() {}

    /**
     * Deletes one.
     *
     * @param root of all that goes.
     * @throws IOException if that fails.
     */
    public static void delete(final Path root) throws IOException {
        final List<Path> all;
        try (Stream<Path> files = Files.walk(root)) {
            all = files.sorted(Comparator.reverseOrder()).toList();
        }
        for (final Path file : all) {
            Files.delete(file);
        }
    }
}
