package io.cordwood.simulation.crash;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.cordwood.simulation.soak.Sample;
import io.cordwood.simulation.soak.SourceSeed;
import io.cordwood.testkit.CrashReport;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** G2, some of the scenarios: the last write of each point, torn at some of its bytes; {@code bin/soak --goals} tears all of them at each. */
final class TearCampaignTest {
    /** Odd, so that the tears move through the sectors. */
    private static final int BYTES_BETWEEN_TEARS = 37;

    @ParameterizedTest
    @ValueSource(
            strings = {
                "tear/append/channel",
                "tear/append/mapped",
                "tear/gather/channel",
                "tear/gather/mapped",
                "tear/recovery/channel",
                "tear/recovery/mapped",
                "tear/roll/channel",
                "tear/roll/mapped"
            })
    void whatIsOwedIsThereAfterATornWrite(final String campaign) {
        Sample.of(campaign, SourceSeed.get(), (seed, tally) -> {
            final CrashReport report = CrashSoak.explorer(campaign, seed)
                    .tearsEvery(BYTES_BETWEEN_TEARS)
                    .explore();
            assertTrue(report.acts() >= 60, report.toString());
            assertEquals(report.acts() + 1, report.points());
            assertTrue(report.tears() >= 200, report.toString());
        });
    }
}
