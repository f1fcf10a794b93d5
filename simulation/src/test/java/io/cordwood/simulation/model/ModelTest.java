package io.cordwood.simulation.model;

import io.cordwood.log.store.DiskStorage;
import io.cordwood.log.store.Storage;
import io.cordwood.simulation.soak.CommitSeed;
import io.cordwood.simulation.soak.Tally;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.MethodSource;

/**
 * G15: a few lives of each model; {@code bin/soak --goals} lives many more. A failure names its life, and
 * {@code -Dcordwood.model.seed=N} lives that one alone.
 */
final class ModelTest {
    private static final int LIVES = 20;
    private static final int DISK_LIVES = 5;

    @TempDir
    Path scratch;

    static List<String> names() {
        return ModelCampaigns.names();
    }

    @ParameterizedTest
    @MethodSource("names")
    void bothAgreeAfterEachAct(final String name) {
        final Long seed = Long.getLong("cordwood.model.seed");
        if (seed == null) {
            ModelCampaigns.live(name, CommitSeed.get(), LIVES, new Tally());
        } else {
            ModelCampaigns.liveOne(name, seed);
        }
    }

    /** On files that are there, mapped and written to. */
    @ParameterizedTest
    @CsvSource({"false, false", "false, true", "true, false", "true, true"})
    void aLogOnARealDisk(final boolean isMapped, final boolean isIndexed) {
        final long first = CommitSeed.get();
        for (long seed = first; seed < first + DISK_LIVES; seed++) {
            try (Storage storage = new DiskStorage(scratch.resolve(Long.toString(seed)))) {
                ModelCampaigns.live("log", life -> new LogLife(life, storage, isMapped, isIndexed), seed);
            }
        }
    }
}
