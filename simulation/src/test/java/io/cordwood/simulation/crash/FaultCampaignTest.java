package io.cordwood.simulation.crash;

import static org.junit.jupiter.api.Assertions.assertTrue;

import io.cordwood.simulation.soak.SourceSeed;
import io.cordwood.simulation.soak.Tally;
import java.util.List;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** All places of a log's life, and of a data directory's, at which a disk may fail. */
final class FaultCampaignTest {
    /** G6, where it is noticed that the bytes are lost: the machine stops, which is what a log that is off line asks for. */
    @ParameterizedTest
    @ValueSource(booleans = {false, true})
    void afterAFailedForceNothingIsAcknowledgedAndWhatWasIsThereAfterAPowerCut(final boolean isMapped) {
        final List<String> rules = FaultSites.ofForces(FaultSites.Kind.LOG, isMapped);
        assertTrue(rules.size() >= 100, rules.size() + " sites");
        FaultSites.sample("force/", FaultSites.Kind.LOG, isMapped, rules, SourceSeed.get(), new Tally());
    }

    /** G7. */
    @ParameterizedTest
    @ValueSource(booleans = {false, true})
    void whateverFailsIsToldAndWhatWasAcknowledgedIsStillThere(final boolean isMapped) {
        final List<String> rules = FaultSites.ofActs(FaultSites.Kind.LOG, isMapped);
        assertTrue(rules.size() >= 100, rules.size() + " sites");
        final Tally tally = new Tally();
        FaultSites.sample("disk/", FaultSites.Kind.LOG, isMapped, rules, SourceSeed.get(), tally);
        // No kind of silence is listed for nothing.
        for (final PlantedFault.Silence silence : PlantedFault.Silence.values()) {
            assertTrue(tally.count("not told, " + silence) > 0, silence + " is not met: " + tally.counts());
        }
    }

    /** G6 of a data directory with its partitions. */
    @ParameterizedTest
    @ValueSource(booleans = {false, true})
    void aDirectoryAcknowledgesNothingAfterAFailedForceAndKeepsWhatItHas(final boolean isMapped) {
        final List<String> rules = FaultSites.ofForces(FaultSites.Kind.DIRECTORY, isMapped);
        assertTrue(rules.size() >= 200, rules.size() + " sites");
        FaultSites.sample("force/", FaultSites.Kind.DIRECTORY, isMapped, rules, SourceSeed.get(), new Tally());
    }

    /** G7 of a data directory. */
    @ParameterizedTest
    @ValueSource(booleans = {false, true})
    void whateverFailsInADirectoryIsToldAndWhatWasAcknowledgedIsStillThere(final boolean isMapped) {
        final List<String> rules = FaultSites.ofActs(FaultSites.Kind.DIRECTORY, isMapped);
        assertTrue(rules.size() >= 3_000, rules.size() + " sites");
        FaultSites.sample("disk/", FaultSites.Kind.DIRECTORY, isMapped, rules, SourceSeed.get(), new Tally());
    }
}
