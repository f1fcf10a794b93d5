package io.cordwood.simulation.model;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.cordwood.log.codec.Codecs;
import io.cordwood.log.codec.CompressionType;
import io.cordwood.log.record.BatchBuilder;
import io.cordwood.log.record.Crc32c;
import io.cordwood.log.record.RecordBatchDescriptor;
import io.cordwood.log.record.RecordBatchFlyweight;
import io.cordwood.log.record.RecordFlyweight;
import io.cordwood.log.record.RecordHeaders;
import io.cordwood.log.record.RecordReader;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Random;
import org.agrona.DirectBuffer;
import org.agrona.concurrent.UnsafeBuffer;
import org.jspecify.annotations.Nullable;

/** Batches of one codec beside the lists of records that they were made of. One builder and one reader, as a log has them. */
final class RecordsLife implements Life {
    private static final class Row {
        final long timestamp;
        final byte @Nullable [] key;
        final byte @Nullable [] value;
        final List<Map.Entry<String, byte[]>> headers;

        Row(
                final long timestamp,
                final byte @Nullable [] key,
                final byte @Nullable [] value,
                final List<Map.Entry<String, byte[]>> headers) {
            this.timestamp = timestamp;
            this.key = key;
            this.value = value;
            this.headers = headers;
        }
    }

    private final Random random;
    private final CompressionType codec;
    private final List<String> history = new ArrayList<>();
    private final BatchBuilder builder = new BatchBuilder(Codecs.standard());
    private final RecordReader reader = new RecordReader(Codecs.standard(), 1 << 20);
    private final RecordBatchFlyweight batch = new RecordBatchFlyweight();
    private final UnsafeBuffer memory = new UnsafeBuffer(new byte[1 << 15]);
    private final Crc32c crc = new Crc32c();

    RecordsLife(final long seed, final CompressionType codec) {
        random = new Random(seed);
        this.codec = codec;
    }

    @Override
    public List<String> history() {
        return history;
    }

    @Override
    public void step() {
        final int index = random.nextInt(64);
        final long producer = random.nextBoolean() ? -1 : random.nextLong() >>> 1;
        final short epoch = (short) (producer < 0 ? -1 : random.nextInt(Short.MAX_VALUE));
        final int sequence = producer < 0 ? -1 : random.nextInt(Integer.MAX_VALUE);
        final boolean isTransactional = producer >= 0 && random.nextBoolean();
        builder.wrap(memory, index, memory.capacity() - index)
                .compression(codec, CompressionType.DEFAULT_LEVEL)
                .producer(producer, epoch, sequence)
                .transactional(isTransactional);
        final List<Row> rows = new ArrayList<>();
        for (int left = 1 + random.nextInt(12); left > 0; left--) {
            rows.add(row());
            assertTrue(append(rows.get(rows.size() - 1)));
        }
        final int length = builder.finish();
        final long base = random.nextLong() >>> 2;
        RecordBatchDescriptor.putBaseOffset(memory, index, base);
        history.add(rows.size() + " records in " + length + " bytes");

        batch.wrap(memory, index);
        assertEquals(length, batch.sizeInBytes());
        assertTrue(batch.isCrcValid(crc));
        assertEquals(rows.size(), batch.recordCount());
        assertEquals(base + rows.size() - 1, batch.lastOffset());
        assertEquals(producer, batch.producerId());
        assertEquals(epoch, batch.producerEpoch());
        assertEquals(sequence, batch.baseSequence());
        assertEquals(isTransactional, batch.isTransactional());
        assertEquals(rows.stream().mapToLong(row -> row.timestamp).max().orElse(-1), batch.maxTimestamp());
        reader.wrap(batch);
        for (int i = 0; i < rows.size(); i++) {
            assertTrue(reader.next());
            assertEquals(base + i, reader.record().offset());
            agree(rows.get(i), reader.record());
        }
        assertFalse(reader.next());
    }

    private Row row() {
        final List<Map.Entry<String, byte[]>> headers = new ArrayList<>();
        for (int left = random.nextInt(4) == 0 ? random.nextInt(5) : 0; left > 0; left--) {
            headers.add(Map.entry("hé" + random.nextInt(3), bytes(random.nextInt(20))));
        }
        return new Row(
                1_700_000_000_000L + (long) (random.nextGaussian() * 1e6),
                random.nextInt(3) == 0 ? null : bytes(random.nextInt(30)),
                random.nextInt(8) == 0 ? null : bytes(random.nextInt(random.nextInt(10) == 0 ? 2000 : 100)),
                headers);
    }

    private byte[] bytes(final int length) {
        final byte[] bytes = new byte[length];
        if (random.nextBoolean()) {
            random.nextBytes(bytes);
        }
        return bytes;
    }

    private boolean append(final Row row) {
        final RecordHeaders headers = row.headers.isEmpty() ? null : new RecordHeaders();
        if (headers != null) {
            row.headers.forEach(header -> headers.add(header.getKey(), header.getValue()));
        }
        final byte[] key = row.key;
        final byte[] value = row.value;
        return builder.append(
                row.timestamp,
                key == null ? null : new UnsafeBuffer(key),
                0,
                key == null ? -1 : key.length,
                value == null ? null : new UnsafeBuffer(value),
                0,
                value == null ? -1 : value.length,
                headers);
    }

    private static void agree(final Row row, final RecordFlyweight record) {
        assertEquals(row.timestamp, record.timestamp());
        assertArrayEquals(row.key, bytes(record.buffer(), record.keyIndex(), record.keyLength()));
        assertArrayEquals(row.value, bytes(record.buffer(), record.valueIndex(), record.valueLength()));
        assertEquals(row.headers.size(), record.headerCount());
        record.rewindHeaders();
        for (final Map.Entry<String, byte[]> header : row.headers) {
            assertTrue(record.nextHeader());
            assertArrayEquals(
                    header.getKey().getBytes(StandardCharsets.UTF_8),
                    bytes(record.buffer(), record.headerNameIndex(), record.headerNameLength()));
            assertArrayEquals(
                    header.getValue(), bytes(record.buffer(), record.headerValueIndex(), record.headerValueLength()));
        }
        assertFalse(record.nextHeader());
    }

    private static byte @Nullable [] bytes(final DirectBuffer buffer, final int index, final int length) {
        if (length < 0) {
            return null;
        }
        final byte[] bytes = new byte[length];
        buffer.getBytes(index, bytes);
        return bytes;
    }

    @Override
    public void close() {
        reader.close();
    }
}
