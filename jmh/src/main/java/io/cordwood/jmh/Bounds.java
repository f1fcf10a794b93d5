package io.cordwood.jmh;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;

/**
 * The most that each row may take, as committed in {@code jmh/bounds.txt}. A figure above its bound is a problem, and so is one that is
 * far below it, since the bound would then let a regression pass; likewise a row without a bound and a bound without a row.
 */
final class Bounds {
    private static final int FIELDS = 1 + Count.NAMES.size();

    /** A bound up to here says "none", and leaves room for what the measuring itself adds; by the figure. */
    private static final List<Double> NONE = List.of(1.0, 0.5, 0.01, 0.01);

    private static final double CLOSE = 0.5;

    private final Map<String, Count> most = new TreeMap<>();

    /**
     * Reads bounds.
     *
     * @param lines of the file.
     */
    Bounds(final List<String> lines) {
        for (final String line : lines) {
            if (line.isBlank() || line.startsWith("#")) {
                continue;
            }
            final String[] fields = line.split("\\|", -1);
            if (fields.length != FIELDS) {
                throw new IllegalArgumentException("a bound has " + FIELDS + " fields: " + line);
            }
            final String row = fields[0].strip();
            final Count bound = new Count(figure(fields[1]), figure(fields[2]), figure(fields[3]), figure(fields[4]));
            if (most.put(row, bound) != null) {
                throw new IllegalArgumentException("bounded twice: " + row);
            }
        }
    }

    /**
     * Reads a file.
     *
     * @param file of bounds.
     * @return its bounds.
     * @throws IOException if it cannot be read.
     */
    static Bounds read(final Path file) throws IOException {
        return new Bounds(Files.readAllLines(file));
    }

    private static double figure(final String field) {
        final String text = field.strip();
        if (!text.matches("[0-9]+(\\.[0-9]+)?")) {
            throw new IllegalArgumentException("no bound: " + text);
        }
        return Double.parseDouble(text);
    }

    /**
     * Holds the names of all rows against those that are bounded.
     *
     * @param rows that there are.
     * @return problems, one a line; empty if there is none.
     */
    List<String> problemsOf(final Set<String> rows) {
        final List<String> problems = new ArrayList<>();
        for (final String row : new TreeSet<>(rows)) {
            if (!most.containsKey(row)) {
                problems.add(row + ": has no bound");
            }
        }
        for (final String row : most.keySet()) {
            if (!rows.contains(row)) {
                problems.add(row + ": a bound of no row");
            }
        }
        return problems;
    }

    /**
     * Holds a row against its bound.
     *
     * @param row its name.
     * @param measured what was counted.
     * @return problems, one a line; empty if there is none.
     */
    List<String> problemsOf(final String row, final Count measured) {
        final Count bound = most.get(row);
        if (bound == null) {
            return List.of(row + ": has no bound");
        }
        final List<String> problems = new ArrayList<>();
        for (int i = 0; i < Count.NAMES.size(); i++) {
            final double figure = measured.figures().get(i);
            final double limit = bound.figures().get(i);
            final String said = row + ": " + Count.text(figure) + " " + Count.NAMES.get(i);
            if (figure > limit) {
                problems.add(said + ", at most " + Count.text(limit) + " allowed");
            } else if (limit > NONE.get(i) && figure < limit * CLOSE) {
                problems.add(said + ", less than half of the bound " + Count.text(limit) + ", which must be close");
            }
        }
        return problems;
    }

    /**
     * The bound of a row, for a table.
     *
     * @param row its name.
     * @return its figures; dashes if it has none.
     */
    List<String> cells(final String row) {
        final Count bound = most.get(row);
        return bound == null ? List.of("-", "-", "-", "-") : bound.cells();
    }
}
