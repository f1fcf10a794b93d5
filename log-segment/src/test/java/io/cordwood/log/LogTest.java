package io.cordwood.log;

import static io.cordwood.log.TestBatches.at;
import static io.cordwood.log.TestBatches.batch;
import static io.cordwood.log.TestBatches.run;
import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.cordwood.log.codec.Codecs;
import io.cordwood.log.codec.CompressionType;
import io.cordwood.log.record.BatchBuilder;
import io.cordwood.log.record.RecordBatchFlyweight;
import io.cordwood.log.record.RecordReader;
import io.cordwood.log.record.Refusal;
import io.cordwood.log.store.DiskStorage;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.agrona.concurrent.UnsafeBuffer;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Append, read, roll, shrink, close and open again, on both stores of the real disk. */
final class LogTest {
    private static final long NOW = 1_700_000_000_000L;
    private static final AppendAs CLIENT = AppendAs.client(0);

    @TempDir
    Path root;

    private LogBuilder builder(final DiskStorage storage, final boolean mapped, final Map<String, String> properties) {
        final LogBuilder builder = new LogBuilder(storage, "t-0").config(LogConfig.of(properties));
        return mapped ? builder.mapped() : builder;
    }

    private static long append(final Log log, final UnsafeBuffer batch, final AppendAs as) {
        return log.append(batch, 0, batch.capacity(), as, NOW);
    }

    /** All values from an offset on, as "offset=value". */
    static List<String> values(final Log log, final long from) {
        final List<String> values = new ArrayList<>();
        try (LogReader reader = log.newReader();
                RecordReader records = new RecordReader(Codecs.standard(), 1 << 20)) {
            long offset = from;
            for (long bytes = reader.read(offset, Long.MAX_VALUE, 1000);
                    bytes > 0;
                    bytes = reader.read(offset, Long.MAX_VALUE, 1000)) {
                for (int index = 0; index < bytes; ) {
                    final RecordBatchFlyweight batch = new RecordBatchFlyweight().wrap(reader.buffer(), index);
                    records.wrap(batch);
                    while (records.next()) {
                        final byte[] value = new byte[records.record().valueLength()];
                        records.record().buffer().getBytes(records.record().valueIndex(), value);
                        if (records.record().offset() >= from) {
                            values.add(records.record().offset() + "=" + new String(value, StandardCharsets.UTF_8));
                        }
                    }
                    index += batch.sizeInBytes();
                }
                offset = reader.nextOffset();
            }
        }
        return values;
    }

    @ParameterizedTest
    @ValueSource(booleans = {false, true})
    void appendedRecordsAreReadBackAlsoAfterReopening(final boolean mapped) {
        try (DiskStorage storage = new DiskStorage(root)) {
            final Map<String, String> small = Map.of("segment.bytes", "300");
            final List<String> expected = new ArrayList<>();
            try (Log log = builder(storage, mapped, small).open(NOW)) {
                for (int i = 0; i < 20; i++) {
                    assertEquals(2L * i, append(log, batch(NOW + i, "a" + i, "b" + i), CLIENT));
                    expected.add(2 * i + "=a" + i);
                    expected.add(2 * i + 1 + "=b" + i);
                    assertEquals(2L * i + 2, log.endOffset());
                }
                assertTrue(log.segmentCount() > 4, "segments " + log.segmentCount());
                assertEquals(expected, values(log, 0));
                assertEquals(expected.subList(7, 40), values(log, 7));
            }
            try (Log log = builder(storage, mapped, small).recoveryPoint(40).open(NOW)) {
                assertEquals(expected, values(log, 0));
                assertEquals(
                        List.of(),
                        log.recovery().acts().stream()
                                .filter(act -> !act.contains("built anew"))
                                .toList());
                assertEquals(40, append(log, batch(NOW, "c"), CLIENT));
                expected.add("40=c");
                assertEquals(expected, values(log, 0));
                log.closeUncleanly();
            }
            try (Log log = builder(storage, mapped, small).open(NOW)) {
                assertEquals(expected, values(log, 0));
                assertEquals(41, log.endOffset());
            }
        }
    }

    @ParameterizedTest
    @ValueSource(booleans = {false, true})
    void gatheredRunsAreInvisibleUntilPublished(final boolean mapped) {
        try (DiskStorage storage = new DiskStorage(root);
                Log log = builder(storage, mapped, Map.of()).open(NOW)) {
            final UnsafeBuffer one = run(batch(NOW, "x"), batch(NOW, "y"));
            assertEquals(0, log.gather(one, 0, one.capacity(), CLIENT, NOW));
            assertEquals(2, log.gather(one, 0, one.capacity(), CLIENT, NOW));
            assertEquals(0, log.endOffset());
            assertEquals(List.of(), values(log, 0));
            assertEquals(4, log.publish());
            assertEquals(List.of("0=x", "1=y", "2=x", "3=y"), values(log, 0));
        }
    }

