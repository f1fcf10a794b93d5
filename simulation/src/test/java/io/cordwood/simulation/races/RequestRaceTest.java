package io.cordwood.simulation.races;

import io.cordwood.log.RequestRace;
import io.cordwood.simulation.soak.CommitSeed;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** A sample of {@link RequestRace}. */
@Tag("races")
final class RequestRaceTest {
    @Test
    void whatThreadsSeeCouldHaveBeenSeenOneAfterTheOther() {
        Races.play(RequestRace.class, CommitSeed.get(), 4, 60);
    }
}
