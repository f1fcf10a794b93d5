package io.cordwood.log.store;

import java.nio.channels.WritableByteChannel;
import org.agrona.concurrent.UnsafeBuffer;

/** A file that is only read, piece by piece, into memory of the reader. It holds no file descriptor until it is read. */
final class ReadFile implements StorageFile {
    private static final long UNKNOWN = -1;

    private final OpenFiles files;
    private final Place place;
    private final ReadChannel channel;
    private volatile long length = UNKNOWN;
    private boolean isClosed;

    ReadFile(final OpenFiles files, final Place place) {
        this.files = files;
        this.place = place;
        this.channel = new ReadChannel(files, place);
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
            files.leave(place);
        }
    }

    private long measure() {
        final long measured = files.sizeOf(place, "read");
        length = measured;
        return measured;
    }
}
