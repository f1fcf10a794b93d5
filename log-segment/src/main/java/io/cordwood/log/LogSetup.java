package io.cordwood.log;

/** Says what the logs of a data directory are made of. */
@FunctionalInterface
public interface LogSetup {
    /**
     * Prepares the open of one partition: settings, indexes, derived states. Recovery point, start, guard and progress are the
     * directory's and are set behind this call; {@link PartitionCells#recoveryPoint(long)} overrules the first. A replica
     * sets the high watermark here, so that nothing is dropped above it.
     *
     * @param partition that is about to be opened; its log is not there yet.
     * @param builder to be filled in.
     * @return false to leave the partition alone.
     */
    boolean prepare(PartitionCells partition, LogBuilder builder);
}
