package io.cordwood.index;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTimeoutPreemptively;

import java.nio.ByteOrder;
import java.time.Duration;
import java.util.Random;
import org.agrona.concurrent.UnsafeBuffer;
import org.junit.jupiter.api.Test;

/** {@link FloorSearch} against trying every entry, on keys that grow evenly, in jumps and not at all evenly. */
final class FloorSearchTest {
    @Test
    void findsNothingInNoEntriesAndBelowTheFirst() {
        final UnsafeBuffer buffer = new UnsafeBuffer(new byte[24]);
        assertEquals(-1, FloorSearch.offset(buffer, 0, 7));
        assertEquals(-1, FloorSearch.timestamp(buffer, 0, 7));
        OffsetIndexDescriptor.put(buffer, 0, 8, 1);
        assertEquals(-1, FloorSearch.offset(buffer, 1, 7));
        assertEquals(0, FloorSearch.offset(buffer, 1, 8));
        TimeIndexDescriptor.put(buffer, 0, 8, 1);
        assertEquals(-1, FloorSearch.timestamp(buffer, 1, 7));
        assertEquals(0, FloorSearch.timestamp(buffer, 1, Long.MAX_VALUE));
    }

    @Test
    void findsTheSameAsTryingEveryEntry() {
        for (int seed = 0; seed < 400; seed++) {
            final Random random = new Random(seed);
            final int entries = 1 + random.nextInt(300);
            final UnsafeBuffer offsets = new UnsafeBuffer(new byte[entries * OffsetIndexDescriptor.ENTRY_BYTES]);
            final UnsafeBuffer times = new UnsafeBuffer(new byte[entries * TimeIndexDescriptor.ENTRY_BYTES]);
            final long[] keys = keys(random, entries);
            for (int i = 0; i < entries; i++) {
                OffsetIndexDescriptor.put(offsets, i, (int) keys[i], i);
                TimeIndexDescriptor.put(times, i, keys[i], i);
            }
            for (int i = 0; i < 300; i++) {
                final long key = i < entries ? keys[i] + random.nextInt(3) - 1 : random.nextLong(keys[entries - 1] + 2);
                final int expected = floor(keys, key);
                assertEquals(expected, FloorSearch.offset(offsets, entries, key), "seed " + seed + " key " + key);
                assertEquals(expected, FloorSearch.timestamp(times, entries, key), "seed " + seed + " key " + key);
            }
        }
    }

    @Test
    void staysExactWhereDoublesAreNot() {
        final UnsafeBuffer times = new UnsafeBuffer(new byte[3 * TimeIndexDescriptor.ENTRY_BYTES]);
        TimeIndexDescriptor.put(times, 0, 0, 1);
        TimeIndexDescriptor.put(times, 1, Long.MAX_VALUE - 1, 2);
        TimeIndexDescriptor.put(times, 2, Long.MAX_VALUE, 3);
        assertEquals(0, FloorSearch.timestamp(times, 3, Long.MAX_VALUE - 2));
        assertEquals(1, FloorSearch.timestamp(times, 3, Long.MAX_VALUE - 1));
        assertEquals(2, FloorSearch.timestamp(times, 3, Long.MAX_VALUE));
    }

    @Test
    void endsAlthoughTheEntriesTurnToZerosMeanwhile() {
        for (int reads = 1; reads < 12; reads++) {
            final Vanishing buffer = new Vanishing(100 * TimeIndexDescriptor.ENTRY_BYTES, reads);
            for (int i = 0; i < 100; i++) {
                OffsetIndexDescriptor.put(buffer, i, 10 + i * i, i);
            }
            assertTimeoutPreemptively(Duration.ofSeconds(20), () -> FloorSearch.offset(buffer, 100, 2000));
            buffer.appear(reads);
            for (int i = 0; i < 100; i++) {
                TimeIndexDescriptor.put(buffer, i, 10 + i * i, i);
            }
            assertTimeoutPreemptively(Duration.ofSeconds(20), () -> FloorSearch.timestamp(buffer, 100, 2000));
        }
    }

    /** Memory that a truncation takes away after some reads. */
    private static final class Vanishing extends UnsafeBuffer {
        private int readsLeft;

        Vanishing(final int bytes, final int reads) {
            super(new byte[bytes]);
            readsLeft = reads;
        }

        void appear(final int reads) {
            readsLeft = reads;
        }

        @Override
        public int getInt(final int index, final ByteOrder order) {
            return isThere() ? super.getInt(index, order) : 0;
        }

        @Override
        public long getLong(final int index, final ByteOrder order) {
            return isThere() ? super.getLong(index, order) : 0;
        }

        private boolean isThere() {
            if (readsLeft == 0) {
                return false;
            }
            readsLeft--;
            return true;
        }
    }

    private static long[] keys(final Random random, final int entries) {
        final long[] keys = new long[entries];
        final int shape = random.nextInt(3);
        long key = random.nextInt(10);
        for (int i = 0; i < entries; i++) {
            keys[i] = key;
            key += switch (shape) {
                case 0 -> 1 + random.nextInt(100);
                case 1 -> random.nextInt(20) == 0 ? 5_000_000 : 1;
                default -> 1L << (i * 22L / entries);
            };
        }
        return keys;
    }

    private static int floor(final long[] keys, final long key) {
        int floor = -1;
        for (int i = 0; i < keys.length; i++) {
            if (keys[i] <= key) {
                floor = i;
            }
        }
        return floor;
    }
}
