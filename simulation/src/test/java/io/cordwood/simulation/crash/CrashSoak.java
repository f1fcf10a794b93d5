package io.cordwood.simulation.crash;

import io.cordwood.simulation.soak.Campaign;
import io.cordwood.simulation.soak.Tally;
import io.cordwood.testkit.CrashExplorer;
import io.cordwood.testkit.CrashReport;
import java.util.ArrayList;
import java.util.List;

/** The crash campaigns for {@code bin/soak}: each scenario on each store for each of the goals G1 to G3. */
public final class CrashSoak {
    /** So that a round takes some seconds: the states that do not follow from the seed are the same in each. */
    private static final int RANDOM_STATES = 48;

    /** The scenarios that the goal is set for; the others are played beside them. */
    private static final List<String> NAMED = List.of("append", "roll", "retention", "truncation", "checkpoints");

    /** What is counted of them. */
    public static final String NAMED_STATES = "distinct states of " + String.join(", ", NAMED);

    private CrashSoak() {}

    /**
     * Lists them.
     *
     * @return one for each scenario, store and goal.
     */
    public static List<Campaign> campaigns() {
        final List<Campaign> campaigns = new ArrayList<>();
        for (final String name : CrashCampaigns.names()) {
            campaigns.add(Campaign.of("G1", "crash/" + name, (seed, tally) -> cut(name, seed, tally)));
        }
        for (final String name : CrashCampaigns.names()) {
            campaigns.add(Campaign.of("G2", "tear/" + name, (seed, tally) -> tear(name, seed, tally)));
        }
        for (final String name : CrashCampaigns.names()) {
            campaigns.add(Campaign.of("G3", "nested/" + name, (seed, tally) -> nest(name, seed, tally)));
        }
        return campaigns;
    }

    /**
     * The exploration of a campaign, to replay a state of it.
     *
     * @param campaign of G1 to G3.
     * @param seed of the round.
     * @return the explorer as the round has it.
     * @throws IllegalArgumentException if there is no such campaign.
     */
    public static CrashExplorer explorer(final String campaign, final long seed) {
        final int slash = campaign.indexOf('/');
        final CrashExplorer explorer = CrashCampaigns.explorer(campaign.substring(slash + 1), seed)
                .replayedBy(state -> command(campaign, seed, state));
        return switch (campaign.substring(0, Math.max(0, slash))) {
            case "crash" -> explorer.randomStates(RANDOM_STATES);
            case "tear" -> explorer.randomStates(0).tearsEvery(1);
            case "nested" -> explorer.randomStates(0).nested(2, 1).nestedFine(1);
            default -> throw new IllegalArgumentException("'" + campaign + "' is no campaign of cuts");
        };
    }

    /**
     * Which campaign has a state that a sample has found.
     *
     * @param name of the scenario.
     * @param state as a failure names it.
     * @return the campaign in whose round it is.
     */
    public static String campaign(final String name, final String state) {
        return (state.indexOf('/') < 0 ? "crash/" : "nested/") + name;
    }

    static String command(final String campaign, final long seed, final String state) {
        return "bin/soak --seed=" + seed + " --state=" + state + " " + campaign;
    }

    private static void cut(final String name, final long seed, final Tally tally) {
        final boolean isNamed = NAMED.contains(name.substring(0, name.indexOf('/')));
        final CrashReport report = explorer("crash/" + name, seed)
                .states((hash, cuts, isTorn) -> {
                    tally.addDistinct("distinct states", hash);
                    if (isNamed) {
                        tally.addDistinct(NAMED_STATES, hash);
                    }
                })
                .explore();
        requireEachPoint(report);
        tally.add("points", report.points());
        tally.add("states", report.states());
        tally.add("checks", report.checks());
    }

    private static void tear(final String name, final long seed, final Tally tally) {
        final CrashReport report = explorer("tear/" + name, seed)
                .states((hash, cuts, isTorn) -> {
                    if (isTorn) {
                        tally.addDistinct("tears", hash);
                    }
                })
                .explore();
        requireEachPoint(report);
        tally.add("checks", report.checks());
    }

    private static void nest(final String name, final long seed, final Tally tally) {
        final CrashReport report = explorer("nested/" + name, seed)
                .states((hash, cuts, isTorn) -> {
                    if (cuts > 0) {
                        tally.addDistinct("nested states", hash);
                    }
                })
                .explore();
        requireEachPoint(report);
        requireEachRecovery(report);
        if (report.uncut() > 0) {
            throw new AssertionError("recoveries were not cut: " + report);
        }
        tally.add("recoveries cut", report.cutChecks());
        tally.add("points in recoveries", report.nestedPoints());
        tally.add("checks", report.checks());
    }

    private static void requireEachPoint(final CrashReport report) {
        if (report.acts() < 60 || report.points() != report.acts() + 1) {
            throw new AssertionError("expected at least 60 acts and a cut before and after each: " + report);
        }
    }

    /** Counted by the disk: in front of each act of each recovery that was cut, and behind its last. */
    static void requireEachRecovery(final CrashReport report) {
        if (report.cutChecks() == 0 || report.nestedPoints() != report.nestedActs() + report.cutChecks()) {
            throw new AssertionError("expected a cut before and after each act of a recovery: " + report);
        }
    }
}
