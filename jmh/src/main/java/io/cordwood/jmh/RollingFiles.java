package io.cordwood.jmh;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.channels.FileChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.ArrayDeque;

/** The files of somebody who only writes bytes: they roll and go as the segments of a {@link GrowingLog}, and none is used again. */
final class RollingFiles implements AutoCloseable {
    private static final int KEPT = 3;

    private final Path directory = BenchDirectory.fresh();
    private final ArrayDeque<Path> files = new ArrayDeque<>();
    private long number;

    /**
     * Begins the next file and removes the oldest one.
     *
     * @return a channel to read and write it, to be closed by the caller.
     */
    FileChannel next() {
        try {
            if (files.size() == KEPT) {
                Files.delete(files.remove());
            }
            final Path file = directory.resolve(number++ + ".bytes");
            files.add(file);
            return FileChannel.open(
                    file, StandardOpenOption.CREATE_NEW, StandardOpenOption.READ, StandardOpenOption.WRITE);
        } catch (final IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    /** Removes all files. */
    @Override
    public void close() {
        BenchDirectory.remove(directory);
    }
}
