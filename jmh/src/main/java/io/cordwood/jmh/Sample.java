package io.cordwood.jmh;

/**
 * What one iteration measured.
 *
 * @param wallUs microseconds of the clock per operation.
 * @param cpuUs microseconds of CPU time of the whole process per operation.
 * @param bytes allocated on the heap per operation.
 */
record Sample(double wallUs, double cpuUs, double bytes) {}
