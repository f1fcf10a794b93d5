package io.cordwood.log;

import io.cordwood.log.store.Storage;
import java.util.Collection;
import java.util.EnumMap;
import java.util.EnumSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.concurrent.atomic.AtomicBoolean;

/**
 * The four files in which a data directory keeps offsets of its partitions, and what is in them. Entries of partitions that are
 * not open are kept.
 *
 * <p>One thread at a time reads or writes; another one is turned away or waits for the file, by its choice. So what a
 * truncation has lowered cannot come back by an older look at the log.
 */
final class CheckpointFiles {
    /** One file. */
    enum Kind {
        RECOVERY_POINT(OffsetCheckpoint.RECOVERY_POINTS),
        LOG_START(OffsetCheckpoint.LOG_STARTS),
        HIGH_WATERMARK(OffsetCheckpoint.HIGH_WATERMARKS),
        CLEANER_OFFSET(OffsetCheckpoint.CLEANER_OFFSETS);

        final String file;

        Kind(final String file) {
            this.file = file;
        }
    }

    /** Suffix of the name under which a damaged file is kept, since other partitions' offsets may be read from it by people. */
    private static final String DAMAGED = ".damaged";

    private static final long KEPT = -1;
    private static final long REMOVED = -2;

    private final Storage storage;
    private final boolean isKept;
    private final Map<Kind, SortedMap<PartitionName, Long>> contents = new EnumMap<>(Kind.class);
    private final AtomicBoolean isBusy = new AtomicBoolean();
    private final Set<Kind> damaged = EnumSet.noneOf(Kind.class);
    private final boolean areRecoveryPointsKnown;
    private final boolean areAllKnown;

    /** Reads the files; one that is damaged counts as empty, is told of, and is kept aside before it is written anew. Where none are kept, nothing is known or written. */
    CheckpointFiles(final Storage storage, final boolean isKept, final List<String> findings) {
        this.storage = storage;
        this.isKept = isKept;
        for (final Kind kind : Kind.values()) {
            SortedMap<PartitionName, Long> content = null;
            try {
                content = isKept ? OffsetCheckpoint.read(storage, "", kind.file) : null;
            } catch (final CorruptLogException e) {
                findings.add(e.getMessage() + "; the file counts as empty, and is kept as " + kind.file + DAMAGED
                        + " once it is written anew");
                damaged.add(kind);
            }
            final SortedMap<PartitionName, Long> entries = content == null ? new TreeMap<>() : content;
            if (kind == Kind.LOG_START && entries.values().removeIf(start -> start > LogFiles.BASE_MAX)) {
                findings.add(storage.describe(kind.file)
                        + ": a log cannot begin at the largest offset; that entry counts as missing");
            }
            contents.put(kind, entries);
        }
        areRecoveryPointsKnown = !damaged.contains(Kind.RECOVERY_POINT);
        areAllKnown = damaged.isEmpty();
    }

    /** Whether the recovery points could be read. */
    boolean areRecoveryPointsKnown() {
        return areRecoveryPointsKnown;
    }

    /**
     * What the files say of a partition. A clean close vouches only for what had its recovery point written: it is no clean
     * close for a partition that nobody knew of.
     */
    PartitionCells cells(final PartitionName name, final boolean isVouched) {
        acquire();
        try {
            final Long point = content(Kind.RECOVERY_POINT).get(name);
            return new PartitionCells(
                    name,
                    isVouched && point != null,
                    point == null ? 0 : point,
                    content(Kind.LOG_START).getOrDefault(name, 0L),
                    content(Kind.HIGH_WATERMARK).getOrDefault(name, PartitionCells.UNKNOWN),
                    content(Kind.CLEANER_OFFSET).getOrDefault(name, PartitionCells.UNKNOWN),
                    areAllKnown);
        } finally {
            isBusy.set(false);
        }
    }

    /** Lowers every entry of a partition that is above an offset, but for its start, durably. False if another thread is busy here. */
    boolean tryLower(final PartitionName name, final long offset) {
        if (!isBusy.compareAndSet(false, true)) {
            return false;
        }
        try {
            for (final Kind kind : Kind.values()) {
                if (kind != Kind.LOG_START) {
                    lower(kind, name, offset);
                }
            }
        } finally {
            isBusy.set(false);
        }
        return true;
    }

    /** Lowers the start of a partition, durably. Waits for another thread. */
    void lowerStart(final PartitionName name, final long offset) {
        acquire();
        try {
            lower(Kind.LOG_START, name, offset);
        } finally {
            isBusy.set(false);
        }
    }

