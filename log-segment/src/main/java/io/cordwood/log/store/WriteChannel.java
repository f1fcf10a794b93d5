package io.cordwood.log.store;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.ClosedChannelException;
import java.nio.channels.FileChannel;
import java.nio.channels.WritableByteChannel;
import java.nio.file.OpenOption;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * What a file for appending holds open, however its bytes get there: the channel of its one writer, which another thread may
 * force meanwhile, and that of its readers. An interrupt closes a channel in the JDK; here it is opened again, and the write,
 * which names its position, is done again.
 */
final class WriteChannel implements AutoCloseable {
    private static final Logger LOG = LoggerFactory.getLogger(WriteChannel.class);

    static final OpenOption[] CREATE = {StandardOpenOption.READ, StandardOpenOption.WRITE, StandardOpenOption.CREATE};
    static final OpenOption[] EXISTING = {StandardOpenOption.READ, StandardOpenOption.WRITE};

    private final OpenFiles files;
    private final Place place;
    private final ReadChannel reader;
    private volatile FileChannel channel;
    private volatile boolean isClosed;
    private boolean hasDiskBehindEnd;

    private WriteChannel(final OpenFiles files, final Place place) throws IOException {
        this.files = files;
        this.place = place;
        this.reader = new ReadChannel(files, place);
        this.channel = files.openChannel(place, CREATE);
    }

    /** Opens a file, and creates it if it is missing. */
    static WriteChannel open(final OpenFiles files, final Path path) throws IOException {
        final Place place = files.enter(path);
        WriteChannel opened = null;
        try {
            opened = new WriteChannel(files, place);
            return opened;
        } finally {
            if (opened == null) {
                files.leave(place);
            }
        }
    }

    long size() throws IOException {
        return repeat(FileChannel::size);
    }

    /** Writes all that remains in a buffer, however short the single writes fall. */
    void write(final ByteBuffer source, final long position) throws IOException {
        final int start = source.position();
        boolean isInterrupted = Thread.interrupted();
        try {
            while (source.hasRemaining()) {
                final FileChannel open = channel;
                try {
                    if (open.write(source, position + source.position() - start) <= 0) {
                        throw new IOException("nothing was written, " + source.remaining() + " bytes are left");
                    }
                } catch (final ClosedChannelException e) {
                    isInterrupted |= Thread.interrupted();
                    reopen(open, e);
                }
            }
        } finally {
            restore(isInterrupted);
        }
    }

    /** Takes disk for the bytes from {@code start} to {@code end}, which become zeros. */
    void extend(final long start, final long end) throws IOException {
        if (!Mapping.isAvailable()) {
            write(ByteBuffer.allocate(1), end - 1);
        } else if (!files.reserve(place, start, end, false)) {
            throw new IOException(files.isFull(place, end - start) ? Reasons.NO_SPACE : "the file system refused");
        }
    }

    /** Takes disk behind the end of the file, which stays where it is; false if the system refused. */
    boolean reserveBehindEnd(final long start, final long end) {
        try {
            if (!Mapping.isReservableBehindEnd()) {
                return false;
            }
            // Also a refusal may have taken something.
            hasDiskBehindEnd = true;
            return files.reserve(place, start, end, true);
        } catch (final IOException | StorageException e) {
            // It would only have been cheaper. If the disk is what fails, the write that follows says so.
            return false;
        }
    }

    /** Gives back what is reserved behind the end of the file. If that fails it stays reserved, which harms no content. */
    void freeBehindEnd(final long length) {
        if (hasDiskBehindEnd) {
            try {
                files.freeBehindEnd(place, length);
                hasDiskBehindEnd = false;
            } catch (final IOException e) {
                LOG.warn("Disk that was reserved behind {} is not given back: {}", place.path(), e.getMessage());
            }
        }
    }

    /** Cuts the file and whatever is mapped of it. */
    void cut(final long length) throws IOException {
        cut(length, null);
    }

    /** Cuts the file and whatever is mapped of it, but for the mapping of the writer. */
    void cut(final long length, final @Nullable Mapping ofWriter) throws IOException {
        repeat(open -> {
            files.cut(place, open, length, ofWriter);
            return length;
        });
        freeBehindEnd(length);
    }

    /** Shows {@code length} bytes of the file, or what there is of them, to any thread. */
    int view(final long position, final int length, final FileView view) {
        return reader.view(position, length, view);
    }

    /** Sends a piece of the content to a channel, for any thread. */
    long transferTo(final long position, final long length, final long contentEnd, final WritableByteChannel target) {
        if (isClosed) {
            throw failure("send", "the file is closed");
        }
        final long wanted = Pieces.clip(position, length, contentEnd);
        return wanted == 0 ? 0 : reader.transferTo(position, wanted, target);
    }

    /**
     * Forces what is written. Interrupted in the middle, the JDK hides what the system answered, and asking again would get
     * the answer of a system that has reported the failure already: so that is a failure too.
     */
    void force() {
        boolean isInterrupted = Thread.interrupted();
        try {
            final FileChannel open = channel;
            try {
                open.force(false);
            } catch (final ClosedChannelException e) {
                isInterrupted |= Thread.interrupted();
                reopen(open, e);
                throw e;
            }
        } catch (final IOException e) {
            throw failure("force", e);
        } finally {
            restore(isInterrupted);
        }
    }

    @Override
    public void close() throws IOException {
        isClosed = true;
        final FileChannel own = channel;
        try (own) {
            reader.close();
        } finally {
            files.leave(place);
        }
    }

    StorageException failure(final String operation, final IOException cause) {
        return Reasons.failure(place.path(), operation, cause);
    }

    StorageException failure(final String operation, final String reason) {
        return Reasons.failure(place.path(), operation, reason);
    }

    /** Acts on the channel until no interrupt comes between. */
    private long repeat(final Act act) throws IOException {
        boolean isInterrupted = Thread.interrupted();
        try {
            for (; ; ) {
                final FileChannel open = channel;
                try {
                    return act.on(open);
                } catch (final ClosedChannelException e) {
                    isInterrupted |= Thread.interrupted();
                    reopen(open, e);
                }
            }
        } finally {
            restore(isInterrupted);
        }
    }

    private void reopen(final FileChannel broken, final ClosedChannelException cause) throws IOException {
        if (isClosed || (channel == broken && broken.isOpen())) {
            throw cause;
        }
        files.reopen(this, broken);
    }

    /** Under the lock of {@link OpenFiles}. */
    boolean isBroken(final FileChannel open) {
        return channel == open && !isClosed;
    }

    /** Under the lock of {@link OpenFiles}. */
    void replace(final FileChannel opened) {
        channel = opened;
    }

    Place place() {
        return place;
    }

    private static void restore(final boolean isInterrupted) {
        if (isInterrupted) {
            Thread.currentThread().interrupt();
        }
    }

    /** Something that can be done twice. */
    @FunctionalInterface
    private interface Act {
        long on(FileChannel open) throws IOException;
    }
}
