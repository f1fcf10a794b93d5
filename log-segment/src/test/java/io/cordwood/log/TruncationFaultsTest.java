package io.cordwood.log;

import static io.cordwood.log.TestBatches.batch;
import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.cordwood.log.store.DiskStorage;
import io.cordwood.log.store.Storage;
import io.cordwood.log.store.StorageException;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import org.agrona.concurrent.UnsafeBuffer;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** A truncation during which the disk fails: what stays can be read, nothing is left open, and nothing is appended until reopened. */
final class TruncationFaultsTest {
    private static final long NOW = 1_700_000_000_000L;
    private static final String FIRST = "00000000000000000000.log";

    @TempDir
    Path root;

    private static Log open(final Storage storage, final boolean mapped) {
        final LogBuilder builder = new LogBuilder(storage, "t-0").config(LogConfig.of(Map.of()));
        return (mapped ? builder.mapped() : builder).open(NOW);
    }

    private static long append(final Log log, final String value) {
        final UnsafeBuffer batch = batch(NOW, value);
        return log.append(batch, 0, batch.capacity(), AppendAs.client(0), NOW);
    }

    /** Offsets 0 to 2 in the first segment, and two more segments behind it. */
    private static Log withThreeSegments(final Storage storage, final boolean mapped) {
        final Log log = open(storage, mapped);
        append(log, "a");
        append(log, "b");
        append(log, "c");
        log.roll(NOW);
        append(log, "d");
        log.roll(NOW);
        append(log, "e");
        return log;
    }

    @ParameterizedTest
    @CsvSource({
        "open, false, false", "open, false, true", "open, true, false", "open, true, true",
        "truncate, false, false", "truncate, false, true", "truncate, true, false", "truncate, true, true",
        "force, false, false", "force, false, true", "force, true, false", "force, true, true",
        "close, false, false", "close, false, true", "close, true, false", "close, true, true"
    })
    void whatStaysCanBeReadWhateverFailsInASealedSegment(
            final String verb, final boolean mapped, final boolean wasForced) {
        try (DiskStorage disk = new DiskStorage(root)) {
            final FailingStorage storage = new FailingStorage(disk);
            try (Log log = withThreeSegments(storage, mapped)) {
                if (wasForced) {
                    log.flush();
                    log.doWork(NOW);
                }
                storage.fail(verb, FIRST, 1);
                final StorageException failure = assertThrows(StorageException.class, () -> log.truncateTo(2, NOW));
                assertTrue(failure.file().endsWith(FIRST), failure.file());
                assertEquals(verb, failure.operation());

                assertEquals(2, log.endOffset());
                assertEquals(List.of("0=a", "1=b"), LogTest.values(log, 0));
                assertArrayEquals(new long[] {0}, log.baseOffsets());
                assertEquals(NOW, log.largestTimestamp());
                assertEquals(List.of(FIRST), storage.open());
                assertThrows(StorageException.class, () -> append(log, "f"));
                assertThrows(StorageException.class, () -> log.truncateTo(1, NOW));
            }
            assertEquals(List.of(), storage.open());
            try (Log again = open(disk, mapped)) {
                assertEquals(List.of("0=a", "1=b"), LogTest.values(again, 0).subList(0, 2));
                assertEquals(again.endOffset(), append(again, "f"));
            }
        }
    }

    @ParameterizedTest
    @CsvSource({"truncate, false", "truncate, true", "force, false", "force, true"})
    void whatStaysCanBeReadWhateverFailsInTheActiveSegment(final String verb, final boolean mapped) {
        try (DiskStorage disk = new DiskStorage(root)) {
            final FailingStorage storage = new FailingStorage(disk);
            try (Log log = open(storage, mapped)) {
                append(log, "a");
                append(log, "b");
                storage.fail(verb, FIRST, 1);
                assertThrows(StorageException.class, () -> log.truncateTo(1, NOW));
                assertEquals(List.of("0=a"), LogTest.values(log, 0));
                assertEquals(List.of(FIRST), storage.open());
                assertThrows(StorageException.class, () -> append(log, "c"));
            }
            assertEquals(List.of(), storage.open());
        }
    }

    @ParameterizedTest
    @CsvSource({"delete, false", "delete, true", "close, false", "close, true"})
    void aSegmentThatCannotGoIsOffTheListAllTheSame(final String verb, final boolean mapped) {
        try (DiskStorage disk = new DiskStorage(root)) {
            final FailingStorage storage = new FailingStorage(disk);
            try (Log log = withThreeSegments(storage, mapped)) {
                storage.fail(verb, "00000000000000000003.log", 1);
                assertThrows(StorageException.class, () -> log.truncateTo(2, NOW));
                assertEquals(List.of("0=a", "1=b"), LogTest.values(log, 0));
                assertArrayEquals(new long[] {0}, log.baseOffsets());
                assertEquals(List.of(FIRST), storage.open());
            }
            assertEquals(List.of(), storage.open());
            // Files go from the end, and none before all are closed.
            assertEquals(
                    verb.equals("close"),
                    root.resolve("t-0/00000000000000000004.log").toFile().exists());
            try (Log again = open(disk, mapped)) {
                assertEquals(List.of("0=a", "1=b"), LogTest.values(again, 0).subList(0, 2));
            }
        }
    }

    @ParameterizedTest
    @ValueSource(booleans = {false, true})
    void aLogThatFailsToStartAnewLeavesNothingOpen(final boolean mapped) throws IOException {
        try (DiskStorage disk = new DiskStorage(root)) {
            final FailingStorage storage = new FailingStorage(disk);
            try (Log log = withThreeSegments(storage, mapped)) {
                Files.createFile(root.resolve("t-0/00000000000000000003.snapshot"));
                storage.fail("delete", LogFiles.SNAPSHOT, 1);
                assertThrows(StorageException.class, () -> log.truncateFullyAndStartAt(70, NOW));
                assertEquals(List.of("00000000000000000070.log"), storage.open());
                assertThrows(StorageException.class, () -> append(log, "f"));
            }
            assertEquals(List.of(), storage.open());
        }
    }

    @ParameterizedTest
    @ValueSource(booleans = {false, true})
    void aRollThatFailsLeavesTheLogReadableAndNothingOpen(final boolean mapped) {
        try (DiskStorage disk = new DiskStorage(root)) {
            final FailingStorage storage = new FailingStorage(disk);
            try (Log log = open(storage, mapped)) {
                append(log, "a");
                storage.fail("truncate", FIRST, 1);
                assertThrows(StorageException.class, () -> log.roll(NOW));
                assertEquals(List.of(FIRST), storage.open());
                assertEquals(List.of("0=a"), LogTest.values(log, 0));
                assertThrows(StorageException.class, () -> append(log, "b"));
            }
            assertEquals(List.of(), storage.open());
            try (Log again = open(disk, mapped)) {
                assertEquals(List.of("0=a"), LogTest.values(again, 0));
                assertEquals(1, append(again, "b"));
            }
        }
    }
}
