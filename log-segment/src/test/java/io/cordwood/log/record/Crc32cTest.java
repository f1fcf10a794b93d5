package io.cordwood.log.record;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;

import java.nio.ByteBuffer;
import java.util.Random;
import java.util.zip.CRC32;
import java.util.zip.CRC32C;
import org.agrona.BufferUtil;
import org.agrona.DirectBuffer;
import org.agrona.concurrent.UnsafeBuffer;
import org.junit.jupiter.api.Test;

class Crc32cTest {
    private static final int SIZE = 10_000;

    private final Crc32c crc = new Crc32c();
    private final byte[] bytes = new byte[SIZE];

    @Test
    void theSameOnEveryKindOfMemory() {
        final long seed = 20_261_130L;
        final Random random = new Random(seed);
        random.nextBytes(bytes);
        final ByteBuffer direct = ByteBuffer.allocateDirect(SIZE + 7);
        direct.put(7, bytes);
        final ByteBuffer heap = ByteBuffer.allocate(SIZE + 7);
        heap.put(7, bytes);
        final byte[] shifted = new byte[SIZE + 5];
        System.arraycopy(bytes, 0, shifted, 5, SIZE);
        final DirectBuffer[] buffers = {
            new UnsafeBuffer(bytes),
            new UnsafeBuffer(shifted, 5, SIZE),
            new UnsafeBuffer(direct, 7, SIZE),
            new UnsafeBuffer(heap, 7, SIZE),
            new UnsafeBuffer(BufferUtil.address(direct) + 7, SIZE),
        };
        for (int round = 0; round < 1_000; round++) {
            final int index = random.nextInt(SIZE);
            final int length = random.nextInt(SIZE - index + 1);
            final CRC32C castagnoli = new CRC32C();
            castagnoli.update(bytes, index, length);
            final CRC32 zip = new CRC32();
            zip.update(bytes, index, length);
            for (int kind = 0; kind < buffers.length; kind++) {
                final String where = "seed " + seed + " round " + round + " kind " + kind;
                assertEquals(castagnoli.getValue(), crc.crc32c(buffers[kind], index, length), where);
                assertEquals(zip.getValue(), crc.crc32(buffers[kind], index, length), where);
            }
        }
    }

    @Test
    void aRunThatLeavesTheBufferIsRefused() {
        final DirectBuffer buffer = new UnsafeBuffer(bytes);
        assertThrows(IndexOutOfBoundsException.class, () -> crc.crc32c(buffer, SIZE - 3, 4));
        assertThrows(IndexOutOfBoundsException.class, () -> crc.crc32c(buffer, -1, 4));
        assertThrows(IndexOutOfBoundsException.class, () -> crc.crc32c(buffer, 0, -1));
    }
}
