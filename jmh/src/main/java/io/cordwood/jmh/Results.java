package io.cordwood.jmh;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.OptionalDouble;

/** Puts the results of a run into files: a table in Markdown, all samples in JSON, a chart for each group. */
final class Results {
    private static final double PERCENT = 100;

    private Results() {}

    /**
     * Writes the files over those of the last run.
     *
     * @param directory that takes them.
     * @param options of the run.
     * @param rows that were measured.
     * @param samples what was measured.
     * @return the table.
     * @throws IOException if the directory cannot be written.
     */
    static List<String> write(
            final Path directory, final BenchOptions options, final List<Comparison> rows, final Samples samples)
            throws IOException {
        final Map<String, List<Comparison>> groups = new LinkedHashMap<>();
        rows.forEach(row ->
                groups.computeIfAbsent(row.group(), any -> new ArrayList<>()).add(row));
        final List<String> lines = new ArrayList<>(Surroundings.lines(options));
        lines.add(noise(rows, samples));
        for (final Map.Entry<String, List<Comparison>> group : groups.entrySet()) {
            final String chart = group.getKey() + ".svg";
            Files.writeString(directory.resolve(chart), BenchChart.of(group.getKey(), group.getValue(), samples));
            lines.addAll(List.of("", "## " + group.getKey(), "", "![" + group.getKey() + "](" + chart + ")", ""));
            lines.addAll(BenchTable.of(group.getValue(), samples));
        }
        Files.write(directory.resolve("results.md"), lines);
        Files.writeString(directory.resolve("results.json"), ResultsJson.of(options, rows, samples));
        return lines;
    }

    /** Says how sure the figures are: one that a row's ratio rests on may be off by about this. */
    private static String noise(final List<Comparison> rows, final Samples samples) {
        final double[] spreads = rows.stream()
                .flatMap(row -> row.subjects().stream())
                .distinct()
                .map(samples::spread)
                .flatMapToDouble(OptionalDouble::stream)
                .sorted()
                .toArray();
        if (spreads.length == 0) {
            return "- noise: nothing was measured";
        }
        return String.format(
                Locale.ROOT,
                "- noise: the middle half of the times of one figure spans %.1f %% of their median, for one figure in ten more than %.1f %%",
                spreads[spreads.length / 2] * PERCENT,
                spreads[spreads.length * 9 / 10] * PERCENT);
    }
}
