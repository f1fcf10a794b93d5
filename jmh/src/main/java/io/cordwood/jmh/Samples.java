package io.cordwood.jmh;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalDouble;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.function.ToDoubleFunction;

/**
 * All that was measured. Of several rounds the first counts for nothing: it finds memory and disk in another state than the
 * ones that follow it.
 */
final class Samples {
    private static final double US_PER_SECOND = 1e6;

    private final Map<Subject, List<List<Sample>>> rounds = new HashMap<>();

    /**
     * Takes the iterations of one round.
     *
     * @param subject that was measured.
     * @param round its iterations.
     */
    void add(final Subject subject, final List<Sample> round) {
        rounds.computeIfAbsent(subject, any -> new ArrayList<>()).add(round);
    }

    /**
     * Medians over all iterations that count.
     *
     * @param subject that was measured.
     * @return medians, each figure on its own; empty if nothing was measured.
     */
    Optional<Sample> medians(final Subject subject) {
        final List<Sample> counted = counted(subject);
        if (counted.isEmpty()) {
            return Optional.empty();
        }
        final SortedMap<String, Double> byName = new TreeMap<>();
        for (final String name : counted.get(0).counted().keySet()) {
            byName.put(name, median(counted, sample -> sample.counted().getOrDefault(name, Double.NaN)));
        }
        return Optional.of(new Sample(
                median(counted, Sample::wallUs),
                median(counted, Sample::cpuUs),
                median(counted, Sample::bytes),
                byName));
    }

    /**
     * How far apart the iterations that count lie.
     *
     * @param subject that was measured.
     * @return what the middle half of the times spans, in parts of their median; empty if nothing was measured.
     */
    OptionalDouble spread(final Subject subject) {
        final double[] sorted =
                counted(subject).stream().mapToDouble(Sample::wallUs).sorted().toArray();
        if (sorted.length == 0) {
            return OptionalDouble.empty();
        }
        final double middleHalf = quantile(sorted, 3) - quantile(sorted, 1);
        return OptionalDouble.of(middleHalf / quantile(sorted, 2));
    }

    private static double quantile(final double[] sorted, final int quarters) {
        return sorted[(int) Math.round((sorted.length - 1) * quarters / 4.0)];
    }

    private List<Sample> counted(final Subject subject) {
        final List<List<Sample>> all = rounds(subject);
        return all.stream().skip(all.size() > 1 ? 1 : 0).flatMap(List::stream).toList();
    }

    /**
     * The rate at which work is due that is not to be late.
     *
     * @param peak who does the work as fast as he can.
     * @return half of his operations in a second, as measured so far.
     */
    long halfTheRateOf(final Subject peak) {
        final Sample medians = medians(peak)
                .orElseThrow(() -> new IllegalStateException("to be measured before those at its pace: " + peak));
        return Math.round(US_PER_SECOND / medians.wallUs() / 2);
    }

    /**
     * All iterations, those that do not count too.
     *
     * @param subject that was measured.
     * @return iterations, round by round.
     */
    List<List<Sample>> rounds(final Subject subject) {
        return rounds.getOrDefault(subject, List.of());
    }

    private static double median(final List<Sample> samples, final ToDoubleFunction<Sample> figure) {
        final double[] sorted = samples.stream().mapToDouble(figure).toArray();
        Arrays.sort(sorted);
        final int middle = sorted.length / 2;
        return sorted.length % 2 == 1 ? sorted[middle] : (sorted[middle - 1] + sorted[middle]) / 2;
    }
}
