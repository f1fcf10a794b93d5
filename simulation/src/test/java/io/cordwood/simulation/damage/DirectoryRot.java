package io.cordwood.simulation.damage;

import io.cordwood.index.SparseIndexes;
import io.cordwood.log.AppendAs;
import io.cordwood.log.CleanShutdownMarker;
import io.cordwood.log.CorruptLogException;
import io.cordwood.log.DirectoryConfig;
import io.cordwood.log.Log;
import io.cordwood.log.LogConfig;
import io.cordwood.log.LogDirectory;
import io.cordwood.log.LogFiles;
import io.cordwood.log.LogReader;
import io.cordwood.log.LogSetup;
import io.cordwood.log.MetaProperties;
import io.cordwood.log.OffsetCheckpoint;
import io.cordwood.log.PartitionCells;
import io.cordwood.log.PartitionMetadata;
import io.cordwood.log.PartitionName;
import io.cordwood.log.codec.Codecs;
import io.cordwood.log.record.BatchBuilder;
import io.cordwood.simulation.soak.Tally;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.NavigableMap;
import java.util.Objects;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.UUID;
import java.util.function.LongPredicate;
import org.agrona.concurrent.UnsafeBuffer;

/**
 * Damages the small files of a data directory with two partitions, one by one, and opens it: one that was closed cleanly, whose marker
 * makes the open look at nothing; or one that was killed with a batch half written behind what was forced, whose recovery points are
 * where the open looks from.
 */
final class DirectoryRot {
    private static final long NOW = Specimen.NOW;
    private static final DirectoryConfig SCHEDULE = new DirectoryConfig(1_000_000, 100, 500);
    private static final MetaProperties FRESH = MetaProperties.fresh(new UUID(11, 12), "cluster", 1);
    private static final List<PartitionName> NAMES = List.of(new PartitionName("t", 0), new PartitionName("u-v", 12));
    private static final Map<String, Unchecked> FILES = new TreeMap<>(Map.of(
            MetaProperties.FILE,
            Unchecked.META_PROPERTIES,
            CleanShutdownMarker.FILE,
            Unchecked.CLEAN_SHUTDOWN,
            OffsetCheckpoint.RECOVERY_POINTS,
            Unchecked.CHECKPOINT,
            OffsetCheckpoint.LOG_STARTS,
            Unchecked.CHECKPOINT,
            OffsetCheckpoint.HIGH_WATERMARKS,
            Unchecked.CHECKPOINT,
            OffsetCheckpoint.CLEANER_OFFSETS,
            Unchecked.CHECKPOINT,
            NAMES.get(0).directory() + "/" + LogFiles.PARTITION_METADATA,
            Unchecked.PARTITION_METADATA));

    private static final LogSetup SETUP = (partition, builder) -> {
        builder.config(LogConfig.of(Map.of(
                        "segment.bytes", "1024",
                        "segment.index.bytes", "1024",
                        "index.interval.bytes", "300")))
                .indexes(new SparseIndexes());
        return true;
    };

    /** Of the last batch of a log that was killed so much is missing. */
    private static final int TORN_BYTES = 10;

    private final MemoryDisk sound;
    private final boolean isClean;

    /** All that was appended, and what an open of the sound directory shows of it. */
    private final NavigableMap<String, byte[]> appended = new TreeMap<>();

    private final NavigableMap<String, byte[]> batches = new TreeMap<>();

    /** What each recovery of the sound directory tells, and the offsets up to which it was forced. */
    private final Map<PartitionName, List<String>> told = new TreeMap<>();

    private final Map<PartitionName, Long> forced = new TreeMap<>();
    private final Set<String> files;
    private final Tally tally;

    DirectoryRot(final boolean isClean, final Tally tally) {
        this.isClean = isClean;
        this.tally = tally;
        this.sound = made();
        files = new TreeSet<>(FILES.keySet());
        if (!isClean) {
            files.remove(CleanShutdownMarker.FILE);
        }
        files.forEach(path -> sound.required(path, "damage"));
        try (LogDirectory directory = LogDirectory.open(sound.copy(), SCHEDULE)) {
            for (final PartitionName name : NAMES) {
                final Log log = open(directory, name).log();
                told.put(name, log.recovery().acts());
                read(name, log, batches, offset -> false);
                if (!isClean && log.recovery().isClean()) {
                    throw new IllegalStateException("nothing is torn in " + name);
                }
            }
        }
    }

