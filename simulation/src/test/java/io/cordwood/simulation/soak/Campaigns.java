package io.cordwood.simulation.soak;

import io.cordwood.simulation.crash.CrashSoak;
import io.cordwood.simulation.crash.FaultSites;
import io.cordwood.simulation.damage.DamageCampaigns;
import io.cordwood.simulation.fuzz.Fuzzing;
import io.cordwood.simulation.fuzz.Mutations;
import io.cordwood.simulation.kill.KilledLives;
import io.cordwood.simulation.model.ModelCampaigns;
import io.cordwood.simulation.races.Races;
import java.util.ArrayList;
import java.util.List;

/** All campaigns, and what they have to reach together. */
public final class Campaigns {
    private static final List<Figure> FIGURES = List.of(
            new Figure("G1", CrashSoak.NAMED_STATES, 1_000_000),
            new Figure("G2", "tears", 200_000),
            new Figure("G3", "nested states", 50_000),
            new Figure("G4", "flips", 600_000),
            // Each length of each file of a log, on both stores, and three opens of each.
            new Figure("G4", "truncations", 168_000),
            new Figure("G4", "opens", 500_000),
            new Figure("G5", "blocks", 100_000),
            new Figure("G13", "structures", 7),
            new Figure("G13", "scenarios", 700),
            new Figure("G17", "kills", 100));

    private Campaigns() {}

    /**
     * A figure that the campaigns of a goal reach together.
     *
     * @param goal such as {@code G1}.
     * @param what is counted, as the campaigns tell it to their {@link Tally}.
     * @param least how many.
     */
    public record Figure(String goal, String what, long least) {}

    /**
     * Lists the campaigns.
     *
     * @return all, in the order of the goals.
     */
    public static List<Campaign> all() {
        final List<Campaign> all = new ArrayList<>();
        all.addAll(CrashSoak.campaigns());
        all.addAll(FaultSites.campaigns());
        all.addAll(Races.campaigns());
        all.addAll(KilledLives.campaigns());
        all.addAll(DamageCampaigns.campaigns());
        all.addAll(Mutations.campaigns());
        all.addAll(Fuzzing.campaigns());
        all.addAll(ModelCampaigns.campaigns());
        return all;
    }

    /**
     * Lists what has to be reached.
     *
     * @return the figures, in the order of the goals.
     */
    public static List<Figure> figures() {
        final List<Figure> all = new ArrayList<>(FIGURES);
        all.addAll(Fuzzing.figures());
        all.addAll(ModelCampaigns.figures());
        return all;
    }
}
