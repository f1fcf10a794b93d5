package io.cordwood.log.record;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.cordwood.log.codec.Codecs;
import io.cordwood.log.codec.CompressionType;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import org.agrona.concurrent.UnsafeBuffer;
import org.apache.kafka.common.compress.Compression;
import org.apache.kafka.common.header.Header;
import org.apache.kafka.common.header.internals.RecordHeader;
import org.apache.kafka.common.record.internal.ControlRecordType;
import org.apache.kafka.common.record.internal.DefaultRecordBatch;
import org.apache.kafka.common.record.internal.EndTransactionMarker;
import org.apache.kafka.common.record.internal.MemoryRecords;
import org.apache.kafka.common.record.internal.MemoryRecordsBuilder;
import org.apache.kafka.common.record.internal.Record;
import org.apache.kafka.common.record.internal.RecordBatch;
import org.apache.kafka.common.record.internal.SimpleRecord;
import org.apache.kafka.common.utils.internals.ByteBufferOutputStream;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** Our batches beside those that Kafka makes of the same records. */
@Tag("oracle")
class BatchBuilderOracleTest {
    private static final int CAPACITY = 1 << 20;
    private static final long SEED = 20_261_130L;

    private final BatchBuilder builder = new BatchBuilder(Codecs.standard());
    private final UnsafeBuffer buffer = new UnsafeBuffer(ByteBuffer.allocateDirect(CAPACITY));

    @Test
    void uncompressedBatchesHaveKafkasBytes() {
        final Random random = new Random(SEED);
        for (int round = 0; round < 500; round++) {
            final List<SimpleRecord> records = randomRecords(random, 1 + random.nextInt(20));
            final long producerId = random.nextBoolean() ? random.nextLong() >>> 1 : -1;
            final short epoch = (short) (producerId < 0 ? -1 : random.nextInt(1 << 15));
            final int sequence = producerId < 0 ? -1 : random.nextInt() >>> 1;
            final boolean isTransactional = producerId >= 0 && random.nextBoolean();
            final boolean isAppendTime = random.nextInt(4) == 0;
            final long horizon = random.nextInt(4) == 0 ? 1_800_000_000_000L : -1;
            final MemoryRecordsBuilder kafka = new MemoryRecordsBuilder(
                    new ByteBufferOutputStream(CAPACITY),
                    RecordBatch.MAGIC_VALUE_V2,
                    Compression.none().build(),
                    isAppendTime
                            ? org.apache.kafka.common.record.TimestampType.LOG_APPEND_TIME
                            : org.apache.kafka.common.record.TimestampType.CREATE_TIME,
                    0,
                    Batches.NOW_MS,
                    producerId,
                    epoch,
                    sequence,
                    isTransactional,
                    false,
                    -1,
                    CAPACITY,
                    horizon);
            records.forEach(kafka::append);
            builder.wrap(buffer, 7, CAPACITY - 7)
                    .producer(producerId, epoch, sequence)
                    .transactional(isTransactional)
                    .deleteHorizon(horizon)
                    .appendTime(isAppendTime ? Batches.NOW_MS : -1);
            appendAll(records);
            final int size = builder.finish();
            assertArrayEquals(
                    bytes(kafka.build().buffer()), Batches.bytes(buffer, 7, size), "seed " + SEED + " round " + round);
        }
    }

    @ParameterizedTest
    @EnumSource
    void kafkaReadsWhatWeCompress(final CompressionType type) {
        final Random random = new Random(SEED);
        for (int round = 0; round < 50; round++) {
            final List<SimpleRecord> records = randomRecords(random, 1 + random.nextInt(40));
            builder.wrap(buffer, 0, CAPACITY).compression(type, CompressionType.DEFAULT_LEVEL);
            appendAll(records);
            final int size = builder.finish();
            final MemoryRecords read = MemoryRecords.readableRecords(ByteBuffer.wrap(Batches.bytes(buffer, 0, size)));
            final RecordBatch batch = read.batches().iterator().next();
            batch.ensureValid();
            assertEquals(type.codecName(), batch.compressionType().name);
            int i = 0;
            for (final Record record : batch) {
                assertEquals(i, record.offset());
                assertEquals(records.get(i++), new SimpleRecord(record));
            }
            assertEquals(records.size(), i);
        }
    }

    @ParameterizedTest
    @EnumSource
    void weReadWhatKafkaCompresses(final CompressionType type) {
        final Random random = new Random(SEED);
        final RecordReader reader = new RecordReader(Codecs.standard(), CAPACITY * 4);
        for (int round = 0; round < 50; round++) {
            final List<SimpleRecord> records = randomRecords(random, 1 + random.nextInt(40));
            final MemoryRecords kafka = MemoryRecords.withRecords(
                    Compression.of(type.codecName()).build(), records.toArray(new SimpleRecord[0]));
            reader.wrap(new RecordBatchFlyweight().wrap(new UnsafeBuffer(kafka.buffer()), 0));
            for (final SimpleRecord expected : records) {
                assertTrue(reader.next());
                assertEquals(expected, simple(reader.record()));
            }
            assertEquals(false, reader.next());
        }
    }

