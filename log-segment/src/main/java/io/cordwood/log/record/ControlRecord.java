package io.cordwood.log.record;

import static java.nio.ByteOrder.BIG_ENDIAN;

import org.agrona.DirectBuffer;
import org.agrona.concurrent.UnsafeBuffer;

/**
 * A view on the record of a control batch, and the encoder of transaction markers.
 *
 * <pre>
 *   key    version 2   type 2
 *   value  version 2   coordinator epoch 4     ABORT, COMMIT
 *          version 2   leader id 4   ...       LEADER_CHANGE
 * </pre>
 *
 * <p>Reusable, one thread's, allocates nothing.
 */
public final class ControlRecord {
    /** Size of a batch with one transaction marker whose deltas are 0. */
    public static final int MARKER_BATCH_BYTES = 78;

    private static final int TYPE_OFFSET = 2;
    private static final int KEY_BYTES = 4;
    private static final int FIRST_FIELD_OFFSET = 2;
    private static final int MARKER_VALUE_BYTES = 6;

    private final UnsafeBuffer marker = new UnsafeBuffer(new byte[KEY_BYTES + MARKER_VALUE_BYTES]);
    private DirectBuffer buffer = marker;
    private ControlRecordType type = ControlRecordType.UNKNOWN;
    private short typeId;
    private int valueIndex;
    private int valueLength;

    /** Creates a view on nothing. */
    public ControlRecord() {}

    /**
     * Shows a record of a control batch.
     *
     * @param record that a reader came to.
     * @return this.
     * @throws CorruptRecordException if its key is none of a control record, or its value too short for its type.
     */
    public ControlRecord wrap(final RecordFlyweight record) {
        buffer = record.buffer();
        valueIndex = record.valueIndex();
        valueLength = record.valueLength();
        if (record.keyLength() < KEY_BYTES) {
            throw new CorruptRecordException(
                    "control record key length " + record.keyLength() + ", must be at least " + KEY_BYTES,
                    0,
                    record.keyIndex());
        }
        final short version = buffer.getShort(record.keyIndex(), BIG_ENDIAN);
        if (version < 0) {
            throw new CorruptRecordException(
                    "control record key version " + version + ", must be at least 0", 0, record.keyIndex());
        }
        typeId = buffer.getShort(record.keyIndex() + TYPE_OFFSET, BIG_ENDIAN);
        type = ControlRecordType.forId(typeId);
        if (hasFirstField() && valueLength < MARKER_VALUE_BYTES) {
            throw new CorruptRecordException(
                    "value length " + valueLength + " of a " + type + " record, must be at least " + MARKER_VALUE_BYTES,
                    0,
                    valueIndex);
        }
        return this;
    }

    private boolean hasFirstField() {
        return isEndOfTransaction() || type == ControlRecordType.LEADER_CHANGE;
    }

    /**
     * What the record says.
     *
     * @return the type.
     */
    public ControlRecordType type() {
        return type;
    }

    /**
     * The type's number, also of one that is not known here.
     *
     * @return the type id as stored.
     */
    public short typeId() {
        return typeId;
    }

    /**
     * Whether the record ends a transaction.
     *
     * @return true for ABORT and COMMIT.
     */
    public boolean isEndOfTransaction() {
        return type == ControlRecordType.ABORT || type == ControlRecordType.COMMIT;
    }

    /**
     * Epoch of the transaction coordinator that wrote a marker.
     *
     * @return the epoch; -1 if this is no marker.
     */
    public int coordinatorEpoch() {
        return isEndOfTransaction() ? buffer.getInt(valueIndex + FIRST_FIELD_OFFSET, BIG_ENDIAN) : -1;
    }

    /**
     * Leader of the metadata quorum.
     *
     * @return the node; -1 if this is no LEADER_CHANGE.
     */
    public int leaderId() {
        return type == ControlRecordType.LEADER_CHANGE
                ? buffer.getInt(valueIndex + FIRST_FIELD_OFFSET, BIG_ENDIAN)
                : -1;
    }

    /**
     * Appends a transaction marker to a batch that has been made transactional, control and its producer's.
     *
     * @param batch to append to.
     * @param timestamp of the marker.
     * @param isCommit true for COMMIT, false for ABORT.
     * @param coordinatorEpoch of the coordinator that decided.
     * @return false if there is no room for it.
     */
    public boolean appendMarker(
            final BatchBuilder batch, final long timestamp, final boolean isCommit, final int coordinatorEpoch) {
        final ControlRecordType end = isCommit ? ControlRecordType.COMMIT : ControlRecordType.ABORT;
        marker.putShort(0, (short) 0, BIG_ENDIAN);
        marker.putShort(TYPE_OFFSET, end.id(), BIG_ENDIAN);
        marker.putShort(KEY_BYTES, (short) 0, BIG_ENDIAN);
        marker.putInt(KEY_BYTES + FIRST_FIELD_OFFSET, coordinatorEpoch, BIG_ENDIAN);
        return batch.append(timestamp, marker, 0, KEY_BYTES, marker, KEY_BYTES, MARKER_VALUE_BYTES, null);
    }
}
