package io.cordwood.log;

import static io.cordwood.log.TestBatches.at;
import static io.cordwood.log.TestBatches.batch;
import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.cordwood.log.codec.CompressionType;
import io.cordwood.log.record.Refusal;
import io.cordwood.log.store.DiskStorage;
import io.cordwood.log.store.Storage;
import io.cordwood.log.store.StorageException;
import io.cordwood.log.store.StorageFile;
import java.io.IOException;
import java.lang.reflect.Method;
import java.lang.reflect.Proxy;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicBoolean;
import org.agrona.concurrent.UnsafeBuffer;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** The public bug reports B01 to B06, B50, B54, B64 and B89 about appends, rolls and reads, by number, on both stores. */
final class AppendBugsTest {
    private static final long NOW = 1_700_000_000_000L;
    private static final long DAY = 86_400_000L;
    private static final AppendAs CLIENT = AppendAs.client(0);

    @TempDir
    Path root;

    private static Log open(final Storage storage, final boolean mapped, final Map<String, String> properties) {
        return open(storage, "t-0", mapped, properties);
    }

    private static Log open(
            final Storage storage, final String directory, final boolean mapped, final Map<String, String> properties) {
        final LogBuilder builder = new LogBuilder(storage, directory).config(LogConfig.of(properties));
        return (mapped ? builder.mapped() : builder).open(NOW);
    }

    private static long append(final Log log, final UnsafeBuffer batch, final AppendAs as) {
        return log.append(batch, 0, batch.capacity(), as, NOW);
    }

    @ParameterizedTest
    @ValueSource(booleans = {false, true})
    void b01OffsetsBillionsApartRollAtTheBatchsOwnOffset(final boolean mapped) {
        final Map<String, String> small = Map.of("segment.bytes", "1048576");
        final long far = Integer.MAX_VALUE;
        try (DiskStorage storage = new DiskStorage(root)) {
            try (Log log = open(storage, mapped, small)) {
                for (final long offset : new long[] {0, 10, far}) {
                    assertEquals(offset, append(log, at(offset, 0, batch(NOW, "v" + offset)), AppendAs.replica()));
                }
                assertArrayEquals(new long[] {0}, log.baseOffsets());
                assertEquals(far + 11, append(log, at(far + 11, 0, batch(NOW, "last")), AppendAs.replica()));
                assertArrayEquals(new long[] {0, far + 11}, log.baseOffsets());
                assertEquals(far + 12, log.endOffset());
            }
            try (Log log = open(storage, mapped, small)) {
                assertArrayEquals(new long[] {0, 2_147_483_658L}, log.baseOffsets());
                assertEquals(2_147_483_659L, log.endOffset());
                assertEquals(List.of("2147483658=last"), LogTest.values(log, 2_147_483_658L));
                assertEquals(List.of("2147483647=v2147483647", "2147483658=last"), LogTest.values(log, 11));
            }
        }
    }

    @ParameterizedTest
    @ValueSource(booleans = {false, true})
    void b02OldRecordsRollByTheirOwnAgeAndNotByTheClock(final boolean mapped) {
        final Map<String, String> week = Map.of("segment.ms", "604800000", "segment.bytes", "1048576");
        try (DiskStorage storage = new DiskStorage(root)) {
            try (Log log = open(storage, mapped, week)) {
                for (int i = 0; i < 5; i++) {
                    append(log, at(i, 0, batch(NOW - 30 * DAY + 1000L * i, "v")), AppendAs.replica());
                }
                assertArrayEquals(new long[] {0}, log.baseOffsets());
                append(log, at(5, 0, batch(NOW - 22 * DAY, "v")), AppendAs.replica());
                assertArrayEquals(new long[] {0, 5}, log.baseOffsets());
            }
            try (Log log = open(storage, "t-1", mapped, week)) {
                for (int i = 0; i < 6; i++) {
                    append(log, at(i, 0, batch(-1, "v")), AppendAs.replica());
                }
                assertArrayEquals(new long[] {0}, log.baseOffsets());
            }
        }
    }

    /** A segment that a truncation has emptied or shortened counts its age from the first batch that it holds then. */
    @ParameterizedTest
    @ValueSource(booleans = {false, true})
    void b02AfterATruncationTheAgeCountsFromTheFirstBatchThatIsThere(final boolean mapped) {
        final Map<String, String> week = Map.of("segment.ms", "604800000", "segment.bytes", "1048576");
        try (DiskStorage storage = new DiskStorage(root);
                Log log = open(storage, mapped, week)) {
            append(log, at(0, 0, batch(NOW - 30 * DAY, "old")), AppendAs.replica());
            log.truncateTo(0, NOW);
            append(log, at(0, 0, batch(NOW - 8 * DAY, "a")), AppendAs.replica());
            append(log, at(1, 0, batch(NOW - 7 * DAY, "b")), AppendAs.replica());
            assertArrayEquals(new long[] {0}, log.baseOffsets());
            append(log, at(2, 0, batch(NOW, "c")), AppendAs.replica());
            assertArrayEquals(new long[] {0, 2}, log.baseOffsets());
            // Back in the first segment, whose first batch is 8 days old.
            log.truncateTo(2, NOW);
            log.truncateTo(1, NOW);
            append(log, at(1, 0, batch(NOW, "d")), AppendAs.replica());
            assertArrayEquals(new long[] {0, 1}, log.baseOffsets());
        }
    }

