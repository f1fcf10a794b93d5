package io.cordwood.simulation.races;

import io.cordwood.log.ForceRace;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** A sample of {@link ForceRace}. */
@Tag("races")
final class ForceRaceTest {
    @Test
    void whatThreadsSeeCouldHaveBeenSeenOneAfterTheOther() {
        Races.play(ForceRace.class, Races.SAMPLE_SEED, 3, 60);
    }
}
