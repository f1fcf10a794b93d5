package io.cordwood.log;

import static io.cordwood.log.TestBatches.at;
import static io.cordwood.log.TestBatches.batch;
import static io.cordwood.log.TestBatches.run;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNotNull;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.cordwood.log.record.Crc32c;
import io.cordwood.log.record.RecordBatchDescriptor;
import io.cordwood.log.record.RecordBatchFlyweight;
import io.cordwood.log.record.Refusal;
import io.cordwood.log.store.DiskStorage;
import java.io.IOException;
import java.nio.ByteOrder;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.agrona.concurrent.UnsafeBuffer;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Faults that a review found before anybody else did. */
final class ReviewedFaultsTest {
    private static final long NOW = 1_700_000_000_000L;
    private static final AppendAs CLIENT = AppendAs.client(0);

    @TempDir
    Path root;

    private static LogBuilder builder(final DiskStorage storage, final int segmentBytes) {
        return new LogBuilder(storage, "t-0")
                .config(LogConfig.of(Map.of("segment.bytes", Integer.toString(segmentBytes))));
    }

    private static long append(final Log log, final UnsafeBuffer batch) {
        return log.append(batch, 0, batch.capacity(), CLIENT, NOW);
    }

    private static UnsafeBuffer ofProducer(final int sequence, final UnsafeBuffer batch) {
        batch.putLong(RecordBatchDescriptor.PRODUCER_ID_OFFSET, 7, ByteOrder.BIG_ENDIAN);
        batch.putShort(RecordBatchDescriptor.PRODUCER_EPOCH_OFFSET, (short) 0, ByteOrder.BIG_ENDIAN);
        batch.putInt(RecordBatchDescriptor.BASE_SEQUENCE_OFFSET, sequence, ByteOrder.BIG_ENDIAN);
        RecordBatchDescriptor.sealCrc(batch, 0, batch.capacity(), new Crc32c());
        return batch;
    }

    /** Counts forces of indexes by segment. */
    private static final class ForcedIndexes implements SegmentIndexFactory {
        private final ScanIndexes scan = new ScanIndexes();
        private final Set<Long> forced = new HashSet<>();

        @Override
        public SegmentIndex create(
                final io.cordwood.log.store.Storage storage,
                final String directory,
                final long baseOffset,
                final IndexLimits limits) {
            return noting(scan.create(storage, directory, baseOffset, limits), baseOffset);
        }

        @Override
        public SegmentIndex open(
                final io.cordwood.log.store.Storage storage,
                final String directory,
                final long baseOffset,
                final IndexLimits limits) {
            return noting(scan.open(storage, directory, baseOffset, limits), baseOffset);
        }

        private SegmentIndex noting(final SegmentIndex index, final long baseOffset) {
            return (SegmentIndex) java.lang.reflect.Proxy.newProxyInstance(
                    SegmentIndex.class.getClassLoader(), new Class<?>[] {SegmentIndex.class}, (proxy, method, args) -> {
                        if (method.getName().equals("force")) {
                            forced.add(baseOffset);
                        }
                        return method.invoke(index, args);
                    });
        }

        @Override
        public boolean isPlausible(
                final List<io.cordwood.log.store.FileStatus> files,
                final long baseOffset,
                final long logBytes,
                final IndexLimits limits) {
            return scan.isPlausible(files, baseOffset, logBytes, limits);
        }

        @Override
        public List<String> suffixes() {
            return scan.suffixes();
        }
    }

    @Test
    void aSegmentThatWasSealedAtTheFlushedEndIsForcedOnceMore() {
        final ForcedIndexes indexes = new ForcedIndexes();
        try (DiskStorage storage = new DiskStorage(root);
                Log log = builder(storage, 1000).indexes(indexes).open(NOW)) {
            append(log, batch(NOW, "a"));
            log.flush();
            assertEquals(1, log.roll(NOW));
            append(log, batch(NOW, "b"));
            indexes.forced.clear();
            assertEquals(2, log.flush());
            assertTrue(
                    indexes.forced.contains(0L),
                    "what sealing wrote must be durable before the recovery point is beyond");
        }
    }

    @Test
    void aTruncationBehindDamageIsRefusedAndCutsNothing() throws IOException {
        try (DiskStorage storage = new DiskStorage(root);
                Log log = builder(storage, 100_000).open(NOW)) {
            for (int i = 0; i < 5; i++) {
                append(log, batch(NOW, "v" + i));
            }
            final Path file = root.resolve("t-0/00000000000000000000.log");
            final byte[] bytes = Files.readAllBytes(file);
            bytes[2 * bytes.length / 5 + 63] ^= 1;
            Files.write(file, bytes);
            assertThrows(CorruptLogException.class, () -> log.truncateTo(4, NOW));
            assertEquals(5, log.endOffset());
            assertEquals(bytes.length, Files.size(file));
        }
    }

