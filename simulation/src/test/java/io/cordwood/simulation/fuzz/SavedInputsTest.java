package io.cordwood.simulation.fuzz;

import static org.junit.jupiter.api.Assertions.assertEquals;

import io.cordwood.simulation.Limit;
import java.util.Map;
import java.util.Set;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.TreeSet;
import org.junit.jupiter.api.Test;

/** What the fuzzer has found once is fine since: each saved input is fed to each decoder, above all to that which it is saved for. */
final class SavedInputsTest {
    private static final long INPUT_SECONDS_MOST = 30;

    @Test
    void noDecoderFailsAtASavedInput() {
        final Limit limit = new Limit(INPUT_SECONDS_MOST);
        limit.run("the saved inputs", () -> feedAll(limit));
    }

    private static void feedAll(final Limit limit) {
        for (final Map.Entry<String, byte[]> saved : SavedInputs.all().entrySet()) {
            for (final Decoder decoder : Decoder.all()) {
                limit.step(() -> saved.getKey() + " fed to " + decoder.name());
                try {
                    decoder.feedMeasured(saved.getValue());
                } catch (final RuntimeException | AssertionError e) {
                    throw new AssertionError(saved.getKey() + " fed to " + decoder.name() + ": " + e, e);
                }
            }
        }
    }

    @Test
    void eachDecoderHasASavedInputAndEachInputADecoder() {
        final Set<String> folders = new TreeSet<>();
        SavedInputs.all().keySet().forEach(path -> folders.add(path.substring(0, path.indexOf('/'))));
        final SortedMap<String, Decoder> decoders = new TreeMap<>();
        Decoder.all().forEach(decoder -> decoders.put(SavedInputs.folder(decoder), decoder));
        assertEquals(decoders.keySet(), folders);
        assertEquals(Decoder.all().size(), decoders.size(), "two decoders share a folder");
    }
}
