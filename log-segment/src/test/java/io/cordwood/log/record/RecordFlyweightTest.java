package io.cordwood.log.record;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.ByteArrayOutputStream;
import java.nio.BufferUnderflowException;
import java.nio.ByteBuffer;
import java.util.Arrays;
import java.util.Random;
import org.agrona.concurrent.UnsafeBuffer;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

/**
 * Decoding of whatever bytes, against a naive reading with checked accesses: the same fields, the same refusals, no exception, and
 * nothing of what lies around the records.
 */
class RecordFlyweightTest {
    private static final int AROUND = 24;
    private static final long SEED = 20_261_203L;

    private final Flaw flaw = new Flaw();
    private final RecordFlyweight record = new RecordFlyweight(flaw);

    /** What is told of a record; null if it is refused. Indexes count from the run's first byte. */
    private static @Nullable String naive(final byte[] run, final int first) {
        try {
            final ByteBuffer left =
                    ByteBuffer.wrap(run, first, run.length - first).slice();
            final int length = (int) zigzag(varint(left, 5) & 0xFFFF_FFFFL);
            if (length < 6 || length > left.remaining()) {
                return null;
            }
            left.limit(left.position() + length).get();
            final StringBuilder told = new StringBuilder();
            told.append(zigzag(varint(left, 10))).append(' ').append(number(left));
            piece(told, left, first, -1);
            piece(told, left, first, -1);
            final int headers = number(left);
            told.append(" headers ").append(headers).append(" from ").append(first + left.position());
            if (headers < 0 || headers > left.remaining() / 2) {
                return null;
            }
            for (int i = 0; i < headers; i++) {
                piece(told, left, first, 0);
                piece(told, left, first, -1);
            }
            return left.hasRemaining()
                    ? null
                    : told.append(" end ").append(first + left.position()).toString();
        } catch (final BufferUnderflowException | IllegalArgumentException e) {
            return null;
        }
    }

    private static void piece(final StringBuilder told, final ByteBuffer left, final int first, final int least) {
        final int length = number(left);
        if (length < least || length > left.remaining()) {
            throw new IllegalArgumentException("length " + length);
        }
        told.append(' ').append(first + left.position()).append('+').append(length);
        left.position(left.position() + Math.max(length, 0));
    }

    private static int number(final ByteBuffer left) {
        return (int) zigzag(varint(left, 5) & 0xFFFF_FFFFL);
    }

    private static long zigzag(final long raw) {
        return (raw >>> 1) ^ -(raw & 1);
    }

    private static long varint(final ByteBuffer left, final int bytesMax) {
        long raw = 0;
        for (int i = 0; i < bytesMax; i++) {
            final byte next = left.get();
            raw |= (next & 0x7FL) << (7 * i);
            if (next >= 0) {
                return raw;
            }
        }
        throw new IllegalArgumentException("a varint of more than " + bytesMax + " bytes");
    }

    /** The same from the record, which stands at its first byte and counts from {@code origin}. */
    private String told(final int origin) {
        final StringBuilder told = new StringBuilder();
        told.append(record.timestampDelta()).append(' ').append(record.offsetDelta());
        told.append(' ').append(record.keyIndex() - origin).append('+').append(record.keyLength());
        told.append(' ').append(record.valueIndex() - origin).append('+').append(record.valueLength());
        told.append(" headers ").append(record.headerCount());
        told.append(" from ").append(record.headersIndex() - origin);
        while (record.nextHeader()) {
            told.append(' ')
                    .append(record.headerNameIndex() - origin)
                    .append('+')
                    .append(record.headerNameLength());
            told.append(' ')
                    .append(record.headerValueIndex() - origin)
                    .append('+')
                    .append(record.headerValueLength());
        }
        return told.append(" end ").append(record.position() - origin).toString();
    }

    /** Decodes all records of a run, in memory of both kinds, among neighbours of all kinds. Returns how many there were. */
    private int check(final byte[] run, final String what) {
        int decoded = 0;
        for (int round = 0; round < 4; round++) {
            final int capacity = AROUND + run.length + AROUND;
            final UnsafeBuffer all =
                    new UnsafeBuffer(round < 2 ? ByteBuffer.allocate(capacity) : ByteBuffer.allocateDirect(capacity));
            all.setMemory(0, capacity, (byte) (round % 2 == 0 ? 0x01 : 0x81));
            all.putBytes(AROUND, run);
            final boolean isWithin = round % 2 == 0;
            if (isWithin) {
                record.beginWithin(all, AROUND, run.length);
            } else {
                record.begin(all, AROUND, run.length);
            }
            decoded = decodeAll(run, isWithin ? AROUND : 0, what);
        }
        return decoded;
    }

