package io.cordwood.log.codec;

import org.agrona.DirectBuffer;

/**
 * One compression format of Kafka's record batches.
 *
 * <p>An instance has no state that outlives a call beyond what its class documents, and may be used by any number of threads
 * as long as each brings its own buffers. The caller owns all buffers; none is kept after the call, and source and target are
 * never the same memory.
 *
 * <p>After a {@link CodecException} the target holds what it held before the call, followed by bytes that mean nothing.
 */
public interface Codec {
    /**
     * Kafka's number of the codec, bits 0 to 2 of a batch's attributes.
     *
     * @return 0 none, 1 gzip, 2 snappy, 3 lz4, 4 zstd.
     */
    int id();

    /**
     * Kafka's name of the codec.
     *
     * @return as in {@code compression.type}.
     */
    String codecName();

    /**
     * Compresses a run of bytes and appends the result to the target.
     *
     * @param source of the bytes.
     * @param index of the first byte.
     * @param length bytes to compress, at least 0.
     * @param level of compression, or {@link CompressionType#DEFAULT_LEVEL}.
     * @param target that grows as needed, up to its bound.
     * @throws CodecException if the target's bound is reached or the library is missing.
     * @throws IllegalArgumentException if the codec has no such level.
     */
    void compress(DirectBuffer source, int index, int length, int level, CodecBuffer target);

    /**
     * Decompresses a run of bytes and appends the result to the target. Never allocates more than the target's bound,
     * whatever lengths the input declares, beside scratch memory in the size of the input.
     *
     * @param source of the compressed bytes, which are not trusted.
     * @param index of the first byte.
     * @param length compressed bytes.
     * @param magic of the batch or message that holds them: 0 and 1 have header checksums of their own in lz4.
     * @param target that grows as needed, up to its bound.
     * @throws CodecException if the input is corrupt, the target's bound is reached or the library is missing.
     */
    void decompress(DirectBuffer source, int index, int length, byte magic, CodecBuffer target);
}
