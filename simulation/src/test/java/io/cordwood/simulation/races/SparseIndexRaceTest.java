package io.cordwood.simulation.races;

import io.cordwood.index.SparseIndexRace;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** A sample of {@link SparseIndexRace}. */
@Tag("races")
final class SparseIndexRaceTest {
    @Test
    void whatThreadsSeeCouldHaveBeenSeenOneAfterTheOther() {
        Races.sample(SparseIndexRace.class, 5, 100);
    }
}
