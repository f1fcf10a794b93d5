package io.cordwood.jmh;

import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.SortedMap;
import java.util.TreeMap;

/**
 * The comparisons of one group as bars in SVG: how many times another's throughput is ours, on a logarithmic scale that begins at
 * 1x, with a mark at each goal. Where there is nobody to be compared with, bars are times of one operation. Readable on light and
 * on dark ground.
 */
final class BenchChart {
    private static final int WIDTH = 860;
    private static final int LEFT = 20;
    private static final int RIGHT = 90;
    private static final int NAMES = 170;
    private static final int TOP = 40;
    private static final int BAR = 14;
    private static final int GAP = 12;
    private static final int PLOT = WIDTH - LEFT - NAMES - RIGHT;
    private static final double[] TICKS = {0.1, 0.2, 0.5, 1, 2, 5, 10, 20, 50, 100, 200, 500, 1000};
    private static final String STYLE = "text{font:12px sans-serif;fill:#24292f}.title{font-weight:bold;font-size:14px}"
            + ".work{font-weight:bold}.small{font-size:10px;fill:#57606a}.grid{stroke:#d0d7de}.one{stroke:#57606a}"
            + ".wall{fill:#1f77b4}.cpu{fill:#7fb2d9}.goal{stroke:#d1242f;stroke-width:2}"
            + "@media(prefers-color-scheme:dark){text{fill:#e6edf3}.small{fill:#9da7b3}.grid{stroke:#3d444d}"
            + ".one{stroke:#9da7b3}.wall{fill:#58a6ff}.cpu{fill:#2f5f94}.goal{stroke:#ff7b72}}";

    private final String group;
    private final List<Row> rows = new ArrayList<>();
    private final StringBuilder svg = new StringBuilder();
    private final double least;
    private final double most;
    private final boolean isRatio;

    private BenchChart(final String group, final List<Comparison> comparisons, final Samples samples) {
        this.group = group;
        isRatio = comparisons.stream()
                .anyMatch(row -> row.floor() != null || !row.peers().isEmpty());
        comparisons.forEach(row -> rows.add(isRatio ? ratios(row, samples) : times(row, samples)));
        double low = 1;
        double high = 1;
        for (final Row row : rows) {
            for (final Bar bar : row.bars()) {
                low = Math.min(low, bar.value());
                high = Math.max(high, Math.max(bar.value(), bar.goal()));
            }
        }
        least = low;
        most = Math.max(high, 2 * least);
    }

    /**
     * Draws a chart.
     *
     * @param group name of the group.
     * @param rows of the group.
     * @param samples what was measured; what was not has no bar.
     * @return a document in SVG.
     */
    static String of(final String group, final List<Comparison> rows, final Samples samples) {
        return new BenchChart(group, rows, samples).draw();
    }

    /** One bar; the goal is 0 if there is none. */
    private record Bar(String name, boolean isWall, double value, double goal, String label) {}

    /** The bars of one piece of work. */
    private record Row(String work, List<Bar> bars) {}

    private static Row ratios(final Comparison row, final Samples samples) {
        final Verdict verdict = new Verdict(row, samples);
        final List<Bar> bars = new ArrayList<>();
        for (final Comparison.Peer peer : row.peers()) {
            final String name = "to " + peer.name();
            if (!addPercentiles(bars, name, verdict, peer.subject(), peer.percentiles())) {
                verdict.ratioTo(peer.subject()).ifPresent(ratio -> add(bars, name, ratio, peer.goal()));
            }
        }
        final Comparison.Floor floor = row.floor();
        if (floor != null) {
            final double goal = floor.within() > 0 ? 1 / floor.within() : 0;
            final SortedMap<String, Double> goals = new TreeMap<>();
            floor.percentiles().forEach((label, within) -> goals.put(label, 1 / within));
            if (!addPercentiles(bars, "to the floor", verdict, floor.subject(), goals)) {
                verdict.ratioTo(floor.subject()).ifPresent(ratio -> add(bars, "to the floor", ratio, goal));
            }
        }
        return new Row(row.work(), bars);
    }

