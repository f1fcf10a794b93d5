package io.cordwood.log.store;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.WritableByteChannel;
import org.agrona.concurrent.UnsafeBuffer;
import org.jspecify.annotations.Nullable;

/**
 * A file for appending whose claimed bytes are gathered in staging memory and written with one call. Its bytes are content
 * once that call has returned; until then no reader sees any of them.
 */
final class ChannelFile implements StorageFile {
    private static final int AHEAD_BYTES_MIN = 8 << 20;
    private static final int AHEAD_BYTES_MAX = 64 << 20;

    private final OpenFiles files;
    private final StagingPool pool;
    private final Place place;
    private final WriteChannel writer;
    private final ReadChannel reader;
    private volatile long length;
    private volatile boolean isClosed;

    // Of the writer alone.
    private @Nullable ByteBuffer staging;
    private int claimed;
    private int usualBytes;
    private long reserved;
    private final long lengthAtOpen;
    private boolean isReservingAhead = true;
    private boolean isBroken;

    ChannelFile(final OpenFiles files, final StagingPool pool, final Place place, final WriteChannel writer)
            throws IOException {
        this.files = files;
        this.pool = pool;
        this.place = place;
        this.writer = writer;
        this.reader = new ReadChannel(files, place);
        this.length = writer.size();
        this.reserved = length;
        this.lengthAtOpen = length;
    }

    /** Takes disk for that many bytes from the beginning of the file, so that a full disk shows now and not later. */
    void reserve(final long capacity) throws IOException {
        if (capacity > length) {
            try {
                writer.extend(length, capacity);
                reserved = capacity;
            } catch (final IOException e) {
                writer.cut(length);
                throw e;
            }
        }
    }

    @Override
    public long length() {
        return length;
    }

    @Override
    public void claim(final int bytes, final UnsafeBuffer view) {
        if (bytes <= 0) {
            throw new IllegalArgumentException("claim of " + bytes + " bytes");
        }
        refuseBroken("claim");
        final ByteBuffer memory = staging;
        final ByteBuffer roomy =
                memory != null && memory.capacity() - claimed >= bytes ? memory : grow(memory, (long) claimed + bytes);
        view.wrap(roomy, claimed, bytes);
        claimed += bytes;
    }

    @Override
    public void unclaim(final int bytes) {
        if (bytes < 0 || bytes > claimed) {
            throw new IllegalArgumentException("unclaim of " + bytes + " bytes, claimed are " + claimed);
        }
        claimed -= bytes;
        if (claimed == 0) {
            giveBack();
        }
    }

    @Override
    public long publish() {
        refuseBroken("publish");
        final long start = length;
        final ByteBuffer memory = staging;
        if (memory == null || claimed == 0) {
            return start;
        }
        final long end = start + claimed;
        if (end > reserved) {
            reserveAhead(start, end);
        }
        try {
            memory.clear().limit(claimed);
            writer.write(memory, start);
        } catch (final IOException e) {
            isBroken = true;
            throw Reasons.failure(place.path(), "write", e);
        }
        // A log that gathers much asks for enough at once the next time; one that has stopped to do so, for less and
        // less.
        usualBytes = Math.max(claimed, usualBytes - (usualBytes >> 3));
        claimed = 0;
        giveBack();
        length = end;
        return end;
    }

    @Override
    public int view(final long position, final int bytes, final FileView view) {
        refuseClosed("read");
        for (; ; ) {
            final int wanted = (int) Pieces.clip(position, bytes, length);
            if (wanted == 0) {
                view.release();
                return 0;
            }
            final int seen = reader.view(position, wanted, view);
            if (seen == wanted) {
                return seen;
            }
            // Cut since the length was read? Then there is less to ask for.
            if (Pieces.clip(position, bytes, length) >= wanted) {
                throw Pieces.tooShort(place.path(), position, wanted, seen, view);
            }
        }
    }

    @Override
    public long transferTo(final long position, final long bytes, final WritableByteChannel target) {
        refuseClosed("send");
        final long wanted = Pieces.clip(position, bytes, length);
        return wanted == 0 ? 0 : reader.transferTo(position, wanted, target);
    }

    @Override
    public void truncate(final long bytes) {
        refuseClosed("truncate");
        final long before = length;
        if (bytes < 0 || bytes > before) {
            throw new IllegalArgumentException("truncate to " + bytes + ", the length is " + before);
        }
        dropClaimed();
        if (bytes == before && reserved <= before && !isBroken) {
            return;
        }
        // First the length, so that no reader asks for bytes that are about to go.
        length = bytes;
        try {
            writer.cut(bytes);
        } catch (final IOException e) {
            length = before;
            throw Reasons.failure(place.path(), "truncate", e);
        }
        reserved = bytes;
        isBroken = false;
    }

    @Override
    public void force() {
        refuseClosed("force");
        try {
            writer.force();
        } catch (final IOException e) {
            throw Reasons.failure(place.path(), "force", e);
        }
    }

    @Override
    public void close() {
        if (isClosed) {
            return;
        }
        isClosed = true;
        dropClaimed();
        reader.close();
        try (writer) {
            // What a failed write left behind stays for recovery to judge.
            if (reserved > length && !isBroken) {
                writer.cut(length);
            }
        } catch (final IOException e) {
            throw Reasons.failure(place.path(), "close", e);
        } finally {
            files.leave(place);
        }
    }

    private ByteBuffer grow(final @Nullable ByteBuffer memory, final long bytes) {
        final ByteBuffer larger = pool.rent(bytes, usualBytes);
        if (larger == null) {
            throw Reasons.failure(place.path(), "claim", "no memory to gather " + bytes + " bytes in");
        }
        if (memory != null) {
            larger.clear().put(0, memory.clear(), 0, claimed);
            pool.giveBack(memory);
        }
        staging = larger;
        return larger;
    }

    /**
     * Lets the file system find the blocks for many writes at once, which makes each of them cheaper. A file that was not
     * written to much takes nothing ahead, and no file more than half of what was written to it, or 8 MiB.
     */
    private void reserveAhead(final long start, final long end) {
        final long written = end - lengthAtOpen;
        if (isReservingAhead && written >= AHEAD_BYTES_MIN / 2) {
            final long ahead = Math.min(AHEAD_BYTES_MAX, Math.max(AHEAD_BYTES_MIN, written / 2));
            isReservingAhead = writer.reserveBehindEnd(start, end + ahead);
            // Also a refusal may have taken something, to be given back.
            reserved = end + ahead;
        }
    }

    private void dropClaimed() {
        claimed = 0;
        giveBack();
    }

    private void giveBack() {
        final ByteBuffer memory = staging;
        if (memory != null) {
            staging = null;
            pool.giveBack(memory);
        }
    }

    private void refuseBroken(final String operation) {
        refuseClosed(operation);
        if (isBroken) {
            throw Reasons.failure(
                    place.path(), operation, "an earlier write failed; truncate the file or open it anew");
        }
    }

    private void refuseClosed(final String operation) {
        if (isClosed) {
            throw Reasons.failure(place.path(), operation, "the file is closed");
        }
    }
}
