package io.cordwood.simulation.kill;

import io.cordwood.log.codec.Codecs;
import io.cordwood.log.record.BatchBuilder;
import java.nio.ByteOrder;
import java.util.Random;
import org.agrona.DirectBuffer;
import org.agrona.concurrent.UnsafeBuffer;

/** Batches whose every byte follows from their number. Reused. */
final class NumberedBatch {
    static final long NOW = 1_700_000_000_000L;

    private static final int EPOCH_AT = 12;
    private static final int RECORDS_MOST = 3;
    private static final int VALUE_LEAST = 64;
    private static final int VALUE_SPREAD = 300;
    private static final int CAPACITY = 2048;

    private final UnsafeBuffer memory = new UnsafeBuffer(new byte[CAPACITY]);
    private final BatchBuilder builder = new BatchBuilder(Codecs.standard());

    /** Makes a batch in {@link #memory}; the first timestamp is its number. */
    int make(final long number) {
        final Random random = new Random(number);
        builder.wrap(memory, 0, CAPACITY);
        final int records = 1 + random.nextInt(RECORDS_MOST);
        for (int i = 0; i < records; i++) {
            final byte[] value = new byte[VALUE_LEAST + random.nextInt(VALUE_SPREAD)];
            random.nextBytes(value);
            builder.append(NOW + number, null, 0, -1, new UnsafeBuffer(value), 0, value.length, null);
        }
        return builder.finish();
    }

    UnsafeBuffer memory() {
        return memory;
    }

    /** Whether a log holds the batch with that number at that offset, byte for byte. */
    boolean isStored(final DirectBuffer log, final int index, final int length, final long number, final long offset) {
        if (make(number) != length) {
            return false;
        }
        memory.putLong(0, offset, ByteOrder.BIG_ENDIAN);
        memory.putInt(EPOCH_AT, 0, ByteOrder.BIG_ENDIAN);
        return new UnsafeBuffer(memory, 0, length).equals(new UnsafeBuffer(log, index, length));
    }
}
