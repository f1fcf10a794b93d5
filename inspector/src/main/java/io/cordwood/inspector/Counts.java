package io.cordwood.inspector;

import io.cordwood.log.record.RecordBatchFlyweight;

/** What was seen in a segment or a partition. Control records are told apart: they have offsets, but no reader gets them. */
final class Counts {
    private long batches;
    private long damagedBatches;
    private long unreadBatches;
    private long dataRecords;
    private long controlRecords;
    private long firstOffset = -1;
    private long endOffset = -1;
    private long lastDataOffset = -1;

    void batch(final RecordBatchFlyweight batch, final long first) {
        batches++;
        if (firstOffset < 0) {
            firstOffset = first;
        }
        endOffset = batch.nextOffset();
    }

    void damaged() {
        damagedBatches++;
    }

    /** One whose codec's library is missing. */
    void unread() {
        unreadBatches++;
    }

    void record(final RecordBatchFlyweight batch, final long offset) {
        if (batch.isControl()) {
            controlRecords++;
        } else {
            dataRecords++;
            lastDataOffset = offset;
        }
    }

    void add(final Counts other) {
        batches += other.batches;
        damagedBatches += other.damagedBatches;
        unreadBatches += other.unreadBatches;
        dataRecords += other.dataRecords;
        controlRecords += other.controlRecords;
        if (firstOffset < 0) {
            firstOffset = other.firstOffset;
        }
        if (other.endOffset >= 0) {
            endOffset = other.endOffset;
        }
        if (other.lastDataOffset >= 0) {
            lastDataOffset = other.lastDataOffset;
        }
    }

    long batches() {
        return batches;
    }

    long damagedBatches() {
        return damagedBatches;
    }

    long unreadBatches() {
        return unreadBatches;
    }

    /** What a process answers that has shown this much. */
    int exitCode() {
        if (unreadBatches > 0) {
            return ExitCode.IO;
        }
        return damagedBatches > 0 ? ExitCode.DAMAGE : ExitCode.FINE;
    }

    long dataRecords() {
        return dataRecords;
    }

    long controlRecords() {
        return controlRecords;
    }

    /** First offset that was seen, or -1. */
    long firstOffset() {
        return firstOffset;
    }

    /** Offset that the next batch gets, or -1 if no batch was seen. */
    long endOffset() {
        return endOffset;
    }

    /** Offset of the last record that a reader gets, or -1. */
    long lastDataOffset() {
        return lastDataOffset;
    }
}