    private int decodeAll(final byte[] run, final int origin, final String what) {
        int first = 0;
        for (int number = 0; first < run.length; number++) {
            final String expected = naive(run, first);
            flaw.note("", 0, "", 0, -1);
            if (expected == null) {
                assertEquals(false, record.decode(), what);
                final int at = flaw.byteIndex() - origin;
                assertTrue(at >= first && at <= run.length, () -> what + ": flaw at " + at + ", " + flaw.words());
                assertEquals(first, record.position() - origin, what);
                return number;
            }
            assertTrue(record.decode(), () -> what + ": " + flaw.words());
            assertEquals(first, record.index() - origin, what);
            assertEquals(expected, told(origin), what);
            record.rewindHeaders();
            assertEquals(expected, told(origin), what);
            first = record.position() - origin;
        }
        assertEquals(0, record.remaining(), what);
        return first == 0 ? 0 : 1;
    }

    private static void put(final ByteArrayOutputStream out, final long value) {
        long rest = (value << 1) ^ (value >> 63);
        while ((rest & ~0x7FL) != 0) {
            out.write((int) (rest | 0x80));
            rest >>>= 7;
        }
        out.write((int) rest);
    }

    private static byte[] framed(final byte[] body, final long length) {
        final ByteArrayOutputStream out = new ByteArrayOutputStream();
        put(out, length);
        out.writeBytes(body);
        return out.toByteArray();
    }

    /** Attributes, four numbers with what they count, and headers of one name and one value each. */
    private static byte[] body(
            final long timestamp, final long offset, final long key, final long value, final long... headers) {
        final ByteArrayOutputStream out = new ByteArrayOutputStream();
        out.write(0);
        put(out, timestamp);
        put(out, offset);
        put(out, key);
        out.writeBytes(filled(key, 'k'));
        put(out, value);
        out.writeBytes(filled(value, 'v'));
        put(out, headers.length / 2);
        for (final long length : headers) {
            put(out, length);
            out.writeBytes(filled(length, 'h'));
        }
        return out.toByteArray();
    }

    private static byte[] filled(final long length, final char with) {
        final byte[] bytes = new byte[(int) Math.max(0, Math.min(length, 300))];
        Arrays.fill(bytes, (byte) with);
        return bytes;
    }

    private static final long[] BOUNDS = {
        0,
        1,
        -1,
        -2,
        2,
        5,
        6,
        63,
        64,
        65,
        -64,
        -65,
        127,
        128,
        300,
        301,
        8191,
        8192,
        -8192,
        -8193,
        Integer.MAX_VALUE,
        Integer.MIN_VALUE,
        1L << 31,
        1L << 34,
        Long.MAX_VALUE,
        Long.MIN_VALUE
    };

    @Test
    void everyFieldAtItsBounds() {
        int decoded = 0;
        for (final long bound : BOUNDS) {
            for (final long other : new long[] {0, -1, 3, 100}) {
                final byte[][] bodies = {
                    body(bound, 0, other, 1),
                    body(0, bound, other, 1),
                    body(0, 0, bound, other),
                    body(0, 0, other, bound),
                    body(1, 2, 3, other, bound, 3),
                    body(1, 2, other, 3, 3, bound, 2, 2),
                };
                for (final byte[] body : bodies) {
                    decoded += check(framed(body, body.length), "bound " + bound + ", beside " + other);
                }
            }
            final byte[] body = body(1, 1, 1, 1, 1, 1);
            decoded += check(framed(body, bound), "length " + bound);
            for (int off = -2; off <= 2; off++) {
                check(framed(body, body.length + off), "length off by " + off);
            }
        }
        assertTrue(decoded > 300, "only " + decoded + " were sound");
    }

    /** Numbers whose bytes, were one taken for less than it is, would make another record that fits as well. */
    @Test
    void numbersAreTakenWhole() {
        final byte[][] refused = {{18, 0, 0, 0, (byte) 0x80, 6, 1, 1, 1, 0}, {18, 0, (byte) 0x80, 0, 1, 6, 1, 1, 1, 0}};
        for (final byte[] run : refused) {
            assertEquals(0, check(run, Arrays.toString(run)));
        }
        final byte[][] longer = {
            {(byte) 0x92, 0, 0, 0, 0, 6, 1, 1, 1, 0, 0},
            {20, 0, 0, 0, 1, (byte) 0x86, 0, 1, 1, 1, 0},
            {20, 0, 0, 0, (byte) 0x81, 0, 6, 1, 1, 1, 0}
        };
        for (final byte[] run : longer) {
            assertEquals(1, check(run, Arrays.toString(run)));
        }
    }

