package io.cordwood.log.store;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.channels.FileChannel;
import java.nio.file.Files;
import java.nio.file.Path;

/** A small file on the real disk, to be mapped in races. Lincheck looks away here, since it plays no operations of real files. */
final class RaceFiles {
    static final int BYTES = 100;

    private static final Path FILE = create();

    private RaceFiles() {}

    private static Path create() {
        try {
            final Path file = Files.createTempFile("cordwood-race", ".log");
            file.toFile().deleteOnExit();
            return Files.write(file, new byte[BYTES]);
        } catch (final IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    /** With room for one mapping, so that each new one drives out the other. */
    static OpenFiles open() {
        return new OpenFiles(1, 1, FileChannel::open);
    }

    static Place enter(final OpenFiles files) {
        return files.enter(FILE);
    }

    /** A mapping with one owner. */
    static Mapping map(final OpenFiles files, final Place place) {
        try {
            final Mapping mapping = Mapping.of(files, place, BYTES, false);
            place.mappings().add(mapping);
            return mapping;
        } catch (final IOException e) {
            throw new UncheckedIOException(e);
        }
    }
}