    @ParameterizedTest
    @ValueSource(booleans = {false, true})
    void b03AnEmptyActiveSegmentTakesAppendsAndIsNotRolled(final boolean mapped) {
        for (final boolean reopens : new boolean[] {false, true}) {
            final String directory = reopens ? "t-1" : "t-0";
            try (DiskStorage storage = new DiskStorage(root)) {
                Log log = open(storage, directory, mapped, Map.of("segment.bytes", "1048576"));
                append(log, batch(NOW, "0", "1", "2", "3", "4", "5", "6", "7", "8", "9"), CLIENT);
                assertEquals(10, log.roll(NOW));
                assertEquals(10, log.roll(NOW));
                append(log, batch(NOW, "10", "11", "12", "13", "14"), CLIENT);
                assertEquals(10, log.truncateTo(10, NOW));
                if (reopens) {
                    log.close();
                    log = open(storage, directory, mapped, Map.of("segment.bytes", "1048576"));
                }
                assertEquals(10, log.roll(NOW));
                assertEquals(10, append(log, batch(NOW, "x"), CLIENT));
                assertArrayEquals(new long[] {0, 10}, log.baseOffsets());
                assertEquals(11, log.endOffset());
                assertEquals(List.of("9=9", "10=x"), LogTest.values(log, 9));
                log.close();
            }
        }
    }

    @ParameterizedTest
    @ValueSource(booleans = {false, true})
    void b04BatchesLargerThanAReadComeBackWholeAndATornOneIsNamed(final boolean mapped) throws IOException {
        final List<UnsafeBuffer> batches = new ArrayList<>();
        for (int i = 0; i < 3; i++) {
            batches.add(batch(CompressionType.NONE, NOW, ("" + i).repeat(5 * 1024)));
        }
        try (DiskStorage storage = new DiskStorage(root)) {
            final long bytes;
            try (Log log = open(storage, mapped, Map.of("segment.bytes", "16384"));
                    LogReader reader = log.newReader()) {
                for (final UnsafeBuffer batch : batches) {
                    append(log, batch, CLIENT);
                }
                for (int i = 0; i < 3; i++) {
                    assertEquals(batches.get(i).capacity(), reader.read(i, Long.MAX_VALUE, 7));
                    for (int at = 61; at < batches.get(i).capacity(); at++) {
                        assertEquals(batches.get(i).getByte(at), reader.buffer().getByte(at));
                    }
                }
                append(log, batch(NOW, "more"), CLIENT);
                bytes = log.sizeInBytes();
            }
            // The end of a file goes while the log is open: an error that tells where, and no end of the log.
            final Path file = root.resolve("t-0/00000000000000000000.log");
            try (Log log = open(storage, false, Map.of("segment.bytes", "16384"));
                    LogReader reader = log.newReader()) {
                assertEquals(bytes, log.sizeInBytes());
                assertTrue(reader.read(0, Long.MAX_VALUE, 1) > 0);
                try (var channel = java.nio.channels.FileChannel.open(file, java.nio.file.StandardOpenOption.WRITE)) {
                    channel.truncate(batches.get(0).capacity() + 100L);
                }
                final RuntimeException failure =
                        assertThrows(RuntimeException.class, () -> reader.read(1, Long.MAX_VALUE, 1 << 20));
                final String message = String.valueOf(failure.getMessage());
                assertTrue(message.contains(file.toString()), message);
                assertTrue(message.contains(String.valueOf(batches.get(0).capacity())), message);
                log.closeUncleanly();
            }
        }
    }

