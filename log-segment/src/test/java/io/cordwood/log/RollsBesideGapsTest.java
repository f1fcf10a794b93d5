package io.cordwood.log;

import static io.cordwood.log.TestBatches.at;
import static io.cordwood.log.TestBatches.batch;
import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.cordwood.log.store.DiskStorage;
import io.cordwood.log.store.StorageException;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import org.agrona.concurrent.UnsafeBuffer;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** New segments where offsets are missing: nothing of the one before is overwritten, forgotten by a force, or told to be lost. */
final class RollsBesideGapsTest {
    private static final long NOW = 1_700_000_000_000L;
    private static final String ZERO = "00000000000000000000";
    private static final String ONE = "00000000000000000001";

    @TempDir
    Path root;

    private static void append(final Log log, final long offset) {
        final UnsafeBuffer batch = at(offset, 0, batch(NOW, "v"));
        assertEquals(offset, log.append(batch, 0, batch.capacity(), AppendAs.replica(), NOW));
    }

    private Path file(final String name) {
        return root.resolve("t-0").resolve(name);
    }

    @Test
    void theSegmentInFrontOfATruncationsGapIsForcedOnceMoreAfterItWasSealed() {
        try (FailingStorage storage = new FailingStorage(new DiskStorage(root));
                Log log = new LogBuilder(storage, "t-0").open(NOW)) {
            append(log, 0);
            append(log, 50);
            assertEquals(20, log.truncateTo(20, NOW));
            assertEquals(20, log.flush());
            log.roll(NOW);
            assertArrayEquals(new long[] {0, 1}, log.baseOffsets());
            append(log, 20);
            storage.takeTrace();
            assertEquals(21, log.flush());
            final List<String> acts = storage.takeTrace();
            assertTrue(acts.contains("force " + ZERO + ".log"), acts.toString());
            assertTrue(acts.contains("force " + ONE + ".log"), acts.toString());
        }
    }

    /** The only batch of the last segment claims the offset before it: what follows would have the segment's own name. */
    @Test
    void aSegmentOfWhichNoBatchIsInItsPlaceIsNotBegunAnew() throws IOException {
        try (DiskStorage storage = new DiskStorage(root)) {
            try (Log log = new LogBuilder(storage, "t-0").open(NOW)) {
                append(log, 0);
                log.roll(NOW);
                append(log, 1);
            }
            final byte[] bytes = Files.readAllBytes(file(ONE + ".log"));
            ByteBuffer.wrap(bytes).putLong(0, 0);
            Files.write(file(ONE + ".log"), bytes);
            final LogConfig small = LogConfig.of(Map.of("internal.segment.bytes", "" + bytes.length));
            try (Log log = new LogBuilder(storage, "t-0")
                    .config(small)
                    .recoveryPoint(Long.MAX_VALUE)
                    .open(NOW)) {
                assertArrayEquals(new long[] {0, 1}, log.baseOffsets());
                assertEquals(1, log.endOffset());
                assertEquals(1, log.roll(NOW));
                final UnsafeBuffer next = batch(NOW, "v");
                assertThrows(
                        IllegalStateException.class,
                        () -> log.append(next, 0, next.capacity(), AppendAs.client(0), NOW));
                assertArrayEquals(bytes, Files.readAllBytes(file(ONE + ".log")));
                append(log, 7);
                assertArrayEquals(new long[] {0, 1, 7}, log.baseOffsets());
                assertArrayEquals(bytes, Files.readAllBytes(file(ONE + ".log")));
            }
        }
    }

    @Test
    void aSnapshotAtTheEndOfTheSegmentInFrontOfAJumpIsNoLostSegment() throws IOException {
        final long far = 10L + Integer.MAX_VALUE;
        try (DiskStorage storage = new DiskStorage(root)) {
            try (Log log = new LogBuilder(storage, "t-0").open(NOW)) {
                append(log, 0);
                append(log, far);
            }
            Files.write(file(ONE + ".snapshot"), new byte[1]);
            for (final long point : new long[] {0, Long.MAX_VALUE}) {
                try (Log log =
                        new LogBuilder(storage, "t-0").recoveryPoint(point).open(NOW)) {
                    assertFalse(
                            log.recovery().entries().stream()
                                    .anyMatch(entry -> entry.kind() == RecoveryReport.Kind.OFFSETS_MISSING),
                            log.recovery().toString());
                }
            }
        }
    }

    /** A second sync that succeeds would not prove that the first one's names are there. */
    @Test
    void afterASyncThatFailedNothingIsForcedAnyMore() {
        try (FailingStorage storage = new FailingStorage(new DiskStorage(root))) {
            final Log log = new LogBuilder(storage, "t-0").open(NOW);
            append(log, 0);
            log.roll(NOW);
            append(log, 1);
            storage.fail("sync", "t-0", 1);
            assertThrows(StorageException.class, () -> log.deletePrefix(1, Long.MAX_VALUE, NOW));
            final StorageException again = assertThrows(StorageException.class, log::flush);
            assertTrue(again.toString().contains("t-0"), again.toString());
            log.closeUncleanly();
        }
    }

    /** Retention takes all of a log that ends in a gap: until the old segments are gone the new one lies behind their last batch. */
    @Test
    void whatRetentionRollsBesideAGapIsNoHole() {
        final LogConfig day = LogConfig.of(Map.of("retention.ms", "86400000"));
        try (FailingStorage storage = new FailingStorage(new DiskStorage(root));
                Log log = new LogBuilder(storage, "t-0").config(day).open(NOW)) {
            append(log, 0);
            append(log, 50);
            assertEquals(20, log.truncateTo(20, NOW));
            storage.takeTrace();
            assertEquals(1, log.retain(NOW + 90_000_000, 20).dropped());
            assertTrue(storage.takeTrace().contains("open " + ONE + ".log"));
            assertArrayEquals(new long[] {1}, log.baseOffsets());
            assertEquals(20, log.endOffset());
        }
    }
}
