package io.cordwood.simulation.races;

import io.cordwood.log.AppenderRace;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** A sample of {@link AppenderRace}. */
@Tag("races")
final class AppenderRaceTest {
    @Test
    void whatThreadsSeeCouldHaveBeenSeenOneAfterTheOther() {
        Races.sample(AppenderRace.class, 6, 60);
    }
}
