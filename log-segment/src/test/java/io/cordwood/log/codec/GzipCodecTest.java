package io.cordwood.log.codec;

import static io.cordwood.log.codec.CodecSamples.ascii;
import static io.cordwood.log.codec.CodecSamples.concat;
import static io.cordwood.log.codec.CodecSamples.corrupt;
import static io.cordwood.log.codec.CodecSamples.decompress;
import static io.cordwood.log.codec.CodecSamples.hex;
import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;

import java.util.Arrays;
import java.util.zip.CRC32;
import org.junit.jupiter.api.Test;

class GzipCodecTest {
    /** A stored deflate block, its CRC-32 and its length. */
    private static final String HELLO = "01 05 00 FA FF 68 65 6C 6C 6F  86 A6 10 36  05 00 00 00";

    private static final String PLAIN = "1F 8B 08 00 00 00 00 00 00 FF";

    private final Codec gzip = new GzipCodec();

    @Test
    void membersBehindOneAnotherAreOne() {
        assertArrayEquals(ascii("hello"), decompress(gzip, hex(PLAIN + HELLO)));
        assertArrayEquals(ascii("hellohello"), decompress(gzip, hex(PLAIN + HELLO + PLAIN + HELLO)));
        final byte[] large = CodecSamples.content(2, 100_000);
        final byte[] member = CodecSamples.compress(gzip, large);
        assertArrayEquals(concat(large, ascii("hello")), decompress(gzip, concat(member, hex(PLAIN + HELLO))));
        corrupt(gzip, hex(PLAIN + HELLO + "1F 8B 08 00"));
    }

    @Test
    void whatFollowsAndIsNoMemberIsIgnoredAsKafkaDoes() {
        assertArrayEquals(ascii("hello"), decompress(gzip, hex(PLAIN + HELLO + "00 00 00")));
        assertArrayEquals(ascii("hello"), decompress(gzip, hex(PLAIN + HELLO + "1F")));
    }

    @Test
    void theHeaderIsWrittenAsTheJdkWritesIt() {
        assertArrayEquals(hex(PLAIN), Arrays.copyOf(CodecSamples.compress(gzip, ascii("hello")), 10));
    }

    @Test
    void optionalHeaderFieldsAreSkippedAndTheHeaderSumVerified() {
        final String all = "1F 8B 08 1E 00 00 00 00 00 03  03 00 AA BB CC  6E 61 6D 65 00  63 00";
        final CRC32 crc = new CRC32();
        crc.update(hex(all));
        final byte[] sum = {(byte) crc.getValue(), (byte) (crc.getValue() >>> 8)};
        assertArrayEquals(ascii("hello"), decompress(gzip, concat(hex(all), sum, hex(HELLO))));
        sum[1]++;
        corrupt(gzip, concat(hex(all), sum, hex(HELLO)));
        corrupt(gzip, hex("1F 8B 08 04 00 00 00 00 00 03  FF FF 00"));
        corrupt(gzip, hex("1F 8B 08 08 00 00 00 00 00 03  6E 61"));
    }

    @Test
    void sumAndLengthAreVerified() {
        final byte[] wrongSum = hex(PLAIN + HELLO);
        wrongSum[wrongSum.length - 5]++;
        assertEquals(
                "corrupt gzip data: sum 3710a686 where the content has 3610a686",
                corrupt(gzip, wrongSum).getMessage());
        final byte[] wrongLength = hex(PLAIN + HELLO);
        wrongLength[wrongLength.length - 4]++;
        assertEquals(
                "corrupt gzip data: length 6 where the content has 5",
                corrupt(gzip, wrongLength).getMessage());
    }

    @Test
    void otherMethodsAndBrokenDataAreCorrupt() {
        corrupt(gzip, hex("1F 8B 07 00 00 00 00 00 00 FF" + HELLO));
        corrupt(gzip, hex("1F 8C 08 00 00 00 00 00 00 FF" + HELLO));
        corrupt(gzip, hex(PLAIN + "07 05 00 FA FF 68"));
        corrupt(gzip, new byte[0]);
    }
}
