package io.cordwood.jmh;

import static org.junit.jupiter.api.Assertions.assertInstanceOf;
import static org.junit.jupiter.api.Assertions.assertThrows;

import io.cordwood.log.codec.Codec;
import io.cordwood.log.codec.CodecBuffer;
import io.cordwood.log.codec.CompressionType;
import io.cordwood.log.codec.Lz4Codec;
import io.cordwood.log.store.DiskStorage;
import io.cordwood.log.store.Storage;
import java.nio.file.Path;
import org.agrona.DirectBuffer;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Parts of an integrator are made by the name of their class. */
final class PartsTest {
    private final Parts parts = new Parts();

    @Test
    void withoutNamesPartsAreOurs(@TempDir final Path root) {
        try (Storage storage = parts.storage(root)) {
            assertInstanceOf(DiskStorage.class, storage);
        }
        assertInstanceOf(Lz4Codec.class, parts.codecs().of(CompressionType.LZ4));
    }

    @Test
    void aCodecTakesThePlaceOfOurs() {
        parts.codecs = Zstd.class.getName() + "+" + Lz4Codec.class.getName();
        assertInstanceOf(Zstd.class, parts.codecs().of(CompressionType.ZSTD));
        assertInstanceOf(Lz4Codec.class, parts.codecs().of(CompressionType.LZ4));
    }

    @Test
    void whatCannotBeMadeIsNamed(@TempDir final Path root) {
        parts.storage = "com.example.Nowhere";
        parts.codecs = "java.lang.String";
        assertThrows(IllegalArgumentException.class, () -> parts.storage(root));
        assertThrows(ClassCastException.class, parts::codecs);
    }

    /** A codec of somebody else. */
    public static final class Zstd implements Codec {
        /** Made by name. */
        public Zstd() {}

        @Override
        public int id() {
            return CompressionType.ZSTD.id();
        }

        @Override
        public String codecName() {
            return CompressionType.ZSTD.codecName();
        }

        @Override
        public void compress(
                final DirectBuffer source,
                final int index,
                final int length,
                final int level,
                final CodecBuffer target) {
            throw new UnsupportedOperationException();
        }

        @Override
        public void decompress(
                final DirectBuffer source,
                final int index,
                final int length,
                final byte magic,
                final CodecBuffer target) {
            throw new UnsupportedOperationException();
        }
    }
}
