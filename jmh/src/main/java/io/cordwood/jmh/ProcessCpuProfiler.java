package io.cordwood.jmh;

import com.sun.management.OperatingSystemMXBean;
import java.lang.management.ManagementFactory;
import java.util.Collection;
import java.util.List;
import org.openjdk.jmh.infra.BenchmarkParams;
import org.openjdk.jmh.infra.IterationParams;
import org.openjdk.jmh.profile.InternalProfiler;
import org.openjdk.jmh.results.AggregationPolicy;
import org.openjdk.jmh.results.IterationResult;
import org.openjdk.jmh.results.Result;
import org.openjdk.jmh.results.ScalarResult;

/**
 * CPU time of the whole process per operation: whoever hands work to a helper thread, to the collector or to the compiler
 * pays for it here.
 */
public final class ProcessCpuProfiler implements InternalProfiler {
    /** Name of the result. */
    public static final String LABEL = "cpu.process";

    private final OperatingSystemMXBean system = ManagementFactory.getPlatformMXBean(OperatingSystemMXBean.class);
    private long beganNs;

    /** Made by JMH. */
    public ProcessCpuProfiler() {}

    @Override
    public String getDescription() {
        return "CPU time of the whole process per operation";
    }

    @Override
    public void beforeIteration(final BenchmarkParams benchmark, final IterationParams iteration) {
        beganNs = system.getProcessCpuTime();
    }

    @Override
    public Collection<? extends Result<?>> afterIteration(
            final BenchmarkParams benchmark, final IterationParams iteration, final IterationResult result) {
        final double us = (system.getProcessCpuTime() - beganNs) / 1e3;
        final long operations = result.getMetadata().getAllOps();
        return operations == 0
                ? List.of()
                : List.of(new ScalarResult(LABEL, us / operations, "us/op", AggregationPolicy.AVG));
    }
}
