package io.cordwood.jmh;

import java.util.ArrayList;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Locale;
import java.util.Optional;
import java.util.Set;
import java.util.TreeSet;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/** The comparisons of one group as a table in Markdown; a column that no row fills is left out. */
final class BenchTable {
    private static final String NOT_MEASURED = "-";

    private final List<Comparison> rows;
    private final Samples samples;
    private final Set<String> peers = new LinkedHashSet<>();
    private final Set<String> counted = new TreeSet<>();
    private final boolean hasFloor;
    private final boolean hasGoals;

    private BenchTable(final List<Comparison> rows, final Samples samples) {
        this.rows = rows;
        this.samples = samples;
        rows.forEach(row -> row.peers().forEach(peer -> peers.add(peer.name())));
        rows.stream()
                .flatMap(row -> row.subjects().stream())
                .flatMap(subject -> samples.medians(subject).stream())
                .forEach(medians -> counted.addAll(medians.counted().keySet()));
        hasFloor = rows.stream().anyMatch(row -> row.floor() != null);
        hasGoals = hasFloor || !peers.isEmpty() || rows.stream().anyMatch(Comparison::isGarbageFree);
    }

    /**
     * Writes a table.
     *
     * @param rows of one group.
     * @param samples what was measured; what was not is shown as a dash.
     * @return lines of Markdown.
     */
    static List<String> of(final List<Comparison> rows, final Samples samples) {
        return new BenchTable(rows, samples).lines();
    }

    private List<String> lines() {
        final List<String> header = header();
        final List<String> lines = new ArrayList<>();
        lines.add(line(header));
        lines.add("|---" + "|--:".repeat(header.size() - 1) + "|");
        rows.forEach(row -> lines.add(line(cells(row))));
        return lines;
    }

    private static String line(final List<String> cells) {
        return "| " + String.join(" | ", cells) + " |";
    }

    private List<String> header() {
        final List<String> cells = new ArrayList<>();
        cells.add("work");
        measured("").forEach(cells::add);
        for (final String peer : peers) {
            measured(peer + " ").forEach(cells::add);
            cells.addAll(List.of("ratio to " + peer, "ratio CPU", "to reach"));
        }
        if (hasFloor) {
            cells.addAll(List.of("floor us/op", "floor CPU us/op", "of floor", "of floor CPU", "within"));
        }
        if (hasGoals) {
            cells.add("holds");
        }
        return cells;
    }

    private Stream<String> measured(final String whose) {
        return Stream.concat(
                        Stream.of("us/op", "CPU us/op", "B/op"),
                        counted.stream().map(name -> name + "/op"))
                .map(name -> whose + name);
    }

    private List<String> cells(final Comparison row) {
        final Verdict verdict = new Verdict(row, samples);
        final List<String> cells = new ArrayList<>();
        cells.add(row.work());
        cells.addAll(figures(row.ours()));
        for (final String name : peers) {
            final Optional<Comparison.Peer> peer =
                    row.peers().stream().filter(one -> one.name().equals(name)).findFirst();
            if (peer.isPresent()) {
                cells.addAll(figures(peer.get().subject()));
                cells.addAll(ratios(verdict.ratioTo(peer.get().subject()), false));
                cells.add(goal(peer.get().goal()));
            } else {
                cells.addAll(List.of("", "", "", "", "", ""));
                counted.forEach(any -> cells.add(""));
            }
        }
        if (hasFloor) {
            cells.addAll(floor(row.floor(), verdict));
        }
        if (hasGoals) {
            cells.add(holds(row, verdict));
        }
        return cells;
    }

    private List<String> floor(final Comparison.@Nullable Floor floor, final Verdict verdict) {
        if (floor == null) {
            return List.of("", "", "", "", "");
        }
        final List<String> cells = new ArrayList<>(figures(floor.subject()).subList(0, 2));
        cells.addAll(ratios(verdict.ratioTo(floor.subject()), true));
        cells.add(goal(floor.within()));
        return cells;
    }

    private List<String> figures(final Subject subject) {
        final Optional<Sample> medians = samples.medians(subject);
        final List<String> cells = new ArrayList<>();
        cells.add(medians.map(sample -> figure(sample.wallUs())).orElse(NOT_MEASURED));
        cells.add(medians.map(sample -> figure(sample.cpuUs())).orElse(NOT_MEASURED));
        cells.add(medians.map(sample -> bytes(sample.bytes())).orElse(NOT_MEASURED));
        for (final String name : counted) {
            cells.add(medians.map(sample -> sample.counted().get(name))
                    .map(BenchTable::figure)
                    .orElse(NOT_MEASURED));
        }
        return cells;
    }

    /** Of peers, how many times their throughput is ours; of the floor, how many times its time we take. */
    private static List<String> ratios(final Optional<Verdict.Ratio> ratio, final boolean isTime) {
        return Stream.of(ratio.map(Verdict.Ratio::wall), ratio.map(Verdict.Ratio::cpu))
                .map(one -> one.map(times -> String.format(Locale.ROOT, "%.2fx", isTime ? 1 / times : times))
                        .orElse(NOT_MEASURED))
                .toList();
    }

    private static String goal(final double times) {
        return times > 0 ? String.format(Locale.ROOT, times * 10 % 1 == 0 ? "%.1fx" : "%.2fx", times) : "";
    }

    private static String holds(final Comparison row, final Verdict verdict) {
        final String said = verdict.holds().map(holds -> holds ? "yes" : "no").orElse("");
        return row.isGarbageFree() && !said.isEmpty() ? said + " (0 B)" : said;
    }

    /** Three digits that mean something: 0.0987, 2.43, 14.2, 280. */
    static String figure(final double value) {
        final int decimals = value >= 100 ? 0 : value >= 10 ? 1 : value >= 1 ? 2 : value >= 0.1 ? 3 : 4;
        return String.format(Locale.ROOT, "%." + decimals + "f", value);
    }

    private static String bytes(final double value) {
        return String.format(Locale.ROOT, value < 10 ? "%.1f" : "%.0f", value);
    }
}
