package io.cordwood.log.store;

import java.io.IOException;
import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import java.nio.ByteBuffer;
import java.nio.channels.ClosedByInterruptException;
import java.nio.channels.ClosedChannelException;
import java.nio.channels.FileChannel;
import java.nio.channels.WritableByteChannel;
import java.nio.file.OpenOption;
import java.nio.file.StandardOpenOption;
import org.jspecify.annotations.Nullable;

/**
 * Reads one file, at positions, for many threads. The channel behind it is opened at the first read; while nobody reads it may
 * be evicted, and the next read opens it again. Users are counted with one CAS; only the opening locks.
 *
 * <p>The JDK closes a channel when a thread that reads from it is interrupted. Here the flag is put aside during a read, and
 * whoever still meets a closed channel opens a new one and goes on.
 */
final class ReadChannel extends RecentSet.Entry {
    static final OpenOption[] OPTIONS = {StandardOpenOption.READ};

    private static final int SHUT = -1;
    private static final VarHandle USERS;

    static {
        try {
            USERS = MethodHandles.lookup().findVarHandle(ReadChannel.class, "users", int.class);
        } catch (final ReflectiveOperationException e) {
            throw new ExceptionInInitializerError(e);
        }
    }

    private final OpenFiles files;
    private final Place place;
    private volatile int users = SHUT;
    private volatile boolean isClosed;
    private volatile @Nullable FileChannel channel;

    ReadChannel(final OpenFiles files, final Place place) {
        this.files = files;
        this.place = place;
    }

    Place place() {
        return place;
    }

    /** Shows {@code length} bytes of the file, or what there is of them. */
    int view(final long position, final int length, final FileView view) {
        final ByteBuffer target = view.showCopy(length);
        acquire("read");
        boolean isInterrupted = Thread.interrupted();
        boolean isRead = false;
        try {
            while (target.hasRemaining()) {
                final FileChannel open = held();
                try {
                    if (open.read(target, position + target.position()) < 0) {
                        break;
                    }
                } catch (final ClosedChannelException e) {
                    isInterrupted |= Thread.interrupted();
                    files.reopen(this, open, "read");
                } catch (final IOException e) {
                    throw Reasons.failure(place.path(), "read", e);
                }
            }
            isRead = true;
        } finally {
            release();
            if (isInterrupted) {
                Thread.currentThread().interrupt();
            }
            if (!isRead) {
                view.release();
            }
        }
        if (target.hasRemaining()) {
            view.trim(target.position());
        }
        return target.position();
    }

    /** Shows a piece of a file whose content has a length that is known and does not change. */
    int viewContent(final long position, final int bytes, final long contentLength, final FileView view) {
        final int wanted = (int) Pieces.clip(position, bytes, contentLength);
        if (wanted == 0) {
            view.release();
            return 0;
        }
        final int seen = view(position, wanted, view);
        if (seen < wanted) {
            throw Pieces.tooShort(place.path(), position, wanted, seen, view);
        }
        return seen;
    }

    /** Sends {@code length} bytes of the file, or as many as the target takes. */
    long transferTo(final long position, final long length, final WritableByteChannel target) {
        acquire("send");
        boolean isInterrupted = Thread.interrupted();
        long sent = 0;
        try {
            while (sent < length) {
                final FileChannel open = held();
                try {
                    final long now = open.transferTo(position + sent, length - sent, target);
                    if (now <= 0) {
                        break;
                    }
                    sent += now;
                } catch (final ClosedByInterruptException e) {
                    // Bytes may have gone out and nobody can tell how many: to send them again would garble the target.
                    isInterrupted = true;
                    if (!open.isOpen()) {
                        Thread.interrupted();
                        files.reopen(this, open, "send");
                    }
                    throw Reasons.failure(place.path(), "send", e);
                } catch (final ClosedChannelException e) {
                    // Another thread's interrupt. The JDK reports it only to those of whom nothing was sent.
                    if (open.isOpen()) {
                        throw new StorageException(place.path().toString(), "send", "the target is closed", e);
                    }
                    files.reopen(this, open, "send");
                } catch (final IOException e) {
                    throw Reasons.failure(place.path(), "send", e);
                }
            }
            return sent;
        } finally {
            release();
            if (isInterrupted) {
                Thread.currentThread().interrupt();
            }
        }
    }

    /**
     * Forces the file, through a descriptor of its own: an interrupt of a reader must not fail a force. Linux and macOS force
     * a file through one that was opened for reading just as well, and report failures of earlier writes to it. A file that
     * was deleted has nothing to keep.
     */
    void force() {
        final boolean isInterrupted = Thread.interrupted();
        try (FileChannel own = files.openChannel(place, OPTIONS)) {
            own.force(true);
        } catch (final IOException e) {
            throw Reasons.failure(place.path(), "force", e);
        } catch (final StorageException e) {
            if (!place.isGone()) {
                throw e;
            }
        } finally {
            if (isInterrupted) {
                Thread.currentThread().interrupt();
            }
        }
    }

    /** Closes for good, now or when the last user is done. */
    void close() {
        isClosed = true;
        files.shut(this);
    }

    boolean isShut() {
        return users == SHUT;
    }

    @Nullable
    FileChannel channel() {
        return channel;
    }

    /** Under the lock: a new channel, whose first user is the caller. */
    void open(final FileChannel opened) {
        channel = opened;
        users = 1;
    }

    /** Under the lock: a new channel instead of a broken one, while it is in use. */
    void replace(final FileChannel opened) {
        channel = opened;
    }

    /** Under the lock. A file that is gone could never be opened again, so it stays open for those who read it. */
    @Override
    boolean tryEvict() {
        return !place.isGone() && tryShut();
    }

    /** Under the lock. */
    boolean tryShut() {
        if (!USERS.compareAndSet(this, 0, SHUT)) {
            return false;
        }
        final FileChannel open = channel;
        channel = null;
        if (open != null) {
            try {
                open.close();
            } catch (final IOException e) {
                throw Reasons.failure(place.path(), "close", e);
            }
        }
        return true;
    }

    private void acquire(final String operation) {
        for (; ; ) {
            if (isClosed) {
                throw Reasons.failure(place.path(), operation, "the file is closed");
            }
            final int seen = users;
            if (seen == SHUT) {
                if (files.admit(this, operation)) {
                    return;
                }
            } else if (USERS.compareAndSet(this, seen, seen + 1)) {
                touch();
                return;
            }
        }
    }

    private void release() {
        if ((int) USERS.getAndAdd(this, -1) == 1 && isClosed) {
            files.shut(this);
        }
    }

    private FileChannel held() {
        final FileChannel open = channel;
        if (open == null) {
            throw new IllegalStateException("no channel while in use: " + place.path());
        }
        return open;
    }
}
