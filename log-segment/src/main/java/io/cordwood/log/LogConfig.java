package io.cordwood.log;

import io.cordwood.log.record.TimestampType;
import java.util.HashMap;
import java.util.Map;
import java.util.SortedMap;
import org.jspecify.annotations.Nullable;

/**
 * The settings of one log, under Kafka's topic property names and with Kafka 4.4's defaults and ranges.
 *
 * <table>
 * <caption>Settings</caption>
 * <tr><th>property<th>default<th>range
 * <tr><td>{@code segment.bytes}<td>1 GiB<td>61 (an empty batch) and more; Kafka's 1 MiB minimum is not kept, and its
 *     {@code internal.segment.bytes} is a second name that wins
 * <tr><td>{@code segment.ms}<td>7 days<td>1 and more
 * <tr><td>{@code segment.jitter.ms}<td>0<td>0 and more
 * <tr><td>{@code segment.index.bytes}<td>10 MiB<td>12 (one time index entry) and more; Kafka's is 4
 * <tr><td>{@code index.interval.bytes}<td>4096<td>0 and more
 * <tr><td>{@code retention.ms}<td>7 days<td>-1 (unlimited) and more
 * <tr><td>{@code retention.bytes}<td>-1<td>-1 (unlimited) and more; Kafka takes any negative number
 * <tr><td>{@code cleanup.policy}<td>delete<td>delete
 * <tr><td>{@code flush.messages}<td>2^63-1 (never)<td>1 and more
 * <tr><td>{@code flush.ms}<td>2^63-1 (never)<td>0 and more
 * <tr><td>{@code file.delete.delay.ms}<td>60 s<td>0 and more
 * <tr><td>{@code max.message.bytes}<td>1 MiB + 12<td>0 and more
 * <tr><td>{@code message.timestamp.type}<td>CreateTime<td>CreateTime, LogAppendTime
 * <tr><td>{@code message.timestamp.before.max.ms}<td>2^63-1 (any)<td>0 and more
 * <tr><td>{@code message.timestamp.after.max.ms}<td>1 hour<td>0 and more
 * <tr><td>{@code compression.type}<td>producer<td>producer, uncompressed, gzip, snappy, lz4, zstd
 * <tr><td>{@code compression.gzip.level}<td>-1<td>-1 (zlib's own choice), 1 to 9
 * <tr><td>{@code compression.lz4.level}<td>9<td>1 to 17
 * <tr><td>{@code compression.zstd.level}<td>3<td>-131072 to 22
 * <tr><td>{@code preallocate}<td>false<td>true, false
 * <tr><td>{@code decompressed.bytes.max}<td>64 MiB<td>1 and more; Cordwood's own: Kafka bounds a record
 *     ({@code max.decompressed.message.bytes}) and by default not at all
 * </table>
 *
 * <p>Everything else is refused by name, with a {@link ConfigException}: a setting that is silently ignored is worse than a
 * missing one. Immutable, so any thread may use it.
 */
public final class LogConfig {
    /** No limit, for {@link #retentionMs} and {@link #retentionBytes}. */
    public static final long UNLIMITED = -1;

    /** {@link #compressionCodecId}: every batch keeps the codec that its producer chose. */
    public static final int CODEC_OF_PRODUCER = -1;

    private static final String[] COMPRESSION_TYPES = {"producer", "uncompressed", "gzip", "snappy", "lz4", "zstd"};
    private static final LogConfig DEFAULTS = new LogConfig(Map.of());
    private static final int SEGMENT_BYTES_MIN = 61;
    private static final int SEGMENT_INDEX_BYTES_MIN = 12;
    private static final long WEEK_MS = 604_800_000;

    private final SortedMap<String, String> properties;
    private final int segmentBytes;
    private final long segmentMs;
    private final long segmentJitterMs;
    private final int segmentIndexBytes;
    private final int indexIntervalBytes;
    private final long retentionMs;
    private final long retentionBytes;
    private final long flushMessages;
    private final long flushMs;
    private final long fileDeleteDelayMs;
    private final int maxMessageBytes;
    private final int decompressedBytesMax;
    private final TimestampType timestampType;
    private final long timestampBeforeMaxMs;
    private final long timestampAfterMaxMs;
    private final int compressionCodecId;
    private final int compressionGzipLevel;
    private final int compressionLz4Level;
    private final int compressionZstdLevel;
    private final boolean preallocate;

