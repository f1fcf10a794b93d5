package io.cordwood.inspector;

import io.cordwood.index.IndexCheck;
import io.cordwood.index.IndexDump;
import io.cordwood.log.Fault;
import io.cordwood.log.LogCheck;
import io.cordwood.log.LogFiles;
import io.cordwood.log.store.FileStatus;
import io.cordwood.log.store.FileUse;
import io.cordwood.log.store.Storage;
import io.cordwood.log.store.StorageException;
import io.cordwood.log.store.StorageFile;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;

/**
 * Holds the indexes of each segment against its batches while a check walks through them. They are read before the segment is
 * walked, so that a live log may grow meanwhile. A directory with neither an index nor the files of a broker is a bare copy
 * of segments, in which no index is missed.
 */
final class IndexFaults implements LogCheck.Companion {
    private final Storage storage;
    private final List<Fault> ownFaults = new ArrayList<>();
    private @Nullable IndexCheck check;

    IndexFaults(final Storage storage) {
        this.storage = storage;
    }

    @Override
    public void begin(final String directory, final long baseOffset) {
        ownFaults.clear();
        check = null;
        final List<FileStatus> files;
        try {
            files = storage.list(directory);
        } catch (final StorageException e) {
            notChecked(directory, e);
            return;
        }
        if (hasIndexes(files)) {
            final String offsetName = LogFiles.name(baseOffset, LogFiles.OFFSET_INDEX);
            final String timeName = LogFiles.name(baseOffset, LogFiles.TIME_INDEX);
            check = new IndexCheck(
                    baseOffset,
                    LogFiles.path(directory, offsetName),
                    read(directory, files, offsetName, baseOffset),
                    LogFiles.path(directory, timeName),
                    read(directory, files, timeName, baseOffset));
        }
    }

    private static boolean hasIndexes(final List<FileStatus> files) {
        for (final FileStatus file : files) {
            final String name = file.name();
            if (LogFiles.offset(name, LogFiles.OFFSET_INDEX) >= 0
                    || LogFiles.offset(name, LogFiles.TIME_INDEX) >= 0
                    || name.equals(LogFiles.LEADER_EPOCHS)
                    || name.equals(LogFiles.PARTITION_METADATA)) {
                return true;
            }
        }
        return false;
    }

    private @Nullable IndexDump read(
            final String directory, final List<FileStatus> files, final String name, final long baseOffset) {
        for (final FileStatus file : files) {
            if (file.name().equals(name)) {
                return read(LogFiles.path(directory, name), file.length(), baseOffset);
            }
        }
        return null;
    }

    private @Nullable IndexDump read(final String path, final long size, final long baseOffset) {
        if (size > Memory.indexBytesMax()) {
            final String reason = size + " bytes are more than an index may have here: " + Memory.indexBytesMax();
            ownFaults.add(new Fault(Fault.Kind.INDEX_SIZE, path, 0, -1, reason));
            return null;
        }
        try (StorageFile file = storage.open(path, FileUse.READ, 0)) {
            return path.endsWith(LogFiles.OFFSET_INDEX)
                    ? IndexDump.ofOffsets(file, baseOffset)
                    : IndexDump.ofTimes(file, baseOffset);
        } catch (final StorageException e) {
            if (!PartitionFiles.isGone(storage, path)) {
                notChecked(path, e);
            }
            return null;
        }
    }

    private void notChecked(final String path, final StorageException e) {
        ownFaults.add(new Fault(Fault.Kind.NOT_CHECKED, path, 0, -1, String.valueOf(e.getMessage())));
    }

    @Override
    public void batch(final long lastOffset, final long position, final long maxTimestamp) {
        final IndexCheck present = check;
        if (present != null) {
            present.batch(lastOffset, position, maxTimestamp);
        }
    }

    @Override
    public List<Fault> end(final boolean isLast, final boolean isSound) {
        final IndexCheck present = check;
        if (present == null) {
            return List.copyOf(ownFaults);
        }
        final List<Fault> faults = new ArrayList<>(ownFaults);
        for (final Fault fault : present.finish(!isLast)) {
            // A file that was too large to be read, or cannot be read, is not missing.
            if (fault.kind() != Fault.Kind.INDEX_MISSING || ownFaults.stream().noneMatch(isIn(fault.file()))) {
                faults.add(fault);
            }
        }
        return isSound ? faults : firstOfEach(faults);
    }

    /** The index of a damaged segment cannot fit it: of each file one fault is enough to tell so. */
    private static List<Fault> firstOfEach(final List<Fault> faults) {
        final List<Fault> firsts = new ArrayList<>();
        for (final Fault fault : faults) {
            if (firsts.stream().noneMatch(isIn(fault.file()))) {
                final long count = faults.stream().filter(isIn(fault.file())).count();
                final String reason = count == 1
                        ? fault.reason()
                        : fault.reason() + "; and " + Text.count(count - 1, "fault")
                                + " more, since the segment is damaged";
                firsts.add(new Fault(fault.kind(), fault.file(), fault.position(), fault.offset(), reason));
            }
        }
        return firsts;
    }

    private static Predicate<Fault> isIn(final String file) {
        return fault -> fault.file().equals(file);
    }
}
