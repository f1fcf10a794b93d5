package io.cordwood.log;

import io.cordwood.log.BatchCursor.Step;
import io.cordwood.log.codec.CodecException;
import io.cordwood.log.codec.Codecs;
import io.cordwood.log.record.BatchValidator;
import io.cordwood.log.record.ControlRecord;
import io.cordwood.log.record.CorruptRecordException;
import io.cordwood.log.record.Crc32c;
import io.cordwood.log.record.RecordBatchDescriptor;
import io.cordwood.log.record.RecordBatchFlyweight;
import io.cordwood.log.record.RecordReader;
import io.cordwood.log.store.StorageFile;
import java.util.List;
import java.util.Locale;
import java.util.function.Consumer;
import java.util.function.LongConsumer;

/** Checks the batches of one segment after the other, each against itself, its segment and the ones before it. */
final class SegmentCheck implements AutoCloseable {
    private final BatchCursor cursor;
    private final BatchValidator validator = new BatchValidator(Codecs.standard());
    private final RecordReader records;
    private final ControlRecord control = new ControlRecord();
    private final Crc32c crc = new Crc32c();
    private final Consumer<Fault> faults;
    private LongConsumer progress = bytes -> {};
    private LogCheck.Companion companion = LogCheck.NOBODY;

    private List<LeaderEpoch> epochs = List.of();
    private int epochIndex;
    private int lastEpoch;
    private String path = "";
    private long baseOffset;
    private long nextBase;
    private long expectedOffset;
    private boolean isOverlapping;
    private boolean isThinned;
    private boolean isSwapPending;
    private String lastPath = "";
    private long lastBytes;
    private long lastBase;

    private int segmentCount;
    private long byteCount;
    private long batchCount;
    private long dataCount;
    private long controlCount;
    private long unreadCount;
    private long gapCount;
    private long gapOffsets;
    private long faultCount;
    private long notCheckedCount;
    private boolean isLibraryMissing;
    private long startOffset;
    private long endOffset;

    SegmentCheck(final int batchBytesMax, final int decompressedBytesMax, final Consumer<Fault> faults) {
        this.faults = faults;
        cursor = new BatchCursor(batchBytesMax, Long.MAX_VALUE);
        records = new RecordReader(Codecs.standard(), decompressedBytesMax);
    }

    void progress(final LongConsumer bytes) {
        progress = bytes;
    }

    void with(final LogCheck.Companion other) {
        companion = other;
    }

    /** Begins with another log. */
    void begin() {
        epochs = List.of();
        epochIndex = -1;
        lastEpoch = RecordBatchDescriptor.NO_PARTITION_LEADER_EPOCH;
        isThinned = false;
        isSwapPending = false;
        expectedOffset = -1;
        segmentCount = 0;
        byteCount = 0;
        batchCount = 0;
        dataCount = 0;
        controlCount = 0;
        unreadCount = 0;
        gapCount = 0;
        gapOffsets = 0;
        faultCount = 0;
        notCheckedCount = 0;
        startOffset = -1;
        endOffset = -1;
    }

    /** A swap is not finished: what seems to be missing may come with it. */
    void expectSwap() {
        isSwapPending = true;
    }

    /** The leader epochs that the batches should have. */
    void expect(final List<LeaderEpoch> leaderEpochs) {
        epochs = leaderEpochs;
    }

    LogCheck.Result result() {
        return new LogCheck.Result(
                segmentCount,
                byteCount,
                batchCount,
                dataCount,
                controlCount,
                unreadCount,
                gapCount,
                gapOffsets,
                faultCount,
                notCheckedCount,
                startOffset,
                endOffset);
    }

    long faults() {
        return faultCount;
    }

    void count(final Fault.Kind kind) {
        if (kind == Fault.Kind.NOT_CHECKED) {
            notCheckedCount++;
        } else {
            faultCount++;
        }
    }

    /** The segment could not be read to its end: nothing behind it is held against it. */
    void interrupted() {
        isThinned = true;
        expectedOffset = -1;
    }

