package io.cordwood.simulation.damage;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.cordwood.simulation.soak.Sample;
import io.cordwood.simulation.soak.SourceSeed;
import io.cordwood.simulation.soak.Tally;
import java.util.Set;
import java.util.TreeSet;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * G4: bits that turn over, and files that end early. Each bit of each header of a segment and of the small files of a data
 * directory; of the rest a sample, by a seed that follows from the sources, of which {@code bin/soak --goals} plays more.
 */
final class BitRotTest {
    private final Tally tally = new Tally();

    @Test
    void eachBitOfEachHeader() {
        Sample.of("rot/headers", SourceSeed.get(), tally, DamageCampaigns::headers);
        assertTrue(tally.count("flips") > 15_000, tally.counts().toString());
        // A specimen without gaps: no base offset may be another.
        assertUnseen(Unchecked.LEADER_EPOCH);
    }

    @ParameterizedTest
    @ValueSource(booleans = {false, true})
    void bitsUnderAnOpenLog(final boolean isMapped) {
        Sample.of(
                "rot/read" + store(isMapped),
                SourceSeed.get(),
                tally,
                (seed, t) -> DamageCampaigns.read(seed, isMapped, 61, t));
        assertTrue(tally.count("flips") > 8_000, tally.counts().toString());
    }

    @ParameterizedTest
    @ValueSource(booleans = {false, true})
    void bitsBeforeAnOpen(final boolean isMapped) {
        Sample.of(
                "rot/open" + store(isMapped),
                SourceSeed.get(),
                tally,
                (seed, t) -> DamageCampaigns.open(seed, isMapped, 100, t));
        assertEquals(300, tally.count("opens"));
    }

    @Test
    void bitsOfIndexesAndLeaderEpochs() {
        // By this seed a leader begins in the active segment, and all bits are played.
        Sample.of("rot/small-index", 4, tally, DamageCampaigns::smallIndex);
        assertTrue(tally.count("flips") > 1_500, tally.counts().toString());
    }

    @Test
    void filesThatEndEarly() {
        Sample.of("rot/cut/mapped", SourceSeed.get(), tally, (seed, t) -> DamageCampaigns.cut(seed, true, 601, t));
        assertTrue(tally.count("truncations") > 130, tally.counts().toString());
    }

    @Test
    void eachBitAndEachLengthOfTheFilesOfADataDirectory() {
        Sample.of("rot/directory", 1, tally, (seed, t) -> new DirectoryRot(true, t).playAll());
        assertTrue(
                tally.count("flips") > 1_700 && tally.count("truncations") > 200,
                tally.counts().toString());
        assertUnseen(
                Unchecked.CHECKPOINT,
                Unchecked.META_PROPERTIES,
                Unchecked.PARTITION_METADATA,
                Unchecked.CLEAN_SHUTDOWN);
    }

    /** What is read of the recovery points decides where the open looks: a batch was half written behind them. */
    @Test
    void eachBitAndEachLengthOfTheFilesOfADataDirectoryThatWasKilled() {
        Sample.of("rot/killed-directory", 1, tally, (seed, t) -> new DirectoryRot(false, t).playAll());
        assertTrue(
                tally.count("flips") > 1_200 && tally.count("truncations") > 150,
                tally.counts().toString());
        assertTrue(
                tally.count("recoveries that another recovery point changes") >= 4,
                tally.counts().toString());
        assertUnseen(Unchecked.CHECKPOINT, Unchecked.META_PROPERTIES, Unchecked.PARTITION_METADATA);
    }

    private static String store(final boolean isMapped) {
        return isMapped ? "/mapped" : "/channel";
    }

    /** What was not seen are bytes of the table, and all of these: none is in it for nothing. */
    private void assertUnseen(final Unchecked... expected) {
        final Set<String> names = new TreeSet<>();
        for (final Unchecked field : expected) {
            names.add("flips not seen, " + field);
            assertFalse(field.reason().isBlank());
        }
        final Set<String> found = new TreeSet<>(tally.counts().keySet());
        found.removeIf(what -> !what.startsWith("flips not seen"));
        assertEquals(names, found);
    }
}
