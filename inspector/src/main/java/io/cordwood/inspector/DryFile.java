package io.cordwood.inspector;

import io.cordwood.log.store.FileView;
import io.cordwood.log.store.StorageException;
import io.cordwood.log.store.StorageFile;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.WritableByteChannel;
import org.agrona.concurrent.UnsafeBuffer;

/** One opening of a file of a {@link DryStorage}. Closing it keeps the content, as closing a file on a disk does. */
final class DryFile implements StorageFile {
    private static final int TRANSFER_BYTES = 1 << 16;

    private final DryContent content;
    private byte[] claimed = {};
    private int claimedBytes;

    DryFile(final DryContent content) {
        this.content = content;
    }

    @Override
    public String describe() {
        return content.name();
    }

    @Override
    public long length() {
        return content.length();
    }

    @Override
    public void claim(final int length, final UnsafeBuffer view) {
        final int needed = Math.addExact(claimedBytes, length);
        if (needed > claimed.length) {
            final byte[] larger = new byte[needed];
            System.arraycopy(claimed, 0, larger, 0, claimedBytes);
            claimed = larger;
        }
        view.wrap(claimed, claimedBytes, length);
        claimedBytes = needed;
    }

    @Override
    public void unclaim(final int length) {
        claimedBytes -= length;
    }

    @Override
    public long publish() {
        content.append(claimed, claimedBytes);
        claimedBytes = 0;
        return content.length();
    }

    @Override
    public int view(final long position, final int length, final FileView view) {
        return content.view(position, length, view);
    }

    @Override
    public long transferTo(final long position, final long length, final WritableByteChannel target) {
        final long end = Math.min(content.length(), position + length);
        long at = position;
        try (FileView view = new FileView()) {
            while (at < end) {
                final int shown = content.view(at, (int) Math.min(TRANSFER_BYTES, end - at), view);
                final ByteBuffer bytes = ByteBuffer.allocate(shown);
                view.buffer().getBytes(0, bytes, shown);
                final int sent = target.write(bytes.flip());
                at += sent;
                if (sent < shown) {
                    break;
                }
            }
        } catch (final IOException e) {
            throw new StorageException(content.name(), "transfer", String.valueOf(e.getMessage()), e);
        }
        return at - position;
    }

    @Override
    public void truncate(final long length) {
        claimedBytes = 0;
        content.truncate(length);
    }

    @Override
    public void force() {
        // Nothing here is meant to last.
    }

    @Override
    public void close() {
        claimedBytes = 0;
    }
}
