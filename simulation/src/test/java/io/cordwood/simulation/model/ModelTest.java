package io.cordwood.simulation.model;

import io.cordwood.simulation.soak.Sample;
import io.cordwood.simulation.soak.SourceSeed;
import java.util.List;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.MethodSource;

/**
 * G15: a few lives of each model; {@code bin/soak --goals} lives many more. A failure names its life, and
 * {@code -Dcordwood.model.seed=N} lives that one alone.
 */
final class ModelTest {
    private static final int LIVES = 20;

    static List<String> names() {
        return ModelCampaigns.names();
    }

    @ParameterizedTest
    @MethodSource("names")
    void bothAgreeAfterEachAct(final String name) {
        final Long life = Long.getLong("cordwood.model.seed");
        if (life == null) {
            Sample.of(
                    "model/" + name, SourceSeed.get(), (seed, tally) -> ModelCampaigns.live(name, seed, LIVES, tally));
        } else {
            ModelCampaigns.liveOne(name, life);
        }
    }

    /** On files that are there, mapped and written to. */
    @ParameterizedTest
    @CsvSource({"false, false", "false, true", "true, false", "true, true"})
    void aLogOnARealDisk(final boolean isMapped, final boolean isIndexed) {
        Sample.of(
                ModelCampaigns.onDisk(isMapped, isIndexed),
                SourceSeed.get(),
                (seed, tally) -> ModelCampaigns.liveOnDisk(isMapped, isIndexed, seed));
    }
}
