/**
 * Compression of record batches, in the five forms that Kafka knows, and nothing but bytes in and bytes out.
 *
 * <p>{@link io.cordwood.log.codec.Codec} is the one interface: it appends what it produces to a
 * {@link io.cordwood.log.codec.CodecBuffer}, which grows up to a bound and never beyond it. That bound is the only defence
 * against decompression bombs and therefore the only way out of a codec; lengths that the input declares are checked
 * against it before memory is taken. {@link io.cordwood.log.codec.Codecs} is the immutable table from the number in a batch's
 * attributes to the codec.
 *
 * <pre>
 *   id  name    bytes of a compressed run                                        library
 *   0   none    as they are
 *   1   gzip    RFC 1952 members, one after the other                            (JDK)
 *   2   snappy  82 'SNAPPY' 00, version, compatible, { length, block }*          org.xerial.snappy:snappy-java
 *               or one raw block
 *   3   lz4     04 22 4D 18, FLG, BD, [size], HC, { length, block, [sum] }*,     at.yawk.lz4:lz4-java
 *               00 00 00 00, [sum]
 *   4   zstd    RFC 8878 frames, one after the other                             com.github.luben:zstd-jni
 * </pre>
 *
 * <p>What we write, Kafka reads. What Kafka reads, we read, but for three things that no client writes and that Kafka lets
 * pass because it does not look: sums and sizes that are present and wrong, header sums of old lz4 messages that are neither
 * the right nor Kafka's old wrong one, and runs that end in the middle of something.
 *
 * <p>A library that is absent is noticed at the first use of its codec, not before. Scratch memory and native contexts are
 * taken from a small pool for the length of one call and given back by the thread that took them; nothing is kept per thread.
 * Read {@code Codec} first.
 */
@NullMarked
package io.cordwood.log.codec;

import org.jspecify.annotations.NullMarked;
