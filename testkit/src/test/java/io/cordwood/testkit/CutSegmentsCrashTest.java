package io.cordwood.testkit;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.cordwood.log.Log;
import io.cordwood.log.LogConfig;
import io.cordwood.log.RecoveryReport;
import io.cordwood.log.store.FileUse;
import io.cordwood.log.store.StorageFile;
import java.util.List;
import java.util.Map;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.stream.LongStream;
import org.junit.jupiter.api.Test;

/**
 * A log that loses several segments at once, while the power may go at any act, and names that were not synced reach the disk in any
 * order: what is left has no gap, keeps what was to stay, and takes appends that are not lost afterwards.
 */
final class CutSegmentsCrashTest {
    private static final int SEGMENTS = 5;
    private static final int END = 2 * SEGMENTS;

    @Test
    void aTruncationLeavesNoGap() {
        explore("truncation", 0, 3, 3, (log, disk) -> {
            assertEquals(3, log.truncateTo(3, Disk.NOW));
            return log;
        });
    }

    @Test
    void aTruncationAtTheBeginningOfASegmentLeavesNoGap() {
        explore("truncation to a base", 0, 4, 4, (log, disk) -> {
            assertEquals(4, log.truncateTo(4, Disk.NOW));
            return log;
        });
    }

    @Test
    void aLogThatBeginsAnewLeavesNoGap() {
        explore("a new start", 0, 0, 20, (log, disk) -> {
            assertEquals(20, log.truncateFullyAndStartAt(20, Disk.NOW));
            return log;
        });
    }

    @Test
    void retentionLeavesNoGap() {
        explore("retention", 8, END, END, (log, disk) -> {
            log.configure(LogConfig.of(Map.of("retention.bytes", "1", "file.delete.delay.ms", "0")));
            log.retain(Disk.NOW, END);
            log.doWork(Disk.NOW + 1);
            return log;
        });
    }

    @Test
    void aDeletedPrefixLeavesNoGap() {
        explore("a deleted prefix", 8, END, END, (log, disk) -> {
            log.deletePrefix(8, END, Disk.NOW);
            log.doWork(Disk.NOW + 1);
            return log;
        });
    }

    @Test
    void aCutOfRecoveryLeavesNoGap() {
        explore("a cut of recovery", 0, 3, 3, (log, disk) -> {
            final SimulatedStorage next = disk.kill();
            try (StorageFile torn = next.open("a-0/00000000000000000002.log", FileUse.APPEND, 0)) {
                torn.truncate(torn.length() - 5);
                torn.force();
            }
            return OnePartition.open(OnePartition.directory(next)).log();
        });
    }

    /** The segment that stays is named by an offset below what was forced before it was made. */
    @Test
    void aSegmentThatBeginsInAGapStaysWhenTheOneBeforeItGoes() {
        final CrashReport report = new CrashExplorer("a gap", Disk.NOW, Gap::new).explore();
        assertTrue(report.points() > 20, report.toString());
    }

    /** Two records and one behind a gap, which is cut to; a new segment begins in the gap, and the old one goes. */
    private static final class Gap implements CrashScenario {
        private static final long CUT = 20;
        private long promises;

        @Override
        public void run(final SimulatedStorage disk) {
            final Log log = OnePartition.open(OnePartition.directory(disk)).log();
            OnePartition.replicate(log, 0);
            OnePartition.replicate(log, 1);
            log.flush();
            promises++;
            OnePartition.replicate(log, 50);
            assertEquals(CUT, log.truncateTo(CUT, Disk.NOW));
            log.flush();
            assertEquals(2, log.roll(Disk.NOW));
            log.deletePrefix(CUT, CUT, Disk.NOW);
            log.doWork(Disk.NOW + 1);
            log.closeUncleanly();
        }

        @Override
        public long promises() {
            return promises;
        }

        @Override
        public void check(final SimulatedStorage disk) {
            final Log log = OnePartition.open(OnePartition.directory(disk)).log();
            assertTrue(
                    promises == 0 || log.endOffset() >= 2, "offsets are given twice: from " + log.endOffset() + " on");
            log.closeUncleanly();
        }
    }

    private static void explore(
            final String name, final long keptFrom, final long keptTo, final long goesOnAt, final Loss loss) {
        final CrashReport report = new CrashExplorer(
                        name, Disk.NOW, () -> new Scenario(keptFrom, keptTo, goesOnAt, loss))
                .nested(1, 0)
                .explore();
        assertTrue(report.points() > 50, report.toString());
    }

    /** Takes records away from a log. */
    private interface Loss {
        Log from(Log log, SimulatedStorage disk);
    }

    /** Ten records in five segments, all forced; then some are taken away, and two others come. */
    private static final class Scenario implements CrashScenario {
        private final long keptFrom;
        private final long keptTo;
        private final long goesOnAt;
        private final Loss loss;
        private final SortedMap<Long, String> owed = new TreeMap<>();
        private long promises;

        Scenario(final long keptFrom, final long keptTo, final long goesOnAt, final Loss loss) {
            this.keptFrom = keptFrom;
            this.keptTo = keptTo;
            this.goesOnAt = goesOnAt;
            this.loss = loss;
        }

        @Override
        public void run(final SimulatedStorage disk) {
            final Log log = OnePartition.open(OnePartition.directory(disk)).log();
            for (int i = 0; i < SEGMENTS; i++) {
                if (i > 0) {
                    log.roll(Disk.NOW);
                }
                OnePartition.append(log, "old " + 2 * i);
                OnePartition.append(log, "old " + (2 * i + 1));
                // Else a cut may leave the hole that nothing tells from a gap which Kafka loads.
                log.flush();
                owed.put(2L * i, "old " + 2 * i);
                owed.put(2L * i + 1, "old " + (2 * i + 1));
                promises++;
            }
            owed.keySet().removeIf(offset -> offset < keptFrom || offset >= keptTo);
            promises++;
            final Log left = loss.from(log, disk);
            assertEquals(goesOnAt, left.endOffset());
            OnePartition.append(left, "new 0");
            OnePartition.append(left, "new 1");
            left.flush();
            owed.put(goesOnAt, "new 0");
            owed.put(goesOnAt + 1, "new 1");
            promises++;
            left.closeUncleanly();
        }

        @Override
        public long promises() {
            return promises;
        }

        @Override
        public void check(final SimulatedStorage disk) {
            final Log log = OnePartition.open(OnePartition.directory(disk)).log();
            assertEquals(
                    List.of(),
                    log.recovery().entries().stream()
                            .filter(entry -> entry.kind() == RecoveryReport.Kind.OFFSETS_MISSING)
                            .toList());
            final SortedMap<Long, String> found = OnePartition.records(log);
            assertEquals(
                    LongStream.range(log.startOffset(), log.endOffset()).boxed().toList(), List.copyOf(found.keySet()));
            owed.forEach((offset, value) -> assertEquals(value, found.get(offset), "at " + offset));
            log.closeUncleanly();
        }
    }
}
