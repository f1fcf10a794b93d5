package io.cordwood.log.record;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.sun.management.ThreadMXBean;
import io.cordwood.log.codec.Codecs;
import io.cordwood.log.codec.CompressionType;
import java.lang.management.ManagementFactory;
import org.agrona.BufferUtil;
import org.agrona.concurrent.UnsafeBuffer;
import org.junit.jupiter.api.Test;

/** What the hot paths leave to the garbage collector: nothing. */
class RecordAllocationTest {
    private static final int ROUNDS = 20_000;

    private final ThreadMXBean threads = (ThreadMXBean) ManagementFactory.getThreadMXBean();
    private final BatchValidator validator = new BatchValidator(Codecs.standard());
    private final RecordReader reader = new RecordReader(Codecs.standard(), 1 << 20);
    private final RecordBatchFlyweight batch = new RecordBatchFlyweight();

    private final java.nio.ByteBuffer memory = BufferUtil.allocateDirectAligned(1 << 16, 64);
    private final UnsafeBuffer buffer = new UnsafeBuffer(BufferUtil.address(memory), 1 << 16);

    private int put(final UnsafeBuffer bytes) {
        buffer.putBytes(0, bytes, 0, bytes.capacity());
        return bytes.capacity();
    }

    private void allocatesNothing(final Runnable act) {
        for (int i = 0; i < ROUNDS; i++) {
            act.run();
        }
        long least = Long.MAX_VALUE;
        for (int attempt = 0; attempt < 5; attempt++) {
            final long before = threads.getCurrentThreadAllocatedBytes();
            for (int i = 0; i < ROUNDS; i++) {
                act.run();
            }
            least = Math.min(least, threads.getCurrentThreadAllocatedBytes() - before);
        }
        assertTrue(least < ROUNDS, least + " bytes in " + ROUNDS + " rounds");
    }

    @Test
    void validation() {
        final int size = put(Batches.of(CompressionType.NONE, 16, 1024));
        allocatesNothing(() -> {
            assertEquals(size, validator.header(buffer, 0, size));
            assertEquals(
                    Refusal.ACCEPTED,
                    validator.records(batch.wrap(buffer, 0), ValidationRules.DEFAULTS, Batches.NOW_MS));
        });
    }

    @Test
    void refusal() {
        final int size = put(Batches.raw(1, Batches.record(6, 0, 0, 0, 9, -1, 0)));
        allocatesNothing(() -> {
            assertEquals(size, validator.header(buffer, 0, size));
            assertEquals(
                    Refusal.CORRUPT_BATCH,
                    validator.records(batch.wrap(buffer, 0), ValidationRules.DEFAULTS, Batches.NOW_MS));
        });
    }

    @Test
    void reading() {
        put(Batches.of(CompressionType.NONE, 16, 1024));
        allocatesNothing(() -> {
            reader.wrap(batch.wrap(buffer, 0));
            int headers = 0;
            while (reader.next()) {
                while (reader.record().nextHeader()) {
                    headers += reader.record().headerValueLength();
                }
            }
            assertEquals(32, headers);
        });
    }

    @Test
    void readingAnOldMessage() {
        put(LegacyEncoder.message(1, 0, 5, 6, new byte[3], new byte[30]));
        allocatesNothing(() -> {
            assertTrue(reader.wrap(batch.wrap(buffer, 0)).next());
            assertEquals(5, reader.record().offset());
        });
    }

    @Test
    void building() {
        final BatchBuilder builder = new BatchBuilder(Codecs.standard());
        final UnsafeBuffer key = new UnsafeBuffer(new byte[10]);
        final UnsafeBuffer value = new UnsafeBuffer(new byte[100]);
        final RecordHeaders headers = new RecordHeaders();
        allocatesNothing(() -> {
            builder.wrap(buffer, 0, 1 << 14).producer(1, (short) 1, 1).transactional(true);
            headers.clear().add(key, 0, 10, value, 0, 5);
            assertTrue(builder.append(Batches.NOW_MS, key, 0, 10, value, 0, 100, headers));
            assertTrue(builder.append(Batches.NOW_MS, null, 0, -1, value, 0, 100, null));
            builder.finish();
        });
    }
}
