package io.cordwood.log;

import static io.cordwood.log.TestBatches.at;
import static io.cordwood.log.TestBatches.batch;
import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.cordwood.log.record.Refusal;
import io.cordwood.log.store.DiskStorage;
import io.cordwood.log.store.Storage;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import org.agrona.concurrent.UnsafeBuffer;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** The public bug reports B16 to B19 about retention, by number, on both stores. */
final class RetentionBugsTest {
    private static final long NOW = 1_700_000_000_000L;
    private static final long HOUR = 3_600_000L;
    private static final long TEN_YEARS = 10 * 365 * 24 * HOUR;
    private static final AppendAs CLIENT = AppendAs.client(0);

    @TempDir
    Path root;

    private static Log open(final Storage storage, final boolean mapped, final Map<String, String> properties) {
        final LogBuilder builder = new LogBuilder(storage, "t-0").config(LogConfig.of(properties));
        return (mapped ? builder.mapped() : builder).open(NOW);
    }

    private static long append(final Log log, final UnsafeBuffer batch, final AppendAs as) {
        return log.append(batch, 0, batch.capacity(), as, NOW);
    }

    @ParameterizedTest
    @ValueSource(booleans = {false, true})
    void b16ARecordFromTheFutureBlocksTimeRetentionAndIsNamed(final boolean mapped) {
        final Map<String, String> tenMinutes = Map.of(
                "retention.ms", "600000",
                "segment.bytes", "65536",
                "message.timestamp.after.max.ms", String.valueOf(Long.MAX_VALUE));
        try (DiskStorage storage = new DiskStorage(root);
                Log log = open(storage, mapped, tenMinutes)) {
            append(log, batch(NOW + TEN_YEARS, "a"), CLIENT);
            log.roll(NOW);
            append(log, batch(NOW - HOUR, "b"), CLIENT);
            log.roll(NOW);
            append(log, batch(NOW - HOUR, "c"), CLIENT);
            log.roll(NOW);
            final RetentionResult blocked = log.retain(NOW, log.endOffset());
            assertEquals(new RetentionResult(0, 0, 0, 0, 0, NOW + TEN_YEARS), blocked);
            assertArrayEquals(new long[] {0, 1, 2, 3}, log.baseOffsets());

            log.configure(LogConfig.of(Map.of("message.timestamp.after.max.ms", "3600000")));
            final long bytes = log.sizeInBytes();
            assertEquals(Refusal.INVALID_TIMESTAMP, append(log, batch(NOW + TEN_YEARS, "d"), CLIENT));
            assertEquals(bytes, log.sizeInBytes());
            assertEquals(3, log.endOffset());

            final long ofOne = bytes / 3;
            log.configure(LogConfig.of(Map.of("retention.bytes", "" + ofOne, "retention.ms", "-1")));
            final RetentionResult bySize = log.retain(NOW, log.endOffset());
            assertEquals(2, bySize.bySize());
            assertArrayEquals(new long[] {2, 3}, log.baseOffsets());
            assertEquals(List.of("2=c"), LogTest.values(log, 2));
        }
    }

    @ParameterizedTest
    @ValueSource(booleans = {false, true})
    void b17RetentionNeverPassesTheHighWatermark(final boolean mapped) {
        final Map<String, String> oneByte = Map.of("retention.bytes", "1", "segment.bytes", "65536");
        try (DiskStorage storage = new DiskStorage(root);
                Log log = open(storage, mapped, oneByte)) {
            append(log, at(99, 0, batch(NOW, "a")), AppendAs.replica());
            log.roll(NOW);
            append(log, at(199, 0, batch(NOW, "b")), AppendAs.replica());
            log.roll(NOW);
            append(log, at(249, 0, batch(NOW, "c")), AppendAs.replica());
            assertArrayEquals(new long[] {0, 100, 200}, log.baseOffsets());
            final RetentionResult first = log.retain(NOW, 120);
            assertEquals(1, first.bySize());
            assertEquals(100, log.startOffset());
            assertArrayEquals(new long[] {100, 200}, log.baseOffsets());
            assertEquals(0, log.retain(NOW, 199).dropped());
            final RetentionResult second = log.retain(NOW, 250);
            assertEquals(1, second.bySize());
            assertEquals(200, log.startOffset());
        }
    }

    /** The race is one between two requests to the one writer, so the second finds nothing left to do. */
    @ParameterizedTest
    @ValueSource(booleans = {false, true})
    void b18WhatIsDroppedTwiceIsRenamedAndDeletedOnce(final boolean mapped) {
        final Map<String, String> delayed = Map.of("file.delete.delay.ms", "1000", "segment.bytes", "65536");
        try (DiskStorage disk = new DiskStorage(root)) {
            final FailingStorage storage = new FailingStorage(disk);
            try (Log log = open(storage, mapped, delayed)) {
                for (int i = 0; i < 3; i++) {
                    append(log, batch(NOW, "v" + i), CLIENT);
                    log.roll(NOW);
                }
                storage.takeTrace();
                assertEquals(2, log.deletePrefix(2, 3, NOW));
                assertEquals(2, log.deletePrefix(2, 3, NOW));
                assertEquals(0, log.retain(NOW, 3).dropped());
                final LogRequest late = log.request(LogRequest.deletePrefix(2, 3));
                log.doWork(NOW + 1000);
                log.doWork(NOW + 2000);
                assertEquals(2, late.result());
                final String zero = "00000000000000000000.log";
                final String one = "00000000000000000001.log";
                assertEquals(
                        List.of(
                                "rename " + zero + " " + zero + ".deleted",
                                "rename " + one + " " + one + ".deleted",
                                "delete " + zero + ".deleted",
                                "delete " + one + ".deleted"),
                        storage.takeTrace().stream()
                                .filter(act -> act.startsWith("rename 0") || act.endsWith(".deleted"))
                                .toList());
                assertEquals(3, append(log, batch(NOW, "online"), CLIENT));
            }
        }
    }

    @ParameterizedTest
    @ValueSource(booleans = {false, true})
    void b19AnExpiredActiveSegmentGoesOnceAndOffsetsGoOn(final boolean mapped) {
        final Map<String, String> hour = Map.of("retention.ms", "3600000", "file.delete.delay.ms", "0");
        try (DiskStorage disk = new DiskStorage(root)) {
            final FailingStorage storage = new FailingStorage(disk);
            try (Log log = open(storage, mapped, hour)) {
                append(log, batch(NOW - 2 * HOUR, "0", "1", "2", "3", "4", "5", "6", "7", "8", "9"), CLIENT);
                storage.takeTrace();
                final RetentionResult first = log.retain(NOW, 10);
                assertEquals(new RetentionResult(10, 1, 0, 0, -1, -1), first);
                final List<String> trace = storage.takeTrace();
                final int created = trace.indexOf("open 00000000000000000010.log");
                final int gone = trace.indexOf("rename 00000000000000000000.log 00000000000000000000.log.deleted");
                assertTrue(created >= 0 && created < gone, trace.toString());
                assertEquals(0, log.retain(NOW, 10).dropped());
                log.doWork(NOW);
                assertEquals(0, log.retain(NOW + 100 * HOUR, 10).dropped());
                assertArrayEquals(new long[] {10}, log.baseOffsets());
                assertEquals(10, log.startOffset());
                assertEquals(10, append(log, batch(NOW, "next"), CLIENT));
            }
            try (Log log = open(storage, mapped, hour)) {
                assertEquals(10, log.startOffset());
                assertEquals(List.of("10=next"), LogTest.values(log, 10));
            }
        }
    }
}
