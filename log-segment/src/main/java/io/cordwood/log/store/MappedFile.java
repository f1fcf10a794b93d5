package io.cordwood.log.store;

import java.io.IOException;
import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import java.nio.channels.WritableByteChannel;
import java.util.concurrent.atomic.AtomicBoolean;
import org.agrona.concurrent.BackoffIdleStrategy;
import org.agrona.concurrent.IdleStrategy;
import org.agrona.concurrent.UnsafeBuffer;
import org.jspecify.annotations.Nullable;

/**
 * A file for appending whose claimed bytes lie in one mapping of the whole, so that publishing them is one release store.
 *
 * <pre>
 *   0          length()      claimedEnd      reservedEnd           capacity
 *   |-- content --|-- claimed --|-- may be claimed --|-- no disk yet --|
 * </pre>
 *
 * <p>No byte behind {@code reservedEnd} is ever claimed, because the store to a page that the disk has no room for kills the
 * process, or is lost in silence. {@link #reserveAhead}, on another thread, moves it before the writer comes there; if it
 * did not, {@link #claim} does. One flag lets one of them reserve at a time.
 */
final class MappedFile implements StorageFile {
    private static final VarHandle LENGTH;

    static {
        try {
            LENGTH = MethodHandles.lookup().findVarHandle(MappedFile.class, "length", long.class);
        } catch (final ReflectiveOperationException e) {
            throw new ExceptionInInitializerError(e);
        }
    }

    private final OpenFiles files;
    private final MappedFiles siblings;
    private final WriteChannel writer;
    private final long capacity;
    private final long step;
    private volatile @Nullable Mapping mapping;
    private volatile long length;
    private volatile long reservedEnd;
    private final AtomicBoolean isReserving = new AtomicBoolean();
    private volatile boolean isClosed;

    // Of the writer alone.
    private Mapping current;
    private long address;
    private long claimedEnd;

    // Of whoever is reserving: the end at which the system refused to go on, asked again only by the writer.
    private long refusedEnd = -1;

    MappedFile(
            final OpenFiles files,
            final MappedFiles siblings,
            final WriteChannel writer,
            final long capacity,
            final int step)
            throws IOException {
        this.files = files;
        this.siblings = siblings;
        this.writer = writer;
        this.length = writer.size();
        this.capacity = Math.max(capacity, length);
        this.step = Math.max(step, Mapping.PAGE_BYTES) & -Mapping.PAGE_BYTES;
        this.reservedEnd = length;
        this.claimedEnd = length;
        this.current = files.mapWritable(writer.place(), this.capacity);
        this.address = current.address();
        this.mapping = current;
    }

    @Override
    public boolean isMapped() {
        return true;
    }

    @Override
    public String describe() {
        return writer.place().path().toString();
    }

    @Override
    public long length() {
        return length;
    }

    @Override
    public void claim(final int bytes, final UnsafeBuffer view) {
        Pieces.checkClaim(bytes);
        refuseClosed("claim");
        final long start = claimedEnd;
        final long end = start + bytes;
        if (end > reservedEnd) {
            reserveNow(end);
        }
        view.wrap(address + start, bytes);
        claimedEnd = end;
    }

    @Override
    public void unclaim(final int bytes) {
        Pieces.checkUnclaim(bytes, claimedEnd - length);
        claimedEnd -= bytes;
    }

    @Override
    public long publish() {
        refuseClosed("publish");
        final long end = claimedEnd;
        LENGTH.setRelease(this, end);
        return end;
    }

    @Override
    public int view(final long position, final int bytes, final FileView view) {
        for (; ; ) {
            final Mapping seen = mapping;
            if (seen == null) {
                throw writer.failure("read", "the file is closed");
            }
            if (seen.retain()) {
                // A truncation changes the mapping after the length and before anything is appended: if the mapping is
                // still the same, the length belongs to it.
                final long end = length;
                if (mapping == seen) {
                    return show(seen, end, position, bytes, view);
                }
                seen.release();
            }
        }
    }

    @Override
    public long transferTo(final long position, final long bytes, final WritableByteChannel target) {
        return writer.transferTo(position, bytes, length, target);
    }

