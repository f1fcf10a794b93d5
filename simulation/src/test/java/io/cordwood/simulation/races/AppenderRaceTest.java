package io.cordwood.simulation.races;

import io.cordwood.log.AppenderRace;
import io.cordwood.simulation.soak.CommitSeed;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** A sample of {@link AppenderRace}. */
@Tag("races")
final class AppenderRaceTest {
    @Test
    void whatThreadsSeeCouldHaveBeenSeenOneAfterTheOther() {
        Races.play(AppenderRace.class, CommitSeed.get(), 6, 60);
    }
}
