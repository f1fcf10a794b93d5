package io.cordwood.simulation.seed;

import static java.nio.charset.StandardCharsets.US_ASCII;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNotEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.cordwood.simulation.ChildJvm;
import java.io.IOException;
import java.io.InputStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** One seed, one hash of everything that happens, in each JVM. */
@Timeout(60)
final class OneSeedTest {
    private static String played(final Process process) throws IOException, InterruptedException {
        try (InputStream out = process.getInputStream()) {
            final String said = new String(out.readAllBytes(), US_ASCII).strip();
            assertEquals(0, process.waitFor(), said);
            return said;
        }
    }

    @Test
    void twoJvmsDoTheSame() throws Exception {
        final Process first = ChildJvm.of(SeededLives.class, "7").start();
        final Process second = ChildJvm.of(SeededLives.class, "7").start();
        final String said = played(first);
        assertEquals(said, played(second));
        assertEquals(said, SeededLives.play(7).toString());
        assertNotEquals(said, SeededLives.play(8).toString());
        assertTrue(SeededLives.play(7).count() > 1000, said);
    }
}
