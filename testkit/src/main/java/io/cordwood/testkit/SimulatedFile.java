package io.cordwood.testkit;

import io.cordwood.log.store.FileView;
import io.cordwood.log.store.StorageException;
import io.cordwood.log.store.StorageFile;
import java.nio.ByteBuffer;
import java.nio.channels.WritableByteChannel;
import java.util.Arrays;
import org.agrona.concurrent.UnsafeBuffer;

/**
 * A file of the simulated disk that is appended to. Claimed bytes lie in staging memory, or for a mapping in the cache itself, where
 * a power cut may find them before they are published.
 */
final class SimulatedFile implements StorageFile, Forgetful {
    /** A file for appending is longer than its content while disk is reserved for a mapping, in steps. */
    private static final int RESERVE_BYTES = 64 << 10;

    /** Staging memory was used before: who takes it for zeros shall see that it is not. */
    private static final byte OLD_CONTENT = (byte) 0xA5;

    private final SimulatedStorage storage;
    private final FileNode node;
    private final boolean isMapped;
    private final long capacity;
    private volatile long length;

    // Under the lock.
    private long claimedEnd;
    private long reservedEnd;
    private byte[] staging = {};
    private boolean isClosed;

    /** Under the lock. */
    SimulatedFile(final SimulatedStorage storage, final FileNode node, final boolean isMapped, final long capacity) {
        this.storage = storage;
        this.node = node;
        this.isMapped = isMapped;
        this.length = node.size();
        this.capacity = Math.max(capacity, length);
        this.claimedEnd = length;
        this.reservedEnd = length;
        if (!isMapped) {
            reserve(this.capacity);
        }
    }

    @Override
    public String describe() {
        return storage.describe(node.path());
    }

    @Override
    public long length() {
        return length;
    }

    @Override
    public boolean isMapped() {
        return isMapped;
    }

    @Override
    public void claim(final int bytes, final UnsafeBuffer view) {
        if (bytes <= 0) {
            throw new IllegalArgumentException("claim of " + bytes + " bytes");
        }
        synchronized (storage.lock()) {
            refuseUnusable("claim");
            final long start = claimedEnd;
            final long end = start + bytes;
            if (isMapped) {
                claimMapped(end);
                view.wrap(node.mapped(end), (int) start, bytes);
            } else {
                final int at = (int) (start - length);
                if (at + bytes > staging.length) {
                    staging = Arrays.copyOf(staging, Math.max(at + bytes, 2 * staging.length));
                }
                Arrays.fill(staging, at, at + bytes, OLD_CONTENT);
                view.wrap(staging, at, bytes);
            }
            claimedEnd = end;
        }
    }

    @Override
    public void unclaim(final int bytes) {
        synchronized (storage.lock()) {
            final long claimed = claimedEnd - length;
            if (bytes < 0 || bytes > claimed) {
                throw new IllegalArgumentException("unclaim of " + bytes + " bytes, claimed are " + claimed);
            }
            claimedEnd -= bytes;
        }
    }

    @Override
    public long publish() {
        synchronized (storage.lock()) {
            refuseUnusable("publish");
            final long start = length;
            final long end = claimedEnd;
            if (end > start) {
                if (isMapped) {
                    node.written(storage.act(Act.PUBLISH, node, end), start, end - start, storage.nowMs());
                } else {
                    node.write(
                            storage.act(Act.PUBLISH, node, end), start, staging, (int) (end - start), storage.nowMs());
                }
                length = end;
            }
            return end;
        }
    }

    @Override
    public int view(final long position, final int bytes, final FileView view) {
        synchronized (storage.lock()) {
            refuseUnusable("read");
            return Spans.show(node, position, (int) Spans.clip(position, bytes, length), view);
        }
    }

    @Override
    public long transferTo(final long position, final long bytes, final WritableByteChannel target) {
        final ByteBuffer copied;
        synchronized (storage.lock()) {
            refuseUnusable("send");
            copied = Spans.copy(node, position, Spans.clip(position, bytes, length));
        }
        return Spans.send(copied, target, storage.describe(node.path()));
    }

    @Override
    public void truncate(final long bytes) {
        synchronized (storage.lock()) {
            refuseUnusable("truncate");
            if (bytes < 0 || bytes > length) {
                throw new IllegalArgumentException("truncate to " + bytes + ", the length is " + length);
            }
            length = bytes;
            claimedEnd = bytes;
            reservedEnd = bytes;
            if (node.size() != bytes) {
                node.cut(storage.act(Act.TRUNCATE, node, bytes), bytes, storage.nowMs());
            }
        }
    }

    @Override
    public void force() {
        synchronized (storage.lock()) {
            refuseUnusable("force");
            storage.act(Act.FORCE, node, node.size());
            node.force();
        }
    }

    @Override
    public void forget() {
        synchronized (storage.lock()) {
            refuseUnusable("force");
            node.forget();
        }
    }

    @Override
    public void close() {
        synchronized (storage.lock()) {
            if (!isClosed) {
                isClosed = true;
                staging = new byte[0];
                if (reservedEnd > length && node.size() > length && storage.isAlive()) {
                    node.cut(storage.act(Act.CLOSE, node, length), length, storage.nowMs());
                }
            }
        }
    }

    private void claimMapped(final long end) {
        if (end > capacity) {
            throw failure("claim", "the mapping of " + capacity + " bytes has no room up to " + end);
        }
        if (end > reservedEnd) {
            reserve(Math.min(capacity, (end + RESERVE_BYTES - 1) / RESERVE_BYTES * RESERVE_BYTES));
        }
    }

    private void reserve(final long end) {
        if (end > reservedEnd) {
            reservedEnd = end;
            if (end > node.size()) {
                node.lengthen(storage.act(Act.CLAIM, node, end), end, storage.nowMs());
            }
        }
    }

    private void refuseUnusable(final String operation) {
        storage.refuseEnded(node.path(), operation);
        if (isClosed) {
            throw failure(operation, "the file is closed");
        }
    }

    private StorageException failure(final String operation, final String reason) {
        return storage.failure(node.path(), operation, reason);
    }
}
