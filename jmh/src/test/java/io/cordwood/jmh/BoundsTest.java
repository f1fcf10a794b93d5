package io.cordwood.jmh;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.nio.file.Path;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.junit.jupiter.api.Test;

final class BoundsTest {
    private final Bounds bounds =
            new Bounds(List.of("# comment", "", "write | 0.5 | 0.01 | 1.01 | 0", "force|60|0.1|1|1"));

    @Test
    void whatIsAtItsBoundIsGood() {
        assertEquals(List.of(), bounds.problemsOf("write", new Count(0.5, 0.01, 1.01, 0)));
        assertEquals(List.of(), bounds.problemsOf("write", new Count(0, 0, 1, 0)));
        assertEquals(List.of(), bounds.problemsOf("force", new Count(56, 0, 1, 1)));
    }

    @Test
    void eachFigureAboveItsBoundIsNamedWithIt() {
        assertEquals(
                List.of("write: 16.022 B/op, at most 0.500 allowed"),
                bounds.problemsOf("write", new Count(16.022, 0, 1, 0)));
        assertEquals(
                List.of(
                        "write: 1.000 reads/op, at most 0.010 allowed",
                        "write: 2.000 writes/op, at most 1.010 allowed",
                        "write: 0.125 forces/op, at most 0.000 allowed"),
                bounds.problemsOf("write", new Count(0, 1, 2, 0.125)));
    }

    /** Or a regression up to the bound would go unseen, as would a count that has stopped to count. */
    @Test
    void aBoundFarAboveWhatIsMeasuredIsAProblem() {
        assertEquals(
                List.of(
                        "force: 29.000 B/op, less than half of the bound 60.000, which must be close",
                        "force: 0.000 forces/op, less than half of the bound 1.000, which must be close"),
                bounds.problemsOf("force", new Count(29, 0, 1, 0)));
    }

    @Test
    void whatNobodyCountsIsNoProblem() {
        assertEquals(List.of(), bounds.problemsOf("write", new Count(0, Double.NaN, Double.NaN, 0)));
        assertEquals(List.of("0.000", "-", "-", "0.000"), new Count(0, Double.NaN, Double.NaN, 0).cells());
    }

    @Test
    void rowsAndBoundsBelongTogether() {
        assertEquals(List.of(), bounds.problemsOf(Set.of("write", "force")));
        assertEquals(
                List.of("read: has no bound", "force: a bound of no row"), bounds.problemsOf(Set.of("write", "read")));
        assertEquals(List.of("read: has no bound"), bounds.problemsOf("read", new Count(0, 0, 0, 0)));
    }

    @Test
    void whatIsNoBoundIsRefused() {
        for (final String line : List.of("write | 1 | 1 | 1", "write | 1 | 1 | 1 | x", "write | 1 | -1 | 1 | 1")) {
            assertThrows(IllegalArgumentException.class, () -> new Bounds(List.of(line)), line);
        }
        final String line = "write | 1 | 1 | 1 | 1";
        assertThrows(IllegalArgumentException.class, () -> new Bounds(List.of(line, line)));
    }

    @Test
    void whatIsCommittedIsBoundsOfAllRows() throws Exception {
        final Set<String> names = new HashSet<>();
        for (final CountRow row : CountRows.all()) {
            assertTrue(names.add(row.name()), row.name());
            CatalogTest.assertIsBenchmark(row.subject());
        }
        assertEquals(List.of(), committed().problemsOf(names));
    }

    @Test
    void theLeastOfIterationsCountsLessWhatMeasuringTakes() {
        final Count least = new Count(6_000, 9, 104, 100).least(new Count(5_900, 12, Double.NaN, 101));
        assertEquals(new Count(5_900, 9, Double.NaN, 100), least);
        assertEquals(new Count(9, 0, Double.NaN, 1), least.each(new Count(5_000, 10, 4, 0), 100));
    }

    @Test
    void theKernelsCountsAreFoundByName() {
        final List<String> lines =
                List.of("rchar: 6976", "wchar: 5", "syscr: 10", "syscw: 3", "read_bytes: 0", "write_bytes: 4096");
        assertEquals(Map.of(CallsProfiler.READS, 10L, CallsProfiler.WRITES, 3L), CallsProfiler.ofKernel(lines));
        assertEquals(Map.of(), CallsProfiler.ofKernel(List.of()));
    }

    static Bounds committed() throws Exception {
        return Bounds.read(Path.of(System.getProperty("cordwood.root"), "jmh", "bounds.txt"));
    }
}
