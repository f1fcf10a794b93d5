package io.cordwood.log.codec;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.nio.ByteBuffer;
import org.apache.kafka.common.compress.Compression;
import org.apache.kafka.common.utils.internals.BufferSupplier;
import org.apache.kafka.common.utils.internals.ByteBufferOutputStream;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** Kafka's own streams read what we write, and write what we read. */
@Tag("oracle")
class CodecKafkaTest {
    private static final int[] SIZES = {0, 1, 100, 16_384, 32_768, 32_769, 65_536, 65_537, 200_000, 3_000_000};

    @ParameterizedTest
    @EnumSource
    void kafkaReadsWhatWeWrite(final CompressionType type) throws IOException {
        for (final int size : SIZES) {
            for (int kind = 0; kind < 4; kind++) {
                final byte[] content = CodecSamples.content(kind, size);
                final byte[] compressed =
                        CodecSamples.compress(Codecs.standard().of(type), content);
                assertArrayEquals(content, readByKafka(type, compressed), type + " size " + size + " kind " + kind);
            }
        }
    }

    @ParameterizedTest
    @EnumSource
    void weReadWhatKafkaWrites(final CompressionType type) throws IOException {
        for (final int size : SIZES) {
            for (int kind = 0; kind < 4; kind++) {
                final byte[] content = CodecSamples.content(kind, size);
                for (int magic = type == CompressionType.ZSTD ? 2 : 0; magic <= 2; magic++) {
                    final byte[] compressed = writtenByKafka(type, content, (byte) magic, 512);
                    final byte[] back = CodecSamples.decompress(
                            Codecs.standard().of(type), compressed, (byte) magic, Math.max(1, size));
                    assertArrayEquals(content, back, type + " size " + size + " kind " + kind + " magic " + magic);
                }
            }
        }
    }

    @ParameterizedTest
    @EnumSource(names = {"NONE", "GZIP", "SNAPPY", "LZ4"})
    void ourBytesAreKafkas(final CompressionType type) throws IOException {
        for (final int size : SIZES) {
            final byte[] content = CodecSamples.content(2, size);
            final byte[] ours = CodecSamples.compress(Codecs.standard().of(type), content);
            if (type == CompressionType.GZIP) {
                // Where deflate flushes its blocks depends on the chunks that it is given; the length may differ a
                // little.
                assertEquals(writtenByKafka(type, content, (byte) 2, size + 1).length, ours.length, size / 1000.0 + 10);
            } else {
                assertArrayEquals(writtenByKafka(type, content, (byte) 2, size + 1), ours, "size " + size);
            }
        }
    }

    @ParameterizedTest
    @EnumSource
    void namesNumbersAndLevelsAreKafkas(final CompressionType type) {
        final var kafkas = org.apache.kafka.common.record.internal.CompressionType.forId(type.id());
        assertEquals(kafkas.name, type.codecName());
        if (type.hasLevels()) {
            assertEquals(kafkas.minLevel(), type.minLevel());
            assertEquals(kafkas.maxLevel(), type.maxLevel());
            assertEquals(kafkas.defaultLevel(), type.defaultLevel());
        }
    }

    @Test
    void snappyHeadersPassAsInKafka() {
        final Codec snappy = Codecs.standard().of(CompressionType.SNAPPY);
        final int[] words = {Integer.MIN_VALUE, -1, 0, 1, 2, 0x0100_0000, Integer.MAX_VALUE};
        for (final int version : words) {
            for (final int compatible : words) {
                final byte[] odd = snappyStream(version, compatible);
                final byte[] usual = snappyStream(1, 1);
                for (final byte[] stream :
                        new byte[][] {odd, CodecSamples.concat(usual, odd), CodecSamples.concat(odd, usual)}) {
                    final String what = "version " + version + ", compatible " + compatible + ", " + stream.length;
                    byte[] theirs = null;
                    try {
                        theirs = readByKafka(CompressionType.SNAPPY, stream);
                    } catch (final IOException e) {
                        assertTrue(String.valueOf(e.getMessage()).contains("INCOMPATIBLE_VERSION"), what);
                    }
                    if (theirs == null) {
                        CodecSamples.corrupt(snappy, stream);
                    } else {
                        assertArrayEquals(theirs, CodecSamples.decompress(snappy, stream), what);
                    }
                }
            }
        }
    }

    /** A block of five literals. */
    private static byte[] snappyStream(final int version, final int compatible) {
        final byte[] block = CodecSamples.hex("05 10 68 65 6C 6C 6F");
        return ByteBuffer.allocate(20 + block.length)
                .putLong(SnappyCodec.MAGIC)
                .putInt(version)
                .putInt(compatible)
                .putInt(block.length)
                .put(block)
                .array();
    }

    private static byte[] readByKafka(final CompressionType type, final byte[] compressed) throws IOException {
        final Compression compression = Compression.of(type.codecName()).build();
        try (InputStream in =
                compression.wrapForInput(ByteBuffer.wrap(compressed), (byte) 2, BufferSupplier.NO_CACHING)) {
            return in.readAllBytes();
        }
    }

    private static byte[] writtenByKafka(
            final CompressionType type, final byte[] content, final byte magic, final int chunk) throws IOException {
        final Compression compression = Compression.of(type.codecName()).build();
        final ByteBufferOutputStream out = new ByteBufferOutputStream(content.length + 1000);
        try (OutputStream stream = compression.wrapForOutput(out, magic)) {
            for (int at = 0; at < content.length; at += chunk) {
                stream.write(content, at, Math.min(chunk, content.length - at));
            }
        }
        final ByteBuffer written = out.buffer().flip();
        final byte[] bytes = new byte[written.remaining()];
        written.get(bytes);
        return bytes;
    }
}