    /** Only where there is a write: a mapped file is published by a store that cannot fail. */
    @ParameterizedTest
    @ValueSource(booleans = {false, true})
    void b05AfterAFailedWriteNothingIsAppendedUntilReopened(final boolean mapped) throws IOException {
        try (DiskStorage disk = new DiskStorage(root)) {
            final FailingStorage storage = new FailingStorage(disk);
            final Log log = open(storage, mapped, Map.of("segment.bytes", "1048576"));
            append(log, batch(NOW, "x".repeat(20)), CLIENT);
            append(log, batch(NOW, "y".repeat(20)), CLIENT);
            storage.failPublish("publish", ".log", 1, 40);
            final UnsafeBuffer third = batch(NOW, "z".repeat(20));
            assertThrows(StorageException.class, () -> append(log, third, CLIENT));
            for (int i = 0; i < 3; i++) {
                final StorageException later = assertThrows(StorageException.class, () -> append(log, third, CLIENT));
                assertTrue(String.valueOf(later.getMessage()).contains("Input/output error"), later.toString());
            }
            assertThrows(StorageException.class, log::publish);
            assertThrows(StorageException.class, () -> log.claim(100, new UnsafeBuffer(0, 0), NOW));
            assertThrows(StorageException.class, () -> log.roll(NOW));
            assertThrows(StorageException.class, log::flush);
            assertEquals(2, log.endOffset());
            final List<String> acknowledged = List.of("0=" + "x".repeat(20), "1=" + "y".repeat(20));
            assertEquals(acknowledged, LogTest.values(log, 0));
            log.close();
            final Path file = root.resolve("t-0/00000000000000000000.log");
            assertEquals(2L * third.capacity() + 40, Files.size(file));
            try (Log reopened = open(disk, mapped, Map.of("segment.bytes", "1048576"))) {
                assertEquals(2, reopened.endOffset());
                assertEquals(2L * third.capacity(), reopened.sizeInBytes());
                assertEquals(2, append(reopened, third, CLIENT));
                assertEquals(3, LogTest.values(reopened, 0).size());
            }
        }
    }

    @ParameterizedTest
    @ValueSource(booleans = {false, true})
    void b06WhatIsReservedBehindTheRecordsIsNeverRead(final boolean mapped) throws IOException {
        final Map<String, String> preallocated = Map.of("preallocate", "true", "segment.bytes", "1048576");
        final UnsafeBuffer batch = batch(NOW, "v".repeat(150 - 61 - 9));
        assertEquals(150, batch.capacity());
        try (DiskStorage storage = new DiskStorage(root)) {
            try (Log log = open(storage, mapped, preallocated);
                    LogReader reader = log.newReader()) {
                for (int i = 0; i < 3; i++) {
                    append(log, batch, CLIENT);
                }
                assertEquals(450, reader.read(0, Long.MAX_VALUE, 64 << 10));
                assertEquals(450, reader.buffer().capacity());
                assertEquals(450, reader.locate(0, Long.MAX_VALUE, 64 << 10));
                assertEquals(450, log.sizeInBytes());
                // As a process that is killed leaves it.
                final Path file = root.resolve("t-0/00000000000000000000.log");
                assertTrue(Files.size(file) > 450, "there is nothing behind the records in this test");
                Files.createDirectories(root.resolve("t-1"));
                Files.copy(file, root.resolve("t-1/00000000000000000000.log"));
            }
            assertEquals(450, Files.size(root.resolve("t-0/00000000000000000000.log")));
            try (Log killed = open(storage, "t-1", mapped, preallocated)) {
                assertEquals(3, killed.endOffset());
                assertEquals(450, killed.sizeInBytes());
                assertEquals(
                        1,
                        killed.recovery().acts().size(),
                        killed.recovery().acts().toString());
                assertEquals(3, append(killed, batch, CLIENT));
                assertEquals(4, LogTest.values(killed, 0).size());
            }
            assertEquals(600, Files.size(root.resolve("t-1/00000000000000000000.log")));
        }
    }

    /** What the log owes the follower: its start never passes its end, and it can begin anew at the leader's. */
    @ParameterizedTest
    @ValueSource(booleans = {false, true})
    void b50TheStartNeverPassesTheEnd(final boolean mapped) {
        try (DiskStorage storage = new DiskStorage(root);
                Log log = open(storage, mapped, Map.of("segment.bytes", "1048576"))) {
            append(log, at(99, 0, batch(NOW, "a")), AppendAs.replica());
            assertEquals(100, log.endOffset());
            assertEquals(Refusal.OFFSET_OUT_OF_RANGE, log.deletePrefix(130, log.endOffset(), NOW));
            assertEquals(100, log.deletePrefix(100, log.endOffset(), NOW));
            assertEquals(100, log.startOffset());
            assertEquals(130, log.truncateFullyAndStartAt(130, NOW));
            assertEquals(130, append(log, at(130, 0, batch(NOW, "b")), AppendAs.replica()));
            assertEquals(130, log.startOffset());
            assertEquals(131, log.endOffset());
        }
    }

