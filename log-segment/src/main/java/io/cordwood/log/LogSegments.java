package io.cordwood.log;

import io.cordwood.log.store.FileUse;
import io.cordwood.log.store.Storage;
import io.cordwood.log.store.StorageException;
import io.cordwood.log.store.StorageFile;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.concurrent.atomic.AtomicLong;

/**
 * The segments of one log and their files: owns the list that readers see, makes new segments, seals old ones, and takes
 * files away in two steps. All of it on the log's writer thread; only {@link #list} is for everybody.
 */
final class LogSegments {
    /** Sealed files that stay open for a force that is still to come; older ones are forced through a file opened anew. */
    private static final int UNFORCED_MAX = 8;

    private final Storage storage;
    private final String directory;
    private final SegmentIndexFactory indexes;
    private final FileUse appendUse;
    private final ArrayDeque<Segment> unforced = new ArrayDeque<>();
    private final ArrayDeque<Doomed> doomed = new ArrayDeque<>();

    private volatile SegmentList list;
    private Segment active;
    private final AtomicLong namesChanged = new AtomicLong(1);

    LogSegments(
            final Storage storage,
            final String directory,
            final SegmentIndexFactory indexes,
            final FileUse appendUse,
            final SegmentList list) {
        this.storage = storage;
        this.directory = directory;
        this.indexes = indexes;
        this.appendUse = appendUse;
        this.list = list;
        this.active = list.active();
    }

    Storage storage() {
        return storage;
    }

