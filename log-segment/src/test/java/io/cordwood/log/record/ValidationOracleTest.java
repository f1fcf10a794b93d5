package io.cordwood.log.record;

import static java.nio.ByteOrder.BIG_ENDIAN;
import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.cordwood.log.codec.CodecBuffer;
import io.cordwood.log.codec.Codecs;
import io.cordwood.log.codec.CompressionType;
import java.nio.ByteBuffer;
import java.util.List;
import java.util.Random;
import org.agrona.concurrent.UnsafeBuffer;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.compress.Compression;
import org.apache.kafka.common.record.internal.MemoryRecords;
import org.apache.kafka.common.record.internal.RecordBatch;
import org.apache.kafka.common.record.internal.SimpleRecord;
import org.apache.kafka.common.utils.Time;
import org.apache.kafka.common.utils.internals.BufferSupplier;
import org.apache.kafka.common.utils.internals.PrimitiveRef;
import org.apache.kafka.storage.internals.log.AppendOrigin;
import org.apache.kafka.storage.internals.log.LogValidator;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.xerial.snappy.SnappyError;

/** Our verdict on batches, and what is stored of them, beside those of Kafka's validator. */
@Tag("oracle")
class ValidationOracleTest {
    private static final long SEED = 20_261_130L;
    private static final List<CompressionType> TYPES = List.of(
            CompressionType.NONE,
            CompressionType.NONE,
            CompressionType.NONE,
            CompressionType.NONE,
            CompressionType.GZIP,
            CompressionType.SNAPPY,
            CompressionType.LZ4,
            CompressionType.ZSTD);
    private static final ValidationRules RULES =
            new ValidationRules(TimestampType.CREATE_TIME, 1_000_000, 1_000_000, true, 1 << 20, 1 << 22, false);

    private final BatchValidator validator = new BatchValidator(Codecs.standard());
    private final RecordBatchFlyweight batch = new RecordBatchFlyweight();

    @Test
    void whatKafkaRefusesWeRefuse() {
        final Random random = new Random(SEED);
        int refusals = 0;
        int acceptances = 0;
        for (int round = 0; round < 20_000; round++) {
            final CompressionType type = TYPES.get(random.nextInt(TYPES.size()));
            final UnsafeBuffer bytes = Batches.of(type, 1 + random.nextInt(3), random.nextInt(20));
            final int at = RecordBatchDescriptor.ATTRIBUTES_OFFSET
                    + random.nextInt(bytes.capacity() - RecordBatchDescriptor.ATTRIBUTES_OFFSET);
            bytes.putByte(at, (byte) (random.nextBoolean() ? random.nextInt() : bytes.getByte(at) ^ 1));
            Batches.seal(bytes);
            final String where = "seed " + SEED + " round " + round + " byte " + at + " of " + type + ": ";
            final boolean isAccepted = accepts(bytes);
            final Object kafka = kafka(bytes, Compression.of(typeOf(bytes)).build(), RULES);
            if (isAccepted) {
                assertTrue(kafka instanceof MemoryRecords, () -> where + kafka);
                assertArrayEquals(stored(bytes), array((MemoryRecords) kafka), where);
                acceptances++;
            } else {
                refusals++;
                assertTrue(kafka instanceof Throwable || isStricter(), () -> where + validator.reason());
            }
        }
        assertTrue(refusals > 5_000 && acceptances > 5_000, refusals + " refused, " + acceptances + " accepted");
    }

    /** Where our class comment says that we are stricter, or a codec checks a field that the library leaves alone. */
    private boolean isStricter() {
        final String reason = validator.reason();
        return reason.startsWith("corrupt snappy data: version")
                || reason.contains("offset delta")
                || reason.contains("length -")
                || (batch.codecId() != 0
                        && (reason.contains("bytes after the last header") || reason.contains("length")))
                || reason.contains("append time attribute")
                || reason.contains("delete horizon attribute")
                || reason.contains("producer epoch with a producer id")
                || reason.contains("producer id of a transaction")
                || reason.contains("timestamp ")
                || reason.contains("header count -");
    }

    private boolean accepts(final UnsafeBuffer bytes) {
        final long size = validator.header(bytes, 0, bytes.capacity());
        return size == bytes.capacity()
                && validator.records(batch.wrap(bytes, 0), RULES, Batches.NOW_MS) == Refusal.ACCEPTED;
    }

    /** What a log would store of an accepted batch at offset 100 in leader epoch 7. */
    private byte[] stored(final UnsafeBuffer bytes) {
        final UnsafeBuffer copy = Batches.cut(bytes, bytes.capacity());
        RecordBatchDescriptor.putBaseOffset(copy, 0, 100);
        RecordBatchDescriptor.putPartitionLeaderEpoch(copy, 0, 7);
        if (!validator.isMaxTimestampStored()) {
            RecordBatchDescriptor.putMaxTimestamp(copy, 0, validator.maxTimestamp());
            Batches.seal(copy);
        }
        return copy.byteArray();
    }

    private static String typeOf(final UnsafeBuffer bytes) {
        final CompressionType type =
                CompressionType.forId(bytes.getShort(RecordBatchDescriptor.ATTRIBUTES_OFFSET, BIG_ENDIAN) & 7);
        return type == null ? "none" : type.codecName();
    }

