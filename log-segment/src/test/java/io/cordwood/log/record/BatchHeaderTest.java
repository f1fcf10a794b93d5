package io.cordwood.log.record;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;

import java.nio.ByteBuffer;
import java.util.Random;
import org.agrona.concurrent.UnsafeBuffer;
import org.junit.jupiter.api.Test;

/** Headers of whatever bytes, against a reading of the documented places with checked accesses. */
class BatchHeaderTest {
    private static final int MAGIC_AT = 16;
    private static final int LONGEST = 70;

    private final BatchHeader header = new BatchHeader();

    /** All that the header tells. */
    private static String told(final BatchHeader header) {
        return header.baseOffset() + " " + header.batchLength() + " " + header.magic() + " "
                + header.partitionLeaderEpoch() + " " + header.lastOffset() + " " + header.nextOffset();
    }

    /** The same as the format's table has it. */
    private static String naive(final ByteBuffer bytes) {
        final long base = bytes.getLong(0);
        final byte magic = bytes.get(MAGIC_AT);
        final int delta = magic == 2 && bytes.capacity() >= 27 ? bytes.getInt(23) : 0;
        final int epoch = magic < 2 ? -1 : bytes.getInt(12);
        return base + " " + bytes.getInt(8) + " " + magic + " " + epoch + " " + (base + delta) + " "
                + (base + delta + 1);
    }

    private void check(final byte[] bytes, final int around, final byte filler, final boolean isDirect) {
        final int length = bytes.length;
        final ByteBuffer memory = isDirect
                ? ByteBuffer.allocateDirect(around + length + around)
                : ByteBuffer.allocate(around + length + around);
        final UnsafeBuffer all = new UnsafeBuffer(memory);
        all.setMemory(0, all.capacity(), filler);
        all.putBytes(around, bytes);
        final UnsafeBuffer alone = new UnsafeBuffer(all, around, length);
        final UnsafeBuffer front = new UnsafeBuffer(all, 0, around + length);
        if (length <= MAGIC_AT) {
            assertThrows(IndexOutOfBoundsException.class, () -> header.read(alone, 0));
            assertThrows(IndexOutOfBoundsException.class, () -> header.read(front, around));
            return;
        }
        final String expected = naive(ByteBuffer.wrap(bytes));
        assertEquals(expected, told(header.read(alone, 0)));
        assertEquals(expected, told(header.read(front, around)));
        // Copies: they stay as they were read.
        all.setMemory(0, all.capacity(), (byte) ~filler);
        assertEquals(expected, told(header));
    }

    @Test
    void everyLengthAndMagicAndNothingOfTheNeighbours() {
        final Random random = new Random(20_261_202L);
        for (int length = 0; length < LONGEST; length++) {
            for (int magic = Byte.MIN_VALUE; magic <= Byte.MAX_VALUE; magic++) {
                final byte[] bytes = new byte[length];
                random.nextBytes(bytes);
                if (length > MAGIC_AT) {
                    bytes[MAGIC_AT] = (byte) magic;
                }
                check(bytes, 40, (byte) random.nextInt(), magic % 2 == 0);
            }
        }
    }

    @Test
    void everyFieldAtItsBounds() {
        final long[] bounds = {
            0,
            1,
            -1,
            2,
            Byte.MAX_VALUE,
            Short.MAX_VALUE,
            Integer.MAX_VALUE,
            Integer.MIN_VALUE,
            Long.MAX_VALUE,
            Long.MIN_VALUE
        };
        for (final byte magic : new byte[] {0, 1, 2, 3, -1}) {
            for (final long base : bounds) {
                for (final long other : bounds) {
                    final ByteBuffer bytes = ByteBuffer.allocate(61);
                    bytes.putLong(base).putInt((int) other).putInt((int) ~other).put(magic);
                    bytes.putInt(23, (int) other);
                    check(bytes.array(), 3, (byte) 0x7F, false);
                }
            }
        }
    }

    @Test
    void noPlaceOutsideIsRead() {
        final UnsafeBuffer bytes = new UnsafeBuffer(new byte[100]);
        for (final int at : new int[] {-1, -27, 84, 99, 100, 101, Integer.MAX_VALUE, Integer.MIN_VALUE}) {
            assertThrows(IndexOutOfBoundsException.class, () -> header.read(bytes, at), () -> "at " + at);
        }
        header.read(bytes, 83);
        header.read(bytes, 73);
    }
}