    /** Where single operations were timed, their percentiles are what is compared: the pace may be given, and a wait costs CPU. */
    private static boolean addPercentiles(
            final List<Bar> bars,
            final String name,
            final Verdict verdict,
            final Subject other,
            final Map<String, Double> goals) {
        boolean isAny = false;
        for (final String label : LatencyProfiler.COMPARED) {
            final Optional<Double> ratio = verdict.ratioTo(other, label);
            if (ratio.isPresent()) {
                final String percentile = label.substring(LatencyProfiler.PREFIX.length());
                bars.add(new Bar(
                        name + ", " + percentile,
                        true,
                        ratio.get(),
                        goals.getOrDefault(label, 0.0),
                        times(ratio.get())));
                isAny = true;
            }
        }
        return isAny;
    }

    private static void add(final List<Bar> bars, final String name, final Verdict.Ratio ratio, final double goal) {
        bars.add(new Bar(name, true, ratio.wall(), goal, times(ratio.wall())));
        bars.add(new Bar(name + ", CPU", false, ratio.cpu(), goal, times(ratio.cpu())));
    }

    private static Row times(final Comparison row, final Samples samples) {
        final List<Bar> bars = new ArrayList<>();
        samples.medians(row.ours()).ifPresent(found -> {
            bars.add(new Bar("wall", true, found.wallUs(), 0, BenchTable.figure(found.wallUs()) + " us"));
            bars.add(new Bar("CPU", false, found.cpuUs(), 0, BenchTable.figure(found.cpuUs()) + " us"));
        });
        return new Row(row.work(), bars);
    }

    private static String times(final double ratio) {
        return String.format(Locale.ROOT, "%.2fx", ratio);
    }

    private String draw() {
        int height = TOP;
        for (final Row row : rows) {
            height += heightOf(row);
        }
        add(
                "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"%d\" height=\"%d\" viewBox=\"0 0 %d %d\" role=\"img\">",
                WIDTH, height + 24, WIDTH, height + 24);
        add("<style>%s</style>", STYLE);
        final String what = isRatio
                ? ": throughput, or latency, how many times better than another's (longer to the right is better; mark: goal)"
                : ": microseconds per operation";
        text(LEFT, 20, "title", group + what);
        for (final double tick : TICKS) {
            if (tick >= least && tick <= most) {
                add(
                        "<line class=\"%s\" x1=\"%.1f\" y1=\"%d\" x2=\"%.1f\" y2=\"%d\"/>",
                        tick == 1 ? "one" : "grid", x(tick), TOP - 8, x(tick), height);
                text(x(tick) - 6, height + 14, "small", number(tick));
            }
        }
        int y = TOP;
        for (final Row row : rows) {
            draw(row, y);
            y += heightOf(row);
        }
        svg.append("</svg>\n");
        return svg.toString();
    }

    private void draw(final Row row, final int top) {
        text(LEFT, top + 10, "work", row.work());
        int y = top + BAR;
        for (final Bar bar : row.bars()) {
            final double from = Math.min(x(1), x(bar.value()));
            final double to = Math.max(x(1), x(bar.value()));
            text(LEFT + 10, y + 11, "small", bar.name());
            add(
                    "<rect class=\"%s\" x=\"%.1f\" y=\"%d\" width=\"%.1f\" height=\"%d\"/>",
                    bar.isWall() ? "wall" : "cpu", from, y + 2, Math.max(1, to - from), BAR - 3);
            if (bar.goal() > 0) {
                add(
                        "<line class=\"goal\" x1=\"%.1f\" y1=\"%d\" x2=\"%.1f\" y2=\"%d\"/>",
                        x(bar.goal()), y, x(bar.goal()), y + BAR);
            }
            text(Math.max(to, x(bar.goal())) + 5, y + 11, "small", bar.label());
            y += BAR;
        }
    }

    private static int heightOf(final Row row) {
        return BAR + row.bars().size() * BAR + GAP;
    }

    private double x(final double value) {
        final double shown = Math.max(least, value);
        return LEFT + NAMES + PLOT * (Math.log(shown) - Math.log(least)) / (Math.log(most) - Math.log(least));
    }

    private String number(final double tick) {
        return (tick < 1 ? String.valueOf(tick) : String.valueOf((int) tick)) + (isRatio ? "x" : "");
    }

    private void text(final double x, final int y, final String style, final String words) {
        final String escaped = words.replace("&", "&amp;").replace("<", "&lt;").replace(">", "&gt;");
        add("<text class=\"%s\" x=\"%.1f\" y=\"%d\">%s</text>", style, x, y, escaped);
    }

    private void add(final String format, final Object... values) {
        svg.append(String.format(Locale.ROOT, format, values)).append('\n');
    }
}
