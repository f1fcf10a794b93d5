package io.cordwood.testkit;

import io.cordwood.log.store.FileUse;
import io.cordwood.log.store.FileView;
import io.cordwood.log.store.StorageException;
import io.cordwood.log.store.StorageFile;
import java.nio.ByteBuffer;
import java.nio.channels.WritableByteChannel;
import org.agrona.concurrent.UnsafeBuffer;
import org.jspecify.annotations.Nullable;

/**
 * A file of the simulated disk that is only read. It is looked for when it is first read, and its length is what it was then; a file
 * that was deleted before that is not found any more, as on a disk where it was not open yet.
 */
final class SimulatedReader implements StorageFile, Forgetful {
    private static final long UNKNOWN = -1;

    private final SimulatedStorage storage;
    private final String path;
    private final FileUse use;

    // Under the lock.
    private @Nullable FileNode node;
    private long length = UNKNOWN;
    private boolean isClosed;

    /** Under the lock. */
    SimulatedReader(
            final SimulatedStorage storage, final String path, final FileUse use, final @Nullable FileNode node) {
        this.storage = storage;
        this.path = path;
        this.use = use;
        this.node = node;
    }

    @Override
    public String describe() {
        return storage.describe(path);
    }

    @Override
    public long length() {
        synchronized (storage.lock()) {
            measured("read");
            return length;
        }
    }

    @Override
    public void claim(final int bytes, final UnsafeBuffer view) {
        throw readOnly("claim");
    }

    @Override
    public void unclaim(final int bytes) {
        throw readOnly("unclaim");
    }

    @Override
    public long publish() {
        throw readOnly("publish");
    }

    @Override
    public void truncate(final long bytes) {
        throw readOnly("truncate");
    }

    @Override
    public int view(final long position, final int bytes, final FileView view) {
        synchronized (storage.lock()) {
            final FileNode file = opened("read");
            final int wanted = (int) Spans.clip(position, bytes, length);
            refuseCut(file, position, wanted);
            return Spans.show(file, position, wanted, view);
        }
    }

    @Override
    public long transferTo(final long position, final long bytes, final WritableByteChannel target) {
        final ByteBuffer copied;
        final String file;
        synchronized (storage.lock()) {
            final FileNode source = opened("send");
            file = storage.describe(source.path());
            copied = Spans.copy(source, position, Spans.clip(position, bytes, Math.min(length, source.size())));
        }
        return Spans.send(copied, target, file);
    }

    @Override
    public void force() {
        synchronized (storage.lock()) {
            final FileNode known = node;
            storage.refuseEnded(known == null ? path : known.path(), "force");
            if (known == null || !known.isGone()) {
                final FileNode forced = known == null ? storage.required(path, "force") : known;
                storage.act(Act.FORCE, forced, forced.size());
                forced.force();
            }
        }
    }

    @Override
    public void forget() {
        synchronized (storage.lock()) {
            final FileNode known = node;
            storage.refuseEnded(known == null ? path : known.path(), "force");
            (known == null ? storage.required(path, "force") : known).forget();
        }
    }

    @Override
    public void close() {
        synchronized (storage.lock()) {
            isClosed = true;
        }
    }

    private FileNode opened(final String operation) {
        if (isClosed) {
            throw failure(operation, "the file is closed");
        }
        return measured(operation);
    }

    /** Also of a file that is closed, which has a length all the same. */
    private FileNode measured(final String operation) {
        final FileNode known = node;
        storage.refuseEnded(known == null ? path : known.path(), operation);
        final FileNode file = known == null ? storage.required(path, operation) : known;
        if (length == UNKNOWN) {
            if (file.isGone()) {
                throw failure(operation, "the file was deleted or replaced");
            }
            node = file;
            length = file.size();
        }
        return file;
    }

    /** A mapping shows zeros behind a cut, a channel ends there. */
    private void refuseCut(final FileNode file, final long position, final int wanted) {
        if (use == FileUse.READ && position + wanted > file.size()) {
            throw failure(
                    "read",
                    "the file was cut by someone else: expected " + wanted + " bytes at position " + position
                            + ", the file ends at " + file.size());
        }
    }

    private IllegalStateException readOnly(final String operation) {
        return new IllegalStateException(operation + " on a file that was opened for reading: " + path);
    }

    private StorageException failure(final String operation, final String reason) {
        final FileNode known = node;
        return storage.failure(known == null ? path : known.path(), operation, reason);
    }
}
