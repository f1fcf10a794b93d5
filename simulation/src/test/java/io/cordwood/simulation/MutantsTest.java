package io.cordwood.simulation;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** The planted faults of {@code bin/mutants} still apply, and name a test that is there. Whether it catches them shows that command. */
final class MutantsTest {
    private static final Path ROOT = Path.of(System.getProperty("cordwood.root"));
    private static final String OLD_FILE = "--- a/";

    /** Where the campaigns are; a module may have a test of the same name. */
    private static final String MODULE = "simulation";

    /** The tests that play the campaign of a goal, a sample or all of it, or what it once found; and of which goals. */
    private static final Map<String, Set<String>> CAMPAIGN_TESTS = Map.ofEntries(
            Map.entry("CrashCampaignTest", Set.of("G1", "G3")),
            Map.entry("TearCampaignTest", Set.of("G2")),
            Map.entry("BitRotTest", Set.of("G4")),
            Map.entry("BlockSwapTest", Set.of("G5")),
            Map.entry("FaultCampaignTest", Set.of("G6", "G7")),
            Map.entry("AppenderRaceTest", Set.of("G13")),
            Map.entry("ForceRaceTest", Set.of("G13")),
            Map.entry("MappingRaceTest", Set.of("G13")),
            Map.entry("ReaderRaceTest", Set.of("G13")),
            Map.entry("RequestRaceTest", Set.of("G13")),
            Map.entry("SparseIndexRaceTest", Set.of("G13")),
            Map.entry("StagingPoolRaceTest", Set.of("G13")),
            Map.entry("SavedInputsTest", Set.of("G14")));

    static List<Path> patches() throws IOException {
        try (Stream<Path> files = Files.list(ROOT.resolve("simulation/mutants"))) {
            return files.filter(file -> file.toString().endsWith(".patch"))
                    .sorted()
                    .toList();
        }
    }

    @Test
    void thereAreEnough() throws IOException {
        assertTrue(patches().size() >= 30, patches().toString());
    }

    @Test
    void eachTestOfACampaignIsThere() throws IOException {
        for (final String test : CAMPAIGN_TESTS.keySet()) {
            assertTrue(isThere(MODULE, test), test);
        }
    }

    @ParameterizedTest
    @MethodSource("patches")
    void thePatchApplies(final Path patch) throws IOException {
        final List<String> lines = Files.readAllLines(patch);
        final String[] by = header(lines, "Caught-by").split(" ", 2);
        assertTrue(header(lines, "Goal").matches("G[0-9]+"), patch.toString());
        assertFalse(header(lines, "Fault").isEmpty());
        // bin/mutants runs the test with the seeds from 1 on, and so many.
        assertTrue(header(lines, "Within").matches("1 seed|[2-9] seeds"), patch.toString());
        assertTrue(isThere(by[0], by[1]), "no test of " + by[0] + " is named " + by[1]);
        // Of a test that is not the goal's campaign: why not that one?
        assertEquals(
                !playsTheCampaignOf(header(lines, "Goal"), by[0], by[1]),
                lines.stream().anyMatch(line -> line.matches("Directed: .+")),
                "'Directed:' belongs to a test that does not play the campaign of the goal");
        final List<String> changed = new ArrayList<>();
        for (int at = 0; at < lines.size(); at++) {
            if (lines.get(at).startsWith(OLD_FILE)) {
                changed.add(lines.get(at).substring(OLD_FILE.length()));
                assertEquals("+++ b/" + changed.get(changed.size() - 1), lines.get(at + 1));
                assertTrue(lines.get(at + 2).startsWith("@@ "), lines.get(at + 2));
                final List<String> file = Files.readAllLines(ROOT.resolve(changed.get(changed.size() - 1)));
                final List<String> old = oldLines(lines, at + 3);
                assertTrue(occursOnce(file, old), () -> "is not there, or more than once: " + String.join("\n", old));
            }
        }
        assertEquals(
                changed.size(),
                lines.stream().filter(line -> line.startsWith("@@ ")).count());
        assertEquals(changed.size(), Set.copyOf(changed).size());
        assertTrue(
                changed.size() == 1 || changed.size() == 2, "one change, or one in each layer that guards against it");
    }

    private static boolean playsTheCampaignOf(final String goal, final String module, final String test) {
        return module.equals(MODULE)
                && CAMPAIGN_TESTS.getOrDefault(test, Set.of()).contains(goal);
    }

    private static boolean isThere(final String module, final String test) throws IOException {
        try (Stream<Path> files = Files.walk(ROOT.resolve(module).resolve("src/test/java"))) {
            return files.anyMatch(file -> file.endsWith(test + ".java"));
        }
    }

    private static String header(final List<String> lines, final String field) {
        return lines.stream()
                .filter(line -> line.startsWith(field + ": "))
                .findFirst()
                .orElseThrow(() -> new AssertionError("no line begins with " + field))
                .substring(field.length() + 2);
    }

    private static List<String> oldLines(final List<String> lines, final int from) {
        final List<String> old = new ArrayList<>();
        for (int at = from; at < lines.size() && !lines.get(at).startsWith(OLD_FILE); at++) {
            final String line = lines.get(at);
            if (line.startsWith(" ") || line.startsWith("-")) {
                old.add(line.substring(1));
            }
        }
        return old;
    }

    private static boolean occursOnce(final List<String> file, final List<String> old) {
        int found = 0;
        for (int at = 0; at + old.size() <= file.size(); at++) {
            if (file.subList(at, at + old.size()).equals(old)) {
                found++;
            }
        }
        return found == 1;
    }
}
