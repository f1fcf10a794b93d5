package io.cordwood.log.record;

/** A record cannot be read: its batch's bytes are not what the format says. What was read before it is sound. */
public final class CorruptRecordException extends RuntimeException {
    private static final long serialVersionUID = 1L;

    /** Number of the record in its batch, or -1. */
    private final int recordNumber;

    /** Byte of the records or of the batch. */
    private final int byteIndex;

    /**
     * Creates the exception.
     *
     * @param reason field, value found and rule.
     * @param recordNumber of the record in its batch, from 0; -1 if it is the batch's own.
     * @param byteIndex where the flaw is: a byte of the batch's records, after decompression; of the batch itself if there is
     *     no record number.
     */
    public CorruptRecordException(final String reason, final int recordNumber, final int byteIndex) {
        super(reason);
        this.recordNumber = recordNumber;
        this.byteIndex = byteIndex;
    }

    CorruptRecordException(final Flaw flaw) {
        this(flaw.words(), flaw.recordNumber(), flaw.byteIndex());
    }

    /**
     * Which record it is.
     *
     * @return its number in the batch, from 0; -1 if it is the batch's own flaw.
     */
    public int recordNumber() {
        return recordNumber;
    }

    /**
     * Where the flaw is.
     *
     * @return a byte of the batch's records, after decompression; of the batch itself if there is no record number.
     */
    public int byteIndex() {
        return byteIndex;
    }
}
