package io.cordwood.log.codec;

import org.jspecify.annotations.Nullable;

/**
 * The codecs of a log, by Kafka's number. Immutable, and safe for any thread.
 *
 * <p>An integrator who has a better codec for one of the numbers hands in a table with it: {@code
 * Codecs.standard().with(myZstd)}. There is no registry and no discovery.
 */
public final class Codecs {
    private static final Codecs STANDARD = new Codecs(
            new Codec[] {new NoneCodec(), new GzipCodec(), new SnappyCodec(), new Lz4Codec(), new ZstdCodec()});

    private final Codec[] byId;

    private Codecs(final Codec[] byId) {
        this.byId = byId;
    }

    /**
     * The codecs of this package. Says nothing about the presence of their libraries.
     *
     * @return always the same table.
     */
    public static Codecs standard() {
        return STANDARD;
    }

    /**
     * A table with one codec replaced; this one stays as it is.
     *
     * @param codec that takes the place of the one with its number.
     * @return a new table.
     * @throws IllegalArgumentException if Kafka has no such number, or another name for it.
     */
    public Codecs with(final Codec codec) {
        final CompressionType type = CompressionType.forId(codec.id());
        if (type == null || !type.codecName().equals(codec.codecName())) {
            throw new IllegalArgumentException("no codec of Kafka's: id " + codec.id() + ", name " + codec.codecName());
        }
        final Codec[] copy = byId.clone();
        copy[type.id()] = codec;
        return new Codecs(copy);
    }

    /**
     * The codec with a number. Constant time, no allocation.
     *
     * @param id bits 0 to 2 of a batch's attributes.
     * @return null if there is none, as for 5, 6 and 7: the batch is to be refused.
     */
    public @Nullable Codec forId(final int id) {
        return id >= 0 && id < byId.length ? byId[id] : null;
    }

    /**
     * The codec of a type. Constant time, no allocation.
     *
     * @param type of compression.
     * @return never null.
     */
    public Codec of(final CompressionType type) {
        return byId[type.id()];
    }
}
