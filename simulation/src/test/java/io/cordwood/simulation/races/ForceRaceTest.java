package io.cordwood.simulation.races;

import io.cordwood.log.ForceRace;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** A sample of {@link ForceRace}. */
@Tag("races")
final class ForceRaceTest {
    @Test
    void whatThreadsSeeCouldHaveBeenSeenOneAfterTheOther() {
        Races.sample(ForceRace.class, 3, 60);
    }
}
