package io.cordwood.log;

import io.cordwood.log.store.StorageException;
import io.cordwood.log.store.StorageFile;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * One force of a log: which files, and up to which offset. Got from {@link Log#beginForce}; while it is open the log's
 * writer appends and rolls, but does not truncate.
 *
 * <p>Any one thread may {@link #run} it; it must be run, since a log allows one at a time.
 */
public final class ForceTarget {
    private final LogForces forces;
    private final LogSegments segments;
    private final List<DerivedState> states;
    private final SegmentList list;
    private final int first;
    private final long endOffset;
    private final boolean isDirectoryDirty;
    private final long namesChanged;

    ForceTarget(
            final LogForces forces,
            final LogSegments segments,
            final List<DerivedState> states,
            final SegmentList list,
            final long fromOffset,
            final long endOffset,
            final long namesChanged) {
        this.forces = forces;
        this.segments = segments;
        this.states = states;
        this.list = list;
        // The segment that ends where the last force ended may have been sealed and trimmed since.
        this.first = Math.max(0, list.floor(Math.max(0, fromOffset - 1)));
        this.endOffset = endOffset;
        this.isDirectoryDirty = !forces.areSynced(namesChanged);
        this.namesChanged = namesChanged;
    }

    /**
     * What is durable after {@link #run}.
     *
     * @return every record below this offset.
     */
    public long endOffset() {
        return endOffset;
    }

    /**
     * Forces the segments, their indexes, the derived states and the names, then moves the log's flushed offset.
     *
     * @throws StorageException if the system reports a failure; the log is poisoned then and takes no append until it is
     *     opened anew, since nobody knows which of the bytes are on the disk.
     */
    public void run() {
        final RuntimeException failure = force();
        if (failure != null) {
            throw failure;
        }
    }

    /**
     * The same as {@link #run}, for a thread that serves many logs: a failure is not thrown but left with the log, which is
     * poisoned and tells its writer with the next append.
     *
     * @return false if the system reported a failure.
     */
    public boolean tryRun() {
        return force() == null;
    }

    private @Nullable RuntimeException force() {
        try {
            for (int i = first; i < list.size(); i++) {
                final Segment segment = list.get(i);
                final StorageFile writer = segment.unforced();
                (writer == null ? segment.file() : writer).force();
                segment.index().force();
            }
            for (int i = 0; i < states.size(); i++) {
                states.get(i).force(endOffset);
            }
            if (isDirectoryDirty) {
                segments.files().storage().syncDirectory(segments.files().directory());
            }
        } catch (final RuntimeException e) {
            forces.failed(e);
            return e;
        } catch (final Error e) {
            // Also then the log must not wait for this force for ever, and has to say what has happened.
            forces.failed(poison(e));
            throw e;
        }
        forces.succeeded(endOffset, namesChanged);
        return null;
    }

    private StorageException poison(final Error error) {
        final SegmentFiles files = segments.files();
        return new StorageException(
                files.storage().describe(files.directory()), "force", "it ended with an error: " + error, error);
    }
}
