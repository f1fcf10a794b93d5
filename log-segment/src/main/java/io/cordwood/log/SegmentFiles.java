package io.cordwood.log;

import io.cordwood.log.store.FileUse;
import io.cordwood.log.store.Storage;
import io.cordwood.log.store.StorageFile;
import java.util.ArrayList;
import java.util.List;
import org.agrona.CloseHelper;

/** The files of one log's segments: knows which there are for each, makes those of a new segment, deletes those of an old one. */
final class SegmentFiles {
    private final Storage storage;
    private final String directory;
    private final SegmentIndexFactory indexes;
    private final FileUse appendUse;
    private final boolean hasNeighbours;
    private final List<String> suffixes = new ArrayList<>();

    /**
     * Tells what the files are; touches none.
     *
     * @param hasNeighbours whether files of transactions may lie beside the segments: some did at the open, or there is a derived
     *     state that may write them. Else nobody looks for them.
     */
    SegmentFiles(
            final Storage storage,
            final String directory,
            final SegmentIndexFactory indexes,
            final FileUse appendUse,
            final boolean hasNeighbours) {
        this.storage = storage;
        this.directory = directory;
        this.indexes = indexes;
        this.appendUse = appendUse;
        this.hasNeighbours = hasNeighbours;
        suffixes.add(LogFiles.LOG);
        suffixes.addAll(indexes.suffixes());
        if (hasNeighbours) {
            suffixes.add(LogFiles.TXN_INDEX);
            suffixes.add(LogFiles.SNAPSHOT);
        }
    }

    Storage storage() {
        return storage;
    }

    String directory() {
        return directory;
    }

    FileUse appendUse() {
        return appendUse;
    }

    String path(final long baseOffset, final String suffix) {
        return LogFiles.path(directory, baseOffset, suffix);
    }

    /** Paths of all files that live and die with a segment, its log first. Not each of them need be there. */
    String[] paths(final Segment segment) {
        final String[] paths = new String[suffixes.size()];
        paths[0] = segment.path();
        for (int i = 1; i < paths.length; i++) {
            paths[i] = path(segment.baseOffset(), suffixes.get(i));
        }
        return paths;
    }

    /**
     * Makes an empty segment and its index; what is left of older files of its name is removed first.
     *
     * @param bytesMin that the segment must have room for.
     */
    Segment create(final long baseOffset, final LogConfig config, final long bytesMin, final long nowMs) {
        if (hasNeighbours) {
            storage.delete(path(baseOffset, LogFiles.TXN_INDEX));
            storage.delete(path(baseOffset, LogFiles.SNAPSHOT));
        }
        return open(baseOffset, config, bytesMin, nowMs, true);
    }

    /** Gives an empty segment larger files. Its name stays whatever fails: it may be all that tells where the log begins. */
    Segment enlarge(final long baseOffset, final LogConfig config, final long bytesMin, final long nowMs) {
        return open(baseOffset, config, bytesMin, nowMs, false);
    }

    private Segment open(
            final long baseOffset, final LogConfig config, final long bytesMin, final long nowMs, final boolean isNew) {
        final String path = path(baseOffset, LogFiles.LOG);
        final StorageFile file = LogFiles.openNew(storage, path, appendUse, capacity(config, bytesMin));
        try {
            final SegmentIndex index = indexes.create(storage, directory, baseOffset, limits(config));
            return new Segment(baseOffset, path, file, index, null, nowMs);
        } catch (final RuntimeException | Error e) {
            CloseHelper.close(e::addSuppressed, file);
            if (isNew) {
                CloseHelper.close(e::addSuppressed, () -> storage.delete(path));
            }
            throw e;
        }
    }

    /** Opens a segment's file for appending. */
    StorageFile openForAppending(final Segment segment, final LogConfig config) {
        return storage.open(segment.path(), appendUse, capacity(config, segment.bytes()));
    }

    /** What a file is made with, so that it has room for a segment and for so many bytes; 0 if it grows as it is written. */
    long capacity(final LogConfig config, final long bytesMin) {
        return isRoomFixed() || config.isPreallocated() ? Math.max(config.segmentBytes(), bytesMin) : 0;
    }

    /** Whether a segment keeps the capacity that it was made with. */
    boolean isRoomFixed() {
        return appendUse == FileUse.APPEND_MAPPED;
    }

    static IndexLimits limits(final LogConfig config) {
        return new IndexLimits(config.segmentIndexBytes(), config.indexIntervalBytes());
    }

    /** Closes a segment and deletes its files, log first, so that a crash leaves nothing that looks whole. */
    void delete(final Segment segment) {
        segment.close();
        for (final String path : paths(segment)) {
            storage.delete(path);
        }
    }
}
