package io.cordwood.simulation.fuzz;

import io.cordwood.simulation.soak.Sample;
import io.cordwood.simulation.soak.SourceSeed;
import java.util.List;
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
    void nothingUndocumentedIsThrown(final String name) {
        Sample.of(
                "mutated/" + name,
                SourceSeed.get(),
                (seed, tally) -> Mutations.play(Decoder.named(name), seed, INPUTS, tally));
    }
}
