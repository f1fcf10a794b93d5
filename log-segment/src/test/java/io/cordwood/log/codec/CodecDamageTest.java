package io.cordwood.log.codec;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.nio.ByteBuffer;
import java.util.Arrays;
import java.util.Random;
import org.agrona.concurrent.UnsafeBuffer;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** Whatever the bytes are: the content, or a {@link CodecException}, and never more memory than the bound. */
class CodecDamageTest {
    private static final int BOUND = 200_000;

    @ParameterizedTest
    @EnumSource(mode = EnumSource.Mode.EXCLUDE, names = "NONE")
    void everyTruncationIsRefused(final CompressionType type) {
        final Codec codec = Codecs.standard().of(type);
        for (int kind = 0; kind < 4; kind++) {
            final byte[] compressed = CodecSamples.compress(codec, CodecSamples.content(kind, 700));
            for (int length = 0; length < compressed.length; length++) {
                // Behind the header and before the only block, which is all of an empty snappy stream.
                if (type != CompressionType.SNAPPY || length != 16) {
                    CodecSamples.corrupt(codec, Arrays.copyOf(compressed, length));
                }
            }
        }
    }

    @ParameterizedTest
    @EnumSource
    void everyFlippedBitIsRefusedOrHarmless(final CompressionType type) {
        final Codec codec = Codecs.standard().of(type);
        final CodecBuffer target = new CodecBuffer(BOUND);
        int refused = 0;
        for (int kind = 0; kind < 4; kind++) {
            final byte[] compressed = CodecSamples.compress(codec, CodecSamples.content(kind, 500));
            for (int bit = 0; bit < compressed.length * 8; bit++) {
                compressed[bit / 8] ^= (byte) (1 << (bit % 8));
                refused += isDecoded(codec, compressed, target) ? 0 : 1;
                compressed[bit / 8] ^= (byte) (1 << (bit % 8));
            }
            assertTrue(isDecoded(codec, compressed, target), "the codec works on after damaged input");
        }
        assertEquals(type == CompressionType.NONE, refused == 0);
    }

    @ParameterizedTest
    @EnumSource
    void severalBlocksWithBytesThrownInNeverEscape(final CompressionType type) {
        final long seed = 4711;
        final Random random = new Random(seed);
        final Codec codec = Codecs.standard().of(type);
        final CodecBuffer target = new CodecBuffer(BOUND);
        final byte[] whole = CodecSamples.compress(codec, CodecSamples.content(3, 150_000));
        for (int round = 0; round < 400; round++) {
            final byte[] compressed = whole.clone();
            final int near = random.nextInt(compressed.length);
            for (int i = random.nextInt(4); i >= 0; i--) {
                final int at = random.nextBoolean() ? random.nextInt(40) : Math.min(near + i, compressed.length - 1);
                compressed[at] = (byte) (random.nextBoolean() ? 0xFF : random.nextInt());
            }
            isDecoded(codec, compressed, target);
        }
        assertTrue(isDecoded(codec, whole, target));
    }

    @ParameterizedTest
    @EnumSource(mode = EnumSource.Mode.EXCLUDE, names = "NONE")
    void noiseIsRefused(final CompressionType type) {
        final Random random = new Random(815);
        final Codec codec = Codecs.standard().of(type);
        final CodecBuffer target = new CodecBuffer(BOUND);
        for (int round = 0; round < 2000; round++) {
            final byte[] noise = new byte[1 + random.nextInt(200)];
            random.nextBytes(noise);
            // Not one of the few that are a raw snappy block by chance.
            noise[0] |= (byte) 0x80;
            noise[Math.min(1, noise.length - 1)] |= (byte) 0x80;
            assertFalse(isDecoded(codec, noise, target));
        }
    }

    private static boolean isDecoded(final Codec codec, final byte[] compressed, final CodecBuffer target) {
        // At the very end of its memory, so that reading on would leave it.
        final ByteBuffer memory = ByteBuffer.allocateDirect(compressed.length);
        memory.put(0, compressed);
        target.reset(BOUND);
        try {
            codec.decompress(new UnsafeBuffer(memory), 0, compressed.length, CodecSamples.MAGIC_2, target);
            return true;
        } catch (final CodecException e) {
            assertTrue(e.kind() != CodecException.Kind.LIBRARY_MISSING);
            return false;
        } finally {
            assertTrue(target.memory().capacity() <= BOUND);
        }
    }
}
