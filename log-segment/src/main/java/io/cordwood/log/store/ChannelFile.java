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

    /** A shorter file is not worth a mapping. */
    private static final int IN_PLACE_BYTES_MIN = 1 << 20;

    private final StagingPool pool;
    private final WriteChannel writer;
    private final ReadMapping mapping;
    private volatile long length;

    /** Truncations, so that a reader who misses bytes knows whether they went with one. */
    private volatile int cuts;

    private volatile boolean isClosed;

    // Of the writer alone.
    private @Nullable ByteBuffer staging;
    private int claimed;
    private int cutsMade;
    private int usualBytes;
    private final long lengthAtOpen;
    private boolean isReservingAhead = true;
    private boolean isBroken;

    /** End of the zeros that the file was lengthened by: to be cut off, as far as nothing was written there. */
    private long zerosEnd;

    /** Up to here the writes find disk that was taken before, as zeros or unseen behind the end of the file. */
    private long takenEnd;

    ChannelFile(final OpenFiles files, final StagingPool pool, final WriteChannel writer) throws IOException {
        this.pool = pool;
        this.writer = writer;
        this.mapping = new ReadMapping(files, writer.place(), ReadMapping.Kind.GROWING);
        this.length = writer.size();
        this.lengthAtOpen = length;
        this.zerosEnd = length;
        this.takenEnd = length;
    }

    /** Goes on with what readers have mapped of the file: the last step of opening, since only {@link #close} gives it back. */
    void shareMapping() {
        if (length >= IN_PLACE_BYTES_MIN) {
            mapping.share(length);
        }
    }

    /** Takes disk for that many bytes from the beginning of the file, so that a full disk shows now and not later. */
    void reserve(final long capacity) throws IOException {
        if (capacity > length) {
            try {
                writer.extend(length, capacity);
                zerosEnd = capacity;
                takenEnd = capacity;
            } catch (final IOException e) {
                writer.cut(length);
                throw e;
            }
        }
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
        refuseBroken("claim");
        final ByteBuffer memory = staging;
        final ByteBuffer roomy =
                memory != null && memory.capacity() - claimed >= bytes ? memory : grow(memory, (long) claimed + bytes);
        view.wrap(roomy, claimed, bytes);
        claimed += bytes;
    }

    @Override
    public void unclaim(final int bytes) {
        Pieces.checkUnclaim(bytes, claimed);
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
        if (end > takenEnd) {
            reserveAhead(start, end);
        }
        try {
            memory.clear().limit(claimed);
            writer.write(memory, start);
        } catch (final IOException e) {
            isBroken = true;
            throw writer.failure("write", e);
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
            final int cutsBefore = cuts;
            final int wanted = (int) Pieces.clip(position, bytes, length);
            if (wanted == 0) {
                view.release();
                return 0;
            }
            final Mapping held = showInPlace(position, wanted, view);
            if (held != null && held.load(position, wanted, view.pageLook())) {
                return wanted;
            }
            final int seen = writer.view(position, wanted, view);
            if (seen == wanted) {
                return seen;
            }
            // Cut since the length was read? Then there was less to ask for, whatever was appended meanwhile.
            if (cuts == cutsBefore) {
                throw Pieces.tooShort(writer.place().path(), position, wanted, seen, view);
            }
        }
    }

    @Override
    public int look(final long position, final int bytes, final FileView view) {
        refuseClosed("read");
        final int wanted = (int) Pieces.clip(position, bytes, length);
        return wanted > 0 && showInPlace(position, wanted, view) != null ? wanted : view(position, bytes, view);
    }

    /** Shows content where the system has it, in a mapping that the view holds; null if it should be copied. */
    private @Nullable Mapping showInPlace(final long position, final int bytes, final FileView view) {
        final long end = position + bytes;
        if (length < IN_PLACE_BYTES_MIN || !Mapping.isLoadable()) {
            return null;
        }
        Mapping held = mapping.hold();
        if (held != null && held.length() < end) {
            held.release();
            mapping.outgrown(held);
            held = mapping.hold();
        }
        if (held == null) {
            return null;
        }
        // Not what was cut before it was mapped: that lies behind the end of the file, where a look is fatal. What is
        // cut from
        // here on is hidden from who holds it.
        if (held.length() < end || length < end) {
            held.release();
            return null;
        }
        view.showInPlace(held.address() + position, bytes, held);
        return held;
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
        dropClaimed();
        if (bytes == before && zerosEnd <= before && !isBroken) {
            writer.freeBehindEnd(before);
            takenEnd = before;
            return;
        }
        // First the length, so that no reader asks for bytes that are about to go.
        length = bytes;
        cuts = ++cutsMade;
        try {
            writer.cut(bytes);
        } catch (final IOException e) {
            length = before;
            throw writer.failure("truncate", e);
        } finally {
            // It hides what was cut, and would hide what is written there next. Nothing is before this returns.
            mapping.renew();
        }
        zerosEnd = bytes;
        takenEnd = bytes;
        isBroken = false;
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
        isClosed = true;
        dropClaimed();
        mapping.close();
        try (writer) {
            // What a failed write left behind stays for recovery to judge.
            if (zerosEnd > length && !isBroken) {
                writer.cut(length);
            } else {
                writer.freeBehindEnd(length);
            }
        } catch (final IOException e) {
            throw writer.failure("close", e);
        }
    }

    private ByteBuffer grow(final @Nullable ByteBuffer memory, final long bytes) {
        final ByteBuffer larger = pool.rent(bytes, usualBytes);
        if (larger == null) {
            throw writer.failure("claim", "no memory to gather " + bytes + " bytes in");
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
            if (writer.reserveBehindEnd(start, end + ahead)) {
                takenEnd = end + ahead;
            } else {
                isReservingAhead = false;
            }
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
            throw writer.failure(operation, "an earlier write failed; truncate the file or open it anew");
        }
    }

    private void refuseClosed(final String operation) {
        if (isClosed) {
            throw writer.failure(operation, "the file is closed");
        }
    }
}
