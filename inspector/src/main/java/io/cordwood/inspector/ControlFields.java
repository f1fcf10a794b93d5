package io.cordwood.inspector;

import static java.nio.ByteOrder.BIG_ENDIAN;

import io.cordwood.log.record.RecordFlyweight;

/** What a control record says, as far as its bytes go: those of a type that we do not know are left alone. */
final class ControlFields {
    static final int ABORT = 0;
    static final int COMMIT = 1;
    static final int LEADER_CHANGE = 2;

    private static final int UNKNOWN = -1;
    private static final int TYPE_INDEX = 2;
    private static final int KEY_BYTES = 4;
    private static final int FIELD_INDEX = 2;
    private static final int VALUE_BYTES = 6;
    private static final String[] NAMES = {
        "ABORT", "COMMIT", "LEADER_CHANGE", "SNAPSHOT_HEADER", "SNAPSHOT_FOOTER", "KRAFT_VERSION", "KRAFT_VOTERS"
    };

    private ControlFields() {}

    /** Number of the type; -1 if it is none of Kafka's. */
    static int type(final RecordFlyweight record) {
        if (record.keyLength() < KEY_BYTES) {
            return UNKNOWN;
        }
        final int type = record.buffer().getShort(record.keyIndex() + TYPE_INDEX, BIG_ENDIAN);
        return type >= 0 && type < NAMES.length ? type : UNKNOWN;
    }

    static String name(final int type) {
        return type == UNKNOWN ? "UNKNOWN" : NAMES[type];
    }

    /** Whether the value has the number that follows on its version: coordinator epoch or leader id. */
    static boolean hasNumber(final RecordFlyweight record) {
        return record.valueLength() >= VALUE_BYTES;
    }

    static int number(final RecordFlyweight record) {
        return record.buffer().getInt(record.valueIndex() + FIELD_INDEX, BIG_ENDIAN);
    }
}
