package io.cordwood.jmh;

import java.nio.ByteBuffer;
import java.util.SplittableRandom;
import org.apache.kafka.common.compress.Compression;
import org.apache.kafka.common.record.TimestampType;
import org.apache.kafka.common.record.internal.CompressionType;
import org.apache.kafka.common.record.internal.MemoryRecords;
import org.apache.kafka.common.record.internal.MemoryRecordsBuilder;

/** The batches that are appended and read: how many records, how many bytes of value each. */
public enum BatchShape {
    /** One record of 100 bytes: what a small message sent at once looks like. */
    ONE_OF_100_B("1 x 100 B", 1, 100),
    /** One record of 1 KiB. */
    ONE_OF_1_KIB("1 x 1 KiB", 1, 1024),
    /** Sixteen records of 1 KiB: a full batch of a producer with default settings. */
    SIXTEEN_OF_1_KIB("16 x 1 KiB", 16, 1024),
    /** A thousand records of 1 KiB: what a producer sends that is told to fill large batches. */
    THOUSAND_OF_1_KIB("1000 x 1 KiB", 1000, 1024);

    /** What is random in the values. */
    private static final int VALUES = 7;

    private static final int PIECE_BYTES = 32;

    private final String title;
    private final int records;
    private final int valueBytes;

    BatchShape(final String title, final int records, final int valueBytes) {
        this.title = title;
        this.records = records;
        this.valueBytes = valueBytes;
    }

    /**
     * Name for the table.
     *
     * @return number and size of the records.
     */
    public String title() {
        return title;
    }

    /**
     * Number of records.
     *
     * @return records of one batch.
     */
    public int records() {
        return records;
    }

    /**
     * Bytes of one value.
     *
     * @return bytes.
     */
    public int valueBytes() {
        return valueBytes;
    }

    /**
     * The batch as a producer sends it that does not compress.
     *
     * @param nowMs time of all records.
     * @return a heap buffer whose content is the batch.
     */
    public ByteBuffer received(final long nowMs) {
        return received(nowMs, "none");
    }

    /**
     * The batch as a producer sends it: base offset 0, no leader epoch. The values compress to about half; without a codec that is
     * of no matter.
     *
     * @param nowMs time of all records.
     * @param codec by Kafka's name for it, such as {@code none}.
     * @return a heap buffer whose content is the batch.
     */
    public ByteBuffer received(final long nowMs, final String codec) {
        final SplittableRandom random = Seed.random(VALUES);
        final ByteBuffer buffer = ByteBuffer.allocate(records * (valueBytes + 32) + 128);
        final MemoryRecordsBuilder builder = MemoryRecords.builder(
                buffer, Compression.of(CompressionType.forName(codec)).build(), TimestampType.CREATE_TIME, 0L);
        try (builder) {
            for (int i = 0; i < records; i++) {
                builder.append(nowMs, null, value(random, valueBytes));
            }
        }
        return builder.build().buffer();
    }

    /**
     * One value alone, as in the batches.
     *
     * @return the bytes.
     */
    byte[] value() {
        return value(Seed.random(VALUES), valueBytes);
    }

    /**
     * All values of the batch.
     *
     * @return one for each record.
     */
    byte[][] recordValues() {
        final SplittableRandom random = Seed.random(VALUES);
        final byte[][] values = new byte[records][];
        for (int i = 0; i < records; i++) {
            values[i] = value(random, valueBytes);
        }
        return values;
    }

    /** Pieces that are random, each of them twice: every codec makes about half of it, also those that look for repetitions alone. */
    private static byte[] value(final SplittableRandom random, final int bytes) {
        final byte[] value = new byte[bytes];
        final byte[] piece = new byte[PIECE_BYTES];
        for (int at = 0; at < bytes; at += PIECE_BYTES) {
            if (at % (2 * PIECE_BYTES) == 0) {
                random.nextBytes(piece);
            }
            System.arraycopy(piece, 0, value, at, Math.min(PIECE_BYTES, bytes - at));
        }
        return value;
    }
}