    /** Checks one file; {@code followingBase} is the next segment's base offset. */
    void check(final String name, final StorageFile file, final long bytes, final long base, final long followingBase) {
        path = name;
        baseOffset = base;
        nextBase = followingBase;
        isOverlapping = false;
        isLibraryMissing = false;
        segmentCount++;
        byteCount += bytes;
        if (expectedOffset >= 0 && base > expectedOffset) {
            gap(base - expectedOffset);
            missing(base);
        }
        expectedOffset = base;
        lastPath = name;
        lastBase = base;
        lastBytes = bytes;
        if (bytes > 0) {
            isThinned = false;
        }
        cursor.open(file, base, 0, bytes);
        for (Step step = cursor.next(); step != Step.END; step = cursor.next()) {
            if (step == Step.DAMAGE) {
                damage();
            } else {
                tellCompanion();
                if (cursor.isCrcValid()) {
                    batch(step);
                } else {
                    wrongChecksum(step);
                }
            }
            progress.accept(cursor.size());
        }
    }

    /**
     * A cleaner takes batches from within a segment too: where it has taken none, a whole segment is gone. A jump that is too far
     * for one segment is a log's own.
     */
    private void missing(final long base) {
        if (!isThinned && !isSwapPending && base - lastBase <= Integer.MAX_VALUE) {
            faultCount++;
            faults.accept(new Fault(
                    Fault.Kind.OFFSETS_MISSING,
                    lastPath,
                    lastBytes,
                    expectedOffset,
                    "offsets " + expectedOffset + " to " + (base - 1) + " are missing in front of the next segment"));
        }
    }

    private void tellCompanion() {
        final RecordBatchFlyweight batch = cursor.batch();
        companion.batch(batch.lastOffset(), cursor.position(), batch.maxTimestamp());
    }

    private void damage() {
        final Fault.Kind kind = cursor.kind();
        final long position = cursor.position();
        if (kind == Fault.Kind.ZERO_TAIL) {
            report(kind, position, expectedOffset, cursor.reason());
            return;
        }
        final long end = position + cursor.size();
        final String reason = cursor.reason();
        final long next = cursor.resync();
        final boolean isLast = next == end;
        // A batch that seems to reach beyond the file, with others behind it, has a wrong length rather than a missing
        // end.
        report(
                kind == Fault.Kind.CUT_BATCH && !isLast ? Fault.Kind.BAD_LENGTH : kind,
                position,
                expectedOffset,
                reason + behind(next));
    }

    private void wrongChecksum(final Step step) {
        final RecordBatchFlyweight batch = cursor.batch();
        final String stored = hex(batch.crc());
        final String reason = step == Step.LARGE_BATCH
                ? "checksum " + stored + " is not that of the bytes"
                : "checksum " + stored + ", but the bytes have " + hex(batch.computedCrc(crc));
        final long offset = batch.baseOffset();
        final long position = cursor.position();
        final long declared = position + cursor.size();
        final long next = cursor.resync();
        report(Fault.Kind.BAD_CRC, position, offset, reason + (next == declared ? "" : behind(next)));
    }

    private String behind(final long next) {
        return cursor.isEnd(next) ? "; no good batch follows" : "; the next good batch is at position " + next;
    }

    private static String hex(final long value) {
        return String.format(Locale.ROOT, "0x%08x", value);
    }

    private void batch(final Step step) {
        final RecordBatchFlyweight batch = cursor.batch();
        final int index = batch.index();
        final int size = (int) Math.min(cursor.size(), Integer.MAX_VALUE);
        if (validator.structure(batch.buffer(), index, size) < 0) {
            report(Fault.Kind.BAD_HEADER, cursor.position(), batch.baseOffset(), validator.reason());
            return;
        }
        long first = batch.baseOffset();
        boolean isSound = true;
        long data = 0;
        if (step == Step.LARGE_BATCH) {
            unreadCount++;
        } else {
            try {
                records.wrap(batch);
                first = records.firstOffset();
                data = count(batch);
            } catch (final CorruptRecordException e) {
                isSound = false;
                final String where = e.recordNumber() < 0 ? "" : "record " + e.recordNumber() + ": ";
                report(Fault.Kind.BAD_RECORDS, cursor.position(), batch.baseOffset(), where + e.getMessage());
            } catch (final CodecException e) {
                isSound = notDecompressed(e);
            }
        }
        isSound &= isInOrder(first, batch.lastOffset());
        isSound &= isEpochRight(batch, first);
        if (isSound) {
            count(batch, first, data);
        }
    }

