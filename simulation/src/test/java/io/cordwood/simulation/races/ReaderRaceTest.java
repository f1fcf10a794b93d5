package io.cordwood.simulation.races;

import io.cordwood.log.ReaderRace;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** A sample of {@link ReaderRace}. */
@Tag("races")
final class ReaderRaceTest {
    @Test
    void whatThreadsSeeCouldHaveBeenSeenOneAfterTheOther() {
        Races.sample(ReaderRace.class, 3, 60);
    }
}
