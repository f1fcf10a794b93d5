package io.cordwood.log;

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

    /** Name of the leader-epoch table. */
    public static final String LEADER_EPOCHS = "leader-epoch-checkpoint";

    /** Name of the file that holds the topic id. */
    public static final String PARTITION_METADATA = "partition.metadata";

    private static final int DIGITS = 20;

    private LogFiles() {}

    /**
     * Name of a file of a segment.
     *
     * @param offset base offset of the segment, or offset of a snapshot; at least 0.
     * @param suffix with its dot.
     * @return twenty digits and the suffix.
     */
    public static String name(final long offset, final String suffix) {
        if (offset < 0) {
            throw new IllegalArgumentException("offset " + offset + " is negative");
        }
        final String digits = Long.toString(offset);
        return "0".repeat(DIGITS - digits.length()) + digits + suffix;
    }

    /**
     * Reads the offset off a file name.
     *
     * @param name of a file, without directory.
     * @param suffix that it must end with.
     * @return the offset, or -1 if the name is not twenty digits and that suffix, or the number is too large.
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
        return offset;
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
