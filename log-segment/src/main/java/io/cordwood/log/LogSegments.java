package io.cordwood.log;

import io.cordwood.log.store.FileUse;
import io.cordwood.log.store.StorageFile;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.atomic.AtomicLong;
import org.agrona.CloseHelper;
import org.jspecify.annotations.Nullable;

/**
 * The segments of one log and their files: owns the list that readers see, makes new segments, seals old ones, and takes
 * files away in two steps. All of it on the log's writer thread; only {@link #list} is for everybody.
 */
final class LogSegments implements AutoCloseable {
    /** Sealed files that stay open for a force that is still to come; older ones are forced through a file opened anew. */
    private static final int UNFORCED_MAX = 8;

    private final SegmentFiles files;
    private final ArrayDeque<Segment> unforced = new ArrayDeque<>();
    private final DoomedSegments doomed;

    private volatile SegmentList list;
    private Segment active;
    private final AtomicLong namesChanged = new AtomicLong(1);

    /** What {@link #namesChanged} was when a segment got its name last; the writer's. */
    private long namesAdded = 1;

    LogSegments(final SegmentFiles files, final SegmentList list) {
        this.files = files;
        this.doomed = new DoomedSegments(files);
        this.list = list;
        this.active = list.active();
    }

    SegmentFiles files() {
        return files;
    }

    SegmentList list() {
        return list;
    }

    /** The segment that takes appends; the writer's. */
    Segment active() {
        return active;
    }

    /** Counts changes of names in the directory, so that a force knows whether it has to sync it. */
    long namesChanged() {
        return namesChanged.get();
    }

    /** The least number of {@link #namesChanged} with which the names of all segments on the list are there; the writer's. */
    long namesAdded() {
        return namesAdded;
    }

    /** Seals the active segment and lets a new one take its place; if that fails the new one is closed. */
    void rollTo(final Segment next, final LogConfig config, final long nowMs) {
        final Segment old = active;
        namesAdded = namesChanged.incrementAndGet();
        final Segment sealed;
        try {
            old.index().seal();
            trim(old.file());
            final StorageFile readable = files.storage().open(old.path(), FileUse.READ_SEALED, 0);
            sealed = old.through(readable, old.file(), nowMs);
        } catch (final RuntimeException | Error e) {
            CloseHelper.close(e::addSuppressed, next);
            throw e;
        }
        list = list.rolled(sealed, next);
        active = next;
        unforced.add(sealed);
    }

    /** Gives the empty active segment room for a batch that is larger than a segment should be. */
    void replaceEmptyActive(final LogConfig config, final long bytesMin, final long nowMs) {
        if (files.capacity(config, bytesMin) == 0) {
            return;
        }
        active.close();
        active = files.enlarge(active.baseOffset(), config, bytesMin, nowMs);
        list = list.with(list.size() - 1, active);
        namesAdded = namesChanged.incrementAndGet();
    }

    /** Gives back what was reserved behind the content. */
    void trim(final StorageFile file) {
        file.truncate(file.length());
    }

    /**
     * Closes the writers' files of sealed segments that a force has covered, and the oldest ones of too many. No force may be
     * under way.
     */
    void closeForced(final long flushedEnd) {
        while (!unforced.isEmpty()) {
            final Segment sealed = unforced.peek();
            final int index = list.floor(sealed.baseOffset());
            final boolean isListed = index >= 0 && list.get(index) == sealed;
            if (isListed && unforced.size() <= UNFORCED_MAX && list.endOffset(index, Long.MAX_VALUE) > flushedEnd) {
                return;
            }
            unforced.remove();
            final StorageFile writer = sealed.unforced();
            if (isListed && writer != null) {
                list = list.with(index, sealed.through(sealed.file(), null, sealed.modifiedMs()));
                writer.close();
            }
        }
    }

    /**
     * Takes the segments behind one off the list, closes them and deletes their files durably, from the end, so that what an
     * interruption leaves has no gap. No force may be under way.
     *
     * <p>The one that stays loses its writer's file, if it was sealed and still has one: it is about to be opened anew, and the
     * older file would cut what is written then when it is closed.
     */
    void cutBehind(final int last) {
        final SegmentList old = list;
        final Segment kept = old.get(last);
        final StorageFile writer = kept.unforced();
        reset(old.upTo(last, writer == null ? kept : kept.through(kept.file(), null, kept.modifiedMs())));
        final List<@Nullable AutoCloseable> closing = new ArrayList<>();
        closing.add(writer);
        for (int i = last + 1; i < old.size(); i++) {
            closing.add(old.get(i));
        }
        CloseHelper.closeAll(closing);
        for (int i = old.size() - 1; i > last; i--) {
            deleteNow(old.get(i));
        }
    }

    /** Replaces the whole list, after a truncation. */
    void reset(final SegmentList newList) {
        list = newList;
        active = newList.active();
        unforced.removeIf(segment -> newList.get(Math.max(0, newList.floor(segment.baseOffset()))) != segment);
        namesAdded = namesChanged.incrementAndGet();
    }

    /** Takes the first segments off the list; {@link #renameDropped} is the next step. */
    void dropFront(final int count, final LogConfig config, final long nowMs) {
        final SegmentList old = list;
        list = old.from(count);
        namesChanged.incrementAndGet();
        final long dueMs = Times.after(nowMs, config.fileDeleteDelayMs());
        for (int i = 0; i < count; i++) {
            unforced.remove(old.get(i));
            doomed.add(old.get(i), dueMs);
        }
    }

    /** Renames the files of dropped segments, if need be again. */
    void renameDropped(final long nowMs) {
        doomed.rename(nowMs);
    }

    /**
     * The writer's duty: gives dropped segments their other names, deletes those whose delay is over, closes what a force has
     * covered. All of it is tried, whatever fails; what has failed is tried again a little later. No force may be under way.
     *
     * @return how much was done.
     */
    int tidy(final long nowMs, final long flushedEnd) {
        int done = 0;
        RuntimeException failure = null;
        try {
            done = doomed.rename(nowMs);
        } catch (final RuntimeException e) {
            failure = e;
        }
        try {
            done += doomed.deleteDue(nowMs);
        } catch (final RuntimeException e) {
            failure = Failures.joined(failure, e);
        }
        try {
            closeForced(flushedEnd);
        } catch (final RuntimeException e) {
            failure = Failures.joined(failure, e);
        }
        Failures.throwIfAny(failure);
        return done;
    }

    /**
     * Deletes dropped segments, due or not: one that could not be renamed still has the names that a new segment may get. No
     * force may be under way.
     */
    void deleteDropped() {
        doomed.deleteDue(Long.MAX_VALUE);
    }

    /** Deletes a segment's files at once and durably. */
    void deleteNow(final Segment segment) {
        files.delete(segment);
        files.storage().syncDirectory(files.directory());
        namesChanged.incrementAndGet();
    }

    /** Closes everything, deletes what was to be deleted. */
    @Override
    public void close() {
        final List<AutoCloseable> closing = new ArrayList<>();
        closing.add(this::deleteDropped);
        final SegmentList last = list;
        for (int i = 0; i < last.size(); i++) {
            closing.add(last.get(i));
        }
        CloseHelper.closeAll(closing);
    }
}