    /** A batch that the network has damaged is refused, changes nothing, and is taken when it comes again. */
    @ParameterizedTest
    @ValueSource(booleans = {false, true})
    void b54ADamagedBatchOfTheLeaderChangesNothing(final boolean mapped) {
        try (DiskStorage storage = new DiskStorage(root);
                Log log = open(storage, mapped, Map.of("segment.bytes", "1048576"))) {
            append(log, at(49, 0, batch(NOW, "a")), AppendAs.replica());
            final UnsafeBuffer good = at(50, 0, batch(NOW, "b"));
            final UnsafeBuffer bad = new UnsafeBuffer(new byte[good.capacity()]);
            bad.putBytes(0, good, 0, good.capacity());
            bad.putByte(bad.capacity() - 2, (byte) ~bad.getByte(bad.capacity() - 2));
            final long bytes = log.sizeInBytes();
            for (int i = 0; i < 3; i++) {
                assertTrue(Refusal.isRefusal(append(log, bad, AppendAs.replica())));
                assertEquals(50, log.endOffset());
                assertEquals(bytes, log.sizeInBytes());
            }
            assertEquals(50, append(log, good, AppendAs.replica()));
            assertEquals(List.of("49=a", "50=b"), LogTest.values(log, 49));
        }
    }

    /** What a loader needs: a read tells that there is nothing more, though the first segment is empty and so is the active one. */
    @ParameterizedTest
    @ValueSource(booleans = {false, true})
    void b64AnEmptyTailIsTheEndAndAnEmptySegmentIsTold(final boolean mapped) throws IOException {
        try (DiskStorage storage = new DiskStorage(root)) {
            try (Log log = open(storage, mapped, Map.of())) {
                assertEquals(500, log.truncateFullyAndStartAt(500, NOW));
            }
            Files.createFile(root.resolve("t-0").resolve(LogFiles.name(0, LogFiles.LOG)));
            try (Log log = open(storage, mapped, Map.of());
                    LogReader reader = log.newReader()) {
                assertEquals(0, log.startOffset());
                assertEquals(500, log.endOffset());
                assertTrue(log.recovery().entries().stream()
                        .anyMatch(entry -> entry.kind() == RecoveryReport.Kind.OFFSETS_MISSING));
                assertEquals(0, reader.read(0, Long.MAX_VALUE, 1000), "nothing more");
                assertEquals(0, reader.read(500, Long.MAX_VALUE, 1000), "nothing more");
                assertEquals(500, append(log, batch(NOW, "v"), CLIENT));
                final CorruptLogException hole =
                        assertThrows(CorruptLogException.class, () -> reader.read(0, Long.MAX_VALUE, 1000));
                assertEquals(500, hole.nextOffset());
                assertEquals(List.of("500=v"), LogTest.values(log, hole.nextOffset()));
            }
        }
    }

    /** Old data that comes from a slow disk holds up neither the writer nor who reads the end. */
    @Test
    void b89ASlowReadOfOldDataHoldsUpNobody() throws Exception {
        final CountDownLatch isRead = new CountDownLatch(1);
        final CountDownLatch isOver = new CountDownLatch(1);
        final AtomicBoolean isSlow = new AtomicBoolean();
        try (DiskStorage disk = new DiskStorage(root)) {
            final Storage slow = slow(disk, isSlow, isRead, isOver);
            try (Log log = open(slow, false, Map.of("segment.bytes", "1048576"))) {
                append(log, batch(NOW, "old"), CLIENT);
                log.roll(NOW);
                isSlow.set(true);
                final Queue<String> old = new ConcurrentLinkedQueue<>();
                final Thread cold = new Thread(() -> old.addAll(LogTest.values(log, 0)), "cold");
                cold.start();
                isRead.await();
                for (int i = 1; i <= 100; i++) {
                    assertEquals(i, append(log, batch(NOW, "v" + i), CLIENT));
                    assertEquals(List.of(i + "=v" + i), LogTest.values(log, i));
                }
                assertTrue(cold.isAlive());
                log.flush();
                isOver.countDown();
                cold.join();
                assertEquals("0=old", old.peek());
            }
        }
    }

    /** A disk on which each look at the first segment waits, once that is switched on. */
    private static Storage slow(
            final Storage disk, final AtomicBoolean isSlow, final CountDownLatch isRead, final CountDownLatch isOver) {
        return proxy(Storage.class, (method, args) -> {
            final Object result = method.invoke(disk, args);
            if (!method.getName().equals("open") || !String.valueOf(args[0]).endsWith(LogFiles.name(0, LogFiles.LOG))) {
                return result;
            }
            final StorageFile file = (StorageFile) result;
            return proxy(StorageFile.class, (looked, with) -> {
                if (isSlow.get()
                        && (looked.getName().equals("view") || looked.getName().equals("look"))) {
                    isRead.countDown();
                    isOver.await();
                }
                return looked.invoke(file, with);
            });
        });
    }

    @FunctionalInterface
    private interface Call {
        Object invoke(Method method, Object[] args) throws Exception;
    }

    private static <T> T proxy(final Class<T> type, final Call call) {
        return type.cast(Proxy.newProxyInstance(
                type.getClassLoader(), new Class<?>[] {type}, (self, method, args) -> call.invoke(method, args)));
    }
}