    @Test
    void aRunIsNotAcknowledgedBecauseOneOfItsBatchesIsKnown() {
        try (DiskStorage storage = new DiskStorage(root);
                Log log = builder(storage, 100_000).open(NOW)) {
            final UnsafeBuffer both = run(ofProducer(0, batch(NOW, "a")), ofProducer(1, batch(NOW, "b")));
            assertEquals(Refusal.INVALID_RECORD, log.append(both, 0, both.capacity(), CLIENT, NOW));
            assertTrue(log.refusalReason().contains("alone"), log.refusalReason());
            assertEquals(0, log.endOffset());
            assertEquals(0, append(log, ofProducer(0, batch(NOW, "a"))));
            final UnsafeBuffer fetched =
                    run(at(1, 0, ofProducer(1, batch(NOW, "b"))), at(2, 0, ofProducer(2, batch(NOW, "c"))));
            assertEquals(1, log.append(fetched, 0, fetched.capacity(), AppendAs.replica(), NOW));
        }
    }

    @Test
    void aForcedAppendThatIsTakenBackIsNeverAcknowledged() {
        try (DiskStorage storage = new DiskStorage(root);
                Log log = builder(storage, 100_000).open(NOW)) {
            final LogAppender door = new LogAppender(log, () -> NOW, 1000);
            final AppendTicket ticket = door.newTicket();
            final UnsafeBuffer batch = batch(NOW, "a");
            assertTrue(door.offer(ticket, batch, 0, batch.capacity(), CLIENT.forced()));
            door.doWork();
            assertEquals(AppendTicket.PENDING, ticket.outcome());
            assertEquals(200, log.truncateFullyAndStartAt(200, NOW));
            door.doWork();
            assertEquals(AppendTicket.FAILED, ticket.outcome());
        }
    }

    @Test
    void whoStillWaitsWhenTheDoorClosesIsTold() {
        try (DiskStorage storage = new DiskStorage(root)) {
            final AppendTicket waiting;
            final AppendTicket offered;
            final LogRequest request;
            try (Log log = builder(storage, 100_000).open(NOW)) {
                final LogAppender door = new LogAppender(log, () -> NOW, 1000);
                waiting = door.newTicket();
                offered = door.newTicket();
                final UnsafeBuffer batch = batch(NOW, "a");
                assertTrue(door.offer(waiting, batch, 0, batch.capacity(), CLIENT.forced()));
                door.doWork();
                assertTrue(door.offer(offered, batch, 0, batch.capacity(), CLIENT));
                door.onClose();
                request = log.request(LogRequest.roll());
            }
            assertEquals(AppendTicket.FAILED, waiting.outcome());
            assertEquals(AppendTicket.FAILED, offered.outcome());
            assertNotNull(offered.failure());
            assertTrue(request.isDone());
            assertThrows(IllegalStateException.class, request::result);
        }
    }

    @Test
    void aMappedSegmentThatWasCutKeepsTheRoomThatItHas() {
        try (DiskStorage storage = new DiskStorage(root);
                Log log = builder(storage, 4096).mapped().open(NOW)) {
            append(log, batch(NOW, "a"));
            append(log, batch(NOW, "b"));
            log.configure(LogConfig.of(Map.of("segment.bytes", "100000")));
            assertEquals(1, log.truncateTo(1, NOW));
            for (int i = 1; i < 200; i++) {
                assertEquals(i, append(log, batch(NOW, "value " + i)));
            }
        }
    }

    @Test
    void aStartThatHasComeToTheEndDropsNoActiveSegment() {
        try (DiskStorage storage = new DiskStorage(root);
                Log log = builder(storage, 100_000).open(NOW)) {
            append(log, batch(NOW, "a"));
            assertEquals(1, log.deletePrefix(1, 1, NOW));
            assertEquals(0, log.retain(NOW, 1).dropped());
            assertEquals(0, log.baseOffsets()[0]);
        }
    }

    @Test
    void aLargeBatchOfALeaderIsReadThroughThePlaceThatReplacedTheEmptySegment() {
        final String[] values = new String[40];
        java.util.Arrays.fill(values, "x".repeat(100));
        final UnsafeBuffer large = at(0, 0, batch(NOW, values));
        try (DiskStorage storage = new DiskStorage(root);
                Log log = builder(storage, 1000).mapped().open(NOW);
                LogReader reader = log.newReader()) {
            assertEquals(0, log.append(large, 0, large.capacity(), AppendAs.replica(), NOW));
            assertEquals(large.capacity(), reader.read(0, Long.MAX_VALUE, 10));
            final RecordBatchFlyweight stored = new RecordBatchFlyweight().wrap(reader.buffer(), 0);
            assertEquals(40, stored.recordCount());
            assertFalse(Refusal.isRefusal(append(log, batch(NOW, "b"))));
        }
    }

    @Test
    void aDirectoryInAPartitionIsLeftAloneWhateverItsName() throws IOException {
        for (final String name : new String[] {"00000000000000000099.index.deleted", "x.cleaned", "7.log.swap"}) {
            Files.createDirectories(root.resolve("t-0").resolve(name).resolve("inside"));
        }
        try (DiskStorage storage = new DiskStorage(root);
                Log log = new LogBuilder(storage, "t-0").open(NOW)) {
            assertEquals(0, log.endOffset());
        }
        for (final String name : new String[] {"00000000000000000099.index.deleted", "x.cleaned", "7.log.swap"}) {
            assertTrue(Files.isDirectory(root.resolve("t-0").resolve(name).resolve("inside")), name);
        }
    }
}
