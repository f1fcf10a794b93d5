package io.cordwood.simulation.model;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.cordwood.index.SparseIndexes;
import io.cordwood.log.AppendAs;
import io.cordwood.log.DirectoryConfig;
import io.cordwood.log.LogConfig;
import io.cordwood.log.LogDirectory;
import io.cordwood.log.LogSetup;
import io.cordwood.log.MetaProperties;
import io.cordwood.log.PartitionCells;
import io.cordwood.log.PartitionMetadata;
import io.cordwood.log.PartitionName;
import io.cordwood.log.codec.CompressionType;
import io.cordwood.simulation.damage.MemoryDisk;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Random;
import java.util.TreeMap;
import java.util.UUID;
import org.agrona.concurrent.UnsafeBuffer;
import org.jspecify.annotations.Nullable;

/** A data directory beside a map of partitions: their ids, where their logs begin and end, and which are open. */
final class PartitionsLife implements Life {
    private static final DirectoryConfig SCHEDULE = new DirectoryConfig(1_000_000, 100, 500);
    private static final MetaProperties FRESH = MetaProperties.fresh(new UUID(1, 2), "cluster", 1);
    private static final LogSetup SETUP = (partition, builder) -> {
        builder.config(LogConfig.of(Map.of("segment.bytes", "700", "index.interval.bytes", "100")))
                .indexes(new SparseIndexes());
        return true;
    };

    private static final class Partition {
        final UUID id;
        long start;
        long end;
        boolean isOpen;

        Partition(final UUID id) {
            this.id = id;
        }
    }

    private final Random random;
    private final List<String> history = new ArrayList<>();
    private final Map<PartitionName, Partition> model = new TreeMap<>();
    private MemoryDisk disk = new MemoryDisk();
    private LogDirectory directory = LogDirectory.openOwned(disk, SCHEDULE, FRESH);
    private long nowMs = 1_700_000_000_000L;
    private long ids;
    private boolean isClean = true;

    /** Whether a log was opened since the directory was. */
    private boolean hasOpened;

    PartitionsLife(final long seed) {
        random = new Random(seed);
    }

    @Override
    public List<String> history() {
        return history;
    }

    @Override
    public void step() {
        final PartitionName name = new PartitionName("topic-" + random.nextInt(2), random.nextInt(3));
        final Partition partition = model.get(name);
        final int choice = random.nextInt(20);
        if (choice < 4) {
            create(name, partition);
        } else if (choice < 12) {
            use(name, partition);
        } else if (choice < 15) {
            delete(name, partition);
        } else if (choice < 17) {
            nowMs += random.nextInt(800);
            history.add("work");
            directory.doWork(nowMs);
        } else if (choice < 19) {
            close();
            // What was not opened is as the clean close has left it that was before.
            isClean = directory.wasClean() || model.values().stream().allMatch(each -> each.isOpen);
            reopen("close and open");
        } else {
            disk = disk.copy();
            isClean = directory.wasClean() && !hasOpened;
            reopen("die and open");
        }
        agree();
    }

    private void create(final PartitionName name, final @Nullable Partition partition) {
        history.add("create " + name);
        final UUID id = new UUID(5, ++ids);
        assertEquals(partition == null, directory.create(name, id));
        if (partition == null) {
            model.put(name, new Partition(id));
        }
    }

    /** Opens it, or appends, or moves the start. */
    private void use(final PartitionName name, final @Nullable Partition partition) {
        if (partition == null) {
            return;
        }
        final PartitionCells cells;
        if (partition.isOpen) {
            cells = directory.partitions().stream()
                    .filter(each -> each.name().equals(name))
                    .findFirst()
                    .orElseThrow();
        } else {
            history.add("open " + name);
            cells = Objects.requireNonNull(directory.open(name, SETUP, nowMs));
            partition.isOpen = true;
            hasOpened = true;
        }
        history.add("append to " + name);
        final byte[] bytes = StoredBatch.encode(
                        0, -1, CompressionType.NONE, new long[1 + random.nextInt(4)], "x".repeat(random.nextInt(90)))
                .bytes();
        assertEquals(
                partition.end, cells.log().append(new UnsafeBuffer(bytes), 0, bytes.length, AppendAs.client(0), nowMs));
        partition.end = cells.log().endOffset();
        if (random.nextInt(4) == 0) {
            final long offset = partition.start + random.nextInt((int) (partition.end - partition.start + 1));
            history.add("delete below " + offset + " of " + name);
            partition.start = Math.max(partition.start, offset);
            assertEquals(partition.start, cells.log().deletePrefix(offset, partition.end, nowMs));
        }
    }

    private void delete(final PartitionName name, final @Nullable Partition partition) {
        if (partition != null && partition.isOpen) {
            history.add("close " + name);
            directory.partitions().stream()
                    .filter(each -> each.name().equals(name))
                    .forEach(cells -> cells.log().close());
        }
        history.add("delete " + name);
        assertEquals(partition != null, directory.delete(name, new UUID(9, ++ids), nowMs));
        model.remove(name);
    }

    private void reopen(final String how) {
        history.add(how);
        directory = LogDirectory.open(disk, SCHEDULE);
        assertEquals(List.of(), directory.findings());
        assertFalse(!isClean && directory.wasClean(), "an unclean stop is taken for a clean one");
        model.values().forEach(partition -> partition.isOpen = false);
        hasOpened = false;
    }

    private void agree() {
        assertEquals(List.copyOf(model.keySet()), directory.names());
        assertTrue(directory.failure() == null, () -> String.valueOf(directory.failure()));
        for (final PartitionName name : directory.names()) {
            assertEquals(
                    new PartitionMetadata(Objects.requireNonNull(model.get(name)).id),
                    PartitionMetadata.read(disk, name.directory()));
        }
        for (final PartitionCells cells : directory.partitions()) {
            final Partition partition = model.get(cells.name());
            if (partition != null && partition.isOpen) {
                // A log start that no checkpoint has told yet dies with the process.
                assertTrue(cells.log().startOffset() <= partition.start, cells.name() + " begins too late");
                partition.start = cells.log().startOffset();
                assertEquals(partition.end, cells.log().endOffset(), cells.name() + " ends elsewhere");
            }
        }
    }

    @Override
    public void close() {
        directory.close();
    }
}
