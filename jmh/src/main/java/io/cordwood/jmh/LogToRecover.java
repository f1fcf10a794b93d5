package io.cordwood.jmh;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.stream.Stream;

/**
 * A log whose open has to look at all of it. Of what a scan from recovery point 0 finds on disk only the segments count, and they
 * are sound: the other files are put back before each open as a clean close left them, so that both sides begin with the same
 * indexes, believe none of them, and write them anew.
 *
 * @param log itself.
 * @param others copies of its files that are no segments.
 */
record LogToRecover(ReadLog log, Path others) {
    private static final long BYTES = Long.getLong("cordwood.bench.recoverBytes", 128L << 20);
    private static final String SEGMENT = ".log";

    /**
     * The log of a shape; built if it is not there.
     *
     * @param shape of its batches.
     * @return the log, closed.
     */
    static LogToRecover of(final BatchShape shape) {
        final ReadLog log = ReadLog.of(shape, BYTES);
        final Path others = log.directory().resolveSibling(log.directory().getFileName() + ".others");
        if (!Files.exists(others)) {
            try {
                Files.createDirectories(others);
                copy(log.directory(), others);
            } catch (final IOException e) {
                throw new UncheckedIOException(e);
            }
        }
        return new LogToRecover(log, others);
    }

    /** Puts back everything but the segments, on which an open works no change. */
    void restore() {
        try {
            for (final Path file : others(log.directory())) {
                Files.delete(file);
            }
            copy(others, log.directory());
        } catch (final IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    private static void copy(final Path from, final Path to) throws IOException {
        for (final Path file : others(from)) {
            Files.copy(file, to.resolve(file.getFileName()));
        }
    }

    private static List<Path> others(final Path directory) throws IOException {
        try (Stream<Path> files = Files.list(directory)) {
            return files.filter(file -> !file.toString().endsWith(SEGMENT)).toList();
        }
    }
}
