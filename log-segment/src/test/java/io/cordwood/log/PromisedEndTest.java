package io.cordwood.log;

import static io.cordwood.log.DirectoryLogs.A;
import static io.cordwood.log.DirectoryLogs.B;
import static io.cordwood.log.DirectoryLogs.NOW;
import static io.cordwood.log.DirectoryLogs.TOPIC;
import static io.cordwood.log.DirectoryLogs.cells;
import static io.cordwood.log.DirectoryLogs.checkpoint;
import static io.cordwood.log.DirectoryLogs.fill;
import static io.cordwood.log.DirectoryLogs.open;
import static io.cordwood.log.DirectoryLogs.owned;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.cordwood.log.store.DiskStorage;
import java.nio.channels.FileChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.List;
import java.util.Map;
import org.agrona.concurrent.UnsafeBuffer;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** What was forced is there, or the report of the open says that it is not. */
final class PromisedEndTest {
    @TempDir
    Path root = Path.of("");

    /** A clean close spares the scan, and not the question whether what was forced is there. */
    @Test
    void anEndBelowTheCheckpointIsToldAfterACleanCloseToo() throws Exception {
        try (DiskStorage storage = new DiskStorage(root)) {
            fill(storage, 9, A);
            final Path file = root.resolve("a-0").resolve(LogFiles.name(0, LogFiles.LOG));
            try (FileChannel channel = FileChannel.open(file, StandardOpenOption.WRITE)) {
                channel.truncate(channel.size() / 9 * 7);
            }
            try (LogDirectory directory = owned(storage)) {
                final PartitionCells a = cells(directory, A);
                assertTrue(a.wasClean());
                assertEquals(7, a.log().endOffset());
                final List<RecoveryReport.Entry> entries = a.log().recovery().entries();
                assertEquals(
                        RecoveryReport.Kind.END_TOO_LOW,
                        entries.get(entries.size() - 1).kind());
                assertTrue(entries.toString().contains("below its recovery point 9"), entries.toString());
                assertEquals(Long.MAX_VALUE, a.recoveryPoint());
            }
            assertEquals(
                    7, checkpoint(storage, OffsetCheckpoint.RECOVERY_POINTS).get(A));
            try (LogDirectory directory = owned(storage)) {
                final RecoveryReport again = cells(directory, A).log().recovery();
                assertTrue(
                        again.entries().stream().noneMatch(entry -> entry.kind() == RecoveryReport.Kind.END_TOO_LOW),
                        again.entries().toString());
            }
        }
    }

    @Test
    void aLogWhoseSegmentsAreAllGoneIsNoNewOne() throws Exception {
        try (DiskStorage storage = new DiskStorage(root)) {
            fill(storage, 9, A);
            Files.delete(root.resolve("a-0").resolve(LogFiles.name(0, LogFiles.LOG)));
            try (LogDirectory directory = owned(storage)) {
                final Log log = cells(directory, A).log();
                assertEquals(0, log.endOffset());
                final List<RecoveryReport.Entry> entries = log.recovery().entries();
                assertEquals(
                        RecoveryReport.Kind.END_TOO_LOW,
                        entries.get(entries.size() - 1).kind());
            }
        }
    }

    private static void appendWithAGap(final Log log) {
        for (final long base : new long[] {0, 1, 50}) {
            final UnsafeBuffer batch = TestBatches.at(base, 0, TestBatches.batch(NOW, "at " + base));
            assertEquals(base, log.append(batch, 0, batch.capacity(), AppendAs.replica(), NOW));
        }
    }

    private static boolean isLossTold(final Log log) {
        return log.recovery().entries().stream().anyMatch(entry -> entry.kind() == RecoveryReport.Kind.END_TOO_LOW);
    }

