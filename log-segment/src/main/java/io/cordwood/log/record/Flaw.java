package io.cordwood.log.record;

/**
 * What is wrong with a batch, noted as numbers and constant words: hot paths refuse without allocating, and whoever wants the
 * sentence asks for it.
 */
final class Flaw {
    private static final int WHOLE_BATCH = -1;

    private String field = "";
    private String rule = "";
    private long found;
    private long bound;
    private int byteIndex;
    private int recordNumber = WHOLE_BATCH;

    /**
     * Notes a flaw.
     *
     * @param ofField that is wrong.
     * @param value found there.
     * @param mustBe the rule, a constant; what it compares with follows.
     * @param limit of the rule.
     * @param at byte of the batch, or of its records.
     * @return always false, for the checks to return.
     */
    boolean note(final String ofField, final long value, final String mustBe, final long limit, final int at) {
        field = ofField;
        found = value;
        rule = mustBe;
        bound = limit;
        byteIndex = at;
        recordNumber = WHOLE_BATCH;
        return false;
    }

    /** Says of which record the flaw is, and where the records begin in what the flaw's index counted. */
    void ofRecord(final int number, final int recordsIndex) {
        recordNumber = number;
        byteIndex -= recordsIndex;
    }

    int recordNumber() {
        return recordNumber;
    }

    int byteIndex() {
        return byteIndex;
    }

    String words() {
        final String what = field + " " + found + ", " + rule + " " + bound;
        return recordNumber == WHOLE_BATCH
                ? what + " (byte " + byteIndex + " of the batch)"
                : "record " + recordNumber + ": " + what + " (byte " + byteIndex + " of the records)";
    }
}
