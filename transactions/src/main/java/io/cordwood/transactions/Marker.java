package io.cordwood.transactions;

import io.cordwood.log.codec.Codecs;
import io.cordwood.log.record.ControlRecord;
import io.cordwood.log.record.ControlRecordType;
import io.cordwood.log.record.CorruptRecordException;
import io.cordwood.log.record.RecordBatchFlyweight;
import io.cordwood.log.record.RecordReader;

/** What a control batch says about a transaction. Reusable, one thread's; allocates nothing. */
final class Marker {
    private static final int RECORD_BYTES_MAX = 1 << 16;

    private final RecordReader records = new RecordReader(Codecs.standard(), RECORD_BYTES_MAX);
    private final ControlRecord record = new ControlRecord();
    private long timestamp;

    /**
     * Reads a control batch.
     *
     * @return whether it ends a transaction. One whose record a cleaner took away, and one of another type, does not.
     * @throws CorruptRecordException if the record is none of a control batch.
     */
    boolean read(final RecordBatchFlyweight batch) {
        records.wrap(batch);
        if (!records.next()) {
            return false;
        }
        timestamp = records.record().timestamp();
        return record.wrap(records.record()).isEndOfTransaction();
    }

    boolean isAbort() {
        return record.type() == ControlRecordType.ABORT;
    }

    int coordinatorEpoch() {
        return record.coordinatorEpoch();
    }

    long timestamp() {
        return timestamp;
    }
}
