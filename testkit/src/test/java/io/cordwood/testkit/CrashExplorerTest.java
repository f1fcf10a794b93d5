package io.cordwood.testkit;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.cordwood.log.store.StorageFile;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;
import java.util.function.Consumer;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** The explorer finds what a power cut breaks, says it so that it can be done again, and looks at each act. */
final class CrashExplorerTest {
    private static CrashExplorer numbers(final String leftOut) {
        return new CrashExplorer("numbers", Disk.NOW, () -> new NumberFile(leftOut));
    }

    private static String failure(final CrashExplorer explorer) {
        return String.valueOf(
                assertThrows(AssertionError.class, explorer::explore).getMessage());
    }

    private static String stateIn(final String message) {
        final Matcher matcher = Pattern.compile("replay\\(\"(.*)\"\\)").matcher(message);
        assertTrue(matcher.find(), message);
        return matcher.group(1);
    }

    @Test
    void aFileThatIsReplacedInTheRightOrderSurvives() {
        final CrashReport report = numbers("nothing").nested(2, 2).explore();
        // Open, write, force, rename, sync; after the first time nothing is cut.
        assertEquals(25, report.acts());
        assertEquals(26, report.points());
        assertTrue(report.distinct() > 20 && report.distinct() <= report.states(), report.toString());
        assertTrue(report.tears() > 0, report.toString());
        assertTrue(report.nestedPoints() > 0, report.toString());
    }

    @ParameterizedTest
    @ValueSource(strings = {"force", "sync"})
    void whatIsLeftOutIsFoundAndCanBeReplayed(final String leftOut) {
        final String message = failure(numbers(leftOut));
        assertTrue(message.startsWith("numbers: stored was "), message);
        for (final String part : List.of("point", "survived", "lost", "the last acts: ", "seed     0")) {
            assertTrue(message.contains(part), part + ": " + message);
        }
        final AssertionError again =
                assertThrows(AssertionError.class, () -> numbers(leftOut).replay(stateIn(message)));
        assertEquals(
                message.lines().findFirst(),
                String.valueOf(again.getMessage()).lines().findFirst());
    }

    @Test
    void aRecoveryThatCannotBeRepeatedIsFoundByACutOfItAlone() {
        assertEquals(0, numbers("tidy").explore().nestedPoints());
        final String message = failure(numbers("tidy").nested(1, 0));
        assertTrue(message.contains("then, during the check, at point "), message);
        assertTrue(stateIn(message).contains("/"), message);
        assertThrows(AssertionError.class, () -> numbers("tidy").replay(stateIn(message)));
    }

    @Test
    void eachRecoveryIsCutAtEachOfItsActsAndASampleSaysWhatItLeavesOut() {
        final CrashReport all = numbers("nothing").nested(2, 0).explore();
        assertTrue(all.cutChecks() > 20, all.toString());
        assertEquals(all.nestedActs() + all.cutChecks(), all.nestedPoints());
        assertEquals(0, all.uncut());
        final CrashReport some = numbers("nothing").nested(2, 0).oneIn(1, 5).explore();
        assertEquals(some.nestedActs() + some.cutChecks(), some.nestedPoints());
        assertTrue(some.uncut() > 0 && some.cutChecks() < all.cutChecks(), some.toString());
    }

    /** It writes two sectors and believes that both are there or none. */
    @Test
    void aRecoveryThatLosesASectorOfItsOwnWriteIsFoundByFineStatesAlone() {
        final CrashExplorer explorer = new CrashExplorer("pairs", 0, () -> new CrashScenario() {
            @Override
            public void run(final SimulatedStorage disk) {
                disk.makeDirectory("any");
            }

            @Override
            public long promises() {
                return 0;
            }

            @Override
            public void check(final SimulatedStorage disk) {
                if (disk.status("pair") == null) {
                    Disk.write(Disk.append(disk, "pair"), "x".repeat(1024));
                } else if (Disk.text(disk, "pair").chars().distinct().count() > 1) {
                    throw new AssertionError("half a pair");
                }
            }
        });
        explorer.nested(1, 0).explore();
        final String message = failure(explorer.nestedFine(1));
        assertTrue(message.contains("half a pair"), message);
        assertThrows(AssertionError.class, () -> explorer.replay(stateIn(message)));
    }