    @Override
    public void truncate(final long bytes) {
        refuseClosed("truncate");
        final long before = length;
        Pieces.checkCut(bytes, before);
        claimedEnd = before;
        beginReserving();
        try {
            // Readers may look at bytes that are about to go: they keep the old mapping, in which zeros take the place
            // of
            // what is cut, and the writer goes on in a new one. Readers learn the length first, then the mapping.
            final Mapping old = current;
            final Mapping fresh = files.mapWritable(writer.place(), capacity);
            length = bytes;
            current = fresh;
            address = fresh.address();
            mapping = fresh;
            try {
                writer.cut(bytes, fresh);
                claimedEnd = bytes;
                reservedEnd = bytes;
            } catch (final IOException e) {
                length = before;
                throw e;
            } finally {
                old.endReserving();
                old.release();
            }
        } catch (final IOException e) {
            throw writer.failure("truncate", e);
        } finally {
            isReserving.set(false);
        }
    }

    @Override
    public void force() {
        writer.force();
    }

    @Override
    public void close() {
        if (isClosed) {
            return;
        }
        // Never given back: nobody reserves in a closed file.
        beginReserving();
        isClosed = true;
        siblings.remove(this);
        mapping = null;
        try (writer) {
            if (writer.size() > length) {
                writer.cut(length, current);
            }
        } catch (final IOException e) {
            throw writer.failure("close", e);
        } finally {
            current.endReserving();
            current.release();
        }
    }

    /** Lets go of the mapping, and of nothing else: the file is going to be written in another way. */
    void abandon() throws IOException {
        beginReserving();
        isClosed = true;
        mapping = null;
        current.endReserving();
        current.release();
        if (writer.size() > length) {
            writer.cut(length);
        }
    }

    /** Reserves the first step, to see whether the system and the file system can do it; false if not. */
    boolean tryReserve() {
        beginReserving();
        try {
            return reserveStep() || files.isFull(writer.place(), step);
        } finally {
            isReserving.set(false);
        }
    }

    /**
     * Reserves one step if the writer has less than half a step left; by any thread.
     *
     * @return steps reserved.
     */
    int reserveAhead() {
        final long end = reservedEnd;
        if (end >= capacity || length + (step >> 1) <= end || !isReserving.compareAndSet(false, true)) {
            return 0;
        }
        try {
            return reservedEnd != refusedEnd && reserveStep() ? 1 : 0;
        } finally {
            isReserving.set(false);
        }
    }

    /** End of what may be claimed, for tests. */
    long reservedEnd() {
        return reservedEnd;
    }

    private void reserveNow(final long end) {
        if (end > capacity) {
            throw writer.failure("claim", "the mapping of " + capacity + " bytes has no room up to " + end);
        }
        beginReserving();
        try {
            while (reservedEnd < end) {
                if (!reserveStep()) {
                    throw writer.failure(
                            "reserve",
                            files.isFull(writer.place(), step) ? Reasons.NO_SPACE : "the file system refused");
                }
            }
        } finally {
            isReserving.set(false);
        }
    }

    private boolean reserveStep() {
        final long start = reservedEnd;
        final long end = Math.min(capacity, start - start % step + step);
        if (!current.reserve(start & -Mapping.PAGE_BYTES, end)) {
            refusedEnd = start;
            return false;
        }
        reservedEnd = end;
        return true;
    }

    /** Waits for who is reserving, which takes as long as the disk does: asleep, and also if the thread is interrupted. */
    private void beginReserving() {
        if (isReserving.compareAndSet(false, true)) {
            return;
        }
        final IdleStrategy idle = new BackoffIdleStrategy();
        boolean isInterrupted = false;
        while (!isReserving.compareAndSet(false, true)) {
            // A thread that stays interrupted would not sleep.
            isInterrupted |= Thread.interrupted();
            idle.idle();
        }
        if (isInterrupted) {
            Thread.currentThread().interrupt();
        }
    }

    private static int show(
            final Mapping seen, final long end, final long position, final int bytes, final FileView view) {
        boolean isShown = false;
        try {
            final int wanted = (int) Pieces.clip(position, bytes, end);
            if (wanted == 0) {
                view.release();
                return 0;
            }
            view.showInPlace(seen.address() + position, wanted, seen);
            isShown = true;
            return wanted;
        } finally {
            if (!isShown) {
                seen.release();
            }
        }
    }

    private void refuseClosed(final String operation) {
        if (isClosed) {
            throw writer.failure(operation, "the file is closed");
        }
    }
}
