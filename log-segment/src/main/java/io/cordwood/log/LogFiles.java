package io.cordwood.log;

import io.cordwood.log.store.FileUse;
import io.cordwood.log.store.Storage;
import io.cordwood.log.store.StorageFile;
import java.util.List;

/**
 * Names of the files of a partition directory, as Kafka has them: twenty digits of the base offset and a suffix.
 */
public final class LogFiles {
    /** Suffix of a segment's records. */
    public static final String LOG = ".log";

    /** Suffix of a sparse offset index. */
    public static final String OFFSET_INDEX = ".index";

    /** Suffix of a sparse time index. */
    public static final String TIME_INDEX = ".timeindex";

    /** Suffix of an index of aborted transactions. */
    public static final String TXN_INDEX = ".txnindex";

    /** Suffix of a producer state snapshot. */
    public static final String SNAPSHOT = ".snapshot";

    /** Suffix behind the name of a file that is to be deleted. */
    public static final String DELETED = ".deleted";

    /** Suffix behind the name of a file that a cleaner is writing. */
    public static final String CLEANED = ".cleaned";

    /** Suffix behind the name of a cleaned file that is about to take its place. */
    public static final String SWAP = ".swap";

    /**
     * Suffix behind the name of a file that is being written anew. Not {@link #CLEANED}: beside one of those Kafka takes each swap from its
     * offset on for unfinished, and deletes it.
     */
    public static final String TEMPORARY = ".tmp";

    /** Name of the leader-epoch table. */
    public static final String LEADER_EPOCHS = "leader-epoch-checkpoint";

    /** Name of the file that holds the topic id. */
    public static final String PARTITION_METADATA = "partition.metadata";

    /** Largest base offset of a segment: behind the next one no offset can follow. */
    static final long BASE_MAX = Long.MAX_VALUE - 1;

    /** Suffixes of the files that a segment may have. */
    private static final List<String> SEGMENT_SUFFIXES = List.of(LOG, OFFSET_INDEX, TIME_INDEX, TXN_INDEX, SNAPSHOT);

    private static final int DIGITS = 20;

    /** So many zeros, by their number: a roll builds many names. */
    private static final String[] ZEROS = new String[DIGITS];

    static {
        for (int i = 0; i < DIGITS; i++) {
            ZEROS[i] = "0".repeat(i);
        }
    }

    private LogFiles() {}

    /**
     * Name of a file of a segment.
     *
     * @param offset base offset of the segment, or offset of a snapshot; at least 0.
     * @param suffix with its dot.
     * @return twenty digits and the suffix.
     */
    public static String name(final long offset, final String suffix) {
        return zeros(offset) + offset + suffix;
    }

    /**
     * Path of a file of a segment.
     *
     * @param directory of the log; empty for the root.
     * @param offset base offset of the segment, or offset of a snapshot; at least 0.
     * @param suffix with its dot.
     * @return directory and name, joined.
     */
    public static String path(final String directory, final long offset, final String suffix) {
        return directory.isEmpty() ? name(offset, suffix) : directory + "/" + zeros(offset) + offset + suffix;
    }

    private static String zeros(final long offset) {
        if (offset < 0) {
            throw new IllegalArgumentException("offset " + offset + " is negative");
        }
        int zeros = DIGITS - 1;
        for (long left = offset; left >= 10; left /= 10) {
            zeros--;
        }
        return ZEROS[zeros];
    }

    /**
     * Reads the offset off a file name.
     *
     * @param name of a file, without directory.
     * @param suffix that it must end with.
     * @return the offset, or -1 if the name is not twenty digits and that suffix, or the number is too large: an offset must be able to follow.
     */
    public static long offset(final String name, final String suffix) {
        if (name.length() != DIGITS + suffix.length() || !name.endsWith(suffix)) {
            return -1;
        }
        long offset = 0;
        for (int i = 0; i < DIGITS; i++) {
            final int digit = name.charAt(i) - '0';
            if (digit < 0 || digit > 9 || offset > (Long.MAX_VALUE - digit) / 10) {
                return -1;
            }
            offset = offset * 10 + digit;
        }
        return offset <= BASE_MAX ? offset : -1;
    }

    /**
     * Reads the offset off the name of a segment's file that an act has renamed.
     *
     * @param name of a file, without directory.
     * @param mark {@link #DELETED}, {@link #CLEANED}, {@link #SWAP} or {@link #TEMPORARY}.
     * @return the offset, or -1 if the name is not that of a segment's file and the mark: such a file is somebody else's.
     */
    static long markedOffset(final String name, final String mark) {
        return name.endsWith(mark) ? segmentOffset(name.substring(0, name.length() - mark.length())) : -1;
    }

    private static long segmentOffset(final String name) {
        long offset = -1;
        for (final String suffix : SEGMENT_SUFFIXES) {
            offset = Math.max(offset, offset(name, suffix));
        }
        return offset;
    }

    /**
     * Opens a file that is to be empty: if there is one of its name with content, it is deleted first.
     *
     * @param storage of the log.
     * @param path of the file.
     * @param use {@link FileUse#APPEND} or {@link FileUse#APPEND_MAPPED}.
     * @param capacity as {@link Storage#open} takes it.
     * @return the file.
     */
    public static StorageFile openNew(
            final Storage storage, final String path, final FileUse use, final long capacity) {
        final StorageFile file = storage.open(path, use, capacity);
        if (file.length() == 0) {
            return file;
        }
        file.close();
        storage.delete(path);
        return storage.open(path, use, capacity);
    }

    /**
     * Path of a file in a directory of a storage.
     *
     * @param directory of the log; empty for the root.
     * @param name of the file.
     * @return both, joined.
     */
    public static String path(final String directory, final String name) {
        return directory.isEmpty() ? name : directory + "/" + name;
    }
}
