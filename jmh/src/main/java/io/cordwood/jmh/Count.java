package io.cordwood.jmh;

import java.util.ArrayList;
import java.util.List;
import java.util.Locale;

/**
 * What an iteration or one operation of it takes of what can be counted, or the most that it may take.
 *
 * @param bytes allocated on the heap, by all threads.
 * @param reads calls of the process that read; NaN where nobody counts them.
 * @param writes calls that write; NaN where nobody counts them.
 * @param forces of the log.
 */
record Count(double bytes, double reads, double writes, double forces) {
    /** Names of the figures, in order. */
    static final List<String> NAMES = List.of("B/op", "reads/op", "writes/op", "forces/op");

    /**
     * The figures in the order of {@link #NAMES}.
     *
     * @return as many.
     */
    List<Double> figures() {
        return List.of(bytes, reads, writes, forces);
    }

    /**
     * The lesser of each figure. Every iteration does the same work, and what comes on top, as of the compiler or of the
     * clearing away at the end, only adds.
     *
     * @param other of the same work.
     * @return figures of both.
     */
    Count least(final Count other) {
        return new Count(
                Math.min(bytes, other.bytes),
                Math.min(reads, other.reads),
                Math.min(writes, other.writes),
                Math.min(forces, other.forces));
    }

    /**
     * What an operation takes, where this is what an iteration took.
     *
     * @param own what the measuring took of that by itself.
     * @param operations of the iteration.
     * @return figures of one operation.
     */
    Count each(final Count own, final int operations) {
        return new Count(
                Math.max(0, bytes - own.bytes) / operations,
                Math.max(0, reads - own.reads) / operations,
                Math.max(0, writes - own.writes) / operations,
                Math.max(0, forces - own.forces) / operations);
    }

    /**
     * Figures for a table.
     *
     * @return in the order of {@link #NAMES}; a dash where nobody counts.
     */
    List<String> cells() {
        final List<String> cells = new ArrayList<>();
        figures().forEach(figure -> cells.add(text(figure)));
        return cells;
    }

    /**
     * A figure for a reader.
     *
     * @param figure of a count.
     * @return three decimals, fewer of a large one.
     */
    static String text(final double figure) {
        return Double.isNaN(figure) ? "-" : String.format(Locale.ROOT, figure < 100 ? "%.3f" : "%.0f", figure);
    }
}