    @ParameterizedTest
    @ValueSource(booleans = {false, true})
    void aLeadersRunKeepsOffsetsAndEpochs(final boolean mapped) {
        try (DiskStorage storage = new DiskStorage(root);
                Log log = builder(storage, mapped, Map.of()).open(NOW)) {
            final UnsafeBuffer fetched = run(at(5, 3, batch(NOW, "x")), at(9, 4, batch(NOW, "y", "z")));
            assertEquals(5, append(log, fetched, AppendAs.replica()));
            assertEquals(11, log.endOffset());
            assertEquals(List.of("5=x", "9=y", "10=z"), values(log, 0));
            assertEquals(4, log.leaderEpochs().latestEpoch());
            assertEquals(Refusal.OFFSETS_OUT_OF_ORDER, append(log, at(10, 4, batch(NOW, "q")), AppendAs.replica()));
            assertEquals(Refusal.FENCED_LEADER_EPOCH, append(log, batch(NOW, "q"), AppendAs.client(3)));
            assertEquals(11, append(log, batch(NOW, "q"), AppendAs.client(4)));
        }
    }

    @ParameterizedTest
    @ValueSource(booleans = {false, true})
    void aRefusedRunLeavesTheLogAsItWas(final boolean mapped) throws Exception {
        try (DiskStorage storage = new DiskStorage(root);
                Log log = builder(storage, mapped, Map.of()).open(NOW)) {
            append(log, batch(NOW, "x"), CLIENT);
            final byte[] before = content(log);
            final UnsafeBuffer run = run(batch(NOW, "good"), batch(NOW, "bad"));
            run.putByte(run.capacity() - 2, (byte) ~run.getByte(run.capacity() - 2));
            assertEquals(Refusal.CORRUPT_BATCH, append(log, run, CLIENT));
            assertTrue(log.refusalReason().contains("CRC"), log.refusalReason());
            assertEquals(1, log.endOffset());
            assertArrayEquals(before, content(log));
            assertEquals(1, append(log, batch(NOW, "y"), CLIENT));
            assertEquals(List.of("0=x", "1=y"), values(log, 0));
        }
    }

    private byte[] content(final Log log) throws Exception {
        final byte[] all = Files.readAllBytes(root.resolve("t-0/00000000000000000000.log"));
        return java.util.Arrays.copyOf(all, (int) log.sizeInBytes());
    }

    @ParameterizedTest
    @ValueSource(booleans = {false, true})
    void aClaimIsEncodedInPlace(final boolean mapped) {
        try (DiskStorage storage = new DiskStorage(root);
                Log log = builder(storage, mapped, Map.of()).open(NOW)) {
            append(log, batch(NOW, "x"), CLIENT);
            final UnsafeBuffer view = new UnsafeBuffer(0, 0);
            assertEquals(Refusal.ACCEPTED, log.claim(500, view, NOW));
            log.abort();
            assertEquals(Refusal.ACCEPTED, log.claim(500, view, NOW));
            final BatchBuilder builder = new BatchBuilder(Codecs.standard()).wrap(view, 0, 500);
            final UnsafeBuffer value = new UnsafeBuffer("in place".getBytes(StandardCharsets.UTF_8));
            assertTrue(builder.append(NOW, null, 0, -1, value, 0, value.capacity(), null));
            assertEquals(1, log.commit(builder.finish(), AppendAs.coordinator(0), NOW));
            assertEquals(2, log.publish());
            assertEquals(2, append(log, batch(NOW, "y"), CLIENT));
            assertEquals(List.of("0=x", "1=in place", "2=y"), values(log, 0));
        }
    }

    @ParameterizedTest
    @ValueSource(booleans = {false, true})
    void truncationTakesBackBatchesAndEpochs(final boolean mapped) {
        final Map<String, String> small = Map.of("segment.bytes", "200");
        try (DiskStorage storage = new DiskStorage(root)) {
            try (Log log = builder(storage, mapped, small).open(NOW)) {
                for (int i = 0; i < 10; i++) {
                    append(log, batch(NOW, "v" + i), AppendAs.client(i / 4));
                }
                log.flush();
                assertEquals(10, log.flushedOffset());
                assertEquals(5, log.truncateTo(5, NOW));
                assertEquals(5, log.flushedOffset());
                assertEquals(List.of("0=v0", "1=v1", "2=v2", "3=v3", "4=v4"), values(log, 0));
                assertEquals(1, log.leaderEpochs().latestEpoch());
                assertEquals(4, log.truncateTo(4, NOW));
                assertEquals(0, log.leaderEpochs().latestEpoch());
                assertEquals(4, append(log, batch(NOW, "w"), AppendAs.client(7)));
                assertEquals(List.of("3=v3", "4=w"), values(log, 3));
            }
            try (Log log = builder(storage, mapped, small).open(NOW)) {
                assertEquals(List.of("0=v0", "1=v1", "2=v2", "3=v3", "4=w"), values(log, 0));
                assertEquals(100, log.truncateFullyAndStartAt(100, NOW));
                assertEquals(100, log.startOffset());
                assertEquals(100, append(log, batch(NOW, "n"), AppendAs.client(8)));
                assertEquals(List.of("100=n"), values(log, 100));
            }
            try (Log log = builder(storage, mapped, small).open(NOW)) {
                assertEquals(List.of("100=n"), values(log, 100));
            }
        }
    }

