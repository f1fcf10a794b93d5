package io.cordwood.log.record;

/** What a control record says. */
public enum ControlRecordType {
    /** The producer's transaction was aborted. */
    ABORT(0),
    /** The producer's transaction was committed. */
    COMMIT(1),
    /** A leader of the metadata quorum began its epoch. */
    LEADER_CHANGE(2),
    /** Begin of a metadata snapshot. */
    SNAPSHOT_HEADER(3),
    /** End of a metadata snapshot. */
    SNAPSHOT_FOOTER(4),
    /** The version of the metadata quorum's protocol. */
    KRAFT_VERSION(5),
    /** The voters of the metadata quorum. */
    KRAFT_VOTERS(6),
    /** A type that is not known here; to be left alone. */
    UNKNOWN(-1);

    private static final ControlRecordType[] BY_ID = values();

    private final short id;

    ControlRecordType(final int id) {
        this.id = (short) id;
    }

    /**
     * Kafka's number.
     *
     * @return the type id in the record's key.
     */
    public short id() {
        return id;
    }

    /**
     * The type with a number.
     *
     * @param id in the record's key.
     * @return {@link #UNKNOWN} if it is none of the others'.
     */
    public static ControlRecordType forId(final int id) {
        return id >= 0 && id <= KRAFT_VOTERS.id ? BY_ID[id] : UNKNOWN;
    }
}
