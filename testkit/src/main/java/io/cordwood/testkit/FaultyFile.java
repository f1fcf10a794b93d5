package io.cordwood.testkit;

import io.cordwood.log.store.FileView;
import io.cordwood.log.store.StorageException;
import io.cordwood.log.store.StorageFile;
import java.nio.channels.WritableByteChannel;
import org.agrona.concurrent.UnsafeBuffer;
import org.jspecify.annotations.Nullable;

/** A file of a {@link FaultyStorage}. Of a write that failed midway its readers see nothing, though the bytes are there. */
final class FaultyFile implements StorageFile {
    private static final long NONE = -1;

    private final FaultyStorage storage;
    private final StorageFile file;
    private final String path;

    /** End of the content before a write that failed; {@link #NONE} if none did. */
    private volatile long brokenAt = NONE;

    // Of the writer alone.
    private int claimed;
    private boolean isClosed;

    FaultyFile(final FaultyStorage storage, final StorageFile file, final String path) {
        this.storage = storage;
        this.file = file;
        this.path = path;
    }

    @Override
    public String describe() {
        return file.describe();
    }

    @Override
    public long length() {
        final long broken = brokenAt;
        return broken == NONE ? file.length() : broken;
    }

    @Override
    public boolean isMapped() {
        return file.isMapped();
    }

    @Override
    public void claim(final int length, final UnsafeBuffer view) {
        storage.refuse(Act.CLAIM, path, " " + length);
        refuseBroken(Act.CLAIM);
        file.claim(length, view);
        claimed += length;
    }

    @Override
    public void unclaim(final int length) {
        file.unclaim(length);
        claimed -= length;
    }

    @Override
    public long publish() {
        final int bytes = claimed;
        final FaultRule hit = storage.begin(Act.PUBLISH, path, " " + bytes);
        refuseBroken(Act.PUBLISH);
        if (hit != null) {
            if (hit.outcome() == FaultRule.Outcome.SHORT) {
                storage.shortened(hit);
            }
            final long before = file.length();
            file.unclaim(bytes - Math.min(bytes, hit.amount()));
            file.publish();
            claimed = 0;
            brokenAt = before;
            throw storage.failure(Act.PUBLISH, path, hit);
        }
        claimed = 0;
        return file.publish();
    }

    @Override
    public int view(final long position, final int length, final FileView view) {
        return file.view(position, shown(position, length), view);
    }

    @Override
    public int look(final long position, final int bytes, final FileView view) {
        return file.look(position, shown(position, bytes), view);
    }

    @Override
    public long transferTo(final long position, final long length, final WritableByteChannel target) {
        final FaultRule hit = storage.begin(Act.SEND, path, "");
        if (hit != null && hit.outcome() != FaultRule.Outcome.SHORT) {
            throw storage.failure(Act.SEND, path, hit);
        }
        return file.transferTo(position, cut(hit, position, clipped(position, length)), target);
    }

    @Override
    public void truncate(final long length) {
        storage.refuse(Act.TRUNCATE, path, " " + length);
        if (length > length()) {
            throw new IllegalArgumentException("truncate to " + length + ", the length is " + length());
        }
        file.truncate(length);
        claimed = 0;
        brokenAt = NONE;
    }

    @Override
    public void force() {
        final FaultRule hit = storage.begin(Act.FORCE, path, "");
        if (hit == null) {
            file.force();
        } else if (hit.outcome() != FaultRule.Outcome.DROPPED) {
            if (hit.outcome() == FaultRule.Outcome.LOST) {
                ((Forgetful) file).forget();
            }
            throw storage.failure(Act.FORCE, path, hit);
        }
    }

    @Override
    public void close() {
        if (!isClosed) {
            isClosed = true;
            storage.closed(this);
            final FaultRule hit = storage.begin(Act.CLOSE, path, "");
            file.close();
            if (hit != null) {
                throw storage.failure(Act.CLOSE, path, hit);
            }
        }
    }

    /** Bytes that a look may show by the rules. */
    private int shown(final long position, final int length) {
        final FaultRule hit = storage.begin(Act.VIEW, path, "");
        if (hit != null && hit.outcome() != FaultRule.Outcome.SHORT) {
            throw storage.failure(Act.VIEW, path, hit);
        }
        return (int) cut(hit, position, clipped(position, length));
    }

    private long clipped(final long position, final long length) {
        final long broken = brokenAt;
        return broken == NONE ? length : Math.min(length, Math.max(0, broken - position));
    }

    /** Of what is wanted as much as a rule allows; the rule has done something if more is there. */
    private long cut(final @Nullable FaultRule hit, final long position, final long wanted) {
        if (hit == null || hit.amount() >= wanted) {
            return wanted;
        }
        if (hit.amount() < file.length() - position) {
            storage.shortened(hit);
        }
        return hit.amount();
    }

    private void refuseBroken(final Act act) {
        if (brokenAt != NONE) {
            throw new StorageException(
                    storage.describe(path),
                    act.word(),
                    "an earlier write failed; truncate the file or open it anew",
                    null);
        }
    }
}
