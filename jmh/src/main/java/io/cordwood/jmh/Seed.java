package io.cordwood.jmh;

import java.util.SplittableRandom;

/** Everything random in the benchmarks is drawn from one number, which the results name. */
final class Seed {
    /** System property by which the number is handed to the processes that measure. */
    static final String PROPERTY = "cordwood.bench.seed";

    /** The number if none is given. */
    static final long DEFAULT = 7;

    private Seed() {}

    /**
     * Source of one kind of random data.
     *
     * @param use tells kinds apart, so that none depends on how much another draws.
     * @return a source of its own.
     */
    static SplittableRandom random(final int use) {
        return new SplittableRandom(Long.getLong(PROPERTY, DEFAULT) * 31 + use);
    }
}
