package io.cordwood.jmh;

import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Optional;

/** The comparisons as a table in Markdown. */
final class BenchTable {
    private static final String HEADER = "| work | ours us/op | ours CPU us/op | Kafka us/op | Kafka CPU us/op"
            + " | ratio | ratio CPU | to reach | ours B/op | Kafka B/op |";
    private static final String RULE = "|---|--:|--:|--:|--:|--:|--:|--:|--:|--:|";

    private BenchTable() {}

    /**
     * Writes the table.
     *
     * @param comparisons its rows.
     * @param samples what was measured; what was not is shown as a dash.
     * @return lines of Markdown.
     */
    static List<String> of(final List<Comparison> comparisons, final Samples samples) {
        final List<String> lines = new ArrayList<>(List.of(HEADER, RULE));
        for (final Comparison comparison : comparisons) {
            lines.add(row(comparison, samples.medians(comparison.ours()), samples.medians(comparison.peer())));
        }
        return lines;
    }

    private static String row(final Comparison row, final Optional<Sample> ours, final Optional<Sample> peer) {
        final List<String> cells = List.of(
                row.work(),
                ours.map(sample -> figure(sample.wallUs())).orElse("-"),
                ours.map(sample -> figure(sample.cpuUs())).orElse("-"),
                peer.map(sample -> figure(sample.wallUs())).orElse("-"),
                peer.map(sample -> figure(sample.cpuUs())).orElse("-"),
                ratio(ours.map(Sample::wallUs), peer.map(Sample::wallUs)),
                ratio(ours.map(Sample::cpuUs), peer.map(Sample::cpuUs)),
                row.goal() > 0 ? String.format(Locale.ROOT, "%.1fx", row.goal()) : "",
                ours.map(sample -> bytes(sample.bytes())).orElse("-"),
                peer.map(sample -> bytes(sample.bytes())).orElse("-"));
        return "| " + String.join(" | ", cells) + " |";
    }

    private static String ratio(final Optional<Double> ours, final Optional<Double> peer) {
        if (ours.isEmpty() || peer.isEmpty()) {
            return "-";
        }
        return String.format(Locale.ROOT, "%.2fx", peer.get() / ours.get());
    }

    /** Three digits that mean something: 0.0987, 2.43, 14.2, 280. */
    private static String figure(final double value) {
        final int decimals = value >= 100 ? 0 : value >= 10 ? 1 : value >= 1 ? 2 : value >= 0.1 ? 3 : 4;
        return String.format(Locale.ROOT, "%." + decimals + "f", value);
    }

    private static String bytes(final double value) {
        return String.format(Locale.ROOT, value < 10 ? "%.1f" : "%.0f", value);
    }
}
