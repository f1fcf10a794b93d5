package io.cordwood.log.codec;

import static io.cordwood.log.codec.CodecSamples.ascii;
import static io.cordwood.log.codec.CodecSamples.concat;
import static io.cordwood.log.codec.CodecSamples.corrupt;
import static io.cordwood.log.codec.CodecSamples.decompress;
import static io.cordwood.log.codec.CodecSamples.hex;
import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.util.Arrays;
import net.jpountz.xxhash.XXHashFactory;
import org.agrona.concurrent.UnsafeBuffer;
import org.junit.jupiter.api.Test;

class Lz4CodecTest {
    private static final String MAGIC = "04 22 4D 18";
    /** A block of literals alone, and the same content stored. */
    private static final String HELLO = "06 00 00 00  50 68 65 6C 6C 6F";

    private static final String HELLO_STORED = "05 00 00 80  68 65 6C 6C 6F";
    private static final String END = "00 00 00 00";

    private final Codec lz4 = new Lz4Codec();

    @Test
    void b20_lz4HeaderChecksumIsWrittenRightAndTheOldWrongOneIsReadInOldMessagesOnly() {
        final byte[] written = CodecSamples.compress(lz4, ascii("hello"));
        assertArrayEquals(hex(MAGIC + "60 40 82" + HELLO_STORED + END), written);

        final byte[] right = hex(MAGIC + "60 40 82" + HELLO + END);
        final byte[] old = hex(MAGIC + "60 40 1A" + HELLO + END);
        final byte[] neither = hex(MAGIC + "60 40 1B" + HELLO + END);
        for (byte magic = 0; magic <= 2; magic++) {
            assertArrayEquals(ascii("hello"), decompress(lz4, right, magic, 5));
        }
        assertArrayEquals(ascii("hello"), decompress(lz4, old, (byte) 0, 5));
        assertArrayEquals(ascii("hello"), decompress(lz4, old, (byte) 1, 5));
        assertEquals(
                "corrupt lz4 data: wrong header checksum 1a", corrupt(lz4, old).getMessage());
        corrupt(lz4, neither);
        assertThrows(CodecException.class, () -> decompress(lz4, neither, (byte) 1, 5));
    }

    @Test
    void b21_linkedBlocksAreRefusedByNameAndOwnBlocksAreIndependent() {
        final byte[] linked = frame(0x40, 0x40, new byte[0], concat(hex(HELLO), hex(HELLO), hex(END)));
        final String message = String.valueOf(corrupt(lz4, linked).getMessage());
        assertTrue(message.contains("linked blocks"), message);
        assertEquals(0x60, CodecSamples.compress(lz4, new byte[200_000])[4]);
    }

    @Test
    void everyBlockSizeIsReadAndHeldTo() {
        for (int code = 4; code <= 7; code++) {
            final int largest = 1 << (2 * code + 8);
            final byte[] content = CodecSamples.content(1, largest);
            final byte[] word = word(largest | 0x8000_0000);
            assertArrayEquals(
                    content, decompress(lz4, frame(0x60, code << 4, new byte[0], concat(word, content, hex(END)))));
            final byte[] tooLong = concat(word(largest + 1 | 0x8000_0000), content, hex("00"), hex(END));
            corrupt(lz4, frame(0x60, code << 4, new byte[0], tooLong));
            corrupt(lz4, frame(0x60, code << 4, new byte[0], concat(zeros(largest + 1), hex(END))));
            assertEquals(
                    largest,
                    decompress(lz4, frame(0x60, code << 4, new byte[0], concat(zeros(largest), hex(END)))).length);
        }
        for (final int descriptor : new int[] {0x30, 0xC0, 0x41}) {
            corrupt(lz4, frame(0x60, descriptor, new byte[0], hex(HELLO + END)));
        }
        corrupt(lz4, frame(0xA0, 0x40, new byte[0], hex(HELLO + END)));
        corrupt(lz4, frame(0x61, 0x40, new byte[0], hex(HELLO + END)));
    }

    @Test
    void blockSumsAreVerified() {
        final byte[] stored = concat(hex(HELLO_STORED), word(sum(ascii("hello"))), hex(END));
        assertArrayEquals(ascii("hello"), decompress(lz4, frame(0x70, 0x40, new byte[0], stored)));
        final byte[] block = concat(hex(HELLO), word(sum(hex("50 68 65 6C 6C 6F"))), hex(END));
        assertArrayEquals(ascii("hello"), decompress(lz4, frame(0x70, 0x40, new byte[0], block)));
        block[4 + 6]++;
        corrupt(lz4, frame(0x70, 0x40, new byte[0], block));
    }

