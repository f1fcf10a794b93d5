package io.cordwood.log.codec;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.nio.ByteBuffer;
import java.util.Arrays;
import java.util.Random;
import org.agrona.BufferUtil;
import org.agrona.DirectBuffer;
import org.agrona.concurrent.UnsafeBuffer;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

class CodecRoundTripTest {
    private static final int[] SIZES = {
        0, 1, 2, 15, 16, 17, 255, 256, 4095, 4096, 16_384, 32_767, 32_768, 32_769, 65_535, 65_536, 65_537, 131_071,
        131_073, 300_000
    };

    @ParameterizedTest
    @EnumSource
    void whatWasCompressedComesBack(final CompressionType type) {
        final Codec codec = Codecs.standard().of(type);
        for (final int size : SIZES) {
            for (int kind = 0; kind < 4; kind++) {
                final byte[] content = CodecSamples.content(kind, size);
                final byte[] back = CodecSamples.decompress(codec, CodecSamples.compress(codec, content));
                assertArrayEquals(content, back, "size " + size + " kind " + kind);
            }
        }
    }

    @ParameterizedTest
    @EnumSource
    void randomSizesComeBackThroughOnePairOfBuffers(final CompressionType type) {
        final long seed = 20_261_130L;
        final Random random = new Random(seed);
        final Codec codec = Codecs.standard().of(type);
        final CodecBuffer compressed = new CodecBuffer(0);
        final CodecBuffer back = new CodecBuffer(0);
        for (int i = 0; i < 60; i++) {
            final byte[] content =
                    CodecSamples.content(random.nextLong(), random.nextInt(1 << (1 + random.nextInt(22))));
            compressed.reset(2 * content.length + 100);
            codec.compress(new UnsafeBuffer(content), 0, content.length, CompressionType.DEFAULT_LEVEL, compressed);
            back.reset(content.length);
            codec.decompress(compressed.buffer(), 0, compressed.length(), CodecSamples.MAGIC_2, back);
            assertArrayEquals(content, CodecSamples.bytes(back), "seed " + seed + " round " + i);
        }
    }

    @ParameterizedTest
    @EnumSource
    void everyLevelComesBack(final CompressionType type) {
        final Codec codec = Codecs.standard().of(type);
        if (!type.hasLevels()) {
            final UnsafeBuffer nothing = new UnsafeBuffer(0, 0);
            assertThrows(IllegalArgumentException.class, () -> codec.compress(nothing, 0, 0, 1, new CodecBuffer(100)));
            return;
        }
        final byte[] content = CodecSamples.content(2, 100_000);
        for (int level = Math.max(-7, type.minLevel()); level <= type.maxLevel(); level++) {
            final byte[] compressed = CodecSamples.compress(codec, content, level);
            assertArrayEquals(content, CodecSamples.decompress(codec, compressed), "level " + level);
        }
        final byte[] least = CodecSamples.compress(codec, content, type.minLevel());
        final byte[] most = CodecSamples.compress(codec, content, type.maxLevel());
        assertTrue(
                most.length < least.length, most.length + " at the highest level, " + least.length + " at the lowest");
        final UnsafeBuffer source = new UnsafeBuffer(content);
        assertThrows(
                IllegalArgumentException.class,
                () -> codec.compress(source, 0, 10, type.maxLevel() + 1, new CodecBuffer(100)));
    }

    @ParameterizedTest
    @EnumSource
    void everyKindOfMemoryIsReadWhereItLies(final CompressionType type) {
        final Codec codec = Codecs.standard().of(type);
        final byte[] content = CodecSamples.content(3, 70_000);
        final byte[] compressed = CodecSamples.compress(codec, content);
        for (int offset = 0; offset < 20; offset += 7) {
            for (final DirectBuffer source : everyKind(content, offset)) {
                final CodecBuffer target = new CodecBuffer(2 * content.length);
                codec.compress(source, offset, content.length, CompressionType.DEFAULT_LEVEL, target);
                assertArrayEquals(compressed, CodecSamples.bytes(target));
            }
            for (final DirectBuffer source : everyKind(compressed, offset)) {
                final CodecBuffer target = new CodecBuffer(content.length);
                codec.decompress(source, offset, compressed.length, CodecSamples.MAGIC_2, target);
                assertArrayEquals(content, CodecSamples.bytes(target));
            }
        }
    }

