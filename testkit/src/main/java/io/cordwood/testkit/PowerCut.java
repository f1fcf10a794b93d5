package io.cordwood.testkit;

import java.util.Objects;
import java.util.random.RandomGenerator;

/**
 * Decides what a power cut leaves of what was not forced. Asked once for each {@link Pending} thing: for the names in the order of
 * their acts, then for the files in the order in which they were made, each in the order of its acts. So an answer that
 * follows from a seed is the same in each run.
 */
@FunctionalInterface
public interface PowerCut {
    /**
     * Tells whether a change has reached the disk.
     *
     * @param change that was not forced.
     * @return true if it is there when the machine starts again.
     */
    boolean survives(Pending change);

    /**
     * Tells how far a change has reached the disk of which {@link #survives} says that it did. A disk that writes sectors whole or not
     * at all, and an operating system that was not interrupted in the middle of a write, give no other answer than the default's.
     *
     * @param change a {@link Pending.Kind#SECTOR} or a {@link Pending.Kind#LENGTH}.
     * @return a position in the file: the bytes of the sector below it are new and the others old; the file was lengthened
     *     up to there at most.
     */
    default long upTo(final Pending change) {
        return Long.MAX_VALUE;
    }

    /**
     * The disk has only what was forced.
     *
     * @return a cut after which nothing pending survives.
     */
    static PowerCut nothing() {
        return change -> false;
    }

    /**
     * The disk was just as far as the cache.
     *
     * @return a cut after which everything pending survives.
     */
    static PowerCut everything() {
        return change -> true;
    }

    /**
     * The disk has all that was done up to an act, and nothing after it.
     *
     * @param act number of the last act that survives, 0 for none.
     * @return the cut.
     */
    static PowerCut prefix(final int act) {
        return change -> change.act() <= act;
    }

    /**
     * A coin is thrown for each change.
     *
     * @param random the coin.
     * @return a cut that differs from call to call, as the numbers do.
     */
    static PowerCut random(final RandomGenerator random) {
        Objects.requireNonNull(random, "random");
        return change -> random.nextBoolean();
    }
}