    @Test
    void theSameSettingsLookAtTheSameStatesAndAnotherSeedAtOthers() {
        final CrashReport first = numbers("nothing").randomStates(50).explore();
        assertEquals(first, numbers("nothing").randomStates(50).explore());
        final CrashReport none = numbers("nothing").randomStates(0).explore();
        assertTrue(none.states() < first.states());
        final Set<Long> hashes = new TreeSet<>();
        final PendingSet pending = new PendingSet(tenSectors().pending());
        for (long seed = 0; seed < 4; seed++) {
            hashes.add(tenSectors().afterPowerCut(left(pending, "r0", seed)).platterHash());
        }
        assertTrue(hashes.size() > 1, hashes.toString());
    }

    private static SimulatedStorage tenSectors() {
        final SimulatedStorage disk = Disk.empty();
        Disk.write(Disk.append(disk, "f"), "x".repeat(5_120));
        return disk;
    }

    /** Nothing, all, each beginning, each act and each change alone, all but one: none twice, none left out. */
    @Test
    void theStatesOfAWriteAreThese() {
        final PendingSet pending = new PendingSet(tenSectors().pending());
        // The name; the length and ten sectors.
        assertEquals(12, pending.size());
        final List<String> states = new ArrayList<>();
        pending.states(true, 2, 0).forEach(state -> states.add(state.toString()));
        assertEquals(states.size(), Set.copyOf(states).size());
        assertEquals(2 + 11 + 2 * 2 + 2 * 12 + 2, states.size());
        assertTrue(
                states.containsAll(List.of("n", "a", "p1", "p11", "w0", "v1", "o11", "b0", "r1")), states.toString());
        assertEquals(5, kept(pending, "p5"));
        assertEquals(1, kept(pending, "o7"));
        assertEquals(11, kept(pending, "b7"));
        assertEquals(1, kept(pending, "w0"));
        assertEquals(11, kept(pending, "v0"));
        assertTrue(isTorn(pending, "p5"));
        assertTrue(!isTorn(pending, "a"));
        assertTrue(!isTorn(pending, "w0"));
        assertEquals(7, pending.states(false, 0, 0).size());
    }

    private static boolean isTorn(final PendingSet pending, final String state) {
        return pending.isTorn(state(state), pending.kept(state(state), 0));
    }

    private static CrashState state(final String text) {
        return CrashTarget.parse("1-" + text).state();
    }

    private static PowerCut left(final PendingSet pending, final String state, final long seed) {
        return pending.leaving(state(state), pending.kept(state(state), seed));
    }

    @Test
    void theLastWriteIsTornWithinItsSectorsWithTheFileEndingThereOrNot() {
        final SimulatedStorage disk = Disk.empty();
        Disk.durable(disk, "f", "old");
        Disk.write(Disk.append(disk, "f"), " first");
        Disk.write(Disk.append(disk, "f"), "x".repeat(600));
        disk.makeDirectory("later");
        final PendingSet pending = new PendingSet(disk.pending());
        final List<String> states = new ArrayList<>();
        pending.states(true, 0, 100).forEach(state -> states.add(state.toString()));
        assertTrue(states.containsAll(List.of("t100", "s100", "t1000", "s1000")), states.toString());
        assertTrue(!states.contains("t0") && !states.contains("t1024") && isTorn(pending, "t100"), states.toString());
        final SimulatedStorage torn = disk.afterPowerCut(left(pending, "t100", 0));
        assertEquals(
                "old first" + "x".repeat(91) + "\0".repeat(509),
                Disk.text(torn, "f").replace('.', '\0'));
        assertEquals("old first" + "x".repeat(591), Disk.text(disk.afterPowerCut(left(pending, "s600", 0)), "f"));
        assertEquals("old first", Disk.text(disk.afterPowerCut(left(pending, "s5", 0)), "f"));
        assertEquals(1, torn.list("").size());
        assertTrue(numbers("nothing").tearsEvery(1).explore().tears()
                > numbers("nothing").explore().tears());
    }