    String directory() {
        return directory;
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

    String path(final String name) {
        return LogFiles.path(directory, name);
    }

    /** Makes an empty segment and its index; what is left of older files of its name is removed first. */
    static Segment create(
            final Storage storage,
            final String directory,
            final SegmentIndexFactory indexes,
            final FileUse use,
            final long baseOffset,
            final LogConfig config,
            final long bytesMin,
            final long nowMs) {
        final String path = LogFiles.path(directory, LogFiles.name(baseOffset, LogFiles.LOG));
        storage.delete(path);
        storage.delete(LogFiles.path(directory, LogFiles.name(baseOffset, LogFiles.TXN_INDEX)));
        storage.delete(LogFiles.path(directory, LogFiles.name(baseOffset, LogFiles.SNAPSHOT)));
        final StorageFile file = storage.open(path, use, capacity(use, config, bytesMin));
        try {
            final SegmentIndex index = indexes.create(storage, directory, baseOffset, limits(config));
            return new Segment(baseOffset, path, file, index, null, nowMs);
        } catch (final RuntimeException e) {
            file.close();
            storage.delete(path);
            throw e;
        }
    }

    static long capacity(final FileUse use, final LogConfig config, final long bytesMin) {
        return use == FileUse.APPEND_MAPPED || config.isPreallocated() ? Math.max(config.segmentBytes(), bytesMin) : 0;
    }

    /** Whether a segment keeps the capacity that it was made with. */
    boolean isRoomFixed() {
        return appendUse == FileUse.APPEND_MAPPED;
    }

    static IndexLimits limits(final LogConfig config) {
        return new IndexLimits(config.segmentIndexBytes(), config.indexIntervalBytes());
    }

    /**
     * Makes the segment that is to follow on the active one. If its files cannot be made, nothing has changed.
     *
     * @param bytesMin that the new segment must have room for.
     */
    Segment createNext(final long newBase, final LogConfig config, final long bytesMin, final long nowMs) {
        return create(storage, directory, indexes, appendUse, newBase, config, bytesMin, nowMs);
    }

    /** Seals the active segment and lets a new one take its place. */
    void rollTo(final Segment next, final LogConfig config, final long nowMs) {
        final Segment old = active;
        namesChanged.incrementAndGet();
        old.index().seal();
        trim(old.file(), config);
        final StorageFile readable = storage.open(old.path(), FileUse.READ, 0);
        final Segment sealed = old.through(readable, old.file(), nowMs);
        list = list.rolled(sealed, next);
        active = next;
        unforced.add(sealed);
    }

    /** Gives the empty active segment room for a batch that is larger than a segment should be. */
    void replaceEmptyActive(final LogConfig config, final long bytesMin, final long nowMs) {
        if (capacity(appendUse, config, bytesMin) == 0) {
            return;
        }
        active.close();
        active = create(storage, directory, indexes, appendUse, active.baseOffset(), config, bytesMin, nowMs);
        list = list.with(list.size() - 1, active);
        namesChanged.incrementAndGet();
    }

    /** Gives back what was reserved behind the content. */
    void trim(final StorageFile file, final LogConfig config) {
        if (appendUse == FileUse.APPEND_MAPPED || config.isPreallocated()) {
            file.truncate(file.length());
        }
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

    /** Replaces the whole list, after a truncation. */
    void reset(final SegmentList newList) {
        list = newList;
        active = newList.active();
        unforced.removeIf(segment -> newList.get(Math.max(0, newList.floor(segment.baseOffset()))) != segment);
        namesChanged.incrementAndGet();
    }

    /**
     * Takes the first segments off the list. Their files get another name now and go when the delay is over, so that
     * readers of older lists find them a little longer.
     */
    void dropFront(final int count, final LogConfig config, final long nowMs) {
        final Set<String> present = new HashSet<>();
        storage.list(directory).forEach(status -> present.add(status.name()));
        final SegmentList old = list;
        list = old.from(count);
        namesChanged.incrementAndGet();
        for (int i = 0; i < count; i++) {
            final Segment segment = old.get(i);
            unforced.remove(segment);
            // Off the list, so in the other one, whatever fails from here on.
            final List<String> paths = new ArrayList<>();
            doomed.add(new Doomed(segment, paths, nowMs + config.fileDeleteDelayMs()));
            for (final String name : filesOf(segment.baseOffset())) {
                if (present.contains(name)) {
                    paths.add(path(name));
                    storage.rename(path(name), path(name) + LogFiles.DELETED);
                    paths.set(paths.size() - 1, path(name) + LogFiles.DELETED);
                }
            }
        }
    }

    /** All files that live and die with a segment. */
    List<String> filesOf(final long baseOffset) {
        final List<String> names = new ArrayList<>();
        names.add(LogFiles.name(baseOffset, LogFiles.LOG));
        names.addAll(indexes.files(baseOffset));
        names.add(LogFiles.name(baseOffset, LogFiles.TXN_INDEX));
        names.add(LogFiles.name(baseOffset, LogFiles.SNAPSHOT));
        return names;
    }

    /** Closes segments whose delay is over and deletes their files. No force may be under way. */
    int deleteDue(final long nowMs) {
        int deleted = 0;
        for (Doomed next = doomed.peek(); next != null && next.dueMs <= nowMs; next = doomed.peek()) {
            next.segment.close();
            for (final String path : next.paths) {
                storage.delete(path);
            }
            doomed.remove();
            deleted++;
        }
        return deleted;
    }

    /** Deletes a segment's files at once, log first, so that a crash leaves nothing that looks whole. */
    void deleteNow(final Segment segment) {
        segment.close();
        for (final String name : filesOf(segment.baseOffset())) {
            storage.delete(path(name));
        }
        namesChanged.incrementAndGet();
    }

    /** Closes everything, deletes what was to be deleted. */
    void close() {
        deleteDue(Long.MAX_VALUE);
        final SegmentList last = list;
        StorageException failure = null;
        for (int i = 0; i < last.size(); i++) {
            try {
                last.get(i).close();
            } catch (final StorageException e) {
                failure = e;
            }
        }
        if (failure != null) {
            throw failure;
        }
    }

    /** Segments that are off the list, and their files under the names that they have now. */
    private record Doomed(Segment segment, List<String> paths, long dueMs) {}
}