    @Test
    void aMarkerIsKafkas() {
        for (final boolean isCommit : new boolean[] {true, false}) {
            final MemoryRecords kafka = MemoryRecords.withEndTransactionMarker(
                    0,
                    Batches.NOW_MS,
                    -1,
                    77,
                    (short) 3,
                    new EndTransactionMarker(isCommit ? ControlRecordType.COMMIT : ControlRecordType.ABORT, 9));
            builder.wrap(buffer, 0, ControlRecord.MARKER_BATCH_BYTES)
                    .producer(77, (short) 3, RecordBatchDescriptor.NO_SEQUENCE)
                    .transactional(true)
                    .control(true);
            assertTrue(new ControlRecord().appendMarker(builder, Batches.NOW_MS, isCommit, 9));
            assertEquals(ControlRecord.MARKER_BATCH_BYTES, builder.finish());
            assertArrayEquals(bytes(kafka.buffer()), Batches.bytes(buffer, 0, ControlRecord.MARKER_BATCH_BYTES));
        }
    }

    @Test
    void anEmptyBatchIsKafkas() {
        builder.wrap(buffer, 0, CAPACITY).producer(5, (short) 2, 40).transactional(true);
        appendAll(randomRecords(new Random(SEED), 4));
        final RecordBatchFlyweight full = new RecordBatchFlyweight().wrap(Batches.cut(buffer, builder.finish()), 0);
        builder.wrap(buffer, 0, 61).like(full).deleteHorizon(99);
        assertEquals(61, builder.finishEmpty(full));
        final ByteBuffer kafka = ByteBuffer.allocate(61);
        DefaultRecordBatch.writeEmptyHeader(
                kafka,
                (byte) 2,
                5,
                (short) 2,
                40,
                0,
                3,
                -1,
                org.apache.kafka.common.record.TimestampType.CREATE_TIME,
                full.maxTimestamp(),
                true,
                false);
        assertArrayEquals(kafka.array(), Batches.bytes(buffer, 0, 61));
    }

    private void appendAll(final List<SimpleRecord> records) {
        final RecordHeaders headers = new RecordHeaders();
        for (final SimpleRecord record : records) {
            headers.clear();
            for (final Header header : record.headers()) {
                headers.add(header.key(), header.value());
            }
            assertTrue(
                    Batches.append(builder, record.timestamp(), bytes(record.key()), bytes(record.value()), headers));
        }
    }

    private static SimpleRecord simple(final RecordFlyweight record) {
        final List<Header> headers = new ArrayList<>();
        while (record.nextHeader()) {
            headers.add(new RecordHeader(
                    new String(
                            copy(record, record.headerNameIndex(), record.headerNameLength()),
                            java.nio.charset.StandardCharsets.UTF_8),
                    copy(record, record.headerValueIndex(), record.headerValueLength())));
        }
        return new SimpleRecord(
                record.timestamp(),
                copy(record, record.keyIndex(), record.keyLength()),
                copy(record, record.valueIndex(), record.valueLength()),
                headers.toArray(new Header[0]));
    }

    private static byte @Nullable [] copy(final RecordFlyweight record, final int index, final int length) {
        return length < 0 ? null : Batches.bytes(record.buffer(), index, length);
    }

    private static byte @Nullable [] bytes(final @Nullable ByteBuffer buffer) {
        if (buffer == null) {
            return null;
        }
        final byte[] bytes = new byte[buffer.remaining()];
        buffer.duplicate().get(bytes);
        return bytes;
    }

    static List<SimpleRecord> randomRecords(final Random random, final int count) {
        final List<SimpleRecord> records = new ArrayList<>();
        final long base = random.nextInt(10) == 0 ? 0 : Batches.NOW_MS;
        for (int i = 0; i < count; i++) {
            final Header[] headers = new Header[random.nextInt(3) == 0 ? random.nextInt(4) : 0];
            for (int h = 0; h < headers.length; h++) {
                headers[h] = new RecordHeader("näme" + random.nextInt(3), randomBytes(random, 70));
            }
            final long timestamp = random.nextInt(20) == 0 ? -1 : base + random.nextInt(1 << random.nextInt(31));
            records.add(new SimpleRecord(timestamp, randomBytes(random, 100), randomBytes(random, 3000), headers));
        }
        return records;
    }

    private static byte @Nullable [] randomBytes(final Random random, final int bound) {
        if (random.nextInt(6) == 0) {
            return null;
        }
        final byte[] bytes = new byte[random.nextInt(3) == 0 ? random.nextInt(3) : random.nextInt(bound)];
        if (random.nextBoolean()) {
            random.nextBytes(bytes);
        }
        return bytes;
    }
}
