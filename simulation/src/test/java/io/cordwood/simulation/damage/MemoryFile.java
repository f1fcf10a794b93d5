package io.cordwood.simulation.damage;

import io.cordwood.log.store.FileView;
import io.cordwood.log.store.StorageException;
import io.cordwood.log.store.StorageFile;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.WritableByteChannel;
import java.util.Arrays;
import org.agrona.concurrent.UnsafeBuffer;
import org.jspecify.annotations.Nullable;

/** An open file of a {@link MemoryDisk}; one that is read is looked for when it is first read, as on a real disk. */
final class MemoryFile implements StorageFile {
    private final MemoryDisk disk;
    private final String path;
    private final boolean isMapped;
    private MemoryDisk.@Nullable Bytes bytes;
    private byte[] staging = {};
    private int claimed;
    private boolean isClosed;

    MemoryFile(
            final MemoryDisk disk, final String path, final boolean isMapped, final MemoryDisk.@Nullable Bytes bytes) {
        this.disk = disk;
        this.path = path;
        this.isMapped = isMapped;
        this.bytes = bytes;
    }

    private MemoryDisk.Bytes bytes(final String operation) {
        if (isClosed) {
            throw disk.failure(path, operation, "the file is closed");
        }
        MemoryDisk.Bytes found = bytes;
        if (found == null) {
            found = disk.required(path, operation);
            bytes = found;
        }
        return found;
    }

    @Override
    public String describe() {
        return disk.describe(path);
    }

    @Override
    public long length() {
        return bytes("read").length;
    }

    @Override
    public void claim(final int length, final UnsafeBuffer view) {
        bytes("claim");
        if (claimed + length > staging.length) {
            staging = Arrays.copyOf(staging, Math.max(claimed + length, 2 * staging.length));
        }
        view.wrap(staging, claimed, length);
        claimed += length;
    }

    @Override
    public void unclaim(final int length) {
        claimed -= length;
    }

    @Override
    public long publish() {
        final MemoryDisk.Bytes file = bytes("publish");
        System.arraycopy(staging, 0, file.own(file.length + claimed), file.length, claimed);
        file.length += claimed;
        claimed = 0;
        return file.length;
    }

    @Override
    public int view(final long position, final int length, final FileView view) {
        final MemoryDisk.Bytes file = bytes("read");
        final int shown = (int) Math.max(0, Math.min(length, file.length - position));
        view.showCopy(shown).put(file.array, (int) position, shown);
        return shown;
    }

    @Override
    public long transferTo(final long position, final long length, final WritableByteChannel target) {
        final MemoryDisk.Bytes file = bytes("send");
        final int sent = (int) Math.max(0, Math.min(length, file.length - position));
        try {
            return target.write(ByteBuffer.wrap(file.array, (int) position, sent));
        } catch (final IOException e) {
            throw new StorageException(disk.describe(path), "send", "the target fails", e);
        }
    }

    @Override
    public void truncate(final long length) {
        final MemoryDisk.Bytes file = bytes("truncate");
        if (length < 0 || length > file.length) {
            throw new IllegalArgumentException("truncate to " + length + ", the length is " + file.length);
        }
        Arrays.fill(file.own(file.length), (int) length, file.length, (byte) 0);
        file.length = (int) length;
        claimed = 0;
    }

    @Override
    public void force() {
        bytes("force");
    }

    @Override
    public boolean isMapped() {
        return isMapped;
    }

    @Override
    public void close() {
        isClosed = true;
    }
}
