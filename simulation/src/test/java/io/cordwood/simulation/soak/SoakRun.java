package io.cordwood.simulation.soak;

import io.cordwood.simulation.Limit;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.TreeMap;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.function.BooleanSupplier;

/** Plays rounds of campaigns, as many at a time as there are processors, and keeps what they tell. */
final class SoakRun {
    private final List<Campaign> campaigns;
    private final Path seeds;
    private final long roundSecondsMost;
    private final Map<String, Tally> tallies = new TreeMap<>();
    private final Map<String, Long> nanos = new TreeMap<>();
    private final List<String> failures = new ArrayList<>();
    private final long began = System.nanoTime();
    private long rounds;

    /**
     * Creates a run.
     *
     * @param campaigns that are played.
     * @param seeds file to which the seeds that fail are added.
     * @param roundSecondsMost how long a round may take, before it has failed.
     */
    SoakRun(final List<Campaign> campaigns, final Path seeds, final long roundSecondsMost) {
        this.seeds = seeds;
        this.roundSecondsMost = roundSecondsMost;
        this.campaigns = List.copyOf(campaigns);
        campaigns.forEach(campaign -> tallies.computeIfAbsent(campaign.goal(), goal -> new Tally()));
    }

    /** One round of each. */
    void play(final long seed) {
        goals().forEach(goal -> play(goal, seed, () -> false));
    }

    /** Until each goal has its figures; a goal without one gets one round. */
    void playGoals(final long seed, final int roundsMost) {
        for (final String goal : goals()) {
            play(goal, seed, () -> false);
            for (int round = 1; !isReached(goal) && failures.isEmpty(); round++) {
                if (round == roundsMost) {
                    failed(goal + ": not reached in " + roundsMost + " rounds: "
                            + tally(goal).counts());
                    break;
                }
                play(goal, seed + round, () -> isReached(goal));
            }
        }
    }

    /** Round after round. */
    void playUntil(final long endNanos, final long seed) {
        final BooleanSupplier isOver = () -> System.nanoTime() - endNanos >= 0 || !failures.isEmpty();
        for (long round = seed; !isOver.getAsBoolean(); round++) {
            for (final String goal : goals()) {
                play(goal, round, isOver);
            }
        }
    }

    boolean isFailed() {
        return !failures.isEmpty();
    }

    /** What was looked at, as Markdown. */
    String table() {
        final StringBuilder table = new StringBuilder("| goal | counted | | to reach | s |\n|---|---|--:|--:|--:|\n");
        for (final String goal : goals()) {
            for (final Map.Entry<String, Long> count : tally(goal).counts().entrySet()) {
                table.append(String.format(
                        Locale.ROOT,
                        "| %s | %s | %,d | %s | %d |%n",
                        goal,
                        count.getKey(),
                        count.getValue(),
                        toReach(goal, count.getKey()),
                        nanos.getOrDefault(goal, 0L) / 1_000_000_000));
            }
        }
        final double minutes = Math.max(1, System.nanoTime() - began) / 60e9;
        table.append(String.format(
                Locale.ROOT, "%n%,d rounds in %.1f minutes, %.1f a minute%n", rounds, minutes, rounds / minutes));
        failures.forEach(failure -> table.append("FAILED ").append(failure).append('\n'));
        return table.toString();
    }

    private static String toReach(final String goal, final String what) {
        for (final Campaigns.Figure figure : Campaigns.figures()) {
            if (figure.goal().equals(goal) && figure.what().equals(what)) {
                return String.format(Locale.ROOT, "%,d", figure.least());
            }
        }
        return "";
    }

    private List<String> goals() {
        return campaigns.stream().map(Campaign::goal).distinct().toList();
    }

    private Tally tally(final String goal) {
        return tallies.getOrDefault(goal, new Tally());
    }

    private boolean isReached(final String goal) {
        return Campaigns.figures().stream()
                .allMatch(f -> !f.goal().equals(goal) || tally(goal).count(f.what()) >= f.least());
    }

    /** A round of each campaign of a goal; those that are not begun when it is over are left out. */
    private void play(final String goal, final long seed, final BooleanSupplier isOver) {
        final long start = System.nanoTime();
        final List<Campaign> together = new ArrayList<>();
        final List<Campaign> alone = new ArrayList<>();
        for (final Campaign campaign : campaigns) {
            if (campaign.goal().equals(goal)) {
                (campaign.isAlone() ? alone : together).add(campaign);
            }
        }
        final ExecutorService threads =
                Executors.newFixedThreadPool(Runtime.getRuntime().availableProcessors());
        try {
            final List<Future<?>> playing = new ArrayList<>();
            together.forEach(campaign -> playing.add(threads.submit(() -> play(campaign, seed, isOver))));
            for (final Future<?> one : playing) {
                one.get();
            }
        } catch (final InterruptedException e) {
            Thread.currentThread().interrupt();
            failed(goal + ": interrupted");
        } catch (final ExecutionException e) {
            throw new IllegalStateException("seed " + seed, e.getCause());
        } finally {
            threads.shutdownNow();
        }
        alone.forEach(campaign -> play(campaign, seed, isOver));
        nanos.merge(goal, System.nanoTime() - start, Long::sum);
    }

    private void play(final Campaign campaign, final long seed, final BooleanSupplier isOver) {
        synchronized (this) {
            if (isOver.getAsBoolean()) {
                return;
            }
        }
        final long start = System.nanoTime();
        try {
            new Limit(roundSecondsMost)
                    .run(
                            campaign.name() + ", seed " + seed,
                            () -> campaign.round().play(seed, tally(campaign.goal())));
            told(String.format(
                    Locale.ROOT,
                    "%s  %-28s seed %d  %.1f s  %s",
                    campaign.goal(),
                    campaign.name(),
                    seed,
                    (System.nanoTime() - start) / 1e9,
                    tally(campaign.goal()).counts()));
        } catch (final AssertionError | RuntimeException | StackOverflowError | LinkageError e) {
            failed(campaign.goal() + " " + campaign.name() + ": " + e + "\n" + Sample.replay(campaign.name(), seed));
            if (!(e instanceof AssertionError)) {
                e.printStackTrace();
            }
            synchronized (this) {
                SeedList.keep(seeds, campaign.name(), seed);
            }
        }
    }

    private synchronized void told(final String line) {
        rounds++;
        System.err.println(line);
    }

    private synchronized void failed(final String what) {
        failures.add(what);
        System.err.println("FAILED " + what);
    }
}
