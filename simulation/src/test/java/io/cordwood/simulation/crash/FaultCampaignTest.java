package io.cordwood.simulation.crash;

import static org.junit.jupiter.api.Assertions.assertTrue;

import io.cordwood.simulation.soak.CommitSeed;
import io.cordwood.simulation.soak.Tally;
import java.util.List;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** All places of a log's life at which a disk may fail. */
final class FaultCampaignTest {
    /** G6, where it is noticed that the bytes are lost: the machine stops, which is what a log that is off line asks for. */
    @ParameterizedTest
    @ValueSource(booleans = {false, true})
    void afterAFailedForceNothingIsAcknowledgedAndWhatWasIsThereAfterAPowerCut(final boolean isMapped) {
        final List<String> rules = FaultSites.ofForces(isMapped);
        assertTrue(rules.size() >= 100, rules.size() + " sites");
        FaultSites.play(isMapped, rules, CommitSeed.get(), new Tally());
    }

    /** G7. */
    @ParameterizedTest
    @ValueSource(booleans = {false, true})
    void whateverFailsIsToldAndWhatWasAcknowledgedIsStillThere(final boolean isMapped) {
        final List<String> rules = FaultSites.ofActs(isMapped);
        assertTrue(rules.size() >= 100, rules.size() + " sites");
        FaultSites.play(isMapped, rules, CommitSeed.get(), new Tally());
    }
}