    /** Without the codec's library the records are not checked, which is told once for each segment; otherwise they are bad. */
    private boolean notDecompressed(final CodecException e) {
        final String reason = String.valueOf(e.getMessage());
        if (e.kind() != CodecException.Kind.LIBRARY_MISSING) {
            report(Fault.Kind.BAD_RECORDS, cursor.position(), cursor.batch().baseOffset(), reason);
            return false;
        }
        unreadCount++;
        if (!isLibraryMissing) {
            isLibraryMissing = true;
            report(
                    Fault.Kind.NOT_CHECKED,
                    cursor.position(),
                    cursor.batch().baseOffset(),
                    "the records of this batch, and of those after it with a codec that has no library: " + reason);
        }
        return true;
    }

    private long count(final RecordBatchFlyweight batch) {
        long count = 0;
        while (records.next()) {
            count++;
            if (batch.isControl()) {
                control.wrap(records.record());
            }
        }
        return count;
    }

    private void count(final RecordBatchFlyweight batch, final long first, final long recordCount) {
        isThinned |= recordCount < batch.lastOffset() - first + 1 || batch.hasDeleteHorizon();
        batchCount++;
        if (batch.isControl()) {
            controlCount += recordCount;
        } else {
            dataCount += recordCount;
        }
        if (startOffset < 0) {
            startOffset = first;
        }
        endOffset = batch.nextOffset();
    }

    private boolean isInOrder(final long first, final long last) {
        final long position = cursor.position();
        if (first < baseOffset || last - baseOffset > Integer.MAX_VALUE || last < first) {
            report(
                    Fault.Kind.OFFSET_OUTSIDE_SEGMENT,
                    position,
                    first,
                    "offsets " + first + " to " + last + " in the segment that begins at " + baseOffset);
            return false;
        }
        if (last >= nextBase) {
            // Once is enough for all batches of a segment that reaches over into the next.
            if (!isOverlapping) {
                isOverlapping = true;
                report(
                        Fault.Kind.SEGMENT_OVERLAP,
                        position,
                        first,
                        "offsets " + first + " to " + last + ", but the next segment begins at " + nextBase);
            }
            return false;
        }
        isOverlapping = false;
        final long expected = expectedOffset;
        expectedOffset = last + 1;
        if (first < expected) {
            report(
                    Fault.Kind.OFFSET_FALLS,
                    position,
                    first,
                    "offsets " + first + " to " + last + ", but " + expected + " or more is expected");
            return false;
        }
        if (first > expected) {
            gap(first - expected);
            isThinned = true;
        }
        return true;
    }

    private void gap(final long offsets) {
        gapCount++;
        gapOffsets += offsets;
    }

    private boolean isEpochRight(final RecordBatchFlyweight batch, final long first) {
        final int epoch = batch.partitionLeaderEpoch();
        if (epoch == RecordBatchDescriptor.NO_PARTITION_LEADER_EPOCH) {
            return true;
        }
        while (epochIndex + 1 < epochs.size() && epochs.get(epochIndex + 1).startOffset() <= first) {
            epochIndex++;
        }
        if (epochIndex >= 0) {
            final LeaderEpoch entry = epochs.get(epochIndex);
            // The newest epochs may not be in the table yet: its file lags behind a log that is being written.
            final boolean isNewest = epochIndex == epochs.size() - 1;
            if (epoch < entry.epoch() || (epoch > entry.epoch() && !isNewest)) {
                report(
                        Fault.Kind.EPOCH_DIFFERS,
                        cursor.position(),
                        first,
                        "leader epoch " + epoch + ", but " + LogFiles.LEADER_EPOCHS + " has " + entry.epoch()
                                + " from offset " + entry.startOffset());
                return false;
            }
        }
        final int last = lastEpoch;
        lastEpoch = epoch;
        if (epoch < last) {
            report(Fault.Kind.EPOCH_FALLS, cursor.position(), first, "leader epoch " + epoch + " follows on " + last);
            return false;
        }
        return true;
    }

    private void report(final Fault.Kind kind, final long position, final long offset, final String reason) {
        count(kind);
        // What is missing behind it may be its fault.
        isThinned = true;
        faults.accept(new Fault(kind, path, position, offset, reason));
    }

    @Override
    public void close() {
        cursor.close();
        validator.close();
        records.close();
    }
}
