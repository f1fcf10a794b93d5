package io.cordwood.inspector;

import io.cordwood.log.codec.Codecs;
import io.cordwood.log.record.BatchBuilder;
import io.cordwood.log.record.ControlRecord;
import io.cordwood.log.record.RecordBatchDescriptor;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import org.agrona.concurrent.UnsafeBuffer;
import org.jspecify.annotations.Nullable;

/** Makes segment files batch by batch, sound ones and others. */
final class TestBatch {
    static final long TIMESTAMP = 1_700_000_000_000L;

    private TestBatch() {}

    /** A batch of records with these values and without keys. */
    static byte[] of(final long baseOffset, final String... values) {
        final UnsafeBuffer buffer = new UnsafeBuffer(new byte[4096]);
        final BatchBuilder batch = new BatchBuilder(Codecs.standard()).wrap(buffer, 0, buffer.capacity());
        for (final String value : values) {
            append(batch, null, value);
        }
        return finish(batch, buffer, baseOffset);
    }

    /** A batch of one record. */
    static byte[] keyed(final long baseOffset, final @Nullable String key, final @Nullable String value) {
        final UnsafeBuffer buffer = new UnsafeBuffer(new byte[4096]);
        final BatchBuilder batch = new BatchBuilder(Codecs.standard()).wrap(buffer, 0, buffer.capacity());
        append(batch, key, value);
        return finish(batch, buffer, baseOffset);
    }

    /** A batch of one record of that time. */
    static byte[] at(final long timestamp) {
        final UnsafeBuffer buffer = new UnsafeBuffer(new byte[4096]);
        final BatchBuilder batch = new BatchBuilder(Codecs.standard()).wrap(buffer, 0, buffer.capacity());
        if (!batch.append(timestamp, null, 0, -1, bytes("v"), 0, 1, null)) {
            throw new IllegalStateException("no room");
        }
        return finish(batch, buffer, 0);
    }

    /** A batch of one record behind which the cleaner has removed others. */
    static byte[] thinned(final long baseOffset, final int lastOffsetDelta, final String value) {
        final UnsafeBuffer buffer = new UnsafeBuffer(new byte[4096]);
        final BatchBuilder batch = new BatchBuilder(Codecs.standard()).wrap(buffer, 0, buffer.capacity());
        append(batch, null, value);
        batch.lastOffsetDelta(lastOffsetDelta);
        return finish(batch, buffer, baseOffset);
    }

    /** A batch of a transaction. */
    static byte[] transactional(final long baseOffset, final long producerId, final String... values) {
        final UnsafeBuffer buffer = new UnsafeBuffer(new byte[4096]);
        final BatchBuilder batch = new BatchBuilder(Codecs.standard())
                .wrap(buffer, 0, buffer.capacity())
                .producer(producerId, (short) 0, 0)
                .transactional(true);
        for (final String value : values) {
            append(batch, null, value);
        }
        return finish(batch, buffer, baseOffset);
    }

    /** A COMMIT. */
    static byte[] commit(final long baseOffset, final long producerId) {
        final UnsafeBuffer buffer = new UnsafeBuffer(new byte[4096]);
        final BatchBuilder batch = new BatchBuilder(Codecs.standard())
                .wrap(buffer, 0, buffer.capacity())
                .producer(producerId, (short) 0, -1)
                .transactional(true)
                .control(true);
        new ControlRecord().appendMarker(batch, TIMESTAMP, true, 0);
        return finish(batch, buffer, baseOffset);
    }

    /** A batch of one record with a value of so many bytes. */
    static byte[] large(final long baseOffset, final int valueBytes) {
        final UnsafeBuffer buffer = new UnsafeBuffer(new byte[valueBytes + 256]);
        final BatchBuilder batch = new BatchBuilder(Codecs.standard()).wrap(buffer, 0, buffer.capacity());
        final UnsafeBuffer value = new UnsafeBuffer(new byte[valueBytes]);
        for (int i = 0; i < valueBytes; i++) {
            value.putByte(i, (byte) (i * 31));
        }
        if (!batch.append(TIMESTAMP, null, 0, -1, value, 0, valueBytes, null)) {
            throw new IllegalStateException("no room");
        }
        return finish(batch, buffer, baseOffset);
    }

    private static void append(final BatchBuilder batch, final @Nullable String key, final @Nullable String value) {
        final UnsafeBuffer keyBytes = bytes(key);
        final UnsafeBuffer valueBytes = bytes(value);
        final int keyLength = key == null ? -1 : keyBytes.capacity();
        final int valueLength = value == null ? -1 : valueBytes.capacity();
        if (!batch.append(TIMESTAMP, keyBytes, 0, keyLength, valueBytes, 0, valueLength, null)) {
            throw new IllegalStateException("no room");
        }
    }

    private static UnsafeBuffer bytes(final @Nullable String text) {
        return new UnsafeBuffer(text == null ? new byte[0] : text.getBytes(StandardCharsets.UTF_8));
    }

    private static byte[] finish(final BatchBuilder batch, final UnsafeBuffer buffer, final long baseOffset) {
        final byte[] bytes = new byte[batch.finish()];
        RecordBatchDescriptor.putBaseOffset(buffer, 0, baseOffset);
        RecordBatchDescriptor.putPartitionLeaderEpoch(buffer, 0, 0);
        buffer.getBytes(0, bytes);
        return bytes;
    }

    /** Writes batches one behind the other. */
    static Path write(final Path file, final byte[]... pieces) throws IOException {
        final Path parent = file.getParent();
        if (parent != null) {
            Files.createDirectories(parent);
        }
        return Files.write(file, join(pieces));
    }

    static byte[] join(final byte[]... pieces) throws IOException {
        final ByteArrayOutputStream all = new ByteArrayOutputStream();
        for (final byte[] piece : pieces) {
            all.write(piece);
        }
        return all.toByteArray();
    }
}
