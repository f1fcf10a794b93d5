package io.cordwood.simulation.soak;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;

/** The seeds that have failed once: a campaign and a seed in a line, and why. */
final class SeedList {
    private SeedList() {}

    /** One of them. */
    record Entry(String campaign, long seed) {}

    static Path file() {
        return Path.of(System.getProperty("cordwood.root", "."), "simulation/seeds.txt");
    }

    static List<Entry> read(final Path file) {
        final List<Entry> entries = new ArrayList<>();
        try {
            for (final String line : Files.readAllLines(file)) {
                if (!line.isBlank() && !line.startsWith("#")) {
                    final String[] parts = line.trim().split(" +", 3);
                    entries.add(new Entry(parts[0], Long.parseLong(parts[1])));
                }
            }
        } catch (final IOException e) {
            throw new UncheckedIOException(file.toString(), e);
        }
        return entries;
    }
}
