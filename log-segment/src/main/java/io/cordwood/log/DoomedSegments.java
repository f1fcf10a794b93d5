package io.cordwood.log;

import io.cordwood.log.store.Storage;
import java.util.ArrayDeque;
import java.util.Iterator;
import org.jspecify.annotations.Nullable;

/**
 * Segments that are off the list, and their files, which go in two steps: they get another name at once, and are deleted when a
 * delay is over, so that readers of older lists find them a little longer. A step that fails for one keeps none of the others
 * waiting, is thrown when all were tried, and is taken again after a while: a disk that refuses is not asked in each cycle. A
 * segment gets its other name only when that of the one before it is durable.
 */
final class DoomedSegments {
    /** A step that failed is not taken again before. */
    static final long RETRY_MS = 1000;

    private static final long NEVER = Long.MIN_VALUE;

    private final SegmentFiles files;
    private final Storage storage;
    private final ArrayDeque<Doomed> waiting = new ArrayDeque<>();
    private boolean isNameUnsynced;

    /** A segment that goes. */
    private static final class Doomed {
        final Segment segment;
        final long dueMs;

        /** Where its files are now; those that were not there are null once that is known. */
        final @Nullable String[] paths;

        int renamed;
        long renameFailedMs = NEVER;
        long deleteFailedMs = NEVER;

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
    int rename(final long nowMs) {
        if (waiting.isEmpty()) {
            // What every idle cycle comes to; an iterator would be garbage.
            return 0;
        }
        int done = 0;
        RuntimeException failure = null;
        for (final Doomed doomed : waiting) {
            if (doomed.renamed < doomed.paths.length && isToBeTried(doomed.renameFailedMs, nowMs)) {
                done++;
                try {
                    rename(doomed);
                } catch (final RuntimeException e) {
                    doomed.renameFailedMs = nowMs;
                    failure = Failures.joined(failure, e);
                }
            }
        }
        Failures.throwIfAny(failure);
        return done;
    }

    /** A clock that was set back keeps nobody waiting. */
    private static boolean isToBeTried(final long failedMs, final long nowMs) {
        return failedMs == NEVER || nowMs < failedMs || nowMs - failedMs >= RETRY_MS;
    }

    private void rename(final Doomed doomed) {
        final @Nullable String[] paths = doomed.paths;
        if (doomed.renamed == 0) {
            syncName();
        }
        for (; doomed.renamed < paths.length; doomed.renamed++) {
            final String path = paths[doomed.renamed];
            if (path != null) {
                final String deleted = path + LogFiles.DELETED;
                paths[doomed.renamed] = storage.rename(path, deleted) ? deleted : null;
                isNameUnsynced = true;
            }
        }
    }

    /**
     * The name of the segment in front goes first: else a power cut may bring that back without the next one, a gap of which nothing
     * tells where it is from.
     */
    private void syncName() {
        if (isNameUnsynced) {
            storage.syncDirectory(files.directory());
            isNameUnsynced = false;
        }
    }

    /**
     * Closes segments whose delay is over and deletes their files, whatever these are called; says how many. No force may be under
     * way.
     */
    int deleteDue(final long nowMs) {
        if (waiting.isEmpty()) {
            return 0;
        }
        int deleted = 0;
        RuntimeException failure = null;
        for (final Iterator<Doomed> all = waiting.iterator(); all.hasNext(); ) {
            final Doomed doomed = all.next();
            if (doomed.dueMs <= nowMs && isToBeTried(doomed.deleteFailedMs, nowMs)) {
                try {
                    delete(doomed);
                    all.remove();
                    deleted++;
                } catch (final RuntimeException e) {
                    doomed.deleteFailedMs = nowMs;
                    failure = Failures.joined(failure, e);
                }
            }
        }
        Failures.throwIfAny(failure);
        return deleted;
    }

    private void delete(final Doomed doomed) {
        doomed.segment.close();
        if (doomed.renamed == 0) {
            // The disk has refused the other name.
            syncName();
            isNameUnsynced = true;
        }
        for (final String path : doomed.paths) {
            if (path != null) {
                storage.delete(path);
            }
        }
    }
}
