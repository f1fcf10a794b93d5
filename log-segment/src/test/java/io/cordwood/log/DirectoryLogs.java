package io.cordwood.log;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNotNull;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.cordwood.log.store.FileStatus;
import io.cordwood.log.store.Storage;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.UUID;
import org.agrona.concurrent.UnsafeBuffer;

/** Short words for tests of data directories. */
final class DirectoryLogs {
    static final long NOW = 1_700_000_000_000L;
    static final DirectoryConfig CONFIG = new DirectoryConfig(1000, 100, 500);
    static final MetaProperties FRESH = MetaProperties.fresh(new UUID(1, 2), "cluster", 1);
    static final UUID TOPIC = new UUID(3, 4);
    static final PartitionName A = new PartitionName("a", 0);
    static final PartitionName B = new PartitionName("b", 1);
    static final LogSetup PLAIN = (partition, builder) -> true;

    private DirectoryLogs() {}

    static LogDirectory owned(final Storage storage) {
        return LogDirectory.openOwned(storage, CONFIG, FRESH);
    }

    static Log open(final LogDirectory directory, final PartitionName name) {
        return cells(directory, name).log();
    }

    static PartitionCells cells(final LogDirectory directory, final PartitionName name) {
        final PartitionCells opened = directory.open(name, PLAIN, NOW);
        assertNotNull(opened);
        return opened;
    }

    /** Makes partitions and appends records to each. */
    static void fill(final Storage storage, final int records, final PartitionName... names) {
        try (LogDirectory directory = owned(storage)) {
            for (final PartitionName name : names) {
                assertTrue(directory.create(name, TOPIC));
                append(open(directory, name), records);
            }
        }
    }

    /** Appends batches of one record, whose values are their offsets. */
    static void append(final Log log, final int records) {
        for (int i = 0; i < records; i++) {
            final UnsafeBuffer batch = TestBatches.batch(NOW, Long.toString(log.endOffset()));
            final long end = log.endOffset();
            assertEquals(end, log.append(batch, 0, batch.capacity(), AppendAs.client(0), NOW));
        }
    }

    static Map<PartitionName, Long> checkpoint(final Storage storage, final String file) {
        final Map<PartitionName, Long> read = OffsetCheckpoint.read(storage, "", file);
        return read == null ? Map.of() : read;
    }

    static List<String> names(final Storage storage, final String directory) {
        return storage.list(directory).stream().map(FileStatus::name).toList();
    }

    static boolean isMarked(final Storage storage) {
        return names(storage, "").contains(CleanShutdownMarker.FILE);
    }

    /** The structure of a partition is sound. */
    static void assertSound(final Storage storage, final PartitionName name) {
        final List<Fault> faults = new ArrayList<>();
        try (LogCheck check = new LogCheck(storage, 1 << 20, 1 << 20, faults::add)) {
            check.check(name.directory());
        }
        assertEquals(List.of(), faults);
    }
}
