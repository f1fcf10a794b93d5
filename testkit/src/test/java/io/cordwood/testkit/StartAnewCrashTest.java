package io.cordwood.testkit;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.cordwood.log.Log;
import io.cordwood.log.LogDirectory;
import java.util.SortedMap;
import java.util.TreeMap;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * A log of a data directory that is emptied and begins anew, below the records that were deleted before or above them, while the
 * power may go at any act: no deleted record comes back, and none is lost that was forced after it.
 */
final class StartAnewCrashTest {
    private static final long DELETED_BELOW = 5;

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

        @Override
        public void run(final SimulatedStorage disk) {
            final LogDirectory directory = OnePartition.directory(disk);
            final Log log = OnePartition.open(directory).log();
            for (int i = 0; i < 10; i++) {
                OnePartition.append(log, "old " + i);
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
                OnePartition.append(log, "new " + i);
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
            final LogDirectory directory = OnePartition.directory(disk);
            final Log log = OnePartition.open(directory).log();
            final SortedMap<Long, String> found = OnePartition.records(log);
            if (isDeleted) {
                found.forEach((offset, value) -> assertTrue(
                        offset >= DELETED_BELOW || (mayBeAnew && value.startsWith("new")),
                        "deleted, and there again: " + value));
            }
            owed.forEach((offset, value) -> assertEquals(value, found.get(offset), "at " + offset));
            log.closeUncleanly();
        }
    }
}
