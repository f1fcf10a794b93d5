package io.cordwood.simulation.races;

import io.cordwood.log.RequestRace;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** A sample of {@link RequestRace}. */
@Tag("races")
final class RequestRaceTest {
    @Test
    void whatThreadsSeeCouldHaveBeenSeenOneAfterTheOther() {
        Races.sample(RequestRace.class, 4, 60);
    }
}
