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
import java.util.TreeMap;
import java.util.UUID;
import org.agrona.concurrent.UnsafeBuffer;

/** Damages the small files of a data directory with two partitions, one by one, and opens it. */
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

    private final MemoryDisk sound = new MemoryDisk();
    private final NavigableMap<String, byte[]> batches = new TreeMap<>();
    private final Tally tally;

    DirectoryRot(final Tally tally) {
        this.tally = tally;
        final BatchBuilder builder = new BatchBuilder(Codecs.standard());
        final UnsafeBuffer memory = new UnsafeBuffer(new byte[512]);
        final UnsafeBuffer value = new UnsafeBuffer(new byte[150]);
        try (LogDirectory directory = LogDirectory.openOwned(sound, SCHEDULE, FRESH)) {
            for (final PartitionName name : NAMES) {
                directory.create(name, new UUID(7, name.partition() + 1));
                final PartitionCells cells = open(directory, name);
                final Log log = cells.log();
                for (int i = 0; i < 20; i++) {
                    builder.wrap(memory, 0, memory.capacity());
                    value.setMemory(0, value.capacity(), (byte) i);
                    builder.append(NOW + i, null, 0, -1, value, 0, value.capacity(), null);
                    log.append(memory, 0, builder.finish(), AppendAs.client(1 + i / 5), NOW);
                }
                log.flush();
                cells.highWatermark(log.endOffset());
                log.deletePrefix(name.partition() == 0 ? 7 : 0, log.endOffset(), NOW);
                cells.cleanerOffset(5);
            }
            directory.doWork(NOW);
            directory.doWork(NOW + 1000);
        }
        try (LogDirectory directory = LogDirectory.open(sound.copy(), SCHEDULE)) {
            for (final PartitionName name : NAMES) {
                read(name, open(directory, name).log(), batches);
            }
        }
        FILES.keySet().forEach(path -> sound.required(path, "damage"));
    }

    /** Every bit of every file, and every length. */
    void playAll() {
        for (final String path : FILES.keySet()) {
            final byte[] content = sound.content(path);
            for (int bit = 0; bit < content.length * Byte.SIZE; bit++) {
                final MemoryDisk disk = sound.copy();
                disk.flip(path, bit / Byte.SIZE, 1 << bit % Byte.SIZE);
                play("bit " + bit + " of " + path, path, disk);
                // Each round does the same.
                tally.addDistinct("flips", (long) path.hashCode() << Integer.SIZE | bit);
            }
            for (int length = 0; length < content.length; length++) {
                final MemoryDisk disk = sound.copy();
                disk.put(path, Arrays.copyOf(content, length));
                play(path + " cut to " + length, path, disk);
                tally.addDistinct("truncations", (long) path.hashCode() << Integer.SIZE | length);
            }
        }
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
                if (isKept && !Arrays.equals(disk.content(other), damaged.content(other))) {
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
        try (LogDirectory directory = LogDirectory.open(disk, SCHEDULE)) {
            isSeen = !directory.findings().isEmpty() || !directory.wasClean();
            if (!directory.names().equals(NAMES)) {
                throw new AssertionError("expected the partitions " + NAMES + ", found " + directory.names());
            }
            for (final PartitionName name : NAMES) {
                isSeen |= isMetadataSeen(disk, name);
                final PartitionCells cells = open(directory, name);
                isSeen |= !cells.wasClean() || !cells.log().recovery().isClean();
                read(name, cells.log(), found);
            }
        }
        for (final Map.Entry<String, byte[]> batch : found.entrySet()) {
            if (batches.containsKey(batch.getKey()) && !Arrays.equals(batches.get(batch.getKey()), batch.getValue())) {
                throw new AssertionError("the batch at " + batch.getKey() + " is another one");
            }
        }
        final boolean mayHide = path.equals(OffsetCheckpoint.LOG_STARTS);
        if (!mayHide && !found.keySet().equals(batches.keySet())) {
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

    private static void read(final PartitionName name, final Log log, final Map<String, byte[]> into) {
        try (LogReader reader = log.newReader()) {
            for (long next = log.startOffset(); next < log.endOffset(); next = reader.nextOffset()) {
                if (reader.read(next, Long.MAX_VALUE, 1 << 16) <= 0) {
                    throw new AssertionError("nothing at offset " + next + " of " + name);
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
