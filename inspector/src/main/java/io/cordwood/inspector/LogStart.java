package io.cordwood.inspector;

import io.cordwood.log.CorruptLogException;
import io.cordwood.log.OffsetCheckpoint;
import io.cordwood.log.PartitionName;
import io.cordwood.log.store.DiskStorage;
import io.cordwood.log.store.Storage;
import java.io.PrintStream;
import java.nio.file.Path;
import java.util.Objects;
import java.util.SortedMap;

/**
 * Where a partition begins, by the data directory that holds it: records below were deleted, though their bytes may still lie
 * in the first segment. Reads only, and takes no lock: the directory may be in use.
 */
final class LogStart {
    private LogStart() {}

    /** The offset that the checkpoint beside the partition has for it; 0 if there is none. A damaged one is told of. */
    static long of(final Path partition, final PrintStream err) {
        final Path absolute = partition.toAbsolutePath().normalize();
        final Path parent = absolute.getParent();
        final PartitionName name = PartitionName.parse(String.valueOf(absolute.getFileName()));
        if (parent == null || name == null) {
            return 0;
        }
        try (Storage storage = new DiskStorage(parent)) {
            final SortedMap<PartitionName, Long> starts =
                    OffsetCheckpoint.read(storage, "", OffsetCheckpoint.LOG_STARTS);
            return starts == null ? 0 : Objects.requireNonNullElse(starts.get(name), 0L);
        } catch (final CorruptLogException e) {
            err.println("cordwood: " + e.getMessage() + "; records that were deleted may be among the first");
            return 0;
        }
    }
}
