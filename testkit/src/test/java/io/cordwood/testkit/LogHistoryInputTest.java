package io.cordwood.testkit;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.TreeMap;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.function.Executable;

/** A history takes nothing for a promise that no log can make. */
final class LogHistoryInputTest {
    private final LogHistory history = new LogHistory();

    @BeforeEach
    void tenOffsets() {
        history.found(new TreeMap<>(), 10);
        history.forced(10);
    }

    @Test
    void whatLiesAboveAllThatWasAppendedIsRefused() {
        assertRefused("forced is at 11, but the log never went further than 10", () -> history.forced(11));
        assertRefused("published is at 11", () -> history.published(11));
        assertRefused("dropped is at 11", () -> history.droppingBelow(11));
        assertRefused("kept is at 11", () -> history.keptFrom(11));
        assertRefused("forced is at 11", () -> history.keptFrom(3, 11));
        assertRefused("cut is at 11", () -> history.cutTo(11));
    }

    @Test
    void offsetsBelowZeroAreRefused() {
        assertRefused("forced is at -1", () -> history.forced(-1));
        assertRefused("published is at -3", () -> history.published(-3));
        assertRefused("dropped is at -5", () -> history.droppingBelow(-5));
        assertRefused("kept is at -1", () -> history.keptFrom(-1));
        assertRefused("forced is at -1", () -> history.keptFrom(3, -1));
        assertRefused("cut is at -1", () -> history.cuttingTo(-1));
        assertRefused("cut is at -1", () -> history.cutTo(-1));
        assertRefused("begun anew is at -1", () -> history.startedAt(-1));
    }

    /** And nothing of it is kept. */
    private void assertRefused(final String part, final Executable call) {
        final long promises = history.promises();
        final String message = String.valueOf(
                assertThrows(IllegalArgumentException.class, call).getMessage());
        assertTrue(message.startsWith(part), message);
        assertEquals(promises, history.promises());
        assertEquals(10, history.owedEnd());
        assertEquals(0, history.owedFrom());
    }
}
