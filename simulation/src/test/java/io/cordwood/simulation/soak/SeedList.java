package io.cordwood.simulation.soak;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.ArrayList;
import java.util.List;

/** The seeds that have failed once: a campaign and a seed in a line, and why. */
final class SeedList {
    /** From the root of the project. */
    static final String NAME = "simulation/seeds.txt";

    private SeedList() {}

    /** One of them. */
    record Entry(String campaign, long seed) {}

    static Path file() {
        return Path.of(System.getProperty("cordwood.root", "."), NAME);
    }

    /** How a seed is kept; why it has failed may follow. */
    static String line(final String campaign, final long seed) {
        return campaign + " " + seed;
    }

    /** A seed that has failed once is played by each build from then on. */
    static void keep(final Path file, final String campaign, final long seed) {
        if (read(file).contains(new Entry(campaign, seed))) {
            return;
        }
        try {
            Files.writeString(file, line(campaign, seed) + "\n", StandardOpenOption.APPEND);
        } catch (final IOException e) {
            throw new UncheckedIOException(file.toString(), e);
        }
        System.err.println("the seed was added to " + file + ": commit it together with the mend");
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