    @Test
    void eachDistinctStateIsToldOnce() {
        final List<Long> told = new ArrayList<>();
        final long[] counts = new long[2];
        final CrashReport report = numbers("nothing")
                .nested(1, 0)
                .states((hash, cuts, isTorn) -> {
                    told.add(hash);
                    counts[0] += isTorn ? 1 : 0;
                    counts[1] += cuts;
                })
                .explore();
        assertEquals(report.distinct(), told.size());
        assertEquals(told.size(), Set.copyOf(told).size());
        assertEquals(report.tears(), counts[0]);
        assertEquals(report.nestedStates(), counts[1]);
    }

    private static int kept(final PendingSet pending, final String state) {
        int count = 0;
        for (final boolean survives :
                pending.kept(CrashTarget.parse("1-" + state).state(), 0)) {
            count += survives ? 1 : 0;
        }
        return count;
    }

    @Test
    void aSampleCutsAtEachPointAndChecksLess() {
        final CrashReport all = numbers("nothing").randomStates(50).explore();
        final CrashReport some = numbers("nothing").randomStates(50).oneIn(4, 1).explore();
        assertEquals(all.points(), some.points());
        assertEquals(all.distinct(), some.distinct());
        assertTrue(some.checks() < all.checks(), some.toString());
    }

    @Test
    void aScenarioThatActsOtherwiseTheSecondTimeIsRefused() {
        final int[] runs = new int[1];
        final CrashExplorer explorer = new CrashExplorer("moody", 0, () -> new CrashScenario() {
            @Override
            public void run(final SimulatedStorage disk) {
                disk.makeDirectory("run" + runs[0]++);
            }

            @Override
            public long promises() {
                return 0;
            }

            @Override
            public void check(final SimulatedStorage disk) {}
        });
        final IllegalStateException refused = assertThrows(IllegalStateException.class, explorer::explore);
        assertTrue(String.valueOf(refused.getMessage()).contains("'make run0', is 'make run1'"), refused.getMessage());
    }

    @Test
    void laterLivesAreCutAsWell() {
        final CrashExplorer explorer = new CrashExplorer("lives", 0, () -> new CrashScenario() {
            @Override
            public void run(final SimulatedStorage disk) {
                disk.makeDirectory("a");
                final SimulatedStorage second = disk.kill();
                second.makeDirectory("b");
                second.powerCut(PowerCut.everything()).makeDirectory("c");
            }

            @Override
            public long promises() {
                return 0;
            }

            @Override
            public void check(final SimulatedStorage disk) {}
        });
        final CrashReport report = explorer.explore();
        // Three directories and two ends.
        assertEquals(6, report.points());
        // None, a, b, both; then those with c.
        assertEquals(5, report.distinct());
    }

    @ParameterizedTest
    @CsvSource({"''", "x", "0-n", "3", "3-", "3-q", "3-p-1", "3-n1", "-n", "3-n/", "99-n", "1-n/9-n", "3-t", "99-t1"})
    void whatNamesNoStateIsRefused(final String state) {
        assertThrows(IllegalArgumentException.class, () -> numbers("nothing").replay(state));
    }

