package io.cordwood.simulation.races;

import static org.junit.jupiter.api.Assertions.assertTrue;

import io.cordwood.log.store.DiskStorage;
import io.cordwood.testkit.SimulatedStorage;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** {@link SteppedReader}: every change, every place, both stores, on the simulated and on the real disk. */
@Timeout(60)
final class SteppedReaderTest {
    @TempDir
    private Path root;

    static List<String> changes() {
        return SteppedReader.changes();
    }

    @ParameterizedTest
    @MethodSource("changes")
    void onTheSimulatedDisk(final String change) {
        for (final boolean isMapped : new boolean[] {false, true}) {
            assertTrue(SteppedReader.play(new SimulatedStorage(() -> 1_700_000_000_000L), isMapped, change) > 1);
        }
    }

    @ParameterizedTest
    @MethodSource("changes")
    void onTheRealDisk(final String change) {
        for (final boolean isMapped : new boolean[] {false, true}) {
            try (DiskStorage storage = new DiskStorage(root.resolve(Boolean.toString(isMapped)))) {
                assertTrue(SteppedReader.play(storage, isMapped, change) > 1);
            }
        }
    }
}
