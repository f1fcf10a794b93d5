package io.cordwood.log;

import io.cordwood.log.codec.CodecException;
import io.cordwood.log.record.BatchValidator;
import io.cordwood.log.record.CorruptRecordException;
import io.cordwood.log.record.RecordBatchFlyweight;
import io.cordwood.log.record.RecordFlyweight;
import io.cordwood.log.record.RecordReader;
import io.cordwood.log.store.FileView;
import org.jspecify.annotations.Nullable;

/** Looks for the first record that is at least as young as a timestamp. One reader's. */
final class OffsetsByTime implements AutoCloseable {
    private static final int CHUNK_BYTES = 1 << 16;

    private final LogSegments segments;
    private final LogPositions positions;
    private final LogParts parts;
    private final CloseLook closeLook;
    private final FileView view = new FileView();
    private final BatchScan scan;
    private final RecordReader records;
    private long timestampFound = -1;

    /** Offset behind the last batch of a segment that was looked through to its end; -1 if that was not necessary. */
    private long segmentEnd;

    /** Whether the scan has met what the index promised, though it may lie below the start of the log. */
    private boolean isYoungMet;

    private @Nullable Segment segment;

    OffsetsByTime(
            final LogSegments segments, final LogPositions positions, final LogParts parts, final CloseLook closeLook) {
        this.segments = segments;
        this.positions = positions;
        this.parts = parts;
        this.closeLook = closeLook;
        this.scan = new BatchScan(CHUNK_BYTES, new BatchValidator(parts.codecs()));
        this.records = new RecordReader(parts.codecs(), parts.decompressedBytesMax());
    }

    long timestampFound() {
        return timestampFound;
    }

    /** The segment that was looked at last. */
    @Nullable
    Segment segment() {
        return segment;
    }

    /**
     * The offset, or -1. The segment in which a truncation is cutting is read from its beginning on: its index tells less than it
     * holds until that is done.
     *
     * @param stableEnd where the truncation cuts; {@link Long#MAX_VALUE} if there is none.
     * @throws CorruptLogException if a segment is damaged, or has lost the records for which it was looked through.
     */
    long find(final long timestampMs, final long upTo, final long stableEnd) {
        final long end = Math.min(Math.min(upTo, stableEnd), positions.publishedEnd());
        final SegmentList list = segments.list();
        for (int i = 0; i < list.size() && list.get(i).baseOffset() < end; i++) {
            final Segment candidate = list.get(i);
            segment = candidate;
            final boolean isBeingCut = stableEnd != Long.MAX_VALUE && list.endOffset(i, Long.MAX_VALUE) >= stableEnd;
            if (isBeingCut
                    || candidate.lookUps().largestTimestamp(view) >= timestampMs
                    || candidate.lookUps().damage() != null) {
                // The length before the bound: what the file has now lies below the appended end that is read after it.
                final long bytes = candidate.bytes();
                final long logEnd = isBeingCut ? Long.MAX_VALUE : positions.appendedEnd();
                final long bound = Math.min(list.endOffset(i, logEnd), candidate.reach());
                final long from = isBeingCut ? 0 : scanFrom(candidate, bytes, timestampMs);
                final long found = findIn(candidate, from, bytes, bound, timestampMs, end);
                if (found >= 0) {
                    return found;
                }
                if (segmentEnd >= 0 && !isYoungMet && segmentEnd < list.endOffset(i, segmentEnd) && !isBeingCut) {
                    // A cleaner has left a gap, or the segment has lost its end, and with it the record that the index
                    // promises.
                    closeLook.checkGap(list, i, segmentEnd, end);
                }
            }
        }
        return -1;
    }