    private MemoryDisk made() {
        final MemoryDisk disk = new MemoryDisk();
        final MemoryDisk killed;
        try (LogDirectory directory = LogDirectory.openOwned(disk, SCHEDULE, FRESH)) {
            for (final PartitionName name : NAMES) {
                directory.create(name, new UUID(7, name.partition() + 1));
                final PartitionCells cells = open(directory, name);
                final Log log = cells.log();
                append(log, 20);
                forced.put(name, log.flush());
                cells.highWatermark(log.endOffset());
                read(name, log, appended, offset -> false);
                log.deletePrefix(name.partition() == 0 ? 7 : 0, log.endOffset(), NOW);
                cells.cleanerOffset(5);
            }
            directory.doWork(NOW);
            directory.doWork(NOW + 1000);
            for (final PartitionName name : isClean ? List.<PartitionName>of() : NAMES) {
                append(log(directory, name), 7);
                read(name, log(directory, name), appended, offset -> false);
            }
            killed = disk.copy();
        }
        if (isClean) {
            return disk;
        }
        for (final PartitionName name : NAMES) {
            final String last = killed.paths().stream()
                    .filter(path -> path.startsWith(name.directory()) && path.endsWith(LogFiles.LOG))
                    .reduce((first, second) -> second)
                    .orElseThrow();
            final byte[] content = killed.content(last);
            killed.put(last, Arrays.copyOf(content, content.length - TORN_BYTES));
        }
        return killed;
    }

    private static void append(final Log log, final int count) {
        final BatchBuilder builder = new BatchBuilder(Codecs.standard());
        final UnsafeBuffer memory = new UnsafeBuffer(new byte[512]);
        final UnsafeBuffer value = new UnsafeBuffer(new byte[150]);
        for (int i = 0; i < count; i++) {
            builder.wrap(memory, 0, memory.capacity());
            value.setMemory(0, value.capacity(), (byte) (log.endOffset() + i));
            builder.append(NOW + log.endOffset(), null, 0, -1, value, 0, value.capacity(), null);
            log.append(memory, 0, builder.finish(), AppendAs.client((int) (1 + log.endOffset() / 5)), NOW);
        }
    }

    /** Every bit of every file, and every length. */
    void playAll() {
        for (final String path : files) {
            final byte[] content = sound.content(path);
            for (int bit = 0; bit < content.length * Byte.SIZE; bit++) {
                final MemoryDisk disk = sound.copy();
                disk.flip(path, bit / Byte.SIZE, 1 << bit % Byte.SIZE);
                play("bit " + bit + " of " + path, path, disk);
                // Each round does the same.
                tally.addDistinct("flips", number(path) | bit);
            }
            for (int length = 0; length < content.length; length++) {
                final MemoryDisk disk = sound.copy();
                disk.put(path, Arrays.copyOf(content, length));
                play(path + " cut to " + length, path, disk);
                tally.addDistinct("truncations", number(path) | length);
            }
        }
    }

    private long number(final String path) {
        return (long) (isClean ? path.hashCode() : ~path.hashCode()) << Integer.SIZE;
    }

    private void play(final String damage, final String path, final MemoryDisk damaged) {
        final MemoryDisk disk = damaged.copy();
        try {
            final boolean isSeen = open(path, disk);
            if (!isSeen && !Arrays.equals(damaged.content(path), sound.content(path))) {
                tally.add("flips not seen, " + FILES.get(path), 1);
            }
            for (final String other : sound.paths()) {
                final boolean isKept = other.endsWith(LogFiles.LOG)
                        || other.equals(MetaProperties.FILE)
                        || other.endsWith(LogFiles.PARTITION_METADATA);
                // A recovery cuts what is torn.
                final boolean mayBeCut = !isClean && other.endsWith(LogFiles.LOG);
                if (isKept
                        && !(mayBeCut
                                ? disk.isBeginningOf(other, damaged, other)
                                : Arrays.equals(disk.content(other), damaged.content(other)))) {
                    throw new AssertionError(other + " was written to");
                }
            }
        } catch (final RuntimeException | AssertionError e) {
            throw new AssertionError(damage + ": " + e, e);
        }
    }

