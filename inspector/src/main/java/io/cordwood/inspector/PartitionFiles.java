package io.cordwood.inspector;

import io.cordwood.log.LogFiles;
import io.cordwood.log.store.FileStatus;
import io.cordwood.log.store.Storage;
import io.cordwood.log.store.StorageException;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * The files of one partition directory as they were listed, which a live log goes on changing.
 *
 * @param all files, sorted by name; with one segment asked for, its files only.
 * @param segments ascending by base offset.
 */
record PartitionFiles(List<FileStatus> all, List<SegmentFiles> segments) {
    private static final int DIGITS = 20;

    /**
     * The files of one segment.
     *
     * @param baseOffset of the segment.
     * @param log file with the records.
     * @param offsetIndex null if there is none.
     * @param timeIndex null if there is none.
     */
    record SegmentFiles(
            long baseOffset,
            FileStatus log,
            @Nullable FileStatus offsetIndex,
            @Nullable FileStatus timeIndex) {}

    static PartitionFiles list(final Storage storage, final Place place) {
        final List<FileStatus> listed = new ArrayList<>();
        for (final FileStatus status : storage.list(place.directory())) {
            if (!status.isDirectory()) {
                listed.add(status);
            }
        }
        final String only = place.segmentFile();
        return only == null ? all(listed) : one(listed, place.label(), only);
    }

    private static PartitionFiles all(final List<FileStatus> listed) {
        final List<SegmentFiles> segments = new ArrayList<>();
        for (final FileStatus status : listed) {
            final long base = LogFiles.offset(status.name(), LogFiles.LOG);
            if (base >= 0) {
                segments.add(segment(listed, status, base, ""));
            }
        }
        return new PartitionFiles(listed, segments);
    }

    /** A file need not have a segment's name to be looked at: it may have been put aside by an operator, or by a cleaner. */
    private static PartitionFiles one(final List<FileStatus> listed, final String label, final String name) {
        final FileStatus log = named(listed, name);
        if (log == null) {
            throw CommandFailure.io(label + ": is not a file");
        }
        if (name.contains(LogFiles.OFFSET_INDEX) || name.contains(LogFiles.TIME_INDEX)) {
            throw CommandFailure.usage(label + ": is an index; give the " + LogFiles.LOG + " file beside it");
        }
        final String stem = name.length() < DIGITS ? "" : name.substring(0, DIGITS);
        final long base = Math.max(LogFiles.offset(stem, ""), 0);
        final int suffix = name.indexOf(LogFiles.LOG);
        final SegmentFiles segment = suffix == DIGITS
                ? segment(listed, log, base, name.substring(suffix + LogFiles.LOG.length()))
                : new SegmentFiles(base, log, null, null);
        final List<FileStatus> files = new ArrayList<>(List.of(log));
        for (final FileStatus index : new FileStatus[] {segment.offsetIndex(), segment.timeIndex()}) {
            if (index != null) {
                files.add(index);
            }
        }
        files.sort((a, b) -> a.name().compareTo(b.name()));
        return new PartitionFiles(files, List.of(segment));
    }

    private static SegmentFiles segment(
            final List<FileStatus> listed, final FileStatus log, final long base, final String behind) {
        return new SegmentFiles(
                base,
                log,
                named(listed, LogFiles.name(base, LogFiles.OFFSET_INDEX) + behind),
                named(listed, LogFiles.name(base, LogFiles.TIME_INDEX) + behind));
    }

    /** Whether a file is gone that was listed before: a live log drops segments while we look. False if nobody can tell. */
    static boolean isGone(final Storage storage, final String path) {
        final int slash = path.lastIndexOf('/');
        try {
            return named(storage.list(slash < 0 ? "" : path.substring(0, slash)), path.substring(slash + 1)) == null;
        } catch (final StorageException e) {
            return false;
        }
    }

    private static @Nullable FileStatus named(final List<FileStatus> files, final String name) {
        for (final FileStatus file : files) {
            if (file.name().equals(name)) {
                return file;
            }
        }
        return null;
    }
}