    /**
     * Where the index lets the scan begin, if the entry that says so is not false: an index has no checksum, and must not lead past
     * anything. Then no batch in front of it is younger than the offset of that entry, which the time index vouches for.
     */
    private long scanFrom(final Segment in, final long bytes, final long timestampMs) {
        final IndexLookUps index = in.lookUps();
        final long from = index.positionOfTimestamp(timestampMs, view);
        if (from <= 0 || from >= bytes) {
            return 0;
        }
        scan.start(in.file(), from, bytes);
        if (!scan.next()) {
            return 0;
        }
        final long last = scan.header().lastOffset();
        if (last < in.baseOffset() || (last > in.baseOffset() && index.positionOf(last - 1, view) >= from)) {
            return 0;
        }
        // Old logs have entries for several batches at once; else another offset than the entry's is a wrong one.
        return index.positionOf(last, view) == from || scan.followingOffset() == last + 1 ? from : 0;
    }

    private long findIn(
            final Segment in,
            final long from,
            final long bytes,
            final long bound,
            final long timestampMs,
            final long end) {
        segmentEnd = -1;
        isYoungMet = false;
        long behind = in.baseOffset();
        scan.start(in.file(), from, bytes);
        while (scan.next()) {
            requirePlaced(in, behind, bound, end);
            final RecordBatchFlyweight batch = scan.batch();
            if (batch.baseOffset() >= end) {
                return -1;
            }
            if (batch.maxTimestamp() >= timestampMs) {
                isYoungMet = true;
                final long found = findIn(in, batch, timestampMs, end);
                if (found >= 0) {
                    return found;
                }
            }
            behind = batch.nextOffset();
        }
        final String damage = scan.damage();
        if (damage != null) {
            throw new CorruptLogException(parts.storage().describe(in.path()), scan.position(), damage);
        }
        segmentEnd = behind;
        return -1;
    }

    /** No checksum covers offsets: a batch that overlaps its neighbours tells wrong ones, and must not end the search. */
    private void requirePlaced(final Segment in, final long behind, final long bound, final long end) {
        final long first = scan.header().baseOffset();
        final long last = scan.header().lastOffset();
        final boolean isGap = first > behind && last >= first && last < bound;
        final long next = isGap ? scan.followingOffset() : -1;
        final long at = scan.position();
        if (first < behind
                || last < first
                || last >= bound
                || (next >= behind && next <= last)
                || (isGap
                        && (next <= last || next >= bound)
                        && closeLook.find(in, at, behind, bound, first, end) != at)) {
            throw new CorruptLogException(
                    parts.storage().describe(in.path()),
                    scan.position(),
                    "offsets " + first + " to " + last + " where " + behind + " is due, in front of "
                            + (next >= 0 ? next : bound));
        }
    }

    private long findIn(final Segment in, final RecordBatchFlyweight batch, final long timestampMs, final long end) {
        try {
            return findIn(batch, timestampMs, end);
        } catch (final CodecException | CorruptRecordException e) {
            if (e instanceof CodecException codec && codec.kind() == CodecException.Kind.LIBRARY_MISSING) {
                // Nothing is wrong with the log.
                throw new CodecException(
                        codec.kind(),
                        parts.storage().describe(in.path()) + " at position " + scan.position() + ": "
                                + codec.getMessage(),
                        codec);
            }
            final CorruptLogException corrupt = new CorruptLogException(
                    parts.storage().describe(in.path()), scan.position(), String.valueOf(e.getMessage()));
            corrupt.initCause(e);
            throw corrupt;
        }
    }

    private long findIn(final RecordBatchFlyweight batch, final long timestampMs, final long end) {
        final long start = positions.startOffset();
        records.wrap(batch);
        while (records.next()) {
            final RecordFlyweight record = records.record();
            if (record.timestamp() >= timestampMs && record.offset() >= start && record.offset() < end) {
                timestampFound = record.timestamp();
                return record.offset();
            }
        }
        return -1;
    }

    void release() {
        segment = null;
        scan.release();
        view.release();
        records.close();
    }

    @Override
    public void close() {
        view.close();
        scan.close();
        records.close();
    }
}
