package io.cordwood.log;

import io.cordwood.log.store.Storage;
import io.cordwood.log.store.StorageException;
import java.util.ArrayDeque;
import org.jspecify.annotations.Nullable;

/**
 * Segments that are off the list, and their files, which go in two steps: they get another name at once, and are deleted when a
 * delay is over, so that readers of older lists find them a little longer. A step that fails is taken again the next time.
 */
final class DoomedSegments {
    private final SegmentFiles files;
    private final Storage storage;
    private final ArrayDeque<Doomed> waiting = new ArrayDeque<>();

    /** A segment that goes. */
    private static final class Doomed {
        final Segment segment;
        final long dueMs;

        /** Where its files are now; those that were not there are null once that is known. */
        final @Nullable String[] paths;

        int renamed;

        Doomed(final Segment segment, final long dueMs, final String[] paths) {
            this.segment = segment;
            this.dueMs = dueMs;
            this.paths = paths;
        }
    }

    DoomedSegments(final SegmentFiles files) {
        this.files = files;
        this.storage = files.storage();
    }

    void add(final Segment segment, final long dueMs) {
        waiting.add(new Doomed(segment, dueMs, files.paths(segment)));
    }

    /** Gives the files that still have their old names the new ones; says how many segments had such. */
    int rename() {
        int done = 0;
        for (final Doomed doomed : waiting) {
            final @Nullable String[] paths = doomed.paths;
            done += doomed.renamed < paths.length ? 1 : 0;
            for (; doomed.renamed < paths.length; doomed.renamed++) {
                final String path = paths[doomed.renamed];
                if (path != null) {
                    final String deleted = path + LogFiles.DELETED;
                    paths[doomed.renamed] = storage.rename(path, deleted) ? deleted : null;
                }
            }
        }
        return done;
    }

    /** Closes segments whose delay is over and deletes their files. No force may be under way. */
    int deleteDue(final long nowMs) {
        int deleted = 0;
        for (Doomed next = waiting.peek(); next != null && next.dueMs <= nowMs; next = waiting.peek()) {
            delete(next);
            waiting.remove();
            deleted++;
        }
        return deleted;
    }

    /** Closes and deletes all, due or not; tells what failed and goes on. */
    @Nullable
    StorageException close() {
        StorageException failure = null;
        for (Doomed next = waiting.poll(); next != null; next = waiting.poll()) {
            try {
                delete(next);
            } catch (final StorageException e) {
                failure = e;
            }
        }
        return failure;
    }

    private void delete(final Doomed doomed) {
        doomed.segment.close();
        for (final String path : doomed.paths) {
            if (path != null) {
                storage.delete(path);
            }
        }
    }
}
