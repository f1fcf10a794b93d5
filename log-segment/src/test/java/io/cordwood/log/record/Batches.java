package io.cordwood.log.record;

import static io.cordwood.log.record.RecordBatchDescriptor.HEADER_BYTES;
import static java.nio.ByteOrder.BIG_ENDIAN;
import static java.nio.charset.StandardCharsets.UTF_8;

import io.cordwood.log.codec.Codecs;
import io.cordwood.log.codec.CompressionType;
import org.agrona.DirectBuffer;
import org.agrona.ExpandableArrayBuffer;
import org.agrona.concurrent.UnsafeBuffer;
import org.jspecify.annotations.Nullable;

/** Batches to test with. */
final class Batches {
    static final long NOW_MS = 1_700_000_000_000L;

    private static final int CAPACITY = 1 << 20;

    private Batches() {}

    /** Records with key k0, k1, ..., one header each, timestamps from {@link #NOW_MS} on. */
    static UnsafeBuffer of(final CompressionType type, final int count, final int valueLength) {
        final BatchBuilder builder = new BatchBuilder(Codecs.standard());
        final UnsafeBuffer buffer = new UnsafeBuffer(new byte[CAPACITY]);
        builder.wrap(buffer, 0, CAPACITY).compression(type, CompressionType.DEFAULT_LEVEL);
        final RecordHeaders headers = new RecordHeaders().add("h", new byte[] {1, 2});
        for (int i = 0; i < count; i++) {
            final byte[] value = new byte[valueLength];
            java.util.Arrays.fill(value, (byte) ('a' + i));
            if (!append(builder, NOW_MS + i, ("k" + i).getBytes(UTF_8), value, headers)) {
                throw new AssertionError("no room for record " + i);
            }
        }
        return cut(buffer, builder.finish());
    }

    static boolean append(
            final BatchBuilder builder,
            final long timestamp,
            final byte @Nullable [] key,
            final byte @Nullable [] value,
            final @Nullable RecordHeaders headers) {
        return builder.append(
                timestamp,
                key == null ? null : new UnsafeBuffer(key),
                0,
                key == null ? -1 : key.length,
                value == null ? null : new UnsafeBuffer(value),
                0,
                value == null ? -1 : value.length,
                headers);
    }

    /** A header around bytes that are said to be so many records. */
    static UnsafeBuffer raw(final int count, final byte[] records) {
        final UnsafeBuffer one = of(CompressionType.NONE, 1, 0);
        final UnsafeBuffer batch = new UnsafeBuffer(new byte[HEADER_BYTES + records.length]);
        batch.putBytes(0, one, 0, HEADER_BYTES);
        batch.putBytes(HEADER_BYTES, records);
        batch.putInt(RecordBatchDescriptor.LENGTH_OFFSET, batch.capacity() - 12, BIG_ENDIAN);
        batch.putInt(RecordBatchDescriptor.RECORD_COUNT_OFFSET, count, BIG_ENDIAN);
        batch.putInt(RecordBatchDescriptor.LAST_OFFSET_DELTA_OFFSET, Math.max(count - 1, 0), BIG_ENDIAN);
        return seal(batch);
    }

    static UnsafeBuffer seal(final UnsafeBuffer batch) {
        RecordBatchDescriptor.sealCrc(batch, 0, batch.capacity(), new Crc32c());
        return batch;
    }

    static UnsafeBuffer cut(final DirectBuffer buffer, final int length) {
        final UnsafeBuffer copy = new UnsafeBuffer(new byte[length]);
        copy.putBytes(0, buffer, 0, length);
        return copy;
    }

    static byte[] bytes(final DirectBuffer buffer, final int index, final int length) {
        final byte[] copy = new byte[length];
        buffer.getBytes(index, copy);
        return copy;
    }

    /** The fields of one record as varints; whatever they say. */
    static byte[] record(final long... fields) {
        final ExpandableArrayBuffer buffer = new ExpandableArrayBuffer();
        int at = 0;
        for (final long field : fields) {
            at = Varint.put(buffer, at, field);
        }
        return bytes(buffer, 0, at);
    }
}