    @ParameterizedTest
    @ValueSource(booleans = {false, true})
    void aPrefixIsDeletedSegmentBySegment(final boolean mapped) {
        final Map<String, String> small = Map.of("segment.bytes", "200", "file.delete.delay.ms", "1000");
        try (DiskStorage storage = new DiskStorage(root);
                Log log = builder(storage, mapped, small).open(NOW)) {
            for (int i = 0; i < 10; i++) {
                append(log, batch(NOW, "v" + i), CLIENT);
            }
            final int segments = log.segmentCount();
            assertEquals(Refusal.OFFSET_OUT_OF_RANGE, log.deletePrefix(6, 5, NOW));
            assertEquals(5, log.deletePrefix(5, 10, NOW));
            assertTrue(log.segmentCount() < segments);
            assertEquals(List.of("5=v5", "6=v6", "7=v7", "8=v8", "9=v9"), values(log, 5));
            try (LogReader reader = log.newReader()) {
                assertEquals(Refusal.OFFSET_OUT_OF_RANGE, reader.read(4, Long.MAX_VALUE, 100));
            }
            assertTrue(storage.list("t-0").stream().anyMatch(file -> file.name().endsWith(".deleted")));
            log.doWork(NOW + 999);
            assertTrue(storage.list("t-0").stream().anyMatch(file -> file.name().endsWith(".deleted")));
            log.doWork(NOW + 1000);
            assertFalse(
                    storage.list("t-0").stream().anyMatch(file -> file.name().endsWith(".deleted")));
        }
    }

    @ParameterizedTest
    @ValueSource(booleans = {false, true})
    void offsetsAreFoundByTimestamp(final boolean mapped) {
        try (DiskStorage storage = new DiskStorage(root);
                Log log =
                        builder(storage, mapped, Map.of("segment.bytes", "300")).open(NOW);
                LogReader reader = log.newReader()) {
            for (int i = 0; i < 10; i++) {
                append(
                        log,
                        batch(CompressionType.NONE, new long[] {NOW + 100L * i, NOW + 100L * i + 50}, "a", "b"),
                        CLIENT);
            }
            assertEquals(0, reader.offsetForTimestamp(0, Long.MAX_VALUE));
            assertEquals(7, reader.offsetForTimestamp(NOW + 350, Long.MAX_VALUE));
            assertEquals(NOW + 350, reader.timestampFound());
            assertEquals(8, reader.offsetForTimestamp(NOW + 351, Long.MAX_VALUE));
            assertEquals(-1, reader.offsetForTimestamp(NOW + 351, 8));
            assertEquals(-1, reader.offsetForTimestamp(NOW + 951, Long.MAX_VALUE));
        }
    }

    @ParameterizedTest
    @ValueSource(booleans = {false, true})
    void appendTimeIsWrittenInPlace(final boolean mapped) {
        final Map<String, String> appendTime = Map.of("message.timestamp.type", "LogAppendTime");
        try (DiskStorage storage = new DiskStorage(root);
                Log log = builder(storage, mapped, appendTime).open(NOW);
                LogReader reader = log.newReader()) {
            append(log, batch(5, "x"), CLIENT);
            assertEquals(NOW, log.lastAppend().appendTimeMs());
            assertTrue(reader.read(0, Long.MAX_VALUE, 1000) > 0);
            assertTrue(reader.forEach(batch -> batch.maxTimestamp() == NOW));
        }
    }

    @ParameterizedTest
    @ValueSource(booleans = {false, true})
    void recordsAreBroughtIntoTheTopicsCodec(final boolean mapped) {
        final Map<String, String> zstd = Map.of("compression.type", "zstd");
        try (DiskStorage storage = new DiskStorage(root);
                Log log = builder(storage, mapped, zstd).open(NOW);
                LogReader reader = log.newReader()) {
            append(log, batch(CompressionType.LZ4, NOW, "x", "y"), CLIENT);
            assertEquals(List.of("0=x", "1=y"), values(log, 0));
            assertTrue(reader.read(0, Long.MAX_VALUE, 1000) > 0);
            assertTrue(reader.forEach(batch -> batch.codecId() == CompressionType.ZSTD.id()));
        }
    }
}
