package io.cordwood.jmh;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.nio.file.StandardOpenOption;
import java.util.List;
import java.util.stream.Stream;

/**
 * A log whose open has to look at all of it. Of what a scan from recovery point 0 finds on disk only the segments count, and they
 * are sound: the other files are put back before each open as a clean close left them, so that both sides begin with the same
 * indexes, believe none of them, and write them anew.
 *
 * <p>The segments are in the system's cache as it holds them when it has read them from the disk, which a start after a power cut
 * begins with: in large pieces, and not in pages of 4 KiB, as an appender of small batches leaves them. Both sides are faster that
 * way; ours more, since to map a page costs the same whatever its size.
 *
 * @param log itself.
 * @param others copies of its files that are no segments.
 */
record LogToRecover(ReadLog log, Path others) {
    private static final long BYTES = Long.getLong("cordwood.bench.recoverBytes", 128L << 20);
    private static final String SEGMENT = ".log";
    private static final int PIECE_BYTES = 1 << 20;

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
                rewrite(log.directory());
                Files.createDirectories(others);
                copy(log.directory(), others);
            } catch (final IOException e) {
                throw new UncheckedIOException(e);
            }
        }
        return new LogToRecover(log, others);
    }

    /** What is written in large pieces lies in the cache like what was read in large pieces. */
    private static void rewrite(final Path directory) throws IOException {
        final ByteBuffer piece = ByteBuffer.allocateDirect(PIECE_BYTES);
        for (final Path segment : filesOf(directory, true)) {
            final Path copy = Files.createTempFile(directory, "segment", null);
            try (FileChannel from = FileChannel.open(segment);
                    FileChannel to = FileChannel.open(copy, StandardOpenOption.WRITE)) {
                while (from.read(piece.clear()) > 0) {
                    piece.flip();
                    while (piece.hasRemaining()) {
                        to.write(piece);
                    }
                }
                to.force(true);
            }
            Files.move(copy, segment, StandardCopyOption.REPLACE_EXISTING);
        }
    }

    /** Puts back everything but the segments, on which an open works no change. */
    void restore() {
        try {
            for (final Path file : filesOf(log.directory(), false)) {
                Files.delete(file);
            }
            copy(others, log.directory());
        } catch (final IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    private static void copy(final Path from, final Path to) throws IOException {
        for (final Path file : filesOf(from, false)) {
            Files.copy(file, to.resolve(file.getFileName()));
        }
    }

    private static List<Path> filesOf(final Path directory, final boolean areSegments) throws IOException {
        try (Stream<Path> files = Files.list(directory)) {
            return files.filter(file -> file.toString().endsWith(SEGMENT) == areSegments)
                    .toList();
        }
    }
}