    @Test
    void everyCutAndEveryChangedByte() {
        final byte[] body = body(300, 70, 3, -1, 2, 0, 0, -1, 65, 65);
        final byte[] sound = framed(body, body.length);
        assertEquals(1, check(sound, "sound"));
        for (int length = 0; length < sound.length; length++) {
            assertEquals(0, check(Arrays.copyOf(sound, length), "cut to " + length));
        }
        for (int at = 0; at < sound.length; at++) {
            for (int value = 0; value < 256; value++) {
                final byte[] changed = sound.clone();
                changed[at] = (byte) value;
                check(changed, "byte " + at + " is " + value);
            }
        }
    }

    @Test
    void randomBytes() {
        final Random random = new Random(SEED);
        for (int round = 0; round < 100_000; round++) {
            final byte[] run = new byte[random.nextInt(40)];
            random.nextBytes(run);
            // Mostly small numbers, so that many a prefix makes sense.
            for (int i = 0; i < run.length; i++) {
                run[i] = (byte) (random.nextInt(4) > 0 ? random.nextInt(12) : run[i]);
            }
            check(run, "seed " + SEED + " round " + round);
        }
    }

    @Test
    void randomRecordsWithHits() {
        final Random random = new Random(SEED);
        int decoded = 0;
        for (int round = 0; round < 30_000; round++) {
            final ByteArrayOutputStream run = new ByteArrayOutputStream();
            for (int records = 1 + random.nextInt(3); records > 0; records--) {
                final long[] headers = new long[2 * random.nextInt(3)];
                Arrays.setAll(headers, i -> random.nextInt(6));
                final byte[] body = body(
                        random.nextLong() >> random.nextInt(64),
                        random.nextInt() >> random.nextInt(32),
                        random.nextInt(80) - 1,
                        random.nextInt(80) - 1,
                        headers);
                run.writeBytes(framed(body, body.length));
            }
            final byte[] bytes = run.toByteArray();
            for (int hits = random.nextInt(3); hits > 0; hits--) {
                bytes[random.nextInt(bytes.length)] = (byte) random.nextInt();
            }
            decoded += check(bytes, "seed " + SEED + " round " + round);
        }
        assertTrue(decoded > 10_000, "only " + decoded + " were sound");
    }

    @Test
    void headersThatChangeUnderTheReaderStayWithinTheRecord() {
        final Random random = new Random(SEED);
        final byte[] body = body(1, 1, 2, 2, 3, 3, 4, -1, 0, 2);
        final byte[] sound = framed(body, body.length);
        final byte[][] numbers = {
            framed(new byte[0], Integer.MAX_VALUE),
            framed(new byte[0], Integer.MIN_VALUE),
            framed(new byte[0], 100),
            framed(new byte[0], -100),
            new byte[4]
        };
        final UnsafeBuffer all = new UnsafeBuffer(new byte[AROUND + sound.length + AROUND]);
        for (int round = 0; round < 20_000; round++) {
            all.setMemory(0, all.capacity(), (byte) random.nextInt());
            all.putBytes(AROUND, sound);
            record.begin(all, AROUND, sound.length);
            assertTrue(record.decode());
            for (int hits = random.nextInt(3); hits > 0; hits--) {
                all.putByte(AROUND + random.nextInt(sound.length), (byte) random.nextInt());
            }
            final byte[] number = numbers[random.nextInt(numbers.length)];
            all.putBytes(AROUND + random.nextInt(sound.length - number.length), number);
            for (int i = 0; i < 3; i++) {
                assertTrue(record.nextHeader());
                final String where = "seed " + SEED + " round " + round + " header " + i;
                assertWithin(record.headerNameIndex(), record.headerNameLength(), 0, sound.length, where);
                assertWithin(record.headerValueIndex(), record.headerValueLength(), -1, sound.length, where);
            }
            assertEquals(false, record.nextHeader());
        }
    }

    private static void assertWithin(
            final int index, final int length, final int least, final int end, final String where) {
        assertTrue(
                index >= 0 && length >= least && index + Math.max(length, 0) <= end,
                () -> where + ": " + index + "+" + length);
    }
}
