package io.cordwood.log;

import io.cordwood.log.store.FileStatus;
import io.cordwood.log.store.Storage;
import io.cordwood.log.store.StorageException;
import java.util.ArrayList;
import java.util.Collections;
import java.util.Comparator;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.NavigableMap;
import java.util.Set;
import java.util.TreeMap;
import java.util.stream.Stream;

/**
 * Files that an interrupted act has left in a log's directory: those to be deleted are deleted, and a swap of cleaned segments
 * that had been decided is finished. Idempotent.
 */
final class Leftovers {
    private static final List<String> REBUILT = List.of(LogFiles.OFFSET_INDEX, LogFiles.TIME_INDEX);
    private static final List<String> INDEXES = List.of(LogFiles.OFFSET_INDEX, LogFiles.TIME_INDEX, LogFiles.TXN_INDEX);
    private static final List<String> OF_SEGMENTS = Stream.concat(
                    INDEXES.stream(), INDEXES.stream().map(suffix -> suffix + LogFiles.SWAP))
            .toList();
    private static final Comparator<FileStatus> BY_NAME = Comparator.comparing(FileStatus::name);

    private final Storage storage;
    private final String directory;
    private final SegmentIndexFactory indexes;
    private final LogRecovery recovery;

    /** Base offsets of swaps that are not believed. What was to be deleted stays then: they may have been made of it. */
    private final Set<Long> leftSwaps = new HashSet<>();

