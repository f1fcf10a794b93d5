package io.cordwood.simulation;

import io.cordwood.index.SparseIndexes;
import io.cordwood.log.DerivedState;
import io.cordwood.log.Log;
import io.cordwood.log.LogConfig;
import io.cordwood.log.LogDirectory;
import io.cordwood.log.PartitionName;
import java.util.Objects;

/** Opens logs of a data directory as the campaigns want them: with sparse indexes, on either store. */
public final class Partitions {
    private Partitions() {}

    /**
     * Opens a partition that is there.
     *
     * @param directory that holds it.
     * @param name of it.
     * @param config of its log.
     * @param isMapped whether it is written through mappings.
     * @param nowMs the time.
     * @param states that the log keeps.
     * @return its log.
     */
    public static Log open(
            final LogDirectory directory,
            final PartitionName name,
            final LogConfig config,
            final boolean isMapped,
            final long nowMs,
            final DerivedState... states) {
        return Objects.requireNonNull(
                        directory.open(
                                name,
                                (partition, builder) -> {
                                    builder.config(config).indexes(new SparseIndexes());
                                    for (final DerivedState state : states) {
                                        builder.state(state);
                                    }
                                    if (isMapped) {
                                        builder.mapped();
                                    }
                                    return true;
                                },
                                nowMs),
                        name.toString())
                .log();
    }
}
