package io.cordwood.log;

import io.cordwood.log.store.FileStatus;
import io.cordwood.log.store.Storage;
import java.util.List;

/**
 * Makes the indexes of a log's segments. Called on the log's writer thread only.
 */
public interface SegmentIndexFactory {
    /**
     * Creates the index of a new, empty segment, ready for {@link SegmentIndex#append}. Left-overs of the same name are
     * replaced.
     *
     * @param storage of the log.
     * @param directory of the log in the storage.
     * @param baseOffset of the segment.
     * @param limits on bytes and interval.
     * @return the index.
     */
    SegmentIndex create(Storage storage, String directory, long baseOffset, IndexLimits limits);

    /**
     * Opens the index of a segment that is there, for look-ups only until {@link SegmentIndex#restore} is called. Touches
     * the files only when something is looked up.
     *
     * @param storage of the log.
     * @param directory of the log in the storage.
     * @param baseOffset of the segment.
     * @param limits on bytes and interval.
     * @return the index.
     */
    SegmentIndex open(Storage storage, String directory, long baseOffset, IndexLimits limits);

    /**
     * Whether what the directory says of the index files of a sealed segment lets them be trusted without a look inside.
     *
     * @param files of the log's directory, as the storage lists them, sorted by name.
     * @param baseOffset of the segment.
     * @param logBytes length of the segment's file.
     * @param limits on bytes and interval.
     * @return false if the index must be looked into, and what is missing built anew from the segment.
     */
    boolean isPlausible(List<FileStatus> files, long baseOffset, long logBytes, IndexLimits limits);

    /**
     * Which files the index of a segment consists of, so that the log can rename and delete them with it.
     *
     * @return suffixes of their names, behind the segment's base offset; empty if there are none.
     */
    List<String> suffixes();
}
