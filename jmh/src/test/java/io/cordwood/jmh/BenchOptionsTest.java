package io.cordwood.jmh;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.List;
import org.junit.jupiter.api.Test;

final class BenchOptionsTest {
    @Test
    void withoutArgumentsEverythingIsMeasuredInFull() throws Exception {
        final BenchOptions options = BenchOptions.parse();
        assertFalse(options.isQuick());
        assertTrue(options.rounds() > 2);
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
        assertTrue(message.contains("groups: append find open read\n"), message);
    }

    @Test
    void roundsAreANumber() {
        assertThrows(BenchOptions.UsageException.class, () -> BenchOptions.parse("--rounds=0"));
        assertThrows(BenchOptions.UsageException.class, () -> BenchOptions.parse("--rounds=x"));
    }
}
