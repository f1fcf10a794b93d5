package io.cordwood.log.store;

import java.nio.channels.WritableByteChannel;
import org.agrona.concurrent.UnsafeBuffer;

/** A file that is searched in place, through a {@link ReadMapping}. */
final class LookupFile implements StorageFile {
    private static final long UNKNOWN = -1;

    /** A file up to this length is copied in less time than it is mapped and unmapped again. */
    private static final int COPY_BYTES_MAX = 64 << 10;

    private final OpenFiles files;
    private final Place place;
    private final ReadChannel channel;
    private final boolean isGuarded;
    private final ReadMapping mapping;
    private volatile long length = UNKNOWN;
    private volatile boolean isClosed;

    /** With a guard, what is shown was brought into memory before: any reader may look at it, not only the JVM's accesses. */
    LookupFile(final OpenFiles files, final Place place, final boolean isGuarded) {
        this.files = files;
        this.place = place;
        this.isGuarded = isGuarded;
        this.channel = new ReadChannel(files, place);
        this.mapping = new ReadMapping(files, place, isGuarded ? ReadMapping.Kind.SEALED : ReadMapping.Kind.LOOKUP);
    }

    @Override
    public String describe() {
        return place.path().toString();
    }

    @Override
    public long length() {
        final long known = length;
        return known != UNKNOWN ? known : measure();
    }

    @Override
    public void claim(final int bytes, final UnsafeBuffer view) {
        throw Pieces.readOnly(place.path(), "claim");
    }

    @Override
    public void unclaim(final int bytes) {
        throw Pieces.readOnly(place.path(), "unclaim");
    }

    @Override
    public long publish() {
        throw Pieces.readOnly(place.path(), "publish");
    }

    @Override
    public int view(final long position, final int bytes, final FileView view) {
        return isCopied() ? copy(position, bytes, view) : showInPlace(position, bytes, view, isGuarded);
    }

    @Override
    public int look(final long position, final int bytes, final FileView view) {
        return isCopied() ? copy(position, bytes, view) : showInPlace(position, bytes, view, false);
    }

    private boolean isCopied() {
        return isGuarded && length() <= COPY_BYTES_MAX;
    }

    private int showInPlace(final long position, final int bytes, final FileView view, final boolean isLoaded) {
        if (Pieces.clip(position, bytes, length()) == 0) {
            view.release();
            return 0;
        }
        final Mapping held = mapping.hold();
        if (held == null && mapping.isRefused()) {
            return copy(position, bytes, view);
        }
        if (held == null) {
            throw Reasons.failure(place.path(), "look up", "the file is closed");
        }
        if (held.length() != length) {
            length = held.length();
        }
        final int seen = (int) Pieces.clip(position, bytes, held.length());
        if (seen == 0) {
            held.release();
            view.release();
        } else {
            view.showInPlace(held.address() + position, seen, held);
            if (isLoaded && !held.load(position, seen, view.pageLook())) {
                return copy(position, seen, view);
            }
        }
        return seen;
    }

    private int copy(final long position, final int bytes, final FileView view) {
        return channel.viewContent(position, bytes, length(), view);
    }

    @Override
    public long transferTo(final long position, final long bytes, final WritableByteChannel target) {
        final long wanted = Pieces.clip(position, bytes, length());
        return wanted == 0 ? 0 : channel.transferTo(position, wanted, target);
    }

    @Override
    public void truncate(final long bytes) {
        throw Pieces.readOnly(place.path(), "truncate");
    }

    @Override
    public void force() {
        channel.force();
    }

    @Override
    public void close() {
        if (!isClosed) {
            isClosed = true;
            channel.close();
            mapping.close();
            files.leave(place);
        }
    }

    private long measure() {
        final long measured = files.sizeOf(place, "look up");
        length = measured;
        return measured;
    }
}
