package io.cordwood.jmh;

import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.Locale;
import java.util.concurrent.atomic.AtomicReference;
import org.HdrHistogram.Histogram;
import org.openjdk.jmh.infra.BenchmarkParams;
import org.openjdk.jmh.infra.IterationParams;
import org.openjdk.jmh.profile.InternalProfiler;
import org.openjdk.jmh.results.AggregationPolicy;
import org.openjdk.jmh.results.IterationResult;
import org.openjdk.jmh.results.Result;
import org.openjdk.jmh.results.ScalarResult;

/** Tells the percentiles of what {@link Pace} has timed in an iteration; nothing of benchmarks that have none. */
public final class LatencyProfiler implements InternalProfiler {
    /** What the label of each percentile begins with. */
    static final String PREFIX = "latency ";

    /** Label of the 99th percentile. */
    static final String P99 = PREFIX + "p99";

    /** Label of the 99.9th percentile. */
    static final String P999 = PREFIX + "p99.9";

    /** Label of the median. */
    static final String P50 = PREFIX + "p50";

    /** Labels of the percentiles that are compared; a single longest one is shown and no more. */
    static final List<String> COMPARED = List.of(P50, P99, P999);

    /** Label of the longest one. */
    static final String MAX = PREFIX + "max";

    private static final double[] PERCENTILES = {50, 99, 99.9, 100};
    private static final AtomicReference<Histogram> TIMED = new AtomicReference<>();

    /** Made by JMH. */
    public LatencyProfiler() {}

    /**
     * Hands over what was timed in the iteration that ends.
     *
     * @param nanos of each operation.
     */
    static void timed(final Histogram nanos) {
        TIMED.set(nanos);
    }

    /**
     * Tells percentiles from what is counted per operation.
     *
     * @param label of a secondary result.
     * @return whether it is a time in microseconds.
     */
    static boolean isLatency(final String label) {
        return label.startsWith(PREFIX);
    }

    @Override
    public String getDescription() {
        return "percentiles of the latency of single operations";
    }

    @Override
    public void beforeIteration(final BenchmarkParams benchmark, final IterationParams iteration) {
        TIMED.set(null);
    }

    @Override
    public Collection<? extends Result<?>> afterIteration(
            final BenchmarkParams benchmark, final IterationParams iteration, final IterationResult result) {
        final Histogram nanos = TIMED.getAndSet(null);
        final List<ScalarResult> percentiles = new ArrayList<>();
        if (nanos != null) {
            for (final double percentile : PERCENTILES) {
                percentiles.add(new ScalarResult(
                        label(percentile), nanos.getValueAtPercentile(percentile) / 1e3, "us", AggregationPolicy.AVG));
            }
        }
        return percentiles;
    }

    private static String label(final double percentile) {
        return percentile == 100
                ? MAX
                : PREFIX + "p" + String.format(Locale.ROOT, percentile % 1 == 0 ? "%.0f" : "%.1f", percentile);
    }
}
