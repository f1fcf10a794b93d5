package io.cordwood.log;

import static io.cordwood.log.TestBatches.at;
import static io.cordwood.log.TestBatches.batch;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.cordwood.log.store.DiskStorage;
import java.io.IOException;
import java.nio.channels.FileChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.Arrays;
import java.util.List;
import org.agrona.concurrent.UnsafeBuffer;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** The log begins in its last segment, and is forced up to there: what lies in front is damaged. */
final class DamageBelowTheStartTest {
    private static final long NOW = 1_700_000_000_000L;

    @TempDir
    Path root;

    private int append(final Log log, final long offset, final String... values) {
        final UnsafeBuffer batch = at(offset, 0, batch(NOW, values));
        assertEquals(offset, log.append(batch, 0, batch.capacity(), AppendAs.replica(), NOW));
        return batch.capacity();
    }

    private Log open(final DiskStorage storage, final long start, final long recoveryPoint) {
        return new LogBuilder(storage, "t-0")
                .startOffset(start)
                .recoveryPoint(recoveryPoint)
                .open(NOW);
    }

    private void zero(final int from, final int to) throws IOException {
        final Path file = root.resolve("t-0/00000000000000000000.log");
        final byte[] bytes = Files.readAllBytes(file);
        Arrays.fill(bytes, from, to, (byte) 0);
        Files.write(file, bytes);
    }

    /** A power cut took the first write and left the second: a hole in what nobody was promised is no end of a log. */
    @Test
    void batchesBehindALostWriteAreCutThoughTheSegmentBeginsBelowTheRecoveryPoint() throws IOException {
        try (DiskStorage storage = new DiskStorage(root)) {
            final int lost;
            try (Log log = open(storage, 0, 0)) {
                append(log, 0, "a", "b", "c");
                log.flush();
                assertEquals(1, log.deletePrefix(1, 3, NOW));
                assertEquals(1, log.truncateTo(1, NOW));
                log.flush();
                lost = append(log, 1, "d", "e");
                append(log, 3, "f");
            }
            zero(0, lost);
            try (Log log = open(storage, 1, 1)) {
                assertEquals(1, log.endOffset());
                assertEquals(0, Files.size(root.resolve("t-0/00000000000000000000.log")));
                assertTrue(
                        kinds(log).contains(RecoveryReport.Kind.CUT), kinds(log).toString());
                assertFalse(
                        kinds(log).contains(RecoveryReport.Kind.DAMAGE_KEPT),
                        kinds(log).toString());
            }
        }
    }

    /** Rot in a batch below the start costs none of those behind it. */
    @Test
    void batchesBehindADamagedOneThatEndsAtTheRecoveryPointStay() throws IOException {
        try (DiskStorage storage = new DiskStorage(root)) {
            final int rotten;
            try (Log log = open(storage, 0, 0)) {
                rotten = append(log, 0, "a", "b");
                append(log, 2, "c");
            }
            zero(0, rotten);
            try (Log log = open(storage, 2, 2)) {
                assertEquals(3, log.endOffset());
                assertEquals(List.of(RecoveryReport.Kind.DAMAGE_KEPT), kinds(log));
            }
        }
    }

    /** The segment's first offset is missing, but no cleaner has been there: what its end lacks is told. */
    @Test
    void aLostEndOfASegmentThatBeginsBelowTheStartIsTold() throws IOException {
        try (DiskStorage storage = new DiskStorage(root)) {
            final int kept;
            try (Log log = open(storage, 0, 0)) {
                append(log, 0, "a", "b", "c");
                assertEquals(1, log.deletePrefix(1, 3, NOW));
                assertEquals(1, log.truncateTo(1, NOW));
                log.flush();
                kept = append(log, 1, "d", "e");
                append(log, 3, "f");
                log.roll(NOW);
                append(log, 4, "g");
            }
            try (FileChannel file =
                    FileChannel.open(root.resolve("t-0/00000000000000000000.log"), StandardOpenOption.WRITE)) {
                file.truncate(kept);
            }
            try (Log log = open(storage, 1, 1)) {
                assertTrue(
                        kinds(log).contains(RecoveryReport.Kind.OFFSETS_MISSING),
                        kinds(log).toString());
            }
        }
    }

    private static List<RecoveryReport.Kind> kinds(final Log log) {
        return log.recovery().entries().stream().map(RecoveryReport.Entry::kind).toList();
    }
}
