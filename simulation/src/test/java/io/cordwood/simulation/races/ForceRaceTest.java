package io.cordwood.simulation.races;

import io.cordwood.log.ForceRace;
import io.cordwood.simulation.soak.CommitSeed;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** A sample of {@link ForceRace}. */
@Tag("races")
final class ForceRaceTest {
    @Test
    void whatThreadsSeeCouldHaveBeenSeenOneAfterTheOther() {
        Races.play(ForceRace.class, CommitSeed.get(), 3, 60);
    }
}