    private static Object kafka(final UnsafeBuffer bytes, final Compression target, final ValidationRules rules) {
        final MemoryRecords records =
                MemoryRecords.readableRecords(ByteBuffer.wrap(Batches.bytes(bytes, 0, bytes.capacity())));
        try {
            final RecordBatch first = records.batches().iterator().next();
            first.ensureValid();
            return new LogValidator(
                            records,
                            new TopicPartition("t", 0),
                            new StoppedTime(),
                            first.compressionType(),
                            target,
                            rules.keysRequired(),
                            RecordBatch.MAGIC_VALUE_V2,
                            rules.timestampType() == TimestampType.LOG_APPEND_TIME
                                    ? org.apache.kafka.common.record.TimestampType.LOG_APPEND_TIME
                                    : org.apache.kafka.common.record.TimestampType.CREATE_TIME,
                            rules.timestampBeforeMaxMs(),
                            rules.timestampAfterMaxMs(),
                            7,
                            AppendOrigin.CLIENT)
                    .validateMessagesAndAssignOffsets(
                            PrimitiveRef.ofLong(100), new NoMetrics(), BufferSupplier.NO_CACHING)
                    .validatedRecords();
        } catch (final RuntimeException | SnappyError refused) {
            return refused;
        }
    }

    private static byte[] array(final MemoryRecords records) {
        final byte[] bytes = new byte[records.sizeInBytes()];
        records.buffer().duplicate().get(bytes);
        return bytes;
    }

    @ParameterizedTest
    @CsvSource({"NONE,ZSTD", "GZIP,NONE", "SNAPPY,NONE", "LZ4,NONE", "ZSTD,NONE", "LZ4,ZSTD", "ZSTD,GZIP"})
    void recompressionKeepsWhatKafkaKeeps(final CompressionType from, final CompressionType to) {
        final UnsafeBuffer bytes = Batches.of(from, 20, 300);
        final CodecBuffer target = new CodecBuffer(1 << 20);
        new BatchConverter(Codecs.standard(), 1 << 20)
                .convert(batch.wrap(bytes, 0), to, CompressionType.DEFAULT_LEVEL, target);
        final UnsafeBuffer ours = Batches.cut(target.buffer(), target.length());
        RecordBatchDescriptor.putBaseOffset(ours, 0, 100);
        RecordBatchDescriptor.putPartitionLeaderEpoch(ours, 0, 7);
        final Object kafka = kafka(bytes, Compression.of(to.codecName()).build(), RULES);
        final byte[] kafkas = array((MemoryRecords) kafka);
        if (to == CompressionType.NONE) {
            assertArrayEquals(kafkas, ours.byteArray());
        }
        assertEquals(
                List.of(header(kafkas), records(kafkas)), List.of(header(ours.byteArray()), records(ours.byteArray())));
    }

    /** The header without length and CRC, which depend on how well a library compresses. */
    private static List<Byte> header(final byte[] batch) {
        final List<Byte> fields = new java.util.ArrayList<>();
        for (int i = 0; i < RecordBatchDescriptor.HEADER_BYTES; i++) {
            if (i < 8 || (i >= 12 && i < 17) || i >= RecordBatchDescriptor.ATTRIBUTES_OFFSET) {
                fields.add(batch[i]);
            }
        }
        return fields;
    }

    private static List<SimpleRecord> records(final byte[] batch) {
        final List<SimpleRecord> records = new java.util.ArrayList<>();
        MemoryRecords.readableRecords(ByteBuffer.wrap(batch))
                .records()
                .forEach(record -> records.add(new SimpleRecord(record)));
        return records;
    }

    @Test
    void appendTimeIsPutAsKafkaPutsIt() {
        final ValidationRules appendTime =
                new ValidationRules(TimestampType.LOG_APPEND_TIME, 1, 1, false, 1 << 20, 1 << 20, false);
        for (final CompressionType type : CompressionType.values()) {
            final UnsafeBuffer bytes = Batches.of(type, 5, 100);
            final Object kafka = kafka(bytes, Compression.of(type.codecName()).build(), appendTime);
            RecordBatchDescriptor.putBaseOffset(bytes, 0, 100);
            RecordBatchDescriptor.putPartitionLeaderEpoch(bytes, 0, 7);
            RecordBatchDescriptor.putLogAppendTime(bytes, 0, Batches.NOW_MS);
            assertArrayEquals(array((MemoryRecords) kafka), Batches.seal(bytes).byteArray(), type.codecName());
        }
    }

    private static final class StoppedTime implements Time {
        @Override
        public long milliseconds() {
            return Batches.NOW_MS;
        }

        @Override
        public long nanoseconds() {
            return 0;
        }

        @Override
        public void sleep(final long ms) {
            throw new AssertionError("nobody sleeps here");
        }
    }

    private static final class NoMetrics implements LogValidator.MetricsRecorder {
        @Override
        public void recordInvalidMagic() {}

        @Override
        public void recordInvalidOffset() {}

        @Override
        public void recordInvalidSequence() {}

        @Override
        public void recordInvalidChecksums() {}

        @Override
        public void recordNoKeyCompactedTopic() {}
    }
}
