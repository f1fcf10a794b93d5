package io.cordwood.log;

import static io.cordwood.log.TestBatches.batch;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.cordwood.log.codec.Codecs;
import io.cordwood.log.codec.CompressionType;
import io.cordwood.log.record.BatchBuilder;
import io.cordwood.log.record.RecordBatchDescriptor;
import io.cordwood.log.record.RecordBatchFlyweight;
import io.cordwood.log.record.RecordReader;
import io.cordwood.log.record.Refusal;
import io.cordwood.log.store.DiskStorage;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.Map;
import org.agrona.concurrent.UnsafeBuffer;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Batches that are encoded into the log's own memory are the topic's batches like any other. */
class ClaimTest {
    private static final long NOW = 1_700_000_000_000L;

    @TempDir
    private Path root;

    private final UnsafeBuffer view = new UnsafeBuffer(0, 0);

    private Log open(final DiskStorage storage, final boolean mapped, final Map<String, String> topic) {
        final LogBuilder builder = new LogBuilder(storage, "t-0").config(LogConfig.of(topic));
        return (mapped ? builder.mapped() : builder).open(NOW);
    }

    @ParameterizedTest
    @ValueSource(booleans = {false, true})
    void nothingIsClaimedBehindTheLargestOffset(final boolean mapped) {
        try (DiskStorage storage = new DiskStorage(root);
                Log log = open(storage, mapped, Map.of())) {
            log.truncateFullyAndStartAt(LogFiles.BASE_MAX, NOW);
            final UnsafeBuffer encoded = batch(CompressionType.NONE, NOW, "v");
            assertEquals(LogFiles.BASE_MAX, log.append(encoded, 0, encoded.capacity(), AppendAs.client(0), NOW));
            final long bytes = log.sizeInBytes();
            assertEquals(Refusal.OFFSET_OUT_OF_RANGE, log.claim(encoded.capacity(), view, NOW));
            assertEquals(bytes, log.sizeInBytes());
            assertEquals(1, log.segmentCount());
            assertEquals(LogFiles.BASE_MAX + 1, log.endOffset());
        }
    }

    @ParameterizedTest
    @CsvSource({
        "zstd, NONE, 4, false",
        "zstd, NONE, 4, true",
        "zstd, ZSTD, 4, false",
        "uncompressed, ZSTD, 0, false",
        "uncompressed, ZSTD, 0, true",
        "producer, GZIP, 1, false"
    })
    void aCommittedBatchGetsTheCodecOfTheTopic(
            final String topicType, final CompressionType type, final int codecId, final boolean mapped) {
        final String value = "the same again; ".repeat(100);
        try (DiskStorage storage = new DiskStorage(root);
                Log log = open(storage, mapped, Map.of("compression.type", topicType, "segment.bytes", "4000"));
                LogReader reader = log.newReader();
                RecordReader records = new RecordReader(Codecs.standard(), 1 << 20)) {
            for (int offset = 0; offset < 5; offset++) {
                final UnsafeBuffer encoded = batch(type, NOW, value);
                assertEquals(Refusal.ACCEPTED, log.claim(encoded.capacity(), view, NOW));
                view.putBytes(0, encoded, 0, encoded.capacity());
                assertEquals(
                        offset,
                        log.commit(encoded.capacity(), AppendAs.coordinator(0), NOW),
                        () -> log.refusalReason());
                assertEquals(offset + 1, log.publish());
            }
            for (int offset = 0; offset < 5; offset++) {
                assertTrue(reader.read(offset, Long.MAX_VALUE, 1) > 0);
                final RecordBatchFlyweight batch = new RecordBatchFlyweight().wrap(reader.buffer(), 0);
                assertEquals(codecId, batch.codecId());
                assertEquals(offset, batch.baseOffset());
                assertTrue(records.wrap(batch).next());
                assertEquals(value.length(), records.record().valueLength());
            }
            // A batch of 1.7 KB three times over does not fit a segment, though what was claimed would have.
            assertEquals(codecId == 0, log.segmentCount() > 1);
        }
    }

    @Test
    void aClaimRollsByTheTimeOfItsBatch() {
        try (DiskStorage storage = new DiskStorage(root);
                Log log = open(storage, false, Map.of("segment.ms", "1000"))) {
            final UnsafeBuffer first = batch(NOW, "x");
            log.append(first, 0, first.capacity(), AppendAs.client(0), NOW);
            log.publish();
            assertEquals(Refusal.ACCEPTED, log.claim(500, view, NOW + 1000, NOW + 5000));
            log.abort();
            assertEquals(1, log.segmentCount());
            assertEquals(Refusal.ACCEPTED, log.claim(500, view, NOW + 1001, NOW));
            log.abort();
            assertEquals(2, log.segmentCount());
        }
    }

    @Test
    void anUnknownCodecIsRefusedAndTheClaimGivenBack() {
        try (DiskStorage storage = new DiskStorage(root);
                Log log = open(storage, false, Map.of("compression.type", "zstd"))) {
            final UnsafeBuffer encoded = batch(NOW, "x");
            assertEquals(Refusal.ACCEPTED, log.claim(encoded.capacity(), view, NOW));
            view.putBytes(0, encoded, 0, encoded.capacity());
            view.putByte(RecordBatchDescriptor.ATTRIBUTES_OFFSET + 1, (byte) 6);
            assertEquals(Refusal.UNSUPPORTED_CODEC, log.commit(encoded.capacity(), AppendAs.coordinator(0), NOW));
            assertEquals(0, log.append(encoded, 0, encoded.capacity(), AppendAs.client(0), NOW));
        }
    }

    @Test
    void aClaimIsNotForABatchThatKeepsItsOffsets() {
        try (DiskStorage storage = new DiskStorage(root);
                Log log = open(storage, false, Map.of())) {
            assertEquals(Refusal.ACCEPTED, log.claim(500, view, NOW));
            final BatchBuilder builder = new BatchBuilder(Codecs.standard()).wrap(view, 0, view.capacity());
            final UnsafeBuffer value = new UnsafeBuffer("x".getBytes(StandardCharsets.UTF_8));
            assertTrue(builder.append(NOW, null, 0, -1, value, 0, value.capacity(), null));
            final int size = builder.finish();
            assertThrows(IllegalArgumentException.class, () -> log.commit(size, AppendAs.replica(), NOW));
            assertEquals(0, log.commit(size, AppendAs.coordinator(0), NOW));
        }
    }
}
