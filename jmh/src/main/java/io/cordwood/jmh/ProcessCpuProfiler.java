package io.cordwood.jmh;

import com.sun.management.OperatingSystemMXBean;
import java.lang.management.ManagementFactory;
import java.util.Collection;
import java.util.List;
import java.util.concurrent.atomic.AtomicLong;
import org.openjdk.jmh.infra.BenchmarkParams;
import org.openjdk.jmh.infra.IterationParams;
import org.openjdk.jmh.profile.InternalProfiler;
import org.openjdk.jmh.results.AggregationPolicy;
import org.openjdk.jmh.results.IterationResult;
import org.openjdk.jmh.results.Result;
import org.openjdk.jmh.results.ScalarResult;

/**
 * CPU time of the whole process per operation: whoever hands work to a helper thread, to the collector or to the compiler
 * pays for it here. What puts files back between two operations does so in {@link #leaveOut}.
 */
public final class ProcessCpuProfiler implements InternalProfiler {
    /** Name of the result. */
    public static final String LABEL = "cpu.process";

    private static final OperatingSystemMXBean SYSTEM =
            ManagementFactory.getPlatformMXBean(OperatingSystemMXBean.class);
    private static final AtomicLong LEFT_OUT_NS = new AtomicLong();

    private long beganNs;

    /** Made by JMH. */
    public ProcessCpuProfiler() {}

    /**
     * Runs something whose CPU time is not the operation's.
     *
     * @param act to run, while no operation does.
     */
    static void leaveOut(final Runnable act) {
        final long before = SYSTEM.getProcessCpuTime();
        act.run();
        LEFT_OUT_NS.addAndGet(SYSTEM.getProcessCpuTime() - before);
    }

    private static long countedNs() {
        return SYSTEM.getProcessCpuTime() - LEFT_OUT_NS.get();
    }

    @Override
    public String getDescription() {
        return "CPU time of the whole process per operation";
    }

    @Override
    public void beforeIteration(final BenchmarkParams benchmark, final IterationParams iteration) {
        beganNs = countedNs();
    }

    @Override
    public Collection<? extends Result<?>> afterIteration(
            final BenchmarkParams benchmark, final IterationParams iteration, final IterationResult result) {
        final double us = (countedNs() - beganNs) / 1e3;
        final long operations = result.getMetadata().getAllOps();
        return operations == 0
                ? List.of()
                : List.of(new ScalarResult(LABEL, us / operations, "us/op", AggregationPolicy.AVG));
    }
}
