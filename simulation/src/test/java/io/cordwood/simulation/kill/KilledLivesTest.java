package io.cordwood.simulation.kill;

import static org.junit.jupiter.api.Assertions.assertTrue;

import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** A sample of {@link KilledLives}. */
final class KilledLivesTest {
    @ParameterizedTest
    @CsvSource({"false, false, 2", "true, false, 2", "false, true, 1", "true, true, 1"})
    @Timeout(120)
    void whatWasAcknowledgedIsThere(final boolean isMapped, final boolean isForced, final int lives) {
        assertTrue(KilledLives.play(isMapped, isForced, 17, lives) > 0);
    }
}