    /** In front of the third act a name is pending, and a write of a length and two sectors. */
    @ParameterizedTest
    @ValueSource(
            strings = {
                "1-a",
                "1-p1",
                "1-o0",
                "1-w0",
                "1-r0",
                "2-t4",
                "2-s4",
                "2-p1",
                "2-o1",
                "2-b1",
                "2-w1",
                "2-v1",
                "2-r0",
                "3-p0",
                "3-p4",
                "3-o4",
                "3-b4",
                "3-w2",
                "3-v2",
                "3-t1024",
                "3-s0",
                "3-o99",
                "3-w7",
                "5-a",
                "6-n",
                "3-n/1-a",
                "3-k/1-n",
                "6-k",
                "3-a/2-o9"
            })
    void aStateBeyondWhatIsPendingIsRefused(final String state) {
        final CrashExplorer explorer = fourActs();
        final IllegalArgumentException refused =
                assertThrows(IllegalArgumentException.class, () -> explorer.replay(state));
        assertTrue(String.valueOf(refused.getMessage()).startsWith("four has no state " + state), refused.getMessage());
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "1-n",
                "1-k",
                "3-k",
                "5-k",
                "2-a",
                "2-o0",
                "2-w0",
                "2-v0",
                "3-p1",
                "3-p3",
                "3-o3",
                "3-b3",
                "3-w1",
                "3-v1",
                "3-t1",
                "3-s1023",
                "3-r7",
                "5-n",
                "3-n/1-n",
                "3-a/2-o0"
            })
    void aStateOfWhatIsPendingIsThere(final String state) {
        assertEquals(1, fourActs().replay(state).checks());
    }

    private static CrashExplorer fourActs() {
        return new CrashExplorer("four", 0, () -> new CrashScenario() {
            @Override
            public void run(final SimulatedStorage disk) {
                final StorageFile file = Disk.append(disk, "f");
                Disk.write(file, "x".repeat(1024));
                disk.syncDirectory("");
                file.force();
            }

            @Override
            public long promises() {
                return 0;
            }

            @Override
            public void check(final SimulatedStorage disk) {
                disk.makeDirectory("made");
            }
        });
    }

    @Test
    void settingsThatMeanNothingAreRefused() {
        assertThrows(IllegalArgumentException.class, () -> numbers("nothing").randomStates(-1));
        assertThrows(IllegalArgumentException.class, () -> numbers("nothing").nested(-1, 0));
        assertThrows(IllegalArgumentException.class, () -> numbers("nothing").nested(1, -1));
        assertThrows(IllegalArgumentException.class, () -> numbers("nothing").nestedFine(-1));
        assertThrows(IllegalArgumentException.class, () -> numbers("nothing").tearsEvery(-1));
        assertThrows(IllegalArgumentException.class, () -> numbers("nothing").oneIn(0, 1));
        assertThrows(IllegalArgumentException.class, () -> numbers("nothing").oneIn(1, 0));
        assertThrows(IllegalArgumentException.class, () -> numbers("nothing").randomStates(Integer.MAX_VALUE));
        assertThrows(IllegalArgumentException.class, () -> numbers("nothing").nested(Integer.MAX_VALUE - 1, 0));
        assertThrows(IllegalArgumentException.class, () -> numbers("nothing").nested(0, 1));
    }

    @Test
    void settingsThatContradictEachOtherAreRefused() {
        for (final CrashExplorer explorer : List.of(
                numbers("nothing").nestedFine(1),
                numbers("nothing").nested(2, 0).nestedFine(3),
                numbers("nothing").oneIn(1, 2))) {
            assertThrows(IllegalStateException.class, explorer::explore);
            assertThrows(IllegalStateException.class, () -> explorer.replay("1-n"));
        }
    }

    @Test
    void aScenarioThatDoesNothingIsRefused() {
        final CrashExplorer explorer = new CrashExplorer("idle", 0, () -> scenario(disk -> {}));
        final IllegalStateException refused = assertThrows(IllegalStateException.class, explorer::explore);
        assertEquals("idle does not act on its disk, so there is nothing to cut", refused.getMessage());
    }

    @Test
    void oneScenarioForBothRunsIsRefused() {
        final CrashScenario only = scenario(disk -> disk.makeDirectory("a"));
        final CrashExplorer explorer = new CrashExplorer("only", 0, () -> only);
        final IllegalStateException refused = assertThrows(IllegalStateException.class, explorer::explore);
        assertTrue(String.valueOf(refused.getMessage()).contains("the same one was given twice"), refused.getMessage());
    }

    private static CrashScenario scenario(final Consumer<SimulatedStorage> run) {
        return new CrashScenario() {
            @Override
            public void run(final SimulatedStorage disk) {
                run.accept(disk);
            }

            @Override
            public long promises() {
                return 0;
            }

            @Override
            public void check(final SimulatedStorage disk) {}
        };
    }
}
