package io.cordwood.simulation.crash;

import io.cordwood.index.IndexCheck;
import io.cordwood.index.IndexDump;
import io.cordwood.log.Fault;
import io.cordwood.log.LogCheck;
import io.cordwood.log.LogFiles;
import io.cordwood.log.store.FileUse;
import io.cordwood.log.store.Storage;
import io.cordwood.log.store.StorageFile;
import io.cordwood.testkit.DiskExam;
import java.util.List;
import java.util.Objects;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/** The structure check of the indexes, to walk along with that of the log over one partition that was closed. */
public final class Faults implements LogCheck.Companion {
    private final Storage storage;
    private @Nullable IndexCheck check;

    Faults(final Storage storage) {
        this.storage = storage;
    }

    /**
     * Checks.
     *
     * @param storage that holds the partition.
     * @param directory of the partition.
     * @return all faults but missing offsets, which are for the report of the open to tell.
     */
    public static List<Fault> of(final Storage storage, final String directory) {
        return DiskExam.faults(storage, directory, List.of(new Faults(storage)));
    }

    /**
     * Checks a partition without indexes.
     *
     * @param storage that holds the partition.
     * @param directory of the partition.
     * @return as {@link #of}.
     */
    public static List<Fault> ofSegments(final Storage storage, final String directory) {
        return DiskExam.faults(storage, directory, List.of());
    }

    static void requireNone(final Storage storage, final String directory) {
        DiskExam.requireSound(storage, directory, List.of(new Faults(storage)));
    }

    @Override
    public void begin(final String directory, final long baseOffset) {
        final String offsets = LogFiles.path(directory, LogFiles.name(baseOffset, LogFiles.OFFSET_INDEX));
        final String times = LogFiles.path(directory, LogFiles.name(baseOffset, LogFiles.TIME_INDEX));
        check = new IndexCheck(
                baseOffset,
                offsets,
                dump(offsets, file -> IndexDump.ofOffsets(file, baseOffset)),
                times,
                dump(times, file -> IndexDump.ofTimes(file, baseOffset)));
    }

    /** Null if there is no such file: whether that is a fault is for the check to say. */
    private @Nullable IndexDump dump(final String path, final Function<StorageFile, IndexDump> read) {
        if (storage.status(path) == null) {
            return null;
        }
        try (StorageFile file = storage.open(path, FileUse.READ, 0)) {
            return read.apply(file);
        }
    }

    @Override
    public void batch(final long lastOffset, final long position, final long maxTimestamp) {
        Objects.requireNonNull(check).batch(lastOffset, position, maxTimestamp);
    }

    @Override
    public List<Fault> end(final boolean isLast, final boolean isSound) {
        return Objects.requireNonNull(check).finish(!isLast);
    }
}
