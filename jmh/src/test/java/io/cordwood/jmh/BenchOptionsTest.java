package io.cordwood.jmh;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import org.junit.jupiter.api.Test;

final class BenchOptionsTest {
    @Test
    void withoutArgumentsEverythingIsMeasuredInFull() throws Exception {
        final BenchOptions options = BenchOptions.parse();
        assertFalse(options.isQuick());
        assertTrue(options.rounds() > 2);
        assertEquals(Seed.DEFAULT, options.seed());
        assertTrue(Catalog.comparisons().stream().allMatch(options::includes));
    }

    @Test
    void groupsAreChosenByName() throws Exception {
        final BenchOptions options = BenchOptions.parse("--quick", "find", "read", "--rounds=7");
        assertTrue(options.isQuick());
        assertEquals(7, options.rounds());
        assertEquals(List.of("find", "read"), options.groups());
        final List<String> chosen = Catalog.comparisons().stream()
                .filter(options::includes)
                .map(Comparison::group)
                .distinct()
                .toList();
        assertEquals(List.of("find", "read"), chosen);
    }

    @Test
    void quickIsShorter() throws Exception {
        final BenchOptions full = BenchOptions.parse();
        final BenchOptions quick = BenchOptions.parse("--quick");
        assertTrue(quick.rounds() >= 2, "one round would be the one that is dropped");
        assertTrue(quick.rounds() * quick.iterations() * quick.iterationMs()
                < full.rounds() * full.iterations() * full.iterationMs());
    }

    @Test
    void whatIsUnknownIsNamedAndTheGroupsAreListed() {
        final String message =
                String.valueOf(assertThrows(BenchOptions.UsageException.class, () -> BenchOptions.parse("compaction"))
                        .getMessage());
        assertTrue(message.contains("compaction"), message);
        assertTrue(
                message.contains("groups: append append-latency codec durable find floor index open read\n"), message);
    }

    @Test
    void theSeedIsANumber() throws Exception {
        assertEquals(-41, BenchOptions.parse("--seed=-41").seed());
        assertThrows(BenchOptions.UsageException.class, () -> BenchOptions.parse("--seed="));
    }

    @Test
    void partsOfAnIntegratorAreHandedOn() throws Exception {
        assertTrue(BenchOptions.parse().parts().isEmpty());
        assertEquals(
                Map.of("storage", "com.example.Ours", "codecs", "com.example.A+com.example.B"),
                BenchOptions.parse("--storage=com.example.Ours", "--codecs=com.example.A+com.example.B")
                        .parts());
    }

    @Test
    void aQuickRunLeavesRowsOut() throws Exception {
        final Comparison row = new Comparison("read", "read", new Subject("Any.method", new TreeMap<>()));
        assertTrue(BenchOptions.parse("--quick").includes(row));
        assertFalse(BenchOptions.parse("--quick").includes(row.fullRunsOnly()));
        assertTrue(BenchOptions.parse().includes(row.fullRunsOnly()));
        assertFalse(BenchOptions.parse("find").includes(row.fullRunsOnly()));
    }

    @Test
    void aQuickRunMeasuresAFloorOnlyForItsGoal() throws Exception {
        final Subject ours = new Subject("Any.ours", new TreeMap<>());
        final Subject floor = new Subject("Any.floor", new TreeMap<>());
        final Comparison row = new Comparison("read", "read", ours);
        assertEquals(List.of(ours), BenchOptions.parse("--quick").subjects(row.over(floor, 0)));
        assertEquals(List.of(floor, ours), BenchOptions.parse("--quick").subjects(row.over(floor, 2)));
        assertEquals(List.of(floor, ours), BenchOptions.parse().subjects(row.over(floor, 0)));
    }

    @Test
    void aQuickRunMeasuresAtAPaceOnlyWhatHasAGoal() throws Exception {
        final Subject ours = new Subject("Any.ours", new TreeMap<>());
        final Subject floor = new Subject("Any.floor", new TreeMap<>());
        final Subject peer = new Subject("Any.peer", new TreeMap<>());
        final Subject other = new Subject("Any.other", new TreeMap<>());
        final Subject peak = new Subject("Any.peak", new TreeMap<>());
        final Comparison row = new Comparison("append-latency", "append", ours)
                .besideLatency("peer", peer, Map.of(LatencyProfiler.P99, 3.0))
                .besideLatency("other", other, Map.of())
                .overLatency(floor, Map.of(LatencyProfiler.P999, 1.0))
                .atHalfThePeakOf(peak);
        assertEquals(
                List.of(peak, floor, peer, ours), BenchOptions.parse("--quick").subjects(row));
        assertEquals(
                List.of(peak, floor, peer, other, ours), BenchOptions.parse().subjects(row));
    }

    @Test
    void whatIsCountedIsNotTimed() throws Exception {
        assertFalse(BenchOptions.parse().isCount());
        assertTrue(BenchOptions.parse("--count", "append", "--seed=3").isCount());
        assertThrows(BenchOptions.UsageException.class, () -> BenchOptions.parse("--count", "--quick"));
        assertThrows(BenchOptions.UsageException.class, () -> BenchOptions.parse("--rounds=3", "--count"));
        final String message = String.valueOf(
                assertThrows(BenchOptions.UsageException.class, () -> BenchOptions.parse("--count", "floor"))
                        .getMessage());
        assertEquals("nothing is counted in floor, but in append codec durable find index read", message);
    }

    @Test
    void roundsAreANumber() {
        assertThrows(BenchOptions.UsageException.class, () -> BenchOptions.parse("--rounds=0"));
        assertThrows(BenchOptions.UsageException.class, () -> BenchOptions.parse("--rounds=x"));
    }
}
