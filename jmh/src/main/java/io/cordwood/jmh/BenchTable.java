package io.cordwood.jmh;

import java.util.ArrayList;
import java.util.Collections;
import java.util.Comparator;
import java.util.HashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Locale;
import java.util.Map;
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
    private final Set<String> counted =
            new TreeSet<>(Comparator.comparing((String label) -> label.equals(LatencyProfiler.MAX))
                    .thenComparing(Comparator.naturalOrder()));
    private final Map<String, Set<String>> percentiles = new HashMap<>();
    private final Set<String> floorPercentiles = new TreeSet<>();
    private final boolean hasFloor;
    private final boolean hasGoals;

    private BenchTable(final List<Comparison> rows, final Samples samples) {
        this.rows = rows;
        this.samples = samples;
        for (final Comparison row : rows) {
            for (final Comparison.Peer peer : row.peers()) {
                peers.add(peer.name());
                percentiles
                        .computeIfAbsent(peer.name(), any -> new TreeSet<>())
                        .addAll(peer.percentiles().keySet());
            }
            if (row.floor() != null) {
                floorPercentiles.addAll(row.floor().percentiles().keySet());
            }
        }
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
            percentilesOf(peer).forEach(label -> cells.addAll(List.of(bare(label) + " ratio to " + peer, "to reach")));
        }
        if (hasFloor) {
            cells.addAll(List.of("floor us/op", "floor CPU us/op"));
            latencies().forEach(label -> cells.add("floor " + unit(label)));
            cells.addAll(List.of("of floor", "of floor CPU", "within"));
            floorPercentiles.forEach(label -> cells.addAll(List.of("of floor " + bare(label), "within")));
        }
        if (hasGoals) {
            cells.add("holds");
        }
        return cells;
    }

    private Stream<String> measured(final String whose) {
        return Stream.concat(
                        Stream.of("us/op", "CPU us/op", "B/op"),
                        counted.stream().map(BenchTable::unit))
                .map(name -> whose + name);
    }

    private static String unit(final String label) {
        return LatencyProfiler.isLatency(label) ? label + " us" : label + "/op";
    }

    private static String bare(final String label) {
        return label.substring(LatencyProfiler.PREFIX.length());
    }

    private Set<String> percentilesOf(final String peer) {
        return percentiles.getOrDefault(peer, Set.of());
    }

    private List<String> latencies() {
        return counted.stream().filter(LatencyProfiler::isLatency).toList();
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
                for (final String label : percentilesOf(name)) {
                    cells.addAll(percentile(peer.get(), label, verdict));
                }
            } else {
                cells.addAll(Collections.nCopies(
                        6 + counted.size() + 2 * percentilesOf(name).size(), ""));
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
            return Collections.nCopies(5 + latencies().size() + 2 * floorPercentiles.size(), "");
        }
        final Optional<Sample> medians = samples.medians(floor.subject());
        final List<String> cells = new ArrayList<>(figures(floor.subject()).subList(0, 2));
        latencies().forEach(label -> cells.add(counted(medians, label)));
        cells.addAll(ratios(verdict.ratioTo(floor.subject()), true));
        cells.add(goal(floor.within()));
        for (final String label : floorPercentiles) {
            final Optional<Double> ratio =
                    verdict.ratioTo(floor.subject(), label).map(times -> 1 / times);
            cells.add(ratio.map(BenchTable::times).orElse(NOT_MEASURED));
            final double within = floor.percentiles().getOrDefault(label, 0.0);
            cells.add(within > 0 ? goal(within) + said(verdict.reaches(floor.subject(), label, 1 / within)) : "");
        }
        return cells;
    }

    /** How many times lower our percentile is, and whether that is enough. */
    private static List<String> percentile(final Comparison.Peer peer, final String label, final Verdict verdict) {
        final double goal = peer.percentiles().getOrDefault(label, 0.0);
        return List.of(
                verdict.ratioTo(peer.subject(), label).map(BenchTable::times).orElse(NOT_MEASURED),
                goal > 0 ? goal(goal) + said(verdict.reaches(peer.subject(), label, goal)) : "");
    }

    private static String said(final Optional<Boolean> holds) {
        return holds.map(reached -> reached ? ": yes" : ": no").orElse("");
    }

    private List<String> figures(final Subject subject) {
        final Optional<Sample> medians = samples.medians(subject);
        final List<String> cells = new ArrayList<>();
        cells.add(medians.map(sample -> figure(sample.wallUs())).orElse(NOT_MEASURED));
        cells.add(medians.map(sample -> figure(sample.cpuUs())).orElse(NOT_MEASURED));
        cells.add(medians.map(sample -> bytes(sample.bytes())).orElse(NOT_MEASURED));
        for (final String name : counted) {
            cells.add(counted(medians, name));
        }
        return cells;
    }

    private static String counted(final Optional<Sample> medians, final String name) {
        return medians.map(sample -> sample.counted().get(name))
                .map(BenchTable::figure)
                .orElse(NOT_MEASURED);
    }

    /** Of peers, how many times their throughput is ours; of the floor, how many times its time we take. */
    private static List<String> ratios(final Optional<Verdict.Ratio> ratio, final boolean isTime) {
        return Stream.of(ratio.map(Verdict.Ratio::wall), ratio.map(Verdict.Ratio::cpu))
                .map(one -> one.map(times -> times(isTime ? 1 / times : times)).orElse(NOT_MEASURED))
                .toList();
    }

    private static String times(final double ratio) {
        return String.format(Locale.ROOT, "%.2fx", ratio);
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
