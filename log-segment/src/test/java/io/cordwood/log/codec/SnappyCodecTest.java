package io.cordwood.log.codec;

import static io.cordwood.log.codec.CodecSamples.ascii;
import static io.cordwood.log.codec.CodecSamples.concat;
import static io.cordwood.log.codec.CodecSamples.corrupt;
import static io.cordwood.log.codec.CodecSamples.decompress;
import static io.cordwood.log.codec.CodecSamples.hex;
import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;

import java.nio.ByteBuffer;
import java.util.Arrays;
import org.junit.jupiter.api.Test;

class SnappyCodecTest {
    private static final String MAGIC = "82 53 4E 41 50 50 59 00";
    private static final String BIG_ENDIAN = MAGIC + "00 00 00 01 00 00 00 01";
    private static final String LITTLE_ENDIAN = MAGIC + "01 00 00 00 01 00 00 00";

    /** Declared length 5, then five literals. */
    private static final String HELLO = "05 10 68 65 6C 6C 6F";

    private final Codec snappy = new SnappyCodec();

    @Test
    void b22_everySnappyFramingIsRead() {
        assertArrayEquals(ascii("hello"), decompress(snappy, hex(BIG_ENDIAN + "00 00 00 07" + HELLO)));
        assertArrayEquals(ascii("hello"), decompress(snappy, hex(LITTLE_ENDIAN + "00 00 00 07" + HELLO)));

        final byte[] oneHundredThirty = CodecSamples.content(1, 130);
        final byte[] raw = concat(hex("82 01 F0 81"), oneHundredThirty);
        assertEquals((byte) 0x82, raw[0]);
        assertArrayEquals(oneHundredThirty, decompress(snappy, raw));

        assertArrayEquals(ascii("hello"), decompress(snappy, hex(HELLO)));
        assertArrayEquals(new byte[0], decompress(snappy, hex("00")));
        // A raw block that shares seven bytes with the magic is one still: 10,626 bytes declared, then no such copy.
        final String message =
                String.valueOf(corrupt(snappy, hex("82 53 4E 41 50 50 59 01")).getMessage());
        assertEquals("corrupt snappy data: a block of 8 bytes cannot hold the 10626 that it declares", message);
    }

    @Test
    void ownFramingHasTheFullHeaderAndBlocksOf32KiB() {
        final byte[] written = CodecSamples.compress(snappy, new byte[32 * 1024 + 5]);
        assertArrayEquals(hex(BIG_ENDIAN), Arrays.copyOf(written, 16));
        final int first = ByteBuffer.wrap(written).getInt(16);
        assertArrayEquals(hex("80 80 02"), Arrays.copyOfRange(written, 20, 23), "32768 declared");
        assertArrayEquals(
                concat(hex("00 00 00 07 05 10"), new byte[5]), Arrays.copyOfRange(written, 20 + first, written.length));
        assertArrayEquals(hex(BIG_ENDIAN), CodecSamples.compress(snappy, new byte[0]));
    }

    @Test
    void streamsBehindOneAnotherAreOne() {
        final byte[] one = hex(BIG_ENDIAN + "00 00 00 07" + HELLO + "00 00 00 07" + HELLO);
        assertArrayEquals(ascii("hellohellohellohello"), decompress(snappy, concat(one, one)));
    }

    @Test
    void aVersionBelowOneIsRefusedBehindTheFirstHeaderOnly() {
        for (final String version : new String[] {"00 00 00 00", "FF FF FF FF", "80 00 00 00"}) {
            final byte[] one = hex(MAGIC + version + "00 00 00 01 00 00 00 07" + HELLO);
            assertArrayEquals(ascii("hello"), decompress(snappy, one));
            corrupt(snappy, concat(one, one));
        }
    }

    @Test
    void blockLengthsAreNotTrusted() {
        for (final String length : new String[] {"00 00 00 00", "00 00 00 08", "7F FF FF FF", "FF FF FF FF"}) {
            corrupt(snappy, hex(BIG_ENDIAN + length + HELLO));
        }
        corrupt(snappy, hex(BIG_ENDIAN + "00 00 00"));
        corrupt(snappy, hex(MAGIC + "00 00 00 01 00 00 00"));
        corrupt(snappy, new byte[0]);
    }

    @Test
    void aDeclaredLengthThatTheBlockDoesNotHoldIsCorrupt() {
        corrupt(snappy, hex("06 10 68 65 6C 6C 6F"));
        corrupt(snappy, hex("04 10 68 65 6C 6C 6F"));
        // Cut short, too long, and more than 32 bits.
        corrupt(snappy, hex("85 85"));
        corrupt(snappy, hex("85 80 80 80 80 00 10 68 65 6C 6C 6F"));
        corrupt(snappy, hex("85 80 80 80 10 10 68 65 6C 6C 6F"));
    }
}
