package io.cordwood.simulation.races;

import io.cordwood.log.store.MappingRace;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** A sample of {@link MappingRace}. */
@Tag("races")
final class MappingRaceTest {
    @Test
    void whatThreadsSeeCouldHaveBeenSeenOneAfterTheOther() {
        Races.sample(MappingRace.class, 6, 60);
    }
}
