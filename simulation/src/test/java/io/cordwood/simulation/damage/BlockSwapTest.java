package io.cordwood.simulation.damage;

import static org.junit.jupiter.api.Assertions.assertTrue;

import io.cordwood.simulation.soak.Sample;
import io.cordwood.simulation.soak.SourceSeed;
import io.cordwood.simulation.soak.Tally;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** G5: good blocks in the wrong place. A sample; {@code bin/soak --goals} plays many more. */
final class BlockSwapTest {
    private final Tally tally = new Tally();

    @ParameterizedTest
    @ValueSource(booleans = {false, true})
    void whatIsServedUnderAnOpenLogWasAppendedAtThisOffset(final boolean isMapped) {
        Sample.of(
                "blocks/read" + (isMapped ? "/mapped" : "/channel"),
                SourceSeed.get(),
                tally,
                (seed, t) -> new BlockSwap(seed, isMapped, t).playOpen(1_500));
        assertTrue(tally.count("blocks") > 1_200, tally.counts().toString());
        // What the format cannot tell is among what is tried.
        assertTrue(
                tally.count("not to be told: whole stale batches of the same offset") > 0,
                tally.counts().toString());
        assertTrue(
                tally.count("not to be told: whole batches of another partition with the same offset") > 0,
                tally.counts().toString());
    }

    @Test
    void whatIsInFrontOfItIsThereAfterAnOpen() {
        Sample.of(
                "blocks/open/channel",
                SourceSeed.get(),
                tally,
                (seed, t) -> new BlockSwap(seed, false, t).playClosed(150));
        assertTrue(tally.count("blocks") > 130, tally.counts().toString());
    }
}