    private LogConfig(final Map<String, String> given) {
        final ConfigReader reader = new ConfigReader(given);
        final int intMax = Integer.MAX_VALUE;
        final long longMax = Long.MAX_VALUE;
        reader.alias("segment.bytes", "internal.segment.bytes");
        segmentBytes = reader.intOf("segment.bytes", 1 << 30, SEGMENT_BYTES_MIN, intMax);
        segmentMs = reader.longOf("segment.ms", WEEK_MS, 1, longMax);
        segmentJitterMs = reader.longOf("segment.jitter.ms", 0, 0, longMax);
        segmentIndexBytes = reader.intOf("segment.index.bytes", 10 << 20, SEGMENT_INDEX_BYTES_MIN, intMax);
        indexIntervalBytes = reader.intOf("index.interval.bytes", 4096, 0, intMax);
        retentionMs = reader.longOf("retention.ms", WEEK_MS, UNLIMITED, longMax);
        retentionBytes = reader.longOf("retention.bytes", UNLIMITED, UNLIMITED, longMax);
        flushMessages = reader.longOf("flush.messages", longMax, 1, longMax);
        flushMs = reader.longOf("flush.ms", longMax, 0, longMax);
        fileDeleteDelayMs = reader.longOf("file.delete.delay.ms", 60_000, 0, longMax);
        maxMessageBytes = reader.intOf("max.message.bytes", (1 << 20) + 12, 0, intMax);
        decompressedBytesMax = reader.intOf("decompressed.bytes.max", 64 << 20, 1, intMax);
        timestampType = reader.choiceOf(
                                "message.timestamp.type",
                                TimestampType.CREATE_TIME.kafkaName(),
                                TimestampType.LOG_APPEND_TIME.kafkaName())
                        == 0
                ? TimestampType.CREATE_TIME
                : TimestampType.LOG_APPEND_TIME;
        timestampBeforeMaxMs = reader.longOf("message.timestamp.before.max.ms", longMax, 0, longMax);
        timestampAfterMaxMs = reader.longOf("message.timestamp.after.max.ms", 3_600_000, 0, longMax);
        compressionCodecId = CODEC_OF_PRODUCER + reader.choiceOf("compression.type", COMPRESSION_TYPES);
        compressionGzipLevel = reader.intOf("compression.gzip.level", -1, -1, 9);
        if (compressionGzipLevel == 0) {
            throw new ConfigException("compression.gzip.level", "0", "it must be -1 or from 1 to 9");
        }
        compressionLz4Level = reader.intOf("compression.lz4.level", 9, 1, 17);
        compressionZstdLevel = reader.intOf("compression.zstd.level", 3, -(1 << 17), 22);
        preallocate = reader.booleanOf("preallocate", false);
        checkCleanupPolicy(reader.wordOf("cleanup.policy", "delete"));
        properties = reader.finish();
    }

    private static void checkCleanupPolicy(final String policy) {
        if (policy.contains("compact")) {
            throw new ConfigException(
                    "cleanup.policy",
                    policy,
                    "compaction comes with its own module, which is not there yet; use delete");
        }
        if (!policy.equals("delete")) {
            throw new ConfigException("cleanup.policy", policy, "it must be delete");
        }
    }

    /**
     * Kafka's defaults.
     *
     * @return the settings of a log of which nothing is said.
     */
    public static LogConfig defaults() {
        return DEFAULTS;
    }

    /**
     * Settings from properties.
     *
     * @param properties by Kafka's names; blanks around a value are dropped. What is not named has its default.
     * @return the settings.
     * @throws ConfigException if a name is unknown or a value is out of range.
     */
    public static LogConfig of(final Map<String, String> properties) {
        return new LogConfig(properties);
    }

    /**
     * The same settings but for one.
     *
     * @param property by Kafka's name.
     * @param value of it.
     * @return new settings; these stay as they are.
     * @throws ConfigException if the name is unknown or the value is out of range.
     */
    public LogConfig with(final String property, final String value) {
        final Map<String, String> changed = new HashMap<>(properties);
        changed.put(property, value);
        return new LogConfig(changed);
    }

    /**
     * All settings by name, defaults included: {@code LogConfig.of(config.toProperties())} equals {@code config}.
     *
     * @return an unmodifiable map, sorted by name.
     */
    public SortedMap<String, String> toProperties() {
        return properties;
    }

    /**
     * Size at which a segment is full.
     *
     * @return bytes; a batch larger than this is refused.
     */
    public int segmentBytes() {
        return segmentBytes;
    }

