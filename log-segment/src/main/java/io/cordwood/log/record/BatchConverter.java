package io.cordwood.log.record;

import static io.cordwood.log.record.RecordBatchDescriptor.*;
import static java.nio.ByteOrder.BIG_ENDIAN;

import io.cordwood.log.codec.Codec;
import io.cordwood.log.codec.CodecBuffer;
import io.cordwood.log.codec.CodecException;
import io.cordwood.log.codec.Codecs;
import io.cordwood.log.codec.CompressionType;
import org.agrona.DirectBuffer;
import org.agrona.concurrent.UnsafeBuffer;

/**
 * Writes a batch of magic 2 anew in another codec, for topics whose {@code compression.type} is not the producer's. The
 * records' bytes and all fields of the header stay, save length, codec and CRC.
 *
 * <p>One thread's, to be kept and reused. Allocates nothing once its memory has grown.
 */
public final class BatchConverter implements AutoCloseable {
    private final Codecs codecs;
    private final int decompressedBytesMax;
    private final Crc32c crc = new Crc32c();
    private final UnsafeBuffer converted = new UnsafeBuffer(0, 0);
    private CodecBuffer decompressed;

    /**
     * Creates the converter of one thread.
     *
     * @param codecs to decompress and compress with.
     * @param decompressedBytesMax most bytes that the records of one batch may decompress to.
     */
    public BatchConverter(final Codecs codecs, final int decompressedBytesMax) {
        this.codecs = codecs;
        this.decompressedBytesMax = decompressedBytesMax;
        this.decompressed = new CodecBuffer(decompressedBytesMax);
    }

    /**
     * Appends the converted batch to a buffer.
     *
     * @param batch to convert, which {@link BatchValidator} has accepted.
     * @param to codec of the new batch.
     * @param level of compression, or {@link CompressionType#DEFAULT_LEVEL}.
     * @param target of the new batch, which begins at the length that the target has now.
     * @return size of the new batch in bytes.
     * @throws CodecException if the records cannot be decompressed or a bound is reached.
     * @throws CorruptRecordException if there is no such codec as the batch's.
     */
    public int convert(
            final RecordBatchFlyweight batch, final CompressionType to, final int level, final CodecBuffer target) {
        final DirectBuffer source = batch.buffer();
        final int begin = target.length();
        final int recordsIndex = batch.index() + HEADER_BYTES;
        final int recordsLength = batch.sizeInBytes() - HEADER_BYTES;
        target.append(source, batch.index(), HEADER_BYTES);
        if (batch.codecId() == CompressionType.NONE.id()) {
            compress(source, recordsIndex, recordsLength, to, level, target);
        } else {
            final Codec from = codecs.forId(batch.codecId());
            if (from == null) {
                throw new CorruptRecordException(
                        "codec " + batch.codecId() + ", must be 0 to 4", -1, ATTRIBUTES_OFFSET);
            }
            decompressed.reset(decompressedBytesMax);
            from.decompress(source, recordsIndex, recordsLength, MAGIC_V2, decompressed);
            compress(decompressed.buffer(), 0, decompressed.length(), to, level, target);
        }
        final int size = target.length() - begin;
        final int attributes = (batch.attributes() & ~CODEC_MASK) | to.id();
        converted.wrap(target.room(0));
        converted.putInt(begin + LENGTH_OFFSET, size - LOG_OVERHEAD, BIG_ENDIAN);
        converted.putShort(begin + ATTRIBUTES_OFFSET, (short) attributes, BIG_ENDIAN);
        sealCrc(converted, begin, size, crc);
        return size;
    }

    private void compress(
            final DirectBuffer records,
            final int index,
            final int length,
            final CompressionType to,
            final int level,
            final CodecBuffer target) {
        if (to == CompressionType.NONE) {
            target.append(records, index, length);
        } else {
            codecs.of(to).compress(records, index, length, level, target);
        }
    }

    /** Lets go of the memory for decompressed records. The converter may be used again. */
    @Override
    public void close() {
        decompressed = new CodecBuffer(decompressedBytesMax);
    }
}