    /** Lowers after an open what the log does not bear out: later appends would make it look true. */
    void lowerToFound(final PartitionName name, final Log log) {
        acquire();
        try {
            lower(Kind.RECOVERY_POINT, name, log.flushedOffset());
            lower(Kind.HIGH_WATERMARK, name, log.endOffset());
            lower(Kind.CLEANER_OFFSET, name, log.endOffset());
        } finally {
            isBusy.set(false);
        }
    }

    private void lower(final Kind kind, final PartitionName name, final long offset) {
        final Long entry = content(kind).get(name);
        if (entry != null && entry > offset) {
            final SortedMap<PartitionName, Long> changed = new TreeMap<>(content(kind));
            changed.put(name, offset);
            write(kind, changed);
        }
    }

    /** Forgets a partition, durably. */
    void drop(final PartitionName name) {
        acquire();
        try {
            for (final Kind kind : Kind.values()) {
                if (content(kind).containsKey(name)) {
                    final SortedMap<PartitionName, Long> changed = new TreeMap<>(content(kind));
                    changed.remove(name);
                    write(kind, changed);
                }
            }
        } finally {
            isBusy.set(false);
        }
    }

    /** Writes the files whose offsets have changed, unless another thread is busy here. Returns how many were written. */
    int tryWrite(final Collection<PartitionCells> partitions) {
        if (!isBusy.compareAndSet(false, true)) {
            return 0;
        }
        try {
            return writeChanged(partitions);
        } finally {
            isBusy.set(false);
        }
    }

    /** The same, but waits for the other thread. */
    int write(final Collection<PartitionCells> partitions) {
        acquire();
        try {
            return writeChanged(partitions);
        } finally {
            isBusy.set(false);
        }
    }

    private int writeChanged(final Collection<PartitionCells> partitions) {
        final Map<Kind, SortedMap<PartitionName, Long>> next = new EnumMap<>(Kind.class);
        contents.forEach((kind, content) -> next.put(kind, new TreeMap<>(content)));
        for (final PartitionCells partition : partitions) {
            final LogPositions positions = partition.log().positions();
            final long history = positions.history();
            final Map<Kind, Long> offsets = offsets(partition);
            // A log that is being truncated has had its entries lowered: they stay so until the log agrees with them.
            if (!LogPositions.isChanging(history) && positions.history() == history) {
                next.forEach((kind, content) -> put(content, partition.name(), offsets.getOrDefault(kind, KEPT)));
            }
        }
        int written = 0;
        for (final Kind kind : Kind.values()) {
            final SortedMap<PartitionName, Long> content = next.getOrDefault(kind, new TreeMap<>());
            if (!content.equals(content(kind)) || damaged.contains(kind)) {
                write(kind, content);
                written++;
            }
        }
        return written;
    }

    private static Map<Kind, Long> offsets(final PartitionCells partition) {
        final Map<Kind, Long> offsets = new EnumMap<>(Kind.class);
        final long start = partition.log().startOffset();
        offsets.put(Kind.RECOVERY_POINT, partition.log().positions().recoveryPoint());
        offsets.put(Kind.LOG_START, start == 0 ? REMOVED : start);
        if (partition.hasHighWatermark()) {
            offsets.put(Kind.HIGH_WATERMARK, partition.highWatermark());
        }
        if (partition.cleanerOffset() >= 0) {
            offsets.put(Kind.CLEANER_OFFSET, partition.cleanerOffset());
        }
        return offsets;
    }

    private static void put(final SortedMap<PartitionName, Long> content, final PartitionName name, final long offset) {
        if (offset == REMOVED) {
            content.remove(name);
        } else if (offset != KEPT) {
            content.put(name, offset);
        }
    }

    private void write(final Kind kind, final SortedMap<PartitionName, Long> content) {
        if (isKept) {
            if (damaged.contains(kind)) {
                keepAside(kind.file);
                damaged.remove(kind);
            }
            SmallFile.replace(storage, "", kind.file, OffsetCheckpoint.encode(content));
            contents.put(kind, content);
        }
    }

    /** A copy, so that the damaged file is there until the new one is; an earlier one is not overwritten. */
    private void keepAside(final String file) {
        String aside = file + DAMAGED;
        for (int i = 2; storage.status(aside) != null; i++) {
            aside = file + DAMAGED + "-" + i;
        }
        final byte[] content;
        try {
            content = SmallFile.read(storage, "", file, OffsetCheckpoint.BYTES_MAX);
        } catch (final CorruptLogException tooLarge) {
            storage.rename(file, aside);
            storage.syncDirectory("");
            return;
        }
        if (content != null) {
            SmallFile.replace(storage, "", aside, content);
        }
    }

    private SortedMap<PartitionName, Long> content(final Kind kind) {
        return contents.getOrDefault(kind, new TreeMap<>());
    }

    private void acquire() {
        Waits.until(() -> isBusy.compareAndSet(false, true));
    }
}