    /**
     * Age of a segment's first record at which the next append rolls.
     *
     * @return milliseconds, counted in record time.
     */
    public long segmentMs() {
        return segmentMs;
    }

    /**
     * Upper bound of what is taken off {@link #segmentMs}, at random, so that logs do not all roll at once.
     *
     * @return milliseconds; 0: nothing.
     */
    public long segmentJitterMs() {
        return segmentJitterMs;
    }

    /**
     * Size at which one index file is full.
     *
     * @return bytes, for each of the two.
     */
    public int segmentIndexBytes() {
        return segmentIndexBytes;
    }

    /**
     * Log bytes between two index entries.
     *
     * @return bytes; 0: an entry for each batch.
     */
    public int indexIntervalBytes() {
        return indexIntervalBytes;
    }

    /**
     * Age at which a sealed segment is deleted.
     *
     * @return milliseconds, or {@link #UNLIMITED}.
     */
    public long retentionMs() {
        return retentionMs;
    }

    /**
     * Size of the log beyond which its first segments are deleted.
     *
     * @return bytes, or {@link #UNLIMITED}.
     */
    public long retentionBytes() {
        return retentionBytes;
    }

    /**
     * Records after which the log is to be forced.
     *
     * @return a count; {@link Long#MAX_VALUE}: never for this reason.
     */
    public long flushMessages() {
        return flushMessages;
    }

    /**
     * Time after which the log is to be forced.
     *
     * @return milliseconds; {@link Long#MAX_VALUE}: never for this reason.
     */
    public long flushMs() {
        return flushMs;
    }

    /**
     * How long a deleted segment stays on disk under its {@code .deleted} name.
     *
     * @return milliseconds.
     */
    public long fileDeleteDelayMs() {
        return fileDeleteDelayMs;
    }

    /**
     * Largest batch that is accepted from a client, as it arrives.
     *
     * @return bytes, header included.
     */
    public int maxMessageBytes() {
        return maxMessageBytes;
    }

    /**
     * Largest size of a batch's records after decompression: the bound that keeps a small hostile batch from filling the heap.
     *
     * @return bytes, for all records of one batch together.
     */
    public int decompressedBytesMax() {
        return decompressedBytesMax;
    }

    /**
     * Whose timestamps records carry.
     *
     * @return {@code CREATE_TIME} or {@code LOG_APPEND_TIME}.
     */
    public TimestampType timestampType() {
        return timestampType;
    }

    /**
     * How much older than the clock a client's record may be, where the client gives the timestamp.
     *
     * @return milliseconds; {@link Long#MAX_VALUE}: any age.
     */
    public long timestampBeforeMaxMs() {
        return timestampBeforeMaxMs;
    }

    /**
     * How much younger than the clock a client's record may be, where the client gives the timestamp.
     *
     * @return milliseconds.
     */
    public long timestampAfterMaxMs() {
        return timestampAfterMaxMs;
    }

    /**
     * Codec in which batches of clients are stored.
     *
     * @return Kafka's codec id (0 none, 1 gzip, 2 snappy, 3 lz4, 4 zstd) or {@link #CODEC_OF_PRODUCER}.
     */
    public int compressionCodecId() {
        return compressionCodecId;
    }

    /**
     * Level for batches that the log compresses with gzip.
     *
     * @return 1 to 9, or -1 for zlib's own choice.
     */
    public int compressionGzipLevel() {
        return compressionGzipLevel;
    }

    /**
     * Level for batches that the log compresses with lz4.
     *
     * @return 1 to 17.
     */
    public int compressionLz4Level() {
        return compressionLz4Level;
    }

    /**
     * Level for batches that the log compresses with zstd.
     *
     * @return -131072 to 22.
     */
    public int compressionZstdLevel() {
        return compressionZstdLevel;
    }

    /**
     * Kafka's name of what {@link #compressionCodecId} says.
     *
     * @return as in {@code compression.type}.
     */
    public String compressionType() {
        return COMPRESSION_TYPES[compressionCodecId - CODEC_OF_PRODUCER];
    }

    /**
     * Whether disk space for a whole segment is reserved when the segment is made.
     *
     * @return true if so.
     */
    public boolean isPreallocated() {
        return preallocate;
    }

    @Override
    public boolean equals(final @Nullable Object other) {
        return other instanceof LogConfig config && properties.equals(config.properties);
    }

    @Override
    public int hashCode() {
        return properties.hashCode();
    }

    @Override
    public String toString() {
        return properties.toString();
    }
}
