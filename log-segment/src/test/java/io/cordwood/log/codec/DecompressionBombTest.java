package io.cordwood.log.codec;

import static io.cordwood.log.codec.CodecSamples.AMPLE;
import static io.cordwood.log.codec.CodecSamples.concat;
import static io.cordwood.log.codec.CodecSamples.hex;
import static io.cordwood.log.codec.CodecSamples.refused;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.cordwood.log.codec.CodecException.Kind;
import java.util.Arrays;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** B23. {@link CodecSamples#refused} also asserts that no more memory than the bound was taken. */
class DecompressionBombTest {
    private static final int HUGE = 64 * 1024 * 1024;

    @ParameterizedTest
    @EnumSource
    void b23_aSmallInputThatExpandsEnormouslyIsRefusedAtTheBound(final CompressionType type) {
        final Codec codec = Codecs.standard().of(type);
        final byte[] bomb = CodecSamples.compress(codec, new byte[HUGE]);
        assertTrue(type == CompressionType.NONE || bomb.length < HUGE / 15, "no bomb: " + bomb.length);
        refused(Kind.TOO_LARGE, codec, bomb, AMPLE);
        refused(Kind.TOO_LARGE, codec, bomb, HUGE - 1);
    }

    @Test
    void b23_declaredSnappyLengthsAreNotTrusted() {
        final Codec snappy = new SnappyCodec();
        refused(Kind.TOO_LARGE, snappy, hex("FF FF FF FF 07  10 68 65 6C 6C 6F 00"), AMPLE);
        refused(Kind.TOO_LARGE, snappy, hex("FF FF FF FF 0F  10 68 65 6C 6C 6F 00"), AMPLE);
        final CodecException e = refused(Kind.CORRUPT, snappy, hex("FF FF 3F  10 68 65 6C 6C 6F 00 00 00"), AMPLE);
        assertEquals(
                "corrupt snappy data: a block of 12 bytes cannot hold the 1048575 that it declares", e.getMessage());
    }

    @Test
    void b23_zstdBlocksOfOneRepeatedByteAreBounded() {
        final byte[] blocks = new byte[40_000];
        for (int i = 0; i < blocks.length; i += 4) {
            // 128 KiB of one byte, not the last.
            blocks[i] = 0x02;
            blocks[i + 2] = 0x10;
        }
        final byte[] bomb = concat(hex("28 B5 2F FD 00 58"), blocks, hex("01 00 00"));
        refused(Kind.TOO_LARGE, new ZstdCodec(), bomb, AMPLE);
    }

    @Test
    void b23_zstdDeclaredSizesAreNotTrusted() {
        final byte[] frame = hex("28 B5 2F FD E0 FF FF FF FF FF FF FF 7F 29 00 00 68 65 6C 6C 6F");
        refused(Kind.TOO_LARGE, new ZstdCodec(), frame, AMPLE);
        Arrays.fill(frame, 5, 13, (byte) 0xFF);
        refused(Kind.TOO_LARGE, new ZstdCodec(), frame, AMPLE);
        final byte[] oneTooMany = hex("28 B5 2F FD A0 01 00 00 01 29 00 00 68 65 6C 6C 6F");
        refused(Kind.TOO_LARGE, new ZstdCodec(), oneTooMany, AMPLE);
        final byte[] withinTheBound = hex("28 B5 2F FD A0 00 00 80 00 29 00 00 68 65 6C 6C 6F");
        refused(Kind.CORRUPT, new ZstdCodec(), withinTheBound, AMPLE);
    }

    @Test
    void b23_manyMembersOrFramesShareOneBound() {
        for (final CompressionType type : new CompressionType[] {CompressionType.GZIP, CompressionType.ZSTD}) {
            final Codec codec = Codecs.standard().of(type);
            final byte[] one = CodecSamples.compress(codec, new byte[AMPLE / 4]);
            assertEquals(AMPLE, CodecSamples.decompress(codec, concat(one, one, one, one)).length);
            refused(Kind.TOO_LARGE, codec, concat(one, one, one, one, one), AMPLE);
        }
    }
}
