package io.cordwood.simulation.races;

import io.cordwood.log.store.StagingPoolRace;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** A sample of {@link StagingPoolRace}. */
@Tag("races")
final class StagingPoolRaceTest {
    @Test
    void whatThreadsSeeCouldHaveBeenSeenOneAfterTheOther() {
        Races.sample(StagingPoolRace.class, 4, 60);
    }
}
