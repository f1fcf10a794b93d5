package io.cordwood.log;

import io.cordwood.log.store.FileStatus;
import io.cordwood.log.store.Storage;
import io.cordwood.log.store.StorageException;
import java.util.ArrayList;
import java.util.Collections;
import java.util.Comparator;
import java.util.List;

/**
 * Files that an interrupted act has left in a log's directory: those to be deleted are deleted, and a swap of cleaned segments
 * that had been decided is finished. Idempotent.
 */
final class Leftovers {
    private final Storage storage;
    private final String directory;
    private final SegmentIndexFactory indexes;
    private final LogRecovery recovery;

    private Leftovers(
            final Storage storage,
            final String directory,
            final SegmentIndexFactory indexes,
            final LogRecovery recovery) {
        this.storage = storage;
        this.directory = directory;
        this.indexes = indexes;
        this.recovery = recovery;
    }

    /** Sweeps a directory, and lists it as it is then. */
    static List<FileStatus> sweep(
            final Storage storage,
            final String directory,
            final SegmentIndexFactory indexes,
            final LogRecovery recovery) {
        return new Leftovers(storage, directory, indexes, recovery).sweep();
    }

    private List<FileStatus> sweep() {
        final List<FileStatus> files = storage.list(directory);
        final List<String> swaps = new ArrayList<>();
        boolean isChanged = false;
        for (final FileStatus status : files) {
            final String name = status.name();
            if (status.isDirectory()) {
                // Nothing that Kafka or we make in a partition: left alone, whatever its name.
                continue;
            }
            if (name.endsWith(LogFiles.DELETED) || name.endsWith(LogFiles.CLEANED)) {
                deleted(name, "left by an interrupted act");
                isChanged |= storage.delete(LogFiles.path(directory, name));
            } else if (name.endsWith(LogFiles.SWAP)) {
                swaps.add(name);
            } else if (isOrphan(name, files)) {
                deleted(name, "belongs to no segment");
                recovery.trace(base(name));
                isChanged |= storage.delete(LogFiles.path(directory, name));
            }
        }
        if (!swaps.isEmpty()) {
            finishSwaps(swaps, files);
            isChanged = true;
        }
        if (!isChanged) {
            return files;
        }
        storage.syncDirectory(directory);
        return storage.list(directory);
    }

    private void deleted(final String name, final String why) {
        recovery.note(
                RecoveryReport.Kind.LEFTOVER_DELETED, LogFiles.path(directory, name), 0, -1, why + ", and is deleted");
    }

    private static boolean isOrphan(final String name, final List<FileStatus> files) {
        long base = -1;
        for (final String suffix : new String[] {LogFiles.OFFSET_INDEX, LogFiles.TIME_INDEX, LogFiles.TXN_INDEX}) {
            base = Math.max(base, LogFiles.offset(name, suffix));
        }
        if (base < 0) {
            return false;
        }
        final String log = LogFiles.name(base, LogFiles.LOG);
        return !isListed(log, files) && !isListed(log + LogFiles.SWAP, files);
    }

    private static boolean isListed(final String name, final List<FileStatus> files) {
        final FileStatus wanted = new FileStatus(name, 0, 0, false);
        return Collections.binarySearch(files, wanted, Comparator.comparing(FileStatus::name)) >= 0;
    }

    /** A cleaned segment that was named {@code .swap} is complete and durable: it takes the place of what it covers. */
    private void finishSwaps(final List<String> swaps, final List<FileStatus> files) {
        for (final String swap : swaps) {
            final String target = swap.substring(0, swap.length() - LogFiles.SWAP.length());
            final long base = LogFiles.offset(target, LogFiles.LOG);
            if (base >= 0) {
                dropStaleIndexes(base, swaps);
                dropCovered(base, SwapRange.endOffset(storage, LogFiles.path(directory, swap), base), files);
            }
        }
        // Indexes before logs: a log that has its final name has its index as well.
        for (final boolean isLog : new boolean[] {false, true}) {
            for (final String swap : swaps) {
                final String target = swap.substring(0, swap.length() - LogFiles.SWAP.length());
                if (target.endsWith(LogFiles.LOG) == isLog) {
                    recovery.note(
                            RecoveryReport.Kind.SWAP_FINISHED,
                            LogFiles.path(directory, target),
                            0,
                            base(target),
                            "takes the place of what it was cleaned from");
                    final String path = LogFiles.path(directory, swap);
                    if (!storage.rename(path, LogFiles.path(directory, target))) {
                        throw new StorageException(storage.describe(path), "rename", "the file has vanished", null);
                    }
                }
            }
        }
    }

    private static long base(final String name) {
        final int dot = name.indexOf('.');
        return LogFiles.offset(name, name.substring(Math.max(0, dot)));
    }

    /** An index that the swap does not bring along speaks of the segment that goes. */
    private void dropStaleIndexes(final long base, final List<String> swaps) {
        for (final String suffix : indexes.suffixes()) {
            final String name = LogFiles.name(base, suffix);
            if (!swaps.contains(name + LogFiles.SWAP)) {
                storage.delete(LogFiles.path(directory, name));
            }
        }
    }

    private void dropCovered(final long base, final long end, final List<FileStatus> files) {
        for (final FileStatus status : files) {
            final long covered = LogFiles.offset(status.name(), LogFiles.LOG);
            if (covered > base && covered < end) {
                deleted(status.name(), "is covered by a cleaned segment");
                storage.delete(LogFiles.path(directory, status.name()));
                for (final String suffix : indexes.suffixes()) {
                    storage.delete(LogFiles.path(directory, covered, suffix));
                }
                storage.delete(LogFiles.path(directory, LogFiles.name(covered, LogFiles.TXN_INDEX)));
                storage.delete(LogFiles.path(directory, LogFiles.name(covered, LogFiles.SNAPSHOT)));
            }
        }
    }
}
