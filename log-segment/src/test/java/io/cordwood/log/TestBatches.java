package io.cordwood.log;

import io.cordwood.log.codec.Codecs;
import io.cordwood.log.codec.CompressionType;
import io.cordwood.log.record.BatchBuilder;
import io.cordwood.log.record.Crc32c;
import io.cordwood.log.record.RecordBatchDescriptor;
import io.cordwood.log.record.RecordBatchFlyweight;
import java.nio.charset.StandardCharsets;
import org.agrona.concurrent.UnsafeBuffer;

/** Batches for tests, encoded by the production builder. */
public final class TestBatches {
    private TestBatches() {}

    /** One uncompressed batch whose record i has the value i and the given timestamp. */
    public static UnsafeBuffer batch(final long timestamp, final String... values) {
        return batch(CompressionType.NONE, timestamp, values);
    }

    /** One batch whose records have the given values and timestamp. */
    public static UnsafeBuffer batch(final CompressionType type, final long timestamp, final String... values) {
        final long[] timestamps = new long[values.length];
        java.util.Arrays.fill(timestamps, timestamp);
        return batch(type, timestamps, values);
    }

    /** One batch whose records have the given values and timestamps. */
    public static UnsafeBuffer batch(final CompressionType type, final long[] timestamps, final String... values) {
        int capacity = 256;
        for (final String value : values) {
            capacity += value.length() * 4 + 64;
        }
        final UnsafeBuffer buffer = new UnsafeBuffer(new byte[capacity]);
        final BatchBuilder builder = new BatchBuilder(Codecs.standard())
                .wrap(buffer, 0, capacity)
                .compression(type, CompressionType.DEFAULT_LEVEL);
        for (int i = 0; i < values.length; i++) {
            final UnsafeBuffer value = new UnsafeBuffer(values[i].getBytes(StandardCharsets.UTF_8));
            if (!builder.append(timestamps[i], null, 0, -1, value, 0, value.capacity(), null)) {
                throw new IllegalStateException("the buffer is too small");
            }
        }
        return new UnsafeBuffer(buffer, 0, builder.finish());
    }

    /** The same batch as a leader would send it: with its offset and epoch. */
    public static UnsafeBuffer at(final long baseOffset, final int epoch, final UnsafeBuffer batch) {
        final UnsafeBuffer copy = new UnsafeBuffer(new byte[batch.capacity()]);
        copy.putBytes(0, batch, 0, batch.capacity());
        RecordBatchDescriptor.putBaseOffset(copy, 0, baseOffset);
        RecordBatchDescriptor.putPartitionLeaderEpoch(copy, 0, epoch);
        return copy;
    }

    /** Several batches behind each other. */
    public static UnsafeBuffer run(final UnsafeBuffer... batches) {
        int length = 0;
        for (final UnsafeBuffer batch : batches) {
            length += batch.capacity();
        }
        final UnsafeBuffer run = new UnsafeBuffer(new byte[length]);
        int at = 0;
        for (final UnsafeBuffer batch : batches) {
            run.putBytes(at, batch, 0, batch.capacity());
            at += batch.capacity();
        }
        return run;
    }

    /** A batch that spans more offsets than it has records. */
    public static UnsafeBuffer spanning(final int lastOffsetDelta, final UnsafeBuffer batch) {
        batch.putInt(RecordBatchDescriptor.LAST_OFFSET_DELTA_OFFSET, lastOffsetDelta, java.nio.ByteOrder.BIG_ENDIAN);
        RecordBatchDescriptor.sealCrc(batch, 0, batch.capacity(), new Crc32c());
        return batch;
    }

    /** View on the batch at the start of a buffer. */
    public static RecordBatchFlyweight view(final UnsafeBuffer batch) {
        return new RecordBatchFlyweight().wrap(batch, 0);
    }
}
