package io.cordwood.jmh;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.ArrayList;
import java.util.Deque;
import java.util.List;
import java.util.concurrent.ConcurrentLinkedDeque;
import java.util.zip.CRC32C;
import org.agrona.CloseHelper;
import org.jspecify.annotations.Nullable;

/** The files of somebody who only writes bytes: they roll and go as the segments of a {@link GrowingLog}, and none is used again. */
final class RollingFiles implements AutoCloseable, Scanning.Scanned {
    private static final int KEPT = 3;

    private final Path directory = BenchDirectory.fresh();
    private final Deque<Path> files = new ConcurrentLinkedDeque<>();
    private long number;

    /**
     * Begins the next file and removes the oldest one.
     *
     * @return a channel to read and write it, to be closed by the caller.
     */
    FileChannel next() {
        try {
            if (files.size() == KEPT) {
                final Path oldest = files.remove();
                Deletions.add(() -> Files.deleteIfExists(oldest));
            }
            final Path file = directory.resolve(number++ + ".bytes");
            final FileChannel channel = FileChannel.open(
                    file, StandardOpenOption.CREATE_NEW, StandardOpenOption.READ, StandardOpenOption.WRITE);
            files.add(file);
            return channel;
        } catch (final IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    @Override
    public Scanning.Scan newScan() {
        return new Checksums();
    }

    /** Reads the files from the oldest one on, and a checksum over each piece. */
    private final class Checksums implements Scanning.Scan {
        private final ByteBuffer piece = ByteBuffer.allocateDirect(ReadLog.READ_BYTES);
        private final CRC32C crc = new CRC32C();
        private List<Path> found = List.of();
        private int next;
        private @Nullable FileChannel channel;

        @Override
        public long step() throws IOException {
            if (channel == null) {
                channel = open();
            }
            final int bytes = channel == null ? -1 : channel.read(piece.clear());
            if (bytes < 0) {
                close();
                return 0;
            }
            crc.update(piece.flip());
            return bytes;
        }

        private @Nullable FileChannel open() throws IOException {
            if (next == found.size()) {
                found = new ArrayList<>(files);
                next = 0;
            }
            if (found.isEmpty()) {
                return null;
            }
            final Path file = found.get(next++);
            try {
                return FileChannel.open(file);
            } catch (final NoSuchFileException e) {
                if (files.contains(file)) {
                    throw e;
                }
                return null;
            }
        }

        @Override
        public void close() {
            CloseHelper.close(channel);
            channel = null;
        }
    }

    /** Removes all files. */
    @Override
    public void close() {
        Deletions.finish();
        BenchDirectory.remove(directory);
    }
}
