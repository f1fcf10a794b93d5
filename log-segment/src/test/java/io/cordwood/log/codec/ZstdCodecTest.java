package io.cordwood.log.codec;

import static io.cordwood.log.codec.CodecSamples.ascii;
import static io.cordwood.log.codec.CodecSamples.concat;
import static io.cordwood.log.codec.CodecSamples.corrupt;
import static io.cordwood.log.codec.CodecSamples.decompress;
import static io.cordwood.log.codec.CodecSamples.hex;
import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.github.luben.zstd.ZstdOutputStream;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import org.agrona.concurrent.UnsafeBuffer;
import org.junit.jupiter.api.Test;

class ZstdCodecTest {
    private static final String MAGIC = "28 B5 2F FD";

    /** Raw, last, five bytes. */
    private static final String HELLO = "29 00 00 68 65 6C 6C 6F";

    /** A skippable frame of two bytes. */
    private static final String SKIPPED = "53 2A 4D 18 02 00 00 00 AA BB";

    private final Codec zstd = new ZstdCodec();

    @Test
    void framesWithAndWithoutContentSizeAreRead() {
        assertArrayEquals(ascii("hello"), decompress(zstd, hex(MAGIC + "20 05" + HELLO)));
        assertArrayEquals(ascii("hello"), decompress(zstd, hex(MAGIC + "00 00" + HELLO)));
        assertArrayEquals(ascii("hello"), decompress(zstd, hex(MAGIC + "80 00 05 00 00 00" + HELLO)));
        assertArrayEquals(ascii("hello"), decompress(zstd, hex(MAGIC + "C0 00 05 00 00 00 00 00 00 00" + HELLO)));
        final byte[] content = CodecSamples.content(3, 400);
        final byte[] raw = concat(hex("81 0C 00"), content);
        assertArrayEquals(content, decompress(zstd, concat(hex(MAGIC + "40 00 90 00"), raw)));
        corrupt(zstd, hex(MAGIC + "20 06" + HELLO));
        corrupt(zstd, hex(MAGIC + "20 04" + HELLO));
    }

    @Test
    void severalFramesAreOneAndSkippableOnesAreSkipped() {
        final String frame = MAGIC + "00 00" + HELLO;
        assertArrayEquals(ascii("hellohello"), decompress(zstd, hex(frame + frame)));
        assertArrayEquals(ascii("hellohello"), decompress(zstd, hex(SKIPPED + frame + SKIPPED + frame + SKIPPED)));
        corrupt(zstd, hex(frame + "00"));
        corrupt(zstd, hex(frame + "00 00 00 00 00 00 00 00 00 00"));
        corrupt(zstd, hex(frame + "53 2A 4D 18 FF FF FF FF AA BB"));
    }

    @Test
    void sumsAreVerified() throws IOException {
        final byte[] content = CodecSamples.content(2, 300_000);
        final byte[] frame = streamed(content, true);
        assertArrayEquals(content, decompress(zstd, frame));
        frame[frame.length - 1]++;
        corrupt(zstd, frame);
    }

    @Test
    void aWindowLargerThanTheContentCostsNothing() throws IOException {
        final byte[] content = CodecSamples.content(2, 1000);
        final byte[] frame = streamed(content, false);
        assertTrue((frame[4] & 0x20) == 0 && (frame[5] & 0xFF) >= (11 << 3), "window of 2 MiB or more declared");
        assertArrayEquals(content, decompress(zstd, frame, CodecSamples.MAGIC_2, 1000));
    }

    @Test
    void aWindowThatKafkaCannotReadIsRefused() {
        assertArrayEquals(ascii("hello"), decompress(zstd, hex(MAGIC + "00 88" + HELLO)), "128 MiB");
        assertEquals(
                "corrupt zstd data: a window of 150994944 bytes, where consumers allow 134217728",
                corrupt(zstd, hex(MAGIC + "00 89" + HELLO)).getMessage());
        corrupt(zstd, hex(MAGIC + "00 FF" + HELLO));
    }

    @Test
    void whatTheFramesMayHoldIsNeverLessThanWhatTheyHold() throws IOException {
        final ZstdFrames frames = new ZstdFrames();
        for (int seed = 0; seed < 40; seed++) {
            final byte[] content = CodecSamples.content(seed, 1 + seed * seed * 500);
            for (final byte[] frame : new byte[][] {streamed(content, false), CodecSamples.compress(zstd, content)}) {
                final long most =
                        frames.contentLengthAtMost(new UnsafeBuffer(frame), 0, frame.length, Integer.MAX_VALUE);
                assertTrue(most >= content.length, most + " where the content has " + content.length);
                assertTrue(most <= content.length + 2 * 128 * 1024, most + " where the content has " + content.length);
            }
        }
    }

    @Test
    void dictionariesAreRefused() {
        corrupt(zstd, hex(MAGIC + "21 07 05" + HELLO));
    }

    private static byte[] streamed(final byte[] content, final boolean withSum) throws IOException {
        final ByteArrayOutputStream out = new ByteArrayOutputStream();
        try (ZstdOutputStream stream = new ZstdOutputStream(out, 3)) {
            stream.setChecksum(withSum);
            stream.write(content);
        }
        return out.toByteArray();
    }
}
