package io.cordwood.jmh;

import java.util.Map;
import java.util.SortedMap;
import java.util.TreeMap;

/**
 * What one iteration measured.
 *
 * @param wallUs microseconds of the clock per operation, of all threads together.
 * @param cpuUs microseconds of CPU time of the whole process per operation.
 * @param bytes allocated on the heap per operation.
 * @param counted what the benchmark itself counted, by name, per operation; and percentiles of its latency in microseconds.
 */
record Sample(double wallUs, double cpuUs, double bytes, SortedMap<String, Double> counted) {
    Sample(final double wallUs, final double cpuUs, final double bytes) {
        this(wallUs, cpuUs, bytes, new TreeMap<>());
    }

    Sample(final double wallUs, final double cpuUs, final double bytes, final Map<String, Double> counted) {
        this(wallUs, cpuUs, bytes, new TreeMap<>(counted));
    }
}
