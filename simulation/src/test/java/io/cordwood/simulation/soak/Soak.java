package io.cordwood.simulation.soak;

import io.cordwood.simulation.crash.CrashSoak;
import io.cordwood.testkit.CrashReport;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.Callable;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine;
import picocli.CommandLine.ArgGroup;
import picocli.CommandLine.Command;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Parameters;
import picocli.CommandLine.Spec;

/** {@code bin/soak}: plays campaigns, and prints what they have looked at. */
@Command(
        name = "bin/soak",
        description =
                "Plays the campaigns of the reliability goals; without an option a round of each. Exit code 0: all is well; "
                        + "1: a campaign has failed, or a figure was not reached; 2: usage.",
        mixinStandardHelpOptions = true,
        sortOptions = false)
public final class Soak implements Callable<Integer> {
    /** If not even this many rounds reach a figure, its campaigns look at the same things again and again. */
    private static final int ROUNDS_MOST = 200;

    /** The longest rounds take minutes; one that does not end is a failure like any other. */
    private static final long ROUND_SECONDS_MOST = 3 * 60 * 60;

    @ArgGroup
    private @Nullable Extent extent;

    @Option(
            names = "--seed",
            paramLabel = "N",
            description = "Of the first round; without it 1, with --minutes the clock's.")
    private @Nullable Long seed;

    @Option(
            names = "--state",
            paramLabel = "STATE",
            description = "Checks one state of one campaign of G1 to G3, as a failure names it.")
    private @Nullable String state;

    @Option(names = "--list", description = "Shows the campaigns and plays none.")
    private boolean isList;

    @Parameters(
            paramLabel = "CAMPAIGN",
            arity = "0..*",
            description = "A goal, such as G4, or how the name of a campaign begins.")
    private List<String> wanted = new ArrayList<>();

    @Spec
    private @Nullable CommandSpec spec;

    /** How long it goes on. */
    static final class Extent {
        @Option(names = "--goals", description = "Until each goal has reached its figures.")
        boolean isGoals;

        @Option(names = "--minutes", paramLabel = "N", description = "For so long, and to the end of what was begun.")
        long minutes;
    }

    private Soak() {}

    /**
     * Runs the command.
     *
     * @param arguments as {@code bin/soak} was given them.
     */
    public static void main(final String[] arguments) {
        System.exit(new CommandLine(new Soak()).execute(arguments));
    }

    @Override
    public Integer call() {
        final List<Campaign> chosen = chosen();
        if (isList) {
            chosen.forEach(campaign -> System.out.println(campaign.goal() + "  " + campaign.name()));
            return 0;
        }
        if (state != null) {
            return replay(chosen);
        }
        final SoakRun run = new SoakRun(chosen, SeedList.file(), ROUND_SECONDS_MOST);
        if (extent == null) {
            run.play(seed == null ? 1 : seed);
        } else if (extent.isGoals) {
            run.playGoals(seed == null ? 1 : seed, ROUNDS_MOST);
        } else {
            if (extent.minutes <= 0) {
                throw wrong("--minutes is " + extent.minutes + ", but the least is 1");
            }
            run.playUntil(
                    System.nanoTime() + TimeUnit.MINUTES.toNanos(extent.minutes),
                    seed == null ? System.currentTimeMillis() : seed);
        }
        System.out.print(run.table());
        return run.isFailed() ? 1 : 0;
    }

    private List<Campaign> chosen() {
        final List<Campaign> chosen = new ArrayList<>();
        for (final Campaign campaign : Campaigns.all()) {
            if (wanted.isEmpty()
                    || wanted.stream()
                            .anyMatch(w ->
                                    campaign.goal().equals(w) || campaign.name().startsWith(w))) {
                chosen.add(campaign);
            }
        }
        for (final String name : wanted) {
            if (chosen.stream().noneMatch(c -> c.goal().equals(name) || c.name().startsWith(name))) {
                throw wrong("'" + name + "' is no goal, and no campaign begins so; --list shows them");
            }
        }
        return chosen;
    }

    private int replay(final List<Campaign> chosen) {
        if (chosen.size() != 1 || extent != null) {
            throw wrong("--state is of one campaign and one seed");
        }
        final String name = chosen.get(0).name();
        try {
            final CrashReport report =
                    CrashSoak.explorer(name, seed == null ? 1 : seed).replay(String.valueOf(state));
            System.out.println("fine: " + report);
            return 0;
        } catch (final IllegalArgumentException e) {
            throw wrong(String.valueOf(e.getMessage()));
        } catch (final AssertionError e) {
            System.err.println(e.getMessage());
            SeedList.keep(SeedList.file(), name, seed == null ? 1 : seed);
            return 1;
        }
    }

    private ParameterException wrong(final String message) {
        if (spec == null) {
            throw new IllegalStateException(message);
        }
        return new ParameterException(spec.commandLine(), message);
    }
}