    private final Set<String> directories = new HashSet<>();

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
        final List<FileStatus> files = files();
        final NavigableMap<Long, Long> swaps = judgeSwaps(files);
        boolean isChanged = finishSwaps(swaps, files);
        for (final FileStatus status : files) {
            final String name = status.name();
            final boolean isDone = LogFiles.markedOffset(name, LogFiles.DELETED) >= 0 && leftSwaps.isEmpty();
            final boolean isUnfinished = LogFiles.markedOffset(name, LogFiles.CLEANED) >= 0
                    || LogFiles.markedOffset(name, LogFiles.TEMPORARY) >= 0;
            if (isDone || isUnfinished) {
                deleted(name, "left by an interrupted act");
                isChanged |= storage.delete(LogFiles.path(directory, name));
            } else if (isOrphan(name, files)) {
                deleted(name, "belongs to no segment");
                recovery.traces().ofLost(base(name));
                isChanged |= storage.delete(LogFiles.path(directory, name));
            }
        }
        if (isChanged) {
            storage.syncDirectory(directory);
        }
        return isChanged ? files() : files;
    }

    /** Without directories, which nobody makes in a partition: they are left alone, whatever their names. */
    private List<FileStatus> files() {
        final List<FileStatus> files = new ArrayList<>();
        for (final FileStatus status : storage.list(directory)) {
            if (status.isDirectory()) {
                directories.add(status.name());
            } else {
                files.add(status);
            }
        }
        return files;
    }

    /** Ends of the swaps that take the place of old segments, by base offset; the others are told of and left alone. */
    private NavigableMap<Long, Long> judgeSwaps(final List<FileStatus> files) {
        final NavigableMap<Long, Long> swaps = new TreeMap<>();
        if (!hasSwaps(files)) {
            return swaps;
        }
        final long[] bases = files.stream()
                .mapToLong(status -> LogFiles.offset(status.name(), LogFiles.LOG))
                .filter(base -> base >= 0)
                .toArray();
        try (SwapJudge judge = new SwapJudge(storage, directory, bases)) {
            for (final FileStatus status : files) {
                final long base = LogFiles.offset(status.name(), LogFiles.LOG + LogFiles.SWAP);
                final boolean isFree = base < 0 || isFree(status.name());
                final boolean isTxnSound = base < 0 || isTxnSwapSound(base, files);
                final long end = base >= 0 && isFree && isTxnSound ? judge.judge(base) : -1;
                if (end >= 0) {
                    swaps.put(base, end);
                } else if (base >= 0) {
                    leftSwaps.add(base);
                    final String why = isTxnSound ? judge.reason() : "its index of aborted transactions is none";
                    left(
                            status.name(),
                            base,
                            "with all that is to be deleted: " + (isFree ? why : "a directory has its name"));
                }
            }
        }
        return swaps;
    }

    private static boolean hasSwaps(final List<FileStatus> files) {
        for (final FileStatus status : files) {
            if (status.name().endsWith(LogFiles.SWAP)) {
                return true;
            }
        }
        return false;
    }

    private void left(final String name, final long base, final String why) {
        recovery.note(
                RecoveryReport.Kind.SWAP_LEFT,
                LogFiles.path(directory, name),
                0,
                base,
                "is not swapped in and stays, " + why);
    }

    private boolean isTxnSwapSound(final long base, final List<FileStatus> files) {
        final String name = LogFiles.name(base, LogFiles.TXN_INDEX) + LogFiles.SWAP;
        return !isListed(name, files) || SegmentTails.isTxnIndex(storage, LogFiles.path(directory, name), base);
    }

    private void deleted(final String name, final String why) {
        recovery.note(
                RecoveryReport.Kind.LEFTOVER_DELETED, LogFiles.path(directory, name), 0, -1, why + ", and is deleted");
    }

    private static boolean isOrphan(final String name, final List<FileStatus> files) {
        long base = -1;
        for (final String suffix : OF_SEGMENTS) {
            base = Math.max(base, LogFiles.offset(name, suffix));
        }
        if (base < 0) {
            return false;
        }
        final String log = LogFiles.name(base, LogFiles.LOG);
        return !isListed(log, files) && !isListed(log + LogFiles.SWAP, files);
    }

    /** Whether files that are sorted by name have one of a name. */
    static boolean isListed(final String name, final List<FileStatus> files) {
        final FileStatus wanted = new FileStatus(name, 0, 0, false);
        return Collections.binarySearch(files, wanted, BY_NAME) >= 0;
    }

    /**
     * A cleaned segment that was named {@code .swap} is complete and durable: it takes the place of what it covers. What is covered
     * is durably gone before a swap takes its last name, by which nobody can tell any more what it covers.
     */
    private boolean finishSwaps(final NavigableMap<Long, Long> swaps, final List<FileStatus> files) {
        if (!hasSwaps(files)) {
            return false;
        }
        final boolean isChanged = dropLoneIndexes(swaps, files);
        final List<String> indexSwaps = indexSwaps(swaps, files);
        if (swaps.isEmpty() && indexSwaps.isEmpty()) {
            return isChanged;
        }
        // The names of the swaps first: what they replace must not go before them.
        storage.syncDirectory(directory);
        swaps.forEach((base, end) -> {
            dropStaleIndexes(base, indexSwaps);
            dropCovered(base, end, files);
        });
        // Indexes before logs: a log that has its final name has its index as well.
        indexSwaps.forEach(this::rename);
        storage.syncDirectory(directory);
        swaps.keySet().forEach(base -> rename(LogFiles.name(base, LogFiles.LOG) + LogFiles.SWAP));
        return true;
    }

    /** Swaps of indexes whose log is swapped in; of aborted transactions also those whose log was before an interruption. */
    private List<String> indexSwaps(final NavigableMap<Long, Long> swaps, final List<FileStatus> files) {
        final List<String> names = new ArrayList<>();
        for (final FileStatus status : files) {
            for (final String suffix : INDEXES) {
                final long base = LogFiles.offset(status.name(), suffix + LogFiles.SWAP);
                final boolean isLone = !REBUILT.contains(suffix) && isOfListedLog(base, swaps, files);
                if ((!swaps.containsKey(base) && !isLone) || !isFree(status.name())) {
                    continue;
                }
                if (!isLone || isTxnSwapSound(base, files)) {
                    names.add(status.name());
                } else {
                    leftSwaps.add(base);
                    left(status.name(), base, "since it is no index of aborted transactions");
                }
            }
        }
        return names;
    }

    private boolean isOfListedLog(final long base, final NavigableMap<Long, Long> swaps, final List<FileStatus> files) {
        return base >= 0
                && !swaps.containsKey(base)
                && !leftSwaps.contains(base)
                && isListed(LogFiles.name(base, LogFiles.LOG), files)
                && !isCovered(base, swaps);
    }

    /**
     * An index that waits for its name alone may be of the log that has the name now, or of one that never got it, and so may the index beside
     * it: both are built anew. The swap goes last, by which an open that follows an interruption sees that.
     */
    private boolean dropLoneIndexes(final NavigableMap<Long, Long> swaps, final List<FileStatus> files) {
        final List<String> lone = new ArrayList<>();
        for (final FileStatus status : files) {
            for (final String suffix : REBUILT) {
                final long base = LogFiles.offset(status.name(), suffix + LogFiles.SWAP);
                if (isOfListedLog(base, swaps, files) && isFree(status.name())) {
                    lone.add(status.name());
                    REBUILT.forEach(index -> storage.delete(LogFiles.path(directory, base, index)));
                }
            }
        }
        if (!lone.isEmpty()) {
            storage.syncDirectory(directory);
        }
        for (final String name : lone) {
            deleted(name, "is an index without the log that it was made with; the segment's is built anew");
            storage.delete(LogFiles.path(directory, name));
        }
        return !lone.isEmpty();
    }

    private boolean isFree(final String swap) {
        return !directories.contains(target(swap));
    }

    private static String target(final String swap) {
        return swap.substring(0, swap.length() - LogFiles.SWAP.length());
    }

    private static boolean isCovered(final long base, final NavigableMap<Long, Long> swaps) {
        final Map.Entry<Long, Long> lower = swaps.lowerEntry(base);
        return lower != null && base < lower.getValue();
    }

    private void rename(final String swap) {
        final String target = target(swap);
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
                for (final String suffix : indexes.suffixes()) {
                    storage.delete(LogFiles.path(directory, covered, suffix));
                }
                storage.delete(LogFiles.path(directory, LogFiles.name(covered, LogFiles.TXN_INDEX)));
                storage.delete(LogFiles.path(directory, LogFiles.name(covered, LogFiles.SNAPSHOT)));
                // Last: by it an open that follows an interruption finds the others.
                storage.delete(LogFiles.path(directory, status.name()));
            }
        }
    }
}
