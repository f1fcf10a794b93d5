package io.cordwood.log.store;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.MappedByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.channels.FileLock;
import java.nio.channels.ReadableByteChannel;
import java.nio.channels.WritableByteChannel;

/** A channel that moves a few bytes at a time, as the system is free to do, and that a test can fill up. */
final class ShortChannel extends FileChannel {
    private final FileChannel file;
    private final Disk disk;

    ShortChannel(final FileChannel file, final Disk disk) {
        this.file = file;
        this.disk = disk;
    }

    /** What is left on the disk, and what it moves with one call. */
    static final class Disk {
        long bytesLeft = Long.MAX_VALUE;
        int bytesAtOnce = 7;
    }

    @Override
    public int read(final ByteBuffer target, final long position) throws IOException {
        final int limit = target.limit();
        target.limit(Math.min(limit, target.position() + disk.bytesAtOnce));
        try {
            return file.read(target, position);
        } finally {
            target.limit(limit);
        }
    }

    @Override
    public int write(final ByteBuffer source, final long position) throws IOException {
        final int limit = source.limit();
        if (disk.bytesLeft == 0) {
            throw new IOException("No space left on device");
        }
        source.limit((int) Math.min(limit, source.position() + Math.min(disk.bytesAtOnce, disk.bytesLeft)));
        try {
            final int written = file.write(source, position);
            disk.bytesLeft -= written;
            return written;
        } finally {
            source.limit(limit);
        }
    }

    @Override
    public long transferTo(final long position, final long count, final WritableByteChannel target) throws IOException {
        return file.transferTo(position, Math.min(count, disk.bytesAtOnce), target);
    }

    @Override
    public long size() throws IOException {
        return file.size();
    }

    @Override
    public FileChannel truncate(final long size) throws IOException {
        file.truncate(size);
        return this;
    }

    @Override
    public void force(final boolean metaData) throws IOException {
        file.force(metaData);
    }

    @Override
    protected void implCloseChannel() throws IOException {
        file.close();
    }

    @Override
    public int read(final ByteBuffer target) {
        throw new UnsupportedOperationException();
    }

    @Override
    public long read(final ByteBuffer[] targets, final int offset, final int length) {
        throw new UnsupportedOperationException();
    }

    @Override
    public int write(final ByteBuffer source) {
        throw new UnsupportedOperationException();
    }

    @Override
    public long write(final ByteBuffer[] sources, final int offset, final int length) {
        throw new UnsupportedOperationException();
    }

    @Override
    public long position() {
        throw new UnsupportedOperationException();
    }

    @Override
    public FileChannel position(final long newPosition) {
        throw new UnsupportedOperationException();
    }

    @Override
    public long transferFrom(final ReadableByteChannel source, final long position, final long count) {
        throw new UnsupportedOperationException();
    }

    @Override
    public MappedByteBuffer map(final MapMode mode, final long position, final long size) {
        throw new UnsupportedOperationException();
    }

    @Override
    public FileLock lock(final long position, final long size, final boolean isShared) {
        throw new UnsupportedOperationException();
    }

    @Override
    public FileLock tryLock(final long position, final long size, final boolean isShared) {
        throw new UnsupportedOperationException();
    }
}
