package io.cordwood.simulation.races;

import io.cordwood.log.ReaderRace;
import io.cordwood.simulation.soak.CommitSeed;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** A sample of {@link ReaderRace}. */
@Tag("races")
final class ReaderRaceTest {
    @Test
    void whatThreadsSeeCouldHaveBeenSeenOneAfterTheOther() {
        Races.play(ReaderRace.class, CommitSeed.get(), 3, 60);
    }
}