    /** A follower's batches, whose leader was cleaned. No file tells where in the gap the log was cut. */
    @ParameterizedTest
    @CsvSource({"true, true", "true, false", "false, true", "false, false"})
    void aTruncationIntoAGapIsNoLoss(final boolean isFlushed, final boolean isClean) {
        try (DiskStorage storage = new DiskStorage(root)) {
            try (LogDirectory directory = owned(storage)) {
                directory.create(A, TOPIC);
                final Log log = open(directory, A);
                appendWithAGap(log);
                log.flush();
                assertEquals(51, log.flushedOffset());
                directory.doWork(NOW);
                directory.doWork(NOW + 100);
                assertEquals(
                        51,
                        checkpoint(storage, OffsetCheckpoint.RECOVERY_POINTS).get(A));
                assertEquals(20, log.truncateTo(20, NOW));
                assertEquals(20, log.endOffset());
                assertEquals(
                        2, checkpoint(storage, OffsetCheckpoint.RECOVERY_POINTS).get(A));
                if (isFlushed) {
                    assertEquals(20, log.flush());
                    directory.doWork(NOW + 200);
                    directory.doWork(NOW + 300);
                }
                assertEquals(20, log.flushedOffset());
                assertEquals(
                        2, checkpoint(storage, OffsetCheckpoint.RECOVERY_POINTS).get(A));
                if (!isClean) {
                    log.closeUncleanly();
                }
            }
            try (LogDirectory directory = owned(storage)) {
                final PartitionCells a = cells(directory, A);
                assertEquals(isClean, a.wasClean());
                assertEquals(2, a.log().endOffset());
                assertFalse(isLossTold(a.log()), a.log().recovery().entries().toString());
            }
        }
    }

    /** What is forced behind the gap is promised as ever. */
    @Test
    void aLossBehindATruncationIntoAGapIsTold() throws Exception {
        try (DiskStorage storage = new DiskStorage(root)) {
            try (LogDirectory directory = owned(storage)) {
                directory.create(A, TOPIC);
                final Log log = open(directory, A);
                appendWithAGap(log);
                log.truncateTo(20, NOW);
                DirectoryLogs.append(log, 2);
                log.flush();
                assertEquals(22, log.flushedOffset());
            }
            final Path file = root.resolve("a-0").resolve(LogFiles.name(0, LogFiles.LOG));
            try (FileChannel channel = FileChannel.open(file, StandardOpenOption.WRITE)) {
                channel.truncate(channel.size() / 4 * 2);
            }
            try (LogDirectory directory = owned(storage)) {
                assertTrue(isLossTold(open(directory, A)));
            }
        }
    }

    /** Kafka has the offset that it was asked for in its checkpoint then: in doubt it is a loss. */
    @Test
    void aForeignCheckpointInAGapIsToldOf() {
        try (DiskStorage storage = new DiskStorage(root)) {
            try (LogDirectory directory = owned(storage)) {
                directory.create(A, TOPIC);
                final Log log = open(directory, A);
                appendWithAGap(log);
                log.truncateTo(20, NOW);
            }
            SmallFile.replace(storage, "", OffsetCheckpoint.RECOVERY_POINTS, OffsetCheckpoint.encode(Map.of(A, 20L)));
            try (LogDirectory directory = owned(storage)) {
                final Log log = open(directory, A);
                assertTrue(isLossTold(log));
                assertEquals(2, log.endOffset());
            }
        }
    }

    @Test
    void aDamagedCheckpointIsKeptAside() throws Exception {
        try (DiskStorage storage = new DiskStorage(root)) {
            fill(storage, 9, A, B);
            for (int i = 1; i < 3; i++) {
                for (final String name : List.of(OffsetCheckpoint.RECOVERY_POINTS, OffsetCheckpoint.LOG_STARTS)) {
                    Files.writeString(root.resolve(name), "0\n2\na 0 " + i);
                }
                try (LogDirectory directory = owned(storage)) {
                    assertEquals(2, directory.findings().size());
                    assertTrue(directory.findings().toString().contains(".damaged"));
                    assertFalse(cells(directory, A).areOffsetsKnown());
                }
                for (final String name : List.of(OffsetCheckpoint.RECOVERY_POINTS, OffsetCheckpoint.LOG_STARTS)) {
                    final String aside = name + ".damaged" + (i == 1 ? "" : "-2");
                    assertEquals("0\n2\na 0 " + i, Files.readString(root.resolve(aside)));
                }
                try (LogDirectory directory = owned(storage)) {
                    assertEquals(List.of(), directory.findings());
                    assertTrue(cells(directory, A).areOffsetsKnown());
                }
            }
        }
    }
}
