package io.cordwood.simulation.model;

import io.cordwood.log.codec.Codecs;
import io.cordwood.log.codec.CompressionType;
import io.cordwood.log.record.BatchBuilder;
import io.cordwood.log.record.RecordBatchDescriptor;
import java.nio.charset.StandardCharsets;
import org.agrona.concurrent.UnsafeBuffer;

/** One batch as the model knows it: its bytes as they must be in the file, and what is asked for. */
final class StoredBatch {
    private final long base;
    private final int epoch;
    private final byte[] bytes;
    private final long[] timestamps;

    private StoredBatch(final long base, final int epoch, final byte[] bytes, final long[] timestamps) {
        this.base = base;
        this.epoch = epoch;
        this.bytes = bytes;
        this.timestamps = timestamps;
    }

    long base() {
        return base;
    }

    int epoch() {
        return epoch;
    }

    byte[] bytes() {
        return bytes;
    }

    long[] timestamps() {
        return timestamps;
    }

    /** Encodes a batch whose records have the values {@code tag.0}, {@code tag.1}, … and offsets without gaps. */
    static StoredBatch encode(
            final long base, final int epoch, final CompressionType type, final long[] timestamps, final String tag) {
        final UnsafeBuffer buffer = new UnsafeBuffer(new byte[512 + timestamps.length * (tag.length() + 64)]);
        final BatchBuilder builder = new BatchBuilder(Codecs.standard())
                .wrap(buffer, 0, buffer.capacity())
                .compression(type, CompressionType.DEFAULT_LEVEL);
        fill(builder, timestamps, tag);
        final byte[] bytes = new byte[builder.finish()];
        buffer.getBytes(0, bytes);
        return new StoredBatch(0, -1, bytes, timestamps).at(base, epoch);
    }

    static void fill(final BatchBuilder builder, final long[] timestamps, final String tag) {
        for (int i = 0; i < timestamps.length; i++) {
            final UnsafeBuffer value = new UnsafeBuffer((tag + "." + i).getBytes(StandardCharsets.UTF_8));
            if (!builder.append(timestamps[i], null, 0, -1, value, 0, value.capacity(), null)) {
                throw new IllegalStateException("the buffer is too small");
            }
        }
    }

    StoredBatch at(final long newBase, final int newEpoch) {
        final byte[] copy = bytes.clone();
        final UnsafeBuffer buffer = new UnsafeBuffer(copy);
        RecordBatchDescriptor.putBaseOffset(buffer, 0, newBase);
        RecordBatchDescriptor.putPartitionLeaderEpoch(buffer, 0, newEpoch);
        return new StoredBatch(newBase, newEpoch, copy, timestamps);
    }

    int size() {
        return bytes.length;
    }

    long last() {
        return base + timestamps.length - 1;
    }

    long largestTimestamp() {
        long largest = -1;
        for (final long timestamp : timestamps) {
            largest = Math.max(largest, timestamp);
        }
        return largest;
    }
}
