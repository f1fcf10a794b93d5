package io.cordwood.index.oracle;

import io.cordwood.log.record.BatchBuilder;
import io.cordwood.log.record.RecordHeaders;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.List;
import java.util.SplittableRandom;
import org.agrona.MutableDirectBuffer;
import org.agrona.concurrent.UnsafeBuffer;
import org.apache.kafka.common.compress.Compression;
import org.apache.kafka.common.header.Header;
import org.apache.kafka.common.header.internals.RecordHeader;
import org.apache.kafka.common.record.TimestampType;
import org.apache.kafka.common.record.internal.CompressionType;
import org.apache.kafka.common.record.internal.MemoryRecords;
import org.apache.kafka.common.record.internal.MemoryRecordsBuilder;
import org.apache.kafka.common.record.internal.RecordBatch;
import org.apache.kafka.common.record.internal.SimpleRecord;
import org.jspecify.annotations.Nullable;

/**
 * One batch as a producer sends it, encoded by Kafka's own builder, and what a reader must find of it once a log has taken
 * it in. Drawn from a seeded source: every codec, one record or many, absent and empty keys and values, headers, records
 * out of order in time.
 */
final class ProducedBatch {
    private static final CompressionType[] CODECS = {
        CompressionType.NONE, CompressionType.GZIP, CompressionType.SNAPPY, CompressionType.LZ4, CompressionType.ZSTD
    };

    private final CompressionType codec;
    private final List<SimpleRecord> records;

    private ProducedBatch(final CompressionType codec, final List<SimpleRecord> records) {
        this.codec = codec;
        this.records = records;
    }

    /**
     * Draws a batch.
     *
     * @param random source of everything in it.
     * @param nowMs about which the timestamps lie.
     * @return the batch.
     */
    static ProducedBatch draw(final SplittableRandom random, final long nowMs) {
        final boolean isBig = random.nextInt(30) == 0;
        final int count = isBig || random.nextInt(4) == 0 ? 1 : 1 + random.nextInt(20);
        final int valueBytesMax = isBig ? 20_000 : 200;
        final List<SimpleRecord> records = new ArrayList<>();
        for (int i = 0; i < count; i++) {
            records.add(new SimpleRecord(
                    timestamp(random, nowMs), bytes(random, 40), bytes(random, valueBytesMax), headers(random)));
        }
        return new ProducedBatch(CODECS[random.nextInt(CODECS.length)], records);
    }

    private static long timestamp(final SplittableRandom random, final long nowMs) {
        return random.nextInt(100) == 0 ? RecordBatch.NO_TIMESTAMP : nowMs + random.nextLong(-60_000, 60_000);
    }

    private static byte @Nullable [] bytes(final SplittableRandom random, final int lengthMax) {
        if (random.nextInt(8) == 0) {
            return random.nextBoolean() ? null : new byte[0];
        }
        final byte[] bytes = new byte[random.nextInt(lengthMax)];
        if (random.nextBoolean()) {
            random.nextBytes(bytes);
        }
        return bytes;
    }

    private static Header[] headers(final SplittableRandom random) {
        final Header[] headers = new Header[random.nextInt(6) == 0 ? 1 + random.nextInt(3) : 0];
        for (int i = 0; i < headers.length; i++) {
            headers[i] = new RecordHeader(random.nextBoolean() ? "" : "h\u00e9" + random.nextInt(3), bytes(random, 20));
        }
        return headers;
    }

    int count() {
        return records.size();
    }

    CompressionType codec() {
        return codec;
    }

    /** The bytes that a producer sends: base offset 0, no leader epoch. */
    MemoryRecords sent() {
        return encoded(0, RecordBatch.NO_PARTITION_LEADER_EPOCH);
    }

    /** The bytes that a leader sends to its followers. */
    MemoryRecords encoded(final long baseOffset, final int epoch) {
        final ByteBuffer buffer = ByteBuffer.allocate(1024);
        final MemoryRecordsBuilder builder = MemoryRecords.builder(
                buffer,
                RecordBatch.CURRENT_MAGIC_VALUE,
                Compression.of(codec).build(),
                TimestampType.CREATE_TIME,
                baseOffset,
                RecordBatch.NO_TIMESTAMP,
                RecordBatch.NO_PRODUCER_ID,
                RecordBatch.NO_PRODUCER_EPOCH,
                RecordBatch.NO_SEQUENCE,
                false,
                epoch);
        try (builder) {
            records.forEach(builder::append);
        }
        return builder.build();
    }

    /**
     * The bytes as our own builder makes them.
     *
     * @param builder to use.
     * @param buffer to encode in, from index 0 on.
     * @return size of the batch.
     */
    int encodeWith(final BatchBuilder builder, final MutableDirectBuffer buffer) {
        builder.wrap(buffer, 0, buffer.capacity())
                .compression(
                        io.cordwood.log.codec.CompressionType.valueOf(codec.name()),
                        io.cordwood.log.codec.CompressionType.DEFAULT_LEVEL);
        final RecordHeaders headers = new RecordHeaders();
        for (final SimpleRecord record : records) {
            headers.clear();
            for (final Header header : record.headers()) {
                headers.add(header.key(), header.value());
            }
            final ByteBuffer key = record.key();
            final ByteBuffer value = record.value();
            final boolean fits = builder.append(
                    record.timestamp(),
                    key == null ? null : new UnsafeBuffer(key),
                    0,
                    key == null ? -1 : key.remaining(),
                    value == null ? null : new UnsafeBuffer(value),
                    0,
                    value == null ? -1 : value.remaining(),
                    headers);
            if (!fits) {
                throw new IllegalStateException("no room");
            }
        }
        return builder.finish();
    }

    /** Bytes that are enough for the batch in any encoding of ours, also while it grows. */
    int bytesMax() {
        int bytes = 1024;
        for (final SimpleRecord record : records) {
            bytes += 256;
            bytes += record.key() == null ? 0 : record.key().remaining();
            bytes += record.value() == null ? 0 : record.value().remaining();
        }
        return bytes;
    }

    /**
     * What a reader finds.
     *
     * @param baseOffset that the batch was given.
     * @param epoch of the leader that took it in.
     * @param appendTimeMs the log's own time for all records, or -1 to keep the producer's.
     * @return the records.
     */
    List<LogRecord> landed(final long baseOffset, final int epoch, final long appendTimeMs) {
        final List<LogRecord> landed = new ArrayList<>();
        for (final SimpleRecord record : records) {
            final List<String> headers = new ArrayList<>();
            for (final Header header : record.headers()) {
                headers.add(LogRecord.header(header.key(), header.value()));
            }
            landed.add(new LogRecord(
                    baseOffset + landed.size(),
                    epoch,
                    appendTimeMs >= 0 ? appendTimeMs : record.timestamp(),
                    LogRecord.hex(record.key()),
                    LogRecord.hex(record.value()),
                    headers));
        }
        return landed;
    }
}
