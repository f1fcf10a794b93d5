package io.cordwood.log.codec;

import org.agrona.DirectBuffer;

/** No compression: both directions copy. */
public final class NoneCodec implements Codec {
    /** Creates the codec, which has no state. */
    public NoneCodec() {}

    @Override
    public int id() {
        return CompressionType.NONE.id();
    }

    @Override
    public String codecName() {
        return CompressionType.NONE.codecName();
    }

    @Override
    public void compress(
            final DirectBuffer source, final int index, final int length, final int level, final CodecBuffer target) {
        CompressionType.NONE.effectiveLevel(level);
        target.append(source, index, length);
    }

    @Override
    public void decompress(
            final DirectBuffer source, final int index, final int length, final byte magic, final CodecBuffer target) {
        target.append(source, index, length);
    }
}
