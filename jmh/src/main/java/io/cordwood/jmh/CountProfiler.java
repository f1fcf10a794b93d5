package io.cordwood.jmh;

import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.LongSupplier;
import org.openjdk.jmh.infra.BenchmarkParams;
import org.openjdk.jmh.infra.IterationParams;
import org.openjdk.jmh.profile.InternalProfiler;
import org.openjdk.jmh.results.AggregationPolicy;
import org.openjdk.jmh.results.IterationResult;
import org.openjdk.jmh.results.Result;
import org.openjdk.jmh.results.ScalarResult;

/** What a benchmark has counters for, such as forces, per operation. */
public final class CountProfiler implements InternalProfiler {
    private static final Map<String, LongSupplier> COUNTERS = new ConcurrentHashMap<>();

    private final Map<String, Long> before = new TreeMap<>();

    /** Made by JMH. */
    public CountProfiler() {}

    /**
     * Has a counter shown in the results.
     *
     * @param name of what it counts.
     * @param counter that only grows; read between iterations.
     */
    static void show(final String name, final LongSupplier counter) {
        COUNTERS.put(name, counter);
    }

    @Override
    public String getDescription() {
        return "Counters of the benchmark, per operation";
    }

    @Override
    public void beforeIteration(final BenchmarkParams benchmark, final IterationParams iteration) {
        COUNTERS.forEach((name, counter) -> before.put(name, counter.getAsLong()));
    }

    @Override
    public Collection<? extends Result<?>> afterIteration(
            final BenchmarkParams benchmark, final IterationParams iteration, final IterationResult result) {
        final List<ScalarResult> results = new ArrayList<>();
        final long operations = result.getMetadata().getAllOps();
        COUNTERS.forEach((name, counter) -> {
            final Long began = before.get(name);
            // The first iteration's set-up comes behind its begin.
            if (began != null && operations > 0) {
                final double each = (double) (counter.getAsLong() - began) / operations;
                results.add(new ScalarResult(name, each, name + "/op", AggregationPolicy.AVG));
            }
        });
        return results;
    }
}
