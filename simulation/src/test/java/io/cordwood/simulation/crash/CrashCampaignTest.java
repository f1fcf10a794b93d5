package io.cordwood.simulation.crash;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.cordwood.simulation.soak.Sample;
import io.cordwood.simulation.soak.SourceSeed;
import io.cordwood.testkit.CrashReport;
import java.util.List;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** Each scenario with every cut, a few of its states at random, and cuts of some of the recoveries; {@code bin/soak --goals} looks at many
 * more. */
final class CrashCampaignTest {
    /** Of so many states one has its recovery cut at each act, and of what that leaves one in as many once more. */
    private static final int NESTED_ONE_IN = 50;

    static List<String> names() {
        return CrashCampaigns.names();
    }

    @ParameterizedTest
    @MethodSource("names")
    void whatIsOwedIsThereAfterAnyCut(final String name) {
        final long seed = SourceSeed.get();
        final String[] campaign = {"crash/" + name};
        try {
            final CrashReport report = CrashCampaigns.explorer(name, seed)
                    .replayedBy(state -> {
                        campaign[0] = CrashSoak.campaign(name, state);
                        return CrashSoak.command(campaign[0], seed, state);
                    })
                    .randomStates(2)
                    .nested(2, 0)
                    .nestedFine(1)
                    .oneIn(1, NESTED_ONE_IN)
                    .explore();
            assertTrue(report.acts() >= 60, report.toString());
            assertEquals(report.acts() + 1, report.points());
            CrashSoak.requireEachRecovery(report);
            assertTrue(report.distinct() >= 300 && report.tears() >= 20, report.toString());
        } catch (final RuntimeException | AssertionError e) {
            throw Sample.failed(campaign[0], seed, e);
        }
    }
}
