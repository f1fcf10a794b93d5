package io.cordwood.inspector;

import io.cordwood.log.BatchCursor;
import io.cordwood.log.BatchCursor.Step;
import io.cordwood.log.codec.CodecException;
import io.cordwood.log.codec.Codecs;
import io.cordwood.log.record.ControlRecord;
import io.cordwood.log.record.CorruptRecordException;
import io.cordwood.log.record.RecordBatchFlyweight;
import io.cordwood.log.record.RecordFlyweight;
import io.cordwood.log.record.RecordReader;
import io.cordwood.log.store.FileUse;
import io.cordwood.log.store.Storage;
import io.cordwood.log.store.StorageException;
import io.cordwood.log.store.StorageFile;
import java.io.IOException;

/**
 * Walks the batches of segments for a dump, up to the first bytes that cannot be a batch, and counts. Keeps one chunk and one
 * batch in memory. Used for all segments of one command, since the limit on what is read counts over all of them.
 */
final class SegmentWalk implements AutoCloseable {
    /** Takes one batch; may read its records with {@link #nextRecord}. */
    @FunctionalInterface
    interface Visitor {
        void batch(RecordBatchFlyweight batch) throws IOException;
    }

    private final Progress progress;
    private final BatchCursor cursor;
    private final RecordReader records;
    private final ControlRecord control = new ControlRecord();
    private final int batchBytesMax;

    private String flaw = "";
    private boolean hasRecords;
    private Counts counts = new Counts();
    private long parsedBytes;
    private long trailingBytes;
    private long skippedBytes;
    private String reason = "";
    private String readError = "";

    SegmentWalk(final long readBytesMax, final Progress progress) {
        this.progress = progress;
        batchBytesMax = Memory.batchBytesMax();
        cursor = new BatchCursor(batchBytesMax, readBytesMax);
        records = new RecordReader(Codecs.standard(), Memory.decompressedBytesMax());
    }

    /** Walks one segment; a live one up to the length that it had when it was listed, or not at all if it is gone. */
    void walk(final Storage storage, final String path, final long baseOffset, final long size, final Visitor visitor)
            throws IOException {
        counts = new Counts();
        parsedBytes = 0;
        trailingBytes = 0;
        skippedBytes = 0;
        reason = "";
        readError = "";
        try (StorageFile file = storage.open(path, FileUse.READ, 0)) {
            final long end = Math.min(size, file.length());
            cursor.open(file, baseOffset, 0, end);
            Step step = cursor.next();
            while (step == Step.BATCH || step == Step.LARGE_BATCH) {
                batch(step, visitor);
                parsedBytes += cursor.size();
                progress.add(cursor.size());
                step = cursor.next();
            }
            if (step == Step.DAMAGE) {
                trailingBytes = end - parsedBytes;
                reason = cursor.reason();
            } else {
                skippedBytes = end - parsedBytes;
            }
        } catch (final StorageException e) {
            if (!PartitionFiles.isGone(storage, path)) {
                readError = String.valueOf(e.getMessage());
            }
        }
    }

    private void batch(final Step step, final Visitor visitor) throws IOException {
        final RecordBatchFlyweight batch = cursor.batch();
        flaw = "";
        hasRecords = false;
        boolean isUnread = false;
        if (step == Step.LARGE_BATCH) {
            flaw = "records not read: the batch has more than " + batchBytesMax + " bytes";
        } else if (cursor.isCrcValid()) {
            try {
                records.wrap(batch);
                hasRecords = true;
            } catch (final CodecException e) {
                isUnread = e.kind() == CodecException.Kind.LIBRARY_MISSING;
                flaw = isUnread ? "records not read: " + e.getMessage() : String.valueOf(e.getMessage());
            } catch (final CorruptRecordException e) {
                flaw = String.valueOf(e.getMessage());
            }
        } else {
            flaw = "records not read: the checksum is wrong";
        }
        counts.batch(batch, firstOffset());
        visitor.batch(batch);
        while (nextRecord()) {
            // The visitor did not want to see them; they are counted all the same.
        }
        if (isUnread) {
            counts.unread();
        } else if (!isCrcValid() || (!flaw.isEmpty() && step == Step.BATCH)) {
            counts.damaged();
        }
    }

    /** Moves to the next record of the batch; a damaged one ends the batch and is told by {@link #flaw}. */
    boolean nextRecord() {
        if (!hasRecords) {
            return false;
        }
        try {
            hasRecords = records.next();
            if (hasRecords) {
                counts.record(cursor.batch(), records.record().offset());
            }
        } catch (final CorruptRecordException e) {
            hasRecords = false;
            flaw = "record " + e.recordNumber() + ": " + e.getMessage();
        }
        return hasRecords;
    }

    /** Reads the present record as that of a control batch; one that is none is told by {@link #flaw}. */
    boolean readControl() {
        try {
            control.wrap(records.record());
            return true;
        } catch (final CorruptRecordException e) {
            flaw = String.valueOf(e.getMessage());
            return false;
        }
    }

    ControlRecord control() {
        return control;
    }

    RecordFlyweight record() {
        return records.record();
    }

    /** First offset of the batch, also of a wrapper of magic 0 or 1, whose header tells the last one. */
    long firstOffset() {
        final RecordBatchFlyweight batch = cursor.batch();
        return hasRecords && batch.magic() < 2 ? records.firstOffset() : batch.baseOffset();
    }

    long position() {
        return cursor.position();
    }

    long batchBytes() {
        return cursor.size();
    }

    boolean isCrcValid() {
        return cursor.isCrcValid();
    }

    /** Why records of the present batch were not read; empty if all were. */
    String flaw() {
        return flaw;
    }

    Counts counts() {
        return counts;
    }

    long parsedBytes() {
        return parsedBytes;
    }

    long trailingBytes() {
        return trailingBytes;
    }

    /** Bytes that the limit kept us from reading. */
    long skippedBytes() {
        return skippedBytes;
    }

    /** What a process answers that has shown this segment. */
    int exitCode() {
        if (!readError.isEmpty()) {
            return ExitCode.IO;
        }
        return Math.max(counts.exitCode(), trailingBytes > 0 ? ExitCode.DAMAGE : ExitCode.FINE);
    }

    /** Why the file could not be read to its end; empty if it was. */
    String readError() {
        return readError;
    }

    /** What is wrong with the trailing bytes. */
    String reason() {
        return reason;
    }

    long bytesRead() {
        return cursor.bytesRead();
    }

    @Override
    public void close() {
        cursor.close();
        records.close();
    }
}
