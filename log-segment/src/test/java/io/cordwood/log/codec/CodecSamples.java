package io.cordwood.log.codec;

import static org.junit.jupiter.api.Assertions.assertThrows;

import java.io.ByteArrayOutputStream;
import java.nio.charset.StandardCharsets;
import java.util.HexFormat;
import java.util.Random;
import org.agrona.concurrent.UnsafeBuffer;

/** Bytes to compress and short ways to do it, for the tests of this package. */
final class CodecSamples {
    static final byte MAGIC_2 = 2;
    static final int AMPLE = 16 * 1024 * 1024;

    private CodecSamples() {}

    /** Content of one of four kinds: zeros, noise, text of few words, long repeats with noise between. */
    static byte[] content(final long seed, final int length) {
        final Random random = new Random(seed);
        final byte[] content = new byte[length];
        final int kind = (int) (seed & 3);
        if (kind == 2) {
            final byte[] words = ascii("the log is the only truth ");
            for (int i = 0; i < length; i++) {
                content[i] = words[random.nextInt(8) + i % 16];
            }
        } else if (kind != 0) {
            random.nextBytes(content);
        }
        if (kind == 3) {
            for (int i = 200; i < length; i++) {
                content[i] = i % 300 == 0 ? content[i] : content[i - 200];
            }
        }
        return content;
    }

    static byte[] compress(final Codec codec, final byte[] content) {
        return compress(codec, content, CompressionType.DEFAULT_LEVEL);
    }

    static byte[] compress(final Codec codec, final byte[] content, final int level) {
        final CodecBuffer target = new CodecBuffer(2 * content.length + 1024);
        codec.compress(new UnsafeBuffer(content), 0, content.length, level, target);
        return bytes(target);
    }

    static byte[] decompress(final Codec codec, final byte[] compressed) {
        return decompress(codec, compressed, MAGIC_2, AMPLE);
    }

    static byte[] decompress(final Codec codec, final byte[] compressed, final byte magic, final int bound) {
        final CodecBuffer target = new CodecBuffer(bound);
        codec.decompress(new UnsafeBuffer(compressed), 0, compressed.length, magic, target);
        return bytes(target);
    }

    static CodecException refused(
            final CodecException.Kind kind, final Codec codec, final byte[] compressed, final int bound) {
        final CodecBuffer target = new CodecBuffer(bound);
        final UnsafeBuffer source = new UnsafeBuffer(compressed);
        final CodecException e = assertThrows(
                CodecException.class, () -> codec.decompress(source, 0, compressed.length, MAGIC_2, target));
        if (e.kind() != kind) {
            throw new AssertionError("expected " + kind + " but was " + e.kind(), e);
        }
        if (target.memory().capacity() > bound) {
            throw new AssertionError("took " + target.memory().capacity() + " bytes where the bound is " + bound);
        }
        return e;
    }

    static CodecException corrupt(final Codec codec, final byte[] compressed) {
        return refused(CodecException.Kind.CORRUPT, codec, compressed, AMPLE);
    }

    static byte[] bytes(final CodecBuffer buffer) {
        final byte[] bytes = new byte[buffer.length()];
        buffer.buffer().getBytes(0, bytes);
        return bytes;
    }

    static byte[] ascii(final String text) {
        return text.getBytes(StandardCharsets.US_ASCII);
    }

    /** Bytes from hexadecimal digits; blanks are for the reader. */
    static byte[] hex(final String digits) {
        return HexFormat.of().parseHex(digits.replace(" ", ""));
    }

    static byte[] concat(final byte[]... parts) {
        final ByteArrayOutputStream all = new ByteArrayOutputStream();
        for (final byte[] part : parts) {
            all.writeBytes(part);
        }
        return all.toByteArray();
    }
}