    @ParameterizedTest
    @EnumSource
    void theResultIsAppended(final CompressionType type) {
        final Codec codec = Codecs.standard().of(type);
        final byte[] content = CodecSamples.content(2, 5000);
        final byte[] before = CodecSamples.ascii("before");
        final CodecBuffer compressed = new CodecBuffer(CodecSamples.AMPLE);
        compressed.append(new UnsafeBuffer(before), 0, before.length);
        codec.compress(new UnsafeBuffer(content), 0, content.length, CompressionType.DEFAULT_LEVEL, compressed);
        final CodecBuffer back = new CodecBuffer(CodecSamples.AMPLE);
        back.append(new UnsafeBuffer(before), 0, before.length);
        codec.decompress(
                compressed.buffer(), before.length, compressed.length() - before.length, CodecSamples.MAGIC_2, back);
        assertArrayEquals(CodecSamples.concat(before, content), CodecSamples.bytes(back));
        assertArrayEquals(before, Arrays.copyOf(CodecSamples.bytes(compressed), before.length));
    }

    @ParameterizedTest
    @EnumSource
    void aBoundThatJustSufficesIsEnoughAndOneByteLessIsNot(final CompressionType type) {
        final Codec codec = Codecs.standard().of(type);
        for (int kind = 0; kind < 4; kind++) {
            for (final int size : new int[] {1, 100, 40_000, 65_536, 150_000}) {
                final byte[] content = CodecSamples.content(kind, size);
                final byte[] compressed = CodecSamples.compress(codec, content);
                assertArrayEquals(
                        content, CodecSamples.decompress(codec, compressed, CodecSamples.MAGIC_2, content.length));
                CodecSamples.refused(CodecException.Kind.TOO_LARGE, codec, compressed, content.length - 1);
                requireTightCompression(codec, content, compressed);
            }
        }
    }

    private static void requireTightCompression(final Codec codec, final byte[] content, final byte[] compressed) {
        final UnsafeBuffer source = new UnsafeBuffer(content);
        for (final int bound : new int[] {0, 5, compressed.length - 1}) {
            final CodecBuffer target = new CodecBuffer(Math.min(bound, compressed.length - 1));
            final CodecException e = assertThrows(
                    CodecException.class,
                    () -> codec.compress(source, 0, content.length, CompressionType.DEFAULT_LEVEL, target));
            assertEquals(CodecException.Kind.TOO_LARGE, e.kind());
            assertTrue(target.memory().capacity() <= bound);
        }
    }

    private static DirectBuffer[] everyKind(final byte[] bytes, final int offset) {
        final ByteBuffer heap = ByteBuffer.allocate(bytes.length + offset + 3);
        final ByteBuffer direct = ByteBuffer.allocateDirect(bytes.length + offset + 3);
        heap.put(offset, bytes);
        direct.put(offset, bytes);
        final UnsafeBuffer sliced = new UnsafeBuffer(ByteBuffer.allocateDirect(bytes.length + offset + 50), 40, 10);
        sliced.wrap(sliced.byteBuffer(), 40, bytes.length + offset);
        sliced.putBytes(offset, bytes);
        final ByteBuffer limited = ByteBuffer.allocateDirect(bytes.length + offset);
        final UnsafeBuffer beyondLimit = new UnsafeBuffer(limited);
        beyondLimit.putBytes(offset, bytes);
        limited.limit(0);
        return new DirectBuffer[] {
            new UnsafeBuffer(heap.array()),
            new UnsafeBuffer(heap),
            new UnsafeBuffer(direct),
            new UnsafeBuffer(direct.asReadOnlyBuffer()),
            sliced,
            beyondLimit,
            // A mapping has an address and no ByteBuffer. The one behind this address is kept alive by its view above.
            new UnsafeBuffer(BufferUtil.address(direct), direct.capacity())
        };
    }
}
