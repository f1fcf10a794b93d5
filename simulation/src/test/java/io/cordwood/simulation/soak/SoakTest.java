package io.cordwood.simulation.soak;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNotEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.cordwood.simulation.crash.CrashSoak;
import io.cordwood.simulation.soak.SeedList.Entry;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.concurrent.atomic.AtomicBoolean;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** What {@code bin/soak} does with campaigns: rounds until the figures are reached, failures told with a command, seeds kept. */
final class SoakTest {
    @TempDir
    Path directory;

    private static Campaign counting(final String goal, final List<Long> seeds) {
        return Campaign.of(goal, "test/" + goal, (seed, tally) -> {
            seeds.add(seed);
            tally.addDistinct("distinct states", seed % 2);
            tally.add("rounds", 1);
        });
    }

    @Test
    void everySeedThatHasFailedOnceIsFineNow() {
        final List<Entry> entries = SeedList.read(SeedList.file());
        for (final Entry entry : entries) {
            final List<Campaign> named = Campaigns.all().stream()
                    .filter(campaign -> campaign.name().equals(entry.campaign()))
                    .toList();
            assertEquals(1, named.size(), entry + " names no campaign");
            Sample.of(entry.campaign(), entry.seed(), named.get(0).round());
        }
        assertEquals(entries.size(), Set.copyOf(entries).size());
    }

    @Test
    void campaignsHaveNamesOfTheirOwnAndFiguresHaveCampaigns() {
        final Set<String> names = new HashSet<>();
        final Set<String> goals = new HashSet<>();
        for (final Campaign campaign : Campaigns.all()) {
            assertTrue(names.add(campaign.name()), campaign.name());
            assertTrue(campaign.goal().matches("G[0-9]+"), campaign.goal());
            goals.add(campaign.goal());
        }
        Campaigns.figures().forEach(figure -> assertTrue(goals.contains(figure.goal()), figure.toString()));
    }

    @Test
    void withoutAFigureThereIsOneRound() {
        final List<Long> seeds = new ArrayList<>();
        final SoakRun run = new SoakRun(List.of(counting("G99", seeds)), directory.resolve("seeds"), 600);
        run.playGoals(7, 10);
        assertEquals(List.of(7L), seeds);
        assertFalse(run.isFailed());
        assertTrue(run.table().contains("| G99 | rounds | 1 |"), run.table());
    }

    @Test
    void aFigureThatIsNotReachedIsAFailure() {
        final List<Long> seeds = new ArrayList<>();
        final SoakRun run = new SoakRun(List.of(counting("G1", seeds)), directory.resolve("seeds"), 600);
        run.playGoals(7, 4);
        assertEquals(List.of(7L, 8L, 9L, 10L), seeds);
        assertTrue(run.isFailed());
        assertTrue(run.table().contains("| G1 | distinct states | 2 |  |"), run.table());
        assertTrue(run.table().contains("G1: not reached in 4 rounds"), run.table());
    }

    @Test
    void aFailureIsToldWithTheCommandThatReplaysItAndItsSeedIsKept() throws IOException {
        final Path seeds = Files.writeString(directory.resolve("seeds"), "# none\n");
        final Campaign broken = Campaign.of("G1", "test/broken", (seed, tally) -> {
            throw new AssertionError("expected 1, found 2");
        });
        final SoakRun run = new SoakRun(List.of(broken), seeds, 600);
        run.play(5);
        // The command that replays it is run before the mend, and must not add the seed again.
        run.play(5);
        assertTrue(run.isFailed());
        assertTrue(run.table().contains("expected 1, found 2"), run.table());
        assertTrue(run.table().contains("bin/soak --seed=5 test/broken"), run.table());
        assertEquals(List.of("# none", "test/broken 5"), Files.readAllLines(seeds));
    }

    /** As each test that plays a sample tells of its failure. */
    @Test
    void aSampleThatFailsIsToldWithTheCommandThatReplaysItAndTheLineThatKeepsIt() {
        final String campaign = Campaigns.all().get(0).name();
        final AssertionError failure = assertThrows(
                AssertionError.class,
                () -> Sample.of(campaign, 5, (seed, tally) -> {
                    throw new IllegalStateException("expected 1, found 2 with " + seed);
                }));
        assertEquals(
                "java.lang.IllegalStateException: expected 1, found 2 with 5\n  replay   bin/soak --seed=5 " + campaign
                        + "\n  add to   simulation/seeds.txt: " + campaign + " 5",
                failure.getMessage());
        assertThrows(IllegalArgumentException.class, () -> Sample.of("test/none", 5, (seed, tally) -> {}));
    }

    @Test
    void aSeedIsKeptOnce() throws IOException {
        final Path seeds = Files.writeString(directory.resolve("seeds"), "# none\ntest/a 5 why\n");
        SeedList.keep(seeds, "test/a", 5);
        SeedList.keep(seeds, "test/b", 5);
        SeedList.keep(seeds, "test/b", 5);
        assertEquals(List.of("# none", "test/a 5 why", "test/b 5"), Files.readAllLines(seeds));
    }

    /** What a test samples whose state has cuts in its recovery is played by the campaign of those. */
    @Test
    void aStateOfACutRecoveryIsReplayedByTheCampaignThatCutsRecoveries() {
        assertEquals("crash/append/mapped", CrashSoak.campaign("append/mapped", "37-p4"));
        assertEquals("nested/append/mapped", CrashSoak.campaign("append/mapped", "37-p4/12-n"));
    }

    @Test
    void aRoundThatDoesNotEndIsAFailureThatIsTold() throws IOException {
        final Path seeds = Files.writeString(directory.resolve("seeds"), "# none\n");
        final AtomicBoolean isEnough = new AtomicBoolean();
        final Campaign endless = Campaign.of("G1", "test/endless", (seed, tally) -> {
            while (!isEnough.get()) {
                Thread.onSpinWait();
            }
        });
        final SoakRun run = new SoakRun(List.of(endless), seeds, 1);
        run.play(5);
        isEnough.set(true);
        assertTrue(run.isFailed());
        assertTrue(run.table().contains("not over after 1 s: test/endless, seed 5"), run.table());
        assertTrue(run.table().contains("bin/soak --seed=5 test/endless"), run.table());
    }

    @Test
    void theSeedOfASampleFollowsFromTheSources() throws IOException {
        for (final String module : List.of("log-segment", "index", "testkit", "simulation")) {
            Files.createDirectories(directory.resolve(module).resolve("src"));
        }
        final Path source = directory.resolve("index/src/A.java");
        Files.writeString(source, "class A {}");
        final long seed = SourceSeed.seedOf(directory);
        Files.writeString(directory.resolve("index/src/notes.txt"), "nobody runs this");
        assertEquals(seed, SourceSeed.seedOf(directory));
        Files.writeString(source, "class A { }");
        assertNotEquals(seed, SourceSeed.seedOf(directory));
        Files.writeString(source, "class A {}");
        Files.move(source, directory.resolve("index/src/B.java"));
        assertNotEquals(seed, SourceSeed.seedOf(directory));
    }
}