    /** Opens and reads everything; whether the damage was seen. */
    private boolean open(final String path, final MemoryDisk disk) {
        boolean isSeen = false;
        final NavigableMap<String, byte[]> found = new TreeMap<>();
        final Map<PartitionName, Long> starts = new TreeMap<>();
        final boolean isPoint = !isClean && path.equals(OffsetCheckpoint.RECOVERY_POINTS);
        try (LogDirectory directory = LogDirectory.open(disk, SCHEDULE)) {
            isSeen = !directory.findings().isEmpty() || directory.wasClean() != isClean;
            if (!directory.names().equals(NAMES)) {
                throw new AssertionError("expected the partitions " + NAMES + ", found " + directory.names());
            }
            for (final PartitionName name : NAMES) {
                isSeen |= isMetadataSeen(disk, name);
                final PartitionCells cells = open(directory, name);
                final List<String> acts = cells.log().recovery().acts();
                isSeen |= cells.wasClean() != isClean || !acts.equals(told.get(name));
                if (isPoint && !acts.equals(told.get(name))) {
                    tally.add("recoveries that another recovery point changes", 1);
                }
                final long point = cells.recoveryPoint();
                final long forcedEnd = forced.getOrDefault(name, 0L);
                // Who is told that more was forced than was does not look there for what is torn.
                read(name, cells.log(), found, offset -> isPoint && point > forcedEnd && offset >= forcedEnd);
                starts.put(name, cells.log().startOffset());
            }
        }
        found.forEach((key, bytes) -> {
            if (!Arrays.equals(appended.get(key), bytes)) {
                throw new AssertionError("the batch at " + key + " was never appended so");
            }
        });
        for (final String key : batches.keySet()) {
            final PartitionName name = NAMES.get(key.startsWith(NAMES.get(0).toString()) ? 0 : 1);
            final boolean mayHide = path.equals(OffsetCheckpoint.LOG_STARTS)
                    && Long.parseLong(key.substring(key.indexOf(' ') + 1)) < starts.getOrDefault(name, 0L);
            if (!mayHide && !found.containsKey(key)) {
                throw new AssertionError("the batch at " + key + " is missing; found are " + found.keySet());
            }
        }
        final boolean mayShow = path.equals(OffsetCheckpoint.LOG_STARTS);
        if (!mayShow && !found.keySet().equals(batches.keySet())) {
            throw new AssertionError("expected " + batches.keySet() + ", found " + found.keySet());
        }
        return isSeen;
    }

    /** An id that cannot be read, or is not the right one, which who asks for it sees. */
    private static boolean isMetadataSeen(final MemoryDisk disk, final PartitionName name) {
        try {
            PartitionMetadata.read(disk, name.directory());
            return false;
        } catch (final CorruptLogException e) {
            return true;
        }
    }

    private static PartitionCells open(final LogDirectory directory, final PartitionName name) {
        return Objects.requireNonNull(directory.open(name, SETUP, NOW), name.toString());
    }

    private static Log log(final LogDirectory directory, final PartitionName name) {
        return directory.partitions().stream()
                .filter(cells -> cells.name().equals(name))
                .findFirst()
                .orElseThrow()
                .log();
    }

    private static void read(
            final PartitionName name, final Log log, final Map<String, byte[]> into, final LongPredicate mayBeTorn) {
        try (LogReader reader = log.newReader()) {
            for (long next = log.startOffset(); next < log.endOffset(); next = reader.nextOffset()) {
                try {
                    if (reader.read(next, Long.MAX_VALUE, 1 << 16) <= 0) {
                        throw new AssertionError("nothing at offset " + next + " of " + name);
                    }
                } catch (final CorruptLogException e) {
                    if (!mayBeTorn.test(next)) {
                        throw e;
                    }
                    return;
                }
                reader.forEach(batch -> {
                    final byte[] bytes = new byte[batch.sizeInBytes()];
                    batch.buffer().getBytes(batch.index(), bytes);
                    into.put(name + " " + batch.baseOffset(), bytes);
                    return true;
                });
            }
        }
    }
}
