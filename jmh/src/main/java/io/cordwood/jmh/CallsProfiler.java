package io.cordwood.jmh;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.function.LongSupplier;
import org.openjdk.jmh.infra.BenchmarkParams;
import org.openjdk.jmh.infra.IterationParams;
import org.openjdk.jmh.profile.InternalProfiler;
import org.openjdk.jmh.results.AggregationPolicy;
import org.openjdk.jmh.results.IterationResult;
import org.openjdk.jmh.results.Result;
import org.openjdk.jmh.results.ScalarResult;

/**
 * Calls that an iteration makes, as a whole: reads and writes of the process by the kernel's own count, forces by the log's. A
 * machine without {@code /proc/self/io} shows forces alone.
 */
public final class CallsProfiler implements InternalProfiler {
    /** Name of the result: calls that read. */
    static final String READS = "calls.read";

    /** Name of the result: calls that write. */
    static final String WRITES = "calls.write";

    /** Name of the result: forces. */
    static final String FORCES = "calls.force";

    private static final Path KERNELS_COUNT = Path.of("/proc/self/io");

    private static volatile LongSupplier forces = () -> 0;

    private Map<String, Long> before = Map.of();

    /** Made by JMH. */
    public CallsProfiler() {}

    /**
     * Names the log whose forces count.
     *
     * @param counter of the log; read between iterations.
     */
    static void countForces(final LongSupplier counter) {
        forces = counter;
    }

    /**
     * Reads what the kernel counts of a process.
     *
     * @param lines of {@code /proc/self/io}.
     * @return calls by the names of the results.
     */
    static Map<String, Long> ofKernel(final List<String> lines) {
        final Map<String, Long> calls = new TreeMap<>();
        for (final String line : lines) {
            if (line.startsWith("syscr: ")) {
                calls.put(READS, Long.parseLong(line.substring("syscr: ".length())));
            } else if (line.startsWith("syscw: ")) {
                calls.put(WRITES, Long.parseLong(line.substring("syscw: ".length())));
            }
        }
        return calls;
    }

    private static Map<String, Long> now() {
        try {
            final Map<String, Long> calls =
                    ofKernel(Files.isReadable(KERNELS_COUNT) ? Files.readAllLines(KERNELS_COUNT) : List.of());
            calls.put(FORCES, forces.getAsLong());
            return calls;
        } catch (final IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    @Override
    public String getDescription() {
        return "Reads, writes and forces of the iteration";
    }

    @Override
    public void beforeIteration(final BenchmarkParams benchmark, final IterationParams iteration) {
        before = now();
    }

    @Override
    public Collection<? extends Result<?>> afterIteration(
            final BenchmarkParams benchmark, final IterationParams iteration, final IterationResult result) {
        final List<ScalarResult> results = new ArrayList<>();
        now().forEach((name, calls) -> results.add(
                new ScalarResult(name, calls - before.getOrDefault(name, 0L), "calls", AggregationPolicy.AVG)));
        return results;
    }
}
