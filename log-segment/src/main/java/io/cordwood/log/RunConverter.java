package io.cordwood.log;

import io.cordwood.log.codec.CodecBuffer;
import io.cordwood.log.codec.CodecException;
import io.cordwood.log.codec.Codecs;
import io.cordwood.log.codec.CompressionType;
import io.cordwood.log.record.BatchConverter;
import io.cordwood.log.record.RecordBatchFlyweight;
import io.cordwood.log.record.Refusal;
import java.util.Objects;
import org.agrona.DirectBuffer;

/** Brings a run of batches into the codec that the topic wants; batches that have it already are copied. The writer's. */
final class RunConverter implements AutoCloseable {
    private final BatchConverter batches;
    private final CodecBuffer target = new CodecBuffer(0);
    private final RecordBatchFlyweight batch = new RecordBatchFlyweight();
    private final CompressionType to;
    private final int level;
    private String reason = "";

    RunConverter(final Codecs codecs, final LogConfig config) {
        this.batches = new BatchConverter(codecs, config.decompressedBytesMax());
        this.to = Objects.requireNonNull(CompressionType.forId(config.compressionCodecId()));
        this.level = switch (to) {
            case GZIP -> config.compressionGzipLevel();
            case LZ4 -> config.compressionLz4Level();
            case ZSTD -> config.compressionZstdLevel();
            case NONE, SNAPPY -> CompressionType.DEFAULT_LEVEL;
        };
    }

    /** Whether the topic wants another codec than a batch's. Markers are never compressed. */
    boolean isDue(final RecordBatchFlyweight candidate) {
        return candidate.codecId() != to.id() && !candidate.isControl();
    }

    /** Bytes of the converted run, which {@link #buffer} holds, or a refusal. */
    long convert(final DirectBuffer buffer, final int index, final int length, final LogConfig config) {
        // Each batch may grow to the limit for one, and there are fewer batches than bytes.
        target.reset(Integer.MAX_VALUE - 8);
        try {
            for (int at = index; at < index + length; at += batch.sizeInBytes()) {
                batch.wrap(buffer, at);
                int size = batch.sizeInBytes();
                if (isDue(batch)) {
                    size = batches.convert(batch, to, level, target);
                } else {
                    target.append(buffer, at, size);
                }
                if (size > Math.min(config.maxMessageBytes(), config.segmentBytes())) {
                    reason = "the batch has " + size + " bytes in the topic's codec";
                    return size > config.maxMessageBytes()
                            ? Refusal.BATCH_TOO_LARGE
                            : Refusal.BATCH_LARGER_THAN_SEGMENT;
                }
            }
        } catch (final CodecException e) {
            reason = String.valueOf(e.getMessage());
            return switch (e.kind()) {
                case CORRUPT -> Refusal.CORRUPT_BATCH;
                case TOO_LARGE -> Refusal.DECOMPRESSED_TOO_LARGE;
                case LIBRARY_MISSING -> Refusal.CODEC_LIBRARY_MISSING;
            };
        }
        return target.length();
    }

    DirectBuffer buffer() {
        return target.buffer();
    }

    String reason() {
        return reason;
    }

    @Override
    public void close() {
        target.reset(0);
        batches.close();
    }
}
