package io.cordwood.jmh;

import java.nio.ByteBuffer;
import java.util.SplittableRandom;
import org.apache.kafka.common.compress.Compression;
import org.apache.kafka.common.record.TimestampType;
import org.apache.kafka.common.record.internal.MemoryRecords;
import org.apache.kafka.common.record.internal.MemoryRecordsBuilder;

/** The batches that are appended and read: how many records, how many bytes of value each. */
public enum BatchShape {
    /** One record of 100 bytes: what a small message sent at once looks like. */
    ONE_OF_100_B("1 x 100 B", 1, 100),
    /** One record of 1 KiB. */
    ONE_OF_1_KIB("1 x 1 KiB", 1, 1024),
    /** Sixteen records of 1 KiB: a full batch of a producer with default settings. */
    SIXTEEN_OF_1_KIB("16 x 1 KiB", 16, 1024);

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
     * The batch as a producer sends it: uncompressed, base offset 0, no leader epoch, values that do not compress.
     *
     * @param nowMs time of all records.
     * @return a heap buffer whose content is the batch.
     */
    public ByteBuffer received(final long nowMs) {
        final SplittableRandom random = Seed.random(7);
        final ByteBuffer buffer = ByteBuffer.allocate(records * (valueBytes + 32) + 128);
        final MemoryRecordsBuilder builder =
                MemoryRecords.builder(buffer, Compression.NONE, TimestampType.CREATE_TIME, 0L);
        try (builder) {
            for (int i = 0; i < records; i++) {
                final byte[] value = new byte[valueBytes];
                random.nextBytes(value);
                builder.append(nowMs, null, value);
            }
        }
        return builder.build().buffer();
    }
}
