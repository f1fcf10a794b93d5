package io.cordwood.log.codec;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertSame;
import static org.junit.jupiter.api.Assertions.assertThrows;

import org.agrona.DirectBuffer;
import org.junit.jupiter.api.Test;

class CodecsTest {
    @Test
    void everyTypeHasItsCodec() {
        for (final CompressionType type : CompressionType.values()) {
            final Codec codec = Codecs.standard().of(type);
            assertEquals(type.id(), codec.id());
            assertEquals(type.codecName(), codec.codecName());
            assertSame(codec, Codecs.standard().forId(type.id()));
            assertSame(type, CompressionType.forId(type.id()));
            assertSame(type, CompressionType.forName(type.codecName()));
        }
    }

    @Test
    void unknownNumbersAndNamesHaveNone() {
        for (final int id : new int[] {-1, 5, 6, 7, Integer.MAX_VALUE, Integer.MIN_VALUE}) {
            assertNull(Codecs.standard().forId(id));
            assertNull(CompressionType.forId(id));
        }
        assertNull(CompressionType.forName("producer"));
        assertNull(CompressionType.forName("GZIP"));
    }

    @Test
    void anIntegratorReplacesOneCodecAndTheStandardStays() {
        final Codec own = new Named(4, "zstd");
        final Codecs codecs = Codecs.standard().with(own);
        assertSame(own, codecs.forId(4));
        assertSame(Codecs.standard().forId(3), codecs.forId(3));
        assertEquals(ZstdCodec.class, Codecs.standard().of(CompressionType.ZSTD).getClass());
    }

    @Test
    void aCodecThatKafkaDoesNotKnowIsRefused() {
        assertThrows(IllegalArgumentException.class, () -> Codecs.standard().with(new Named(5, "brotli")));
        assertThrows(IllegalArgumentException.class, () -> Codecs.standard().with(new Named(4, "brotli")));
    }

    @Test
    void levelsOutsideOfTheRangeAreRefused() {
        assertEquals(-1, CompressionType.GZIP.effectiveLevel(CompressionType.DEFAULT_LEVEL));
        assertEquals(-1, CompressionType.GZIP.effectiveLevel(-1));
        assertEquals(9, CompressionType.GZIP.effectiveLevel(9));
        assertThrows(IllegalArgumentException.class, () -> CompressionType.GZIP.effectiveLevel(0));
        assertThrows(IllegalArgumentException.class, () -> CompressionType.LZ4.effectiveLevel(18));
        assertEquals(-131_072, CompressionType.ZSTD.effectiveLevel(-131_072));
        assertThrows(IllegalArgumentException.class, () -> CompressionType.ZSTD.effectiveLevel(23));
        assertThrows(IllegalArgumentException.class, () -> CompressionType.SNAPPY.effectiveLevel(1));
        assertEquals(CompressionType.DEFAULT_LEVEL, CompressionType.NONE.effectiveLevel(CompressionType.DEFAULT_LEVEL));
    }

    private record Named(int id, String codecName) implements Codec {
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
