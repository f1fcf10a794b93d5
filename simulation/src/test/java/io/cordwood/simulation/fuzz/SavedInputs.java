package io.cordwood.simulation.fuzz;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.stream.Stream;

/** Inputs that a decoder has failed at once, or that reach far into one: {@code fuzz/DECODER/NAME} of the test's resources. */
final class SavedInputs {
    private SavedInputs() {}

    /** All, by where they are: the folder of a decoder, a slash, and a name. */
    static SortedMap<String, byte[]> all() {
        final Path root =
                Path.of(System.getProperty("cordwood.root", ""), "simulation", "src", "test", "resources", "fuzz");
        final SortedMap<String, byte[]> all = new TreeMap<>();
        try (Stream<Path> files = Files.walk(root)) {
            for (final Path file : files.filter(Files::isRegularFile).toList()) {
                all.put(root.relativize(file).toString().replace('\\', '/'), Files.readAllBytes(file));
            }
        } catch (final IOException e) {
            throw new UncheckedIOException(root.toString(), e);
        }
        return all;
    }

    static String folder(final Decoder decoder) {
        return decoder.name().replaceAll("[^a-z0-9.]", "-");
    }
}
