package io.cordwood.simulation.races;

import io.cordwood.index.SparseIndexRace;
import io.cordwood.simulation.soak.CommitSeed;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** A sample of {@link SparseIndexRace}. */
@Tag("races")
final class SparseIndexRaceTest {
    @Test
    void whatThreadsSeeCouldHaveBeenSeenOneAfterTheOther() {
        Races.play(SparseIndexRace.class, CommitSeed.get(), 5, 100);
    }
}
