package io.cordwood.simulation.soak;

/**
 * Something that can be tried as often as one likes, each time by another seed. {@code mvn verify} plays a few rounds of each,
 * {@code bin/soak} as many as there is time for.
 *
 * @param goal the reliability goal that it serves, such as {@code G4}.
 * @param name tells it from all others, such as {@code crash/append/mapped}.
 * @param isAlone whether nothing else may run meanwhile, because it is about threads or processes.
 * @param round what it does.
 */
public record Campaign(String goal, String name, boolean isAlone, Round round) {
    /**
     * A campaign of one thread that owns what it works on.
     *
     * @param goal such as {@code G4}.
     * @param name such as {@code flips/segment}.
     * @param round what it does.
     * @return the campaign.
     */
    public static Campaign of(final String goal, final String name, final Round round) {
        return new Campaign(goal, name, false, round);
    }

    /** Some seconds of work. */
    @FunctionalInterface
    public interface Round {
        /**
         * Plays one round.
         *
         * @param seed that everything follows from: the same seed does the same.
         * @param tally that is told what was looked at.
         * @throws AssertionError if the code under test is wrong; with what was expected, what was found, and the last acts.
         */
        void play(long seed, Tally tally);
    }
}
