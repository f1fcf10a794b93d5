package io.cordwood.simulation.crash;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.cordwood.log.store.FileUse;
import io.cordwood.log.store.StorageException;
import io.cordwood.log.store.StorageFile;
import io.cordwood.simulation.soak.Tally;
import io.cordwood.testkit.FaultyStorage;
import io.cordwood.testkit.SimulatedStorage;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** What the campaigns of the failing disk ask of each rule: that it is told, or listed as one that need not be; and that the life goes on. */
final class FaultSitesTest {
    private static final String LOG = "t-0/00000000000000000000.log";
    private static final String INDEX = "t-0/00000000000000000000.index";

    /** Opens a segment and its index, and tells of no failure, or of each. */
    private static final class Opens implements FaultSites.Subject {
        private final FaultyStorage storage;
        private final FileUse use;
        private final boolean isTold;
        private int failures;
        private boolean isOver;

        Opens(final FileUse use, final boolean isTold, final String rule) {
            this.storage = new FaultyStorage(new SimulatedStorage(() -> 0), rule);
            this.use = use;
            this.isTold = isTold;
        }

        @Override
        public void live() {
            storage.makeDirectory("t-0");
            for (final String path : List.of(LOG, INDEX)) {
                try (StorageFile made = storage.open(path, FileUse.APPEND, 0);
                        StorageFile open = storage.open(path, use, 0)) {
                    assertEquals(made.length(), open.length());
                } catch (final StorageException e) {
                    failures += isTold ? 1 : 0;
                }
            }
        }

        @Override
        public void finish(final long seed) {
            assertTrue(storage.leftOpen().isEmpty());
        }

        @Override
        public FaultyStorage storage() {
            return storage;
        }

        @Override
        public int failures() {
            return failures;
        }

        @Override
        public boolean isOver() {
            return isOver;
        }
    }

    /** One rule that tells of many failures does not make up for one that is told by nobody. */
    @Test
    void eachRuleIsToldForItself() {
        final List<String> rules = List.of("open * 1+ eio", "open * 1 eio");
        final AssertionError failure = assertThrows(
                AssertionError.class,
                () -> FaultSites.play(
                        rule -> new Opens(FileUse.APPEND, rule.contains("+"), rule), rules, 1, new Tally()));
        assertTrue(
                String.valueOf(failure.getMessage())
                        .startsWith("1 of 2:\nopen * 1 eio: java.lang.AssertionError: nobody is told of a failure: "
                                + "open " + LOG + " APPEND eio, opened to APPEND"),
                failure.toString());
    }

    @ParameterizedTest
    @CsvSource({
        "open *.index 2 eio, LOOKUP, LOOK_UP_SCANS",
        "open *.log 2 eio, READ, LENGTH_OF_A_SEGMENT",
        "close *.log 1 eio, READ, LENGTH_OF_A_SEGMENT"
    })
    void whatIsListedMayBeSilent(final String rule, final FileUse use, final String why) {
        final Tally tally = new Tally();
        FaultSites.play(one -> new Opens(use, false, one), List.of(rule), 1, tally);
        assertEquals(1, tally.count("not told, " + why));
        assertEquals(1, tally.count("faults injected"));
        assertEquals(0, tally.count("faults told"));
    }

    @ParameterizedTest
    @CsvSource({
        "open *.index 1 eio, LOOKUP",
        "open *.index 2 eio, READ",
        "close *.index 1 eio, LOOKUP",
        "open *.log 2 eio, READ_SEALED",
        "close *.log 1 eio, READ_SEALED",
        "make * 1 eio, READ"
    })
    void everythingElseIsTold(final String rule, final FileUse use) {
        assertThrows(
                Throwable.class,
                () -> FaultSites.play(one -> new Opens(use, false, one), List.of(rule), 1, new Tally()));
    }

    @ParameterizedTest
    @CsvSource({"open * 1 eio, true", "open * 1+ eio, false"})
    void whoGivesUpAfterOneFailureHasFailed(final String rule, final boolean isWrong) {
        final FaultSites.Maker maker = one -> {
            final Opens life = new Opens(FileUse.READ, true, one);
            life.isOver = true;
            return life;
        };
        if (isWrong) {
            final AssertionError failure =
                    assertThrows(AssertionError.class, () -> FaultSites.play(maker, List.of(rule), 1, new Tally()));
            assertTrue(String.valueOf(failure.getMessage()).contains("given up"), failure.toString());
        } else {
            FaultSites.play(maker, List.of(rule), 1, new Tally());
        }
    }
}
