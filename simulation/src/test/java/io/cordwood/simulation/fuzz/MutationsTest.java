package io.cordwood.simulation.fuzz;

import io.cordwood.simulation.soak.Tally;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** G14: spoilt inputs for each decoder; {@code bin/soak --goals} tries many more. A failure tells the seed and the bytes. */
final class MutationsTest {
    private static final int INPUTS = 400;

    static List<String> names() {
        return Decoder.all().stream().map(Decoder::name).toList();
    }

    @ParameterizedTest
    @MethodSource("names")
    @Timeout(value = 60, unit = TimeUnit.SECONDS)
    void nothingUndocumentedIsThrown(final String name) {
        Mutations.play(Decoder.named(name), 1, INPUTS, new Tally());
    }
}
