package io.cordwood.simulation.kill;

import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.cordwood.simulation.ChildJvm;
import io.cordwood.simulation.soak.Sample;
import io.cordwood.simulation.soak.SourceSeed;
import java.io.IOException;
import java.util.concurrent.CountDownLatch;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** A sample of {@link KilledLives}. */
final class KilledLivesTest {
    @ParameterizedTest
    @CsvSource({"false, false, 2", "true, false, 2", "false, true, 1", "true, true, 1"})
    void whatWasAcknowledgedIsThere(final boolean isMapped, final boolean isForced, final int lives) {
        Sample.of(
                "kill/" + (isMapped ? "mapped" : "channel") + "/" + (isForced ? "forced" : "page-cache"),
                SourceSeed.get(),
                (seed, tally) -> assertTrue(KilledLives.play(isMapped, isForced, seed, lives) > 0));
    }

    @Test
    void aProcessThatSaysNothingIsKilledAndTheLifeFails() throws IOException, InterruptedException {
        final Process process = ChildJvm.of(SilentProcess.class).start();
        final String told = String.valueOf(assertThrows(AssertionError.class, () -> KilledLives.follow(process, 1))
                .getMessage());
        assertTrue(told.startsWith("not over after 1 s: awaited is the first line of the process"), told);
        process.waitFor();
    }

    /** Hangs. */
    static final class SilentProcess {
        private SilentProcess() {}

        public static void main(final String[] arguments) throws InterruptedException {
            new CountDownLatch(1).await();
        }
    }
}
