package io.cordwood.testkit;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.cordwood.log.AppendAs;
import io.cordwood.log.DirectoryConfig;
import io.cordwood.log.Log;
import io.cordwood.log.LogConfig;
import io.cordwood.log.LogDirectory;
import io.cordwood.log.LogReader;
import io.cordwood.log.LogSetup;
import io.cordwood.log.MetaProperties;
import io.cordwood.log.PartitionCells;
import io.cordwood.log.PartitionName;
import io.cordwood.log.codec.Codecs;
import io.cordwood.log.record.BatchBuilder;
import io.cordwood.log.record.RecordReader;
import java.nio.charset.StandardCharsets;
import java.util.Map;
import java.util.Objects;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.UUID;
import org.agrona.concurrent.UnsafeBuffer;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * A log of a data directory that is emptied and begins anew, below the records that were deleted before or above them, while the
 * power may go at any act: no deleted record comes back, and none is lost that was forced after it.
 */
final class StartAnewCrashTest {
    private static final PartitionName NAME = new PartitionName("a", 0);
    private static final long DELETED_BELOW = 5;
    private static final LogSetup SETUP = (cells, builder) -> {
        builder.config(LogConfig.of(Map.of("file.delete.delay.ms", "0")));
        return true;
    };

    @ParameterizedTest
    @ValueSource(longs = {0, 3, 5, 7, 40})
    void noDeletedRecordComesBackAndNoForcedOneIsLost(final long newStart) {
        final CrashReport report = new CrashExplorer(
                        "start anew at " + newStart, Disk.NOW, () -> new Scenario(newStart))
                .nested(1, 0)
                .explore();
        assertTrue(report.points() > 60, report.toString());
    }

    /** Ten records in two segments, five deleted by their start alone; then the log begins anew, and takes four others. */
    private static final class Scenario implements CrashScenario {
        private final long newStart;
        private long promises;
        private boolean isDeleted;
        private final SortedMap<Long, String> owed = new TreeMap<>();
        private boolean mayBeAnew;

        Scenario(final long newStart) {
            this.newStart = newStart;
        }

        private static LogDirectory directory(final SimulatedStorage disk) {
            final DirectoryConfig config = new DirectoryConfig(300_000, 1, 60_000);
            return LogDirectory.openOwned(disk, config, MetaProperties.fresh(new UUID(1, 2), "cluster", 1));
        }

        private static PartitionCells open(final LogDirectory directory) {
            directory.create(NAME, null);
            return Objects.requireNonNull(directory.open(NAME, SETUP, Disk.NOW));
        }

        private static void append(final Log log, final String value) {
            final UnsafeBuffer memory = new UnsafeBuffer(new byte[1024]);
            final BatchBuilder batch = new BatchBuilder(Codecs.standard()).wrap(memory, 0, memory.capacity());
            final UnsafeBuffer bytes = new UnsafeBuffer(value.getBytes(StandardCharsets.US_ASCII));
            batch.append(Disk.NOW, null, 0, -1, bytes, 0, bytes.capacity(), null);
            log.append(memory, 0, batch.finish(), AppendAs.client(0), Disk.NOW);
        }

        @Override
        public void run(final SimulatedStorage disk) {
            final LogDirectory directory = directory(disk);
            final Log log = open(directory).log();
            for (int i = 0; i < 10; i++) {
                append(log, "old " + i);
                if (i == 6) {
                    // Else a cut may leave the hole that nothing tells from a gap which Kafka loads.
                    log.flush();
                    log.roll(Disk.NOW);
                }
            }
            log.flush();
            log.deletePrefix(DELETED_BELOW, 10, Disk.NOW);
            directory.doWork(Disk.NOW);
            directory.doWork(Disk.NOW + 100);
            isDeleted = true;
            promises++;
            mayBeAnew = true;
            promises++;
            assertEquals(newStart, log.truncateFullyAndStartAt(newStart, Disk.NOW));
            for (int i = 0; i < 4; i++) {
                append(log, "new " + i);
            }
            final long end = log.flush();
            for (long offset = newStart; offset < end; offset++) {
                owed.put(offset, "new " + (offset - newStart));
            }
            promises++;
            directory.doWork(Disk.NOW + 200);
            log.closeUncleanly();
        }

        @Override
        public long promises() {
            return promises;
        }

        @Override
        public void check(final SimulatedStorage disk) {
            final LogDirectory directory = directory(disk);
            final Log log = open(directory).log();
            final SortedMap<Long, String> found = records(log);
            if (isDeleted) {
                found.forEach((offset, value) -> assertTrue(
                        offset >= DELETED_BELOW || (mayBeAnew && value.startsWith("new")),
                        "deleted, and there again: " + value));
            }
            owed.forEach((offset, value) -> assertEquals(value, found.get(offset), "at " + offset));
            log.closeUncleanly();
        }

        private static SortedMap<Long, String> records(final Log log) {
            final SortedMap<Long, String> found = new TreeMap<>();
            try (LogReader reader = log.newReader();
                    RecordReader records = new RecordReader(Codecs.standard(), 1 << 20)) {
                long offset = log.startOffset();
                while (reader.read(offset, Long.MAX_VALUE, 1 << 20) > 0) {
                    reader.forEach(batch -> {
                        records.wrap(batch);
                        while (records.next()) {
                            final byte[] value = new byte[records.record().valueLength()];
                            records.record().buffer().getBytes(records.record().valueIndex(), value);
                            found.put(records.record().offset(), new String(value, StandardCharsets.US_ASCII));
                        }
                        return true;
                    });
                    offset = reader.nextOffset();
                }
            }
            return found;
        }
    }
}
