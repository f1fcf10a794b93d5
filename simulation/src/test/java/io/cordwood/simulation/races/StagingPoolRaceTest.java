package io.cordwood.simulation.races;

import io.cordwood.log.store.StagingPoolRace;
import io.cordwood.simulation.soak.CommitSeed;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** A sample of {@link StagingPoolRace}. */
@Tag("races")
final class StagingPoolRaceTest {
    @Test
    void whatThreadsSeeCouldHaveBeenSeenOneAfterTheOther() {
        Races.play(StagingPoolRace.class, CommitSeed.get(), 4, 60);
    }
}