    @Test
    void theContentSumIsThatOfAllBlocksTogether() {
        final byte[] blocks = concat(hex(HELLO), hex(HELLO_STORED), hex(END));
        final byte[] sum = word(sum(ascii("hellohello")));
        assertArrayEquals(ascii("hellohello"), decompress(lz4, frame(0x64, 0x40, new byte[0], concat(blocks, sum))));
        sum[2]++;
        corrupt(lz4, frame(0x64, 0x40, new byte[0], concat(blocks, sum)));
        corrupt(lz4, frame(0x64, 0x40, new byte[0], concat(blocks, hex("00 00 00"))));
    }

    @Test
    void theContentSizeIsVerified() {
        assertArrayEquals(ascii("hello"), decompress(lz4, frame(0x68, 0x40, size(5), hex(HELLO + END))));
        corrupt(lz4, frame(0x68, 0x40, size(4), hex(HELLO + END)));
        corrupt(lz4, frame(0x68, 0x40, size(6), hex(HELLO + END)));
        for (final long huge : new long[] {CodecSamples.AMPLE + 1L, Long.MAX_VALUE, -1}) {
            CodecSamples.refused(
                    CodecException.Kind.TOO_LARGE,
                    lz4,
                    frame(0x68, 0x40, size(huge), hex(HELLO + END)),
                    CodecSamples.AMPLE);
        }
    }

    @Test
    void whatFollowsTheFrameIsIgnoredAsKafkaDoes() {
        final byte[] frame = hex(MAGIC + "60 40 82" + HELLO + END);
        assertArrayEquals(ascii("hello"), decompress(lz4, concat(frame, frame)));
        assertArrayEquals(ascii("hello"), decompress(lz4, concat(frame, hex("FF"))));
    }

    @Test
    void aBrokenBlockIsCorruptAndABlockBeyondTheBoundTooLarge() {
        // A copy from before the start; literals that are not there; a copy at the end.
        corrupt(lz4, hex(MAGIC + "60 40 82" + "04 00 00 00  00 01 00 00" + END));
        corrupt(lz4, hex(MAGIC + "60 40 82" + "02 00 00 00  50 68" + END));
        corrupt(lz4, hex(MAGIC + "60 40 82" + "05 00 00 00  10 68 01 00 FF" + END));
        final byte[] zeros = frame(0x60, 0x40, new byte[0], concat(zeros(60_000), hex(END)));
        CodecSamples.refused(CodecException.Kind.TOO_LARGE, lz4, zeros, 59_999);
        final byte[] cut = frame(0x60, 0x40, new byte[0], hex("02 00 00 00  50 68" + END));
        CodecSamples.refused(CodecException.Kind.CORRUPT, lz4, cut, 3);
    }

    @Test
    void contentLengthOfABlockIsWhatDecodingGives() {
        for (int seed = 0; seed < 200; seed++) {
            final byte[] content = CodecSamples.content(seed, 13 + seed * 97);
            final byte[] frame = CodecSamples.compress(lz4, content);
            final int word =
                    ByteBuffer.wrap(frame).order(ByteOrder.LITTLE_ENDIAN).getInt(7);
            if (word > 0) {
                final UnsafeBuffer source = new UnsafeBuffer(frame, 11, word);
                assertEquals(content.length, Lz4Block.contentLength(source, 0, word));
            }
        }
    }

    /** A frame with the right header checksum. */
    private static byte[] frame(final int flags, final int blockDescriptor, final byte[] size, final byte[] rest) {
        final byte[] descriptor = concat(new byte[] {(byte) flags, (byte) blockDescriptor}, size);
        return concat(hex(MAGIC), descriptor, new byte[] {(byte) (sum(descriptor) >>> 8)}, rest);
    }

    /** A block of that many zeros, with its length: one literal, one copy of it, five literals. */
    private static byte[] zeros(final int length) {
        final int more = length - 1 - 4 - 15 - 5;
        final byte[] longer = new byte[more / 255 + 1];
        Arrays.fill(longer, (byte) 0xFF);
        longer[longer.length - 1] = (byte) (more % 255);
        final byte[] block = concat(hex("1F 00 01 00"), longer, hex("50 00 00 00 00 00"));
        return concat(word(block.length), block);
    }

    private static byte[] word(final int value) {
        return ByteBuffer.allocate(4)
                .order(ByteOrder.LITTLE_ENDIAN)
                .putInt(value)
                .array();
    }

    private static byte[] size(final long value) {
        return ByteBuffer.allocate(8)
                .order(ByteOrder.LITTLE_ENDIAN)
                .putLong(value)
                .array();
    }

    private static int sum(final byte[] bytes) {
        return XXHashFactory.safeInstance().hash32().hash(bytes, 0, bytes.length, 0);
    }
}
