package io.cordwood.log;

/**
 * One thing that is wrong in the files of a log: what {@link LogCheck} and the checks of the indexes report, one by one, in the
 * order of the files.
 *
 * @param kind of the fault, for programs.
 * @param file path in the storage.
 * @param position in the file of the first byte that is wrong, or of the batch or entry that holds it.
 * @param offset of the log that the fault concerns; the one that was expected if the file tells none, -1 if neither is known.
 * @param reason for people: what was found and what should be there.
 */
public record Fault(Kind kind, String file, long position, long offset, String reason) {
    /** What can be wrong. */
    public enum Kind {
        /** The file ends inside a batch. */
        CUT_BATCH,
        /** Bytes that are no batch, up to the next good batch or the end of the file. */
        FOREIGN_BYTES,
        /** Zeros from the last batch to the end of the file. */
        ZERO_TAIL,
        /** A length field that no batch can have. */
        BAD_LENGTH,
        /** A magic that is not 0, 1 or 2. */
        BAD_MAGIC,
        /** The checksum is not that of the bytes. */
        BAD_CRC,
        /** The checksum is right, but header fields contradict each other. */
        BAD_HEADER,
        /** The checksum is right, but the records do not decode. */
        BAD_RECORDS,
        /** Offsets that were seen before, or lie below the previous ones. */
        OFFSET_FALLS,
        /** An offset that does not belong into the segment: below its base, or more than 2^31-1 above. */
        OFFSET_OUTSIDE_SEGMENT,
        /** Offsets that belong to the next segment, or that the previous one has too. */
        SEGMENT_OVERLAP,
        /** Offsets between two segments are missing, and no cleaner has been there; or a segment is empty. */
        OFFSETS_MISSING,
        /** A leader epoch below the previous batch's. */
        EPOCH_FALLS,
        /** A leader epoch that is not the one of the leader-epoch table. */
        EPOCH_DIFFERS,
        /** A file that belongs to a segment, of which there is no {@link LogFiles#LOG} file. */
        ORPHAN_FILE,
        /** An index file is missing beside others that are there. */
        INDEX_MISSING,
        /** An index whose size is no multiple of its entries'. */
        INDEX_SIZE,
        /** Index entries that do not ascend. */
        INDEX_ORDER,
        /** An index entry that points to no batch, or to the wrong one. */
        INDEX_ENTRY,
        /** A file beside the segments, such as the leader-epoch table, that cannot be read as what it is. */
        BAD_FILE,
        /** No fault: something that could not be checked, and may be sound. */
        NOT_CHECKED
    }

    /**
     * One line for people.
     *
     * @return file, position, offset and reason.
     */
    @Override
    public String toString() {
        return file + ": position " + position + (offset < 0 ? "" : ", offset " + offset) + ": " + reason;
    }
}
