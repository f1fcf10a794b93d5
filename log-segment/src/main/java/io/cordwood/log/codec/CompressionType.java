package io.cordwood.log.codec;

import org.jspecify.annotations.Nullable;

/** Kafka's compression types: the number in a batch's attributes, the name in configurations, and the levels. */
public enum CompressionType {
    /** Not compressed. */
    NONE(0, "none"),
    /** Deflate in RFC 1952 members; levels 1 to 9, default -1, which leaves the choice to zlib. */
    GZIP(1, "gzip", 1, 9, -1),
    /** Snappy blocks in the framing of snappy-java. */
    SNAPPY(2, "snappy"),
    /** LZ4 frames; levels 1 to 17. The default, 9, means the fast compressor, every other level the thorough one. */
    LZ4(3, "lz4", 1, 17, 9),
    /** Zstandard frames; levels -131072 to 22, default 3. */
    ZSTD(4, "zstd", -131_072, 22, 3);

    /** Stands for each type's own default level; outside of every range, since all small numbers are levels of some type. */
    public static final int DEFAULT_LEVEL = Integer.MIN_VALUE;

    private static final CompressionType[] BY_ID = values();

    private final int id;
    private final String codecName;
    private final boolean levelled;
    private final int minLevel;
    private final int maxLevel;
    private final int defaultLevel;

    CompressionType(final int id, final String codecName) {
        this.id = id;
        this.codecName = codecName;
        this.levelled = false;
        this.minLevel = DEFAULT_LEVEL;
        this.maxLevel = DEFAULT_LEVEL;
        this.defaultLevel = DEFAULT_LEVEL;
    }

    CompressionType(
            final int id, final String codecName, final int minLevel, final int maxLevel, final int defaultLevel) {
        this.id = id;
        this.codecName = codecName;
        this.levelled = true;
        this.minLevel = minLevel;
        this.maxLevel = maxLevel;
        this.defaultLevel = defaultLevel;
    }

    /**
     * Kafka's number.
     *
     * @return bits 0 to 2 of a batch's attributes.
     */
    public int id() {
        return id;
    }

    /**
     * Kafka's name.
     *
     * @return as in {@code compression.type}.
     */
    public String codecName() {
        return codecName;
    }

    /**
     * Whether the type has levels at all.
     *
     * @return false for none and snappy.
     */
    public boolean hasLevels() {
        return levelled;
    }

    /**
     * The lowest level.
     *
     * @return {@link #DEFAULT_LEVEL} if the type has no levels.
     */
    public int minLevel() {
        return minLevel;
    }

    /**
     * The highest level.
     *
     * @return {@link #DEFAULT_LEVEL} if the type has no levels.
     */
    public int maxLevel() {
        return maxLevel;
    }

    /**
     * The level that Kafka takes when none is configured.
     *
     * @return for gzip -1, which lies below {@link #minLevel}; {@link #DEFAULT_LEVEL} if the type has no levels.
     */
    public int defaultLevel() {
        return defaultLevel;
    }

    /**
     * The level to compress with.
     *
     * @param level a level of this type, or {@link #DEFAULT_LEVEL}.
     * @return the level itself, or the type's default.
     * @throws IllegalArgumentException if the type has no such level.
     */
    public int effectiveLevel(final int level) {
        if (level == DEFAULT_LEVEL || level == defaultLevel) {
            return defaultLevel;
        }
        if (!levelled) {
            throw new IllegalArgumentException("compression " + codecName + " has no levels: " + level);
        }
        if (level < minLevel || level > maxLevel) {
            throw new IllegalArgumentException("compression level of " + codecName + " must be " + minLevel + " to "
                    + maxLevel + " or the default " + defaultLevel + ": " + level);
        }
        return level;
    }

    /**
     * The type with a number.
     *
     * @param id bits 0 to 2 of a batch's attributes.
     * @return null if Kafka has no such type.
     */
    public static @Nullable CompressionType forId(final int id) {
        return id >= 0 && id < BY_ID.length ? BY_ID[id] : null;
    }

    /**
     * The type with a name.
     *
     * @param name as in {@code compression.type}, in lower case.
     * @return null if Kafka has no such type; also for {@code producer} and {@code uncompressed}, which are policies of a
     *     topic and not types.
     */
    public static @Nullable CompressionType forName(final String name) {
        for (final CompressionType type : BY_ID) {
            if (type.codecName.equals(name)) {
                return type;
            }
        }
        return null;
    }
}
