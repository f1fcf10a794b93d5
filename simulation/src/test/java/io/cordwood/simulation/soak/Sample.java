package io.cordwood.simulation.soak;

import java.util.List;

/**
 * Part of a campaign's round, as {@code mvn verify} plays it. If it fails, so does the round of that seed: the failure says by which command,
 * and which line keeps the seed.
 */
public final class Sample {
    private Sample() {}

    /**
     * Plays a sample.
     *
     * @param campaign whose round does at least the same.
     * @param seed of the round.
     * @param part what the sample does.
     * @throws AssertionError if it fails.
     */
    public static void of(final String campaign, final long seed, final Campaign.Round part) {
        of(campaign, seed, new Tally(), part);
    }

    /**
     * Plays a sample.
     *
     * @param campaign whose round does at least the same.
     * @param seed of the round.
     * @param tally that is told what was looked at.
     * @param part what the sample does.
     * @throws AssertionError if it fails.
     */
    public static void of(final String campaign, final long seed, final Tally tally, final Campaign.Round part) {
        final List<String> names = Campaigns.all().stream().map(Campaign::name).toList();
        if (!names.contains(campaign)) {
            throw new IllegalArgumentException("'" + campaign + "' is none of " + names);
        }
        try {
            part.play(seed, tally);
        } catch (final RuntimeException | AssertionError | StackOverflowError | LinkageError e) {
            throw failed(campaign, seed, e);
        }
    }

    /**
     * The failure of a sample.
     *
     * @param campaign whose round has the case that failed.
     * @param seed of the round.
     * @param cause what the sample threw.
     * @return to be thrown: it says how to replay the case.
     */
    public static AssertionError failed(final String campaign, final long seed, final Throwable cause) {
        return new AssertionError(cause + "\n" + replay(campaign, seed), cause);
    }

    /**
     * What follows a failure of a round.
     *
     * @param campaign that has failed.
     * @param seed of the round.
     * @return the command that plays that round alone, and the line that keeps its seed.
     */
    static String replay(final String campaign, final long seed) {
        return "  replay   bin/soak --seed=" + seed + " " + campaign + "\n  add to   " + SeedList.NAME + ": "
                + SeedList.line(campaign, seed);
    }
}
