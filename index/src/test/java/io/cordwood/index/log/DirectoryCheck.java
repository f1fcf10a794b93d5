package io.cordwood.index.log;

import io.cordwood.index.IndexCheck;
import io.cordwood.index.IndexDump;
import io.cordwood.log.Fault;
import io.cordwood.log.LogCheck;
import io.cordwood.log.LogFiles;
import io.cordwood.log.store.FileUse;
import io.cordwood.log.store.Storage;
import io.cordwood.log.store.StorageFile;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/** All faults of a log's directory, the indexes held against the batches. */
final class DirectoryCheck implements LogCheck.Companion {
    private final Storage storage;
    private @Nullable IndexCheck check;

    private DirectoryCheck(final Storage storage) {
        this.storage = storage;
    }

    static List<Fault> faults(final Storage storage, final String directory, final boolean hasIndexes) {
        final List<Fault> faults = new ArrayList<>();
        try (LogCheck check = new LogCheck(storage, 1 << 20, 1 << 20, faults::add)) {
            (hasIndexes ? check.with(new DirectoryCheck(storage)) : check).check(directory);
        }
        // A replica may jump at the beginning of a segment.
        faults.removeIf(fault -> fault.kind() == Fault.Kind.OFFSETS_MISSING);
        return faults;
    }

    @Override
    public void begin(final String directory, final long baseOffset) {
        final String offsets = LogFiles.path(directory, LogFiles.name(baseOffset, LogFiles.OFFSET_INDEX));
        final String times = LogFiles.path(directory, LogFiles.name(baseOffset, LogFiles.TIME_INDEX));
        try (StorageFile offsetFile = storage.open(offsets, FileUse.READ, 0);
                StorageFile timeFile = storage.open(times, FileUse.READ, 0)) {
            check = new IndexCheck(
                    baseOffset,
                    offsets,
                    IndexDump.ofOffsets(offsetFile, baseOffset),
                    times,
                    IndexDump.ofTimes(timeFile, baseOffset));
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
