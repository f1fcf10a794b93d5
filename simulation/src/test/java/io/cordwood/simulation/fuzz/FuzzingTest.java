package io.cordwood.simulation.fuzz;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.cordwood.simulation.soak.Tally;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** That the fuzzer runs, and that it tells of what it finds; the long runs are {@code bin/soak}'s. */
@Timeout(value = 120, unit = TimeUnit.SECONDS)
final class FuzzingTest {
    private static final int EXECUTIONS = 5000;

    @Test
    void executionsAreCounted() {
        final Tally tally = new Tally();
        Fuzzing.play(Decoder.named("checkpoint/epochs"), 1, EXECUTIONS, tally);
        assertEquals(EXECUTIONS, tally.count("executions of checkpoint/epochs"));
    }

    @Test
    void whatIsFoundIsToldWithItsInputAndTheCommand() throws IOException {
        final Tally tally = new Tally();
        final AssertionError found =
                assertThrows(AssertionError.class, () -> Fuzzing.play(Decoder.planted(), 1, EXECUTIONS, tally));
        final String told = String.valueOf(found.getMessage());
        assertTrue(told.contains("planted throws what it does not document: "), told);
        assertTrue(told.contains("--target_class=" + FuzzTarget.class.getName()), told);
        final Matcher saved = Pattern.compile("(?m)^ {2}input {4}(.*?) {2}").matcher(told);
        assertTrue(saved.find(), told);
        final byte[] input = Files.readAllBytes(Path.of(saved.group(1)));
        assertThrows(AssertionError.class, () -> Decoder.planted().feed(input), told);
        assertEquals(0, tally.count("executions of planted"));
        Files.delete(Path.of(saved.group(1)));
    }

    @Test
    void eachDecoderHasAFigure() {
        assertEquals(
                Decoder.all().stream()
                        .map(decoder -> "executions of " + decoder.name())
                        .toList(),
                Fuzzing.figures().stream().map(figure -> figure.what()).toList());
        assertTrue(Fuzzing.figures().stream().allMatch(figure -> figure.least() == 1_000_000), "too few");
        assertEquals(
                List.of(), Fuzzing.campaigns().stream().filter(c -> c.isAlone()).toList());
    }
}
