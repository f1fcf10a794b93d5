package io.cordwood.log;

import io.cordwood.log.codec.CodecException;
import io.cordwood.log.codec.Codecs;
import io.cordwood.log.record.BatchValidator;
import io.cordwood.log.record.RecordBatchFlyweight;
import io.cordwood.log.record.Refusal;
import io.cordwood.log.store.FileView;
import io.cordwood.log.store.StorageException;
import java.lang.invoke.VarHandle;
import java.nio.channels.WritableByteChannel;
import org.agrona.DirectBuffer;
import org.agrona.concurrent.UnsafeBuffer;
import org.jspecify.annotations.Nullable;

/**
 * One reader of a log: finds the place of an offset or a timestamp and shows whole batches from there, in memory or as a
 * transfer to a channel. Keeps its memory between reads and allocates nothing per read.
 *
 * <p>Threads: one at a time; any number of readers beside the log's writer and each other. A reader that idles should be
 * {@link #release}d, so that the store can unmap what nobody looks at.
 *
 * <p>What a read shows was published and lies below the given bound at the time of the read. A truncation that comes in
 * between is noticed, and the read done again; while one is under way, all is answered that lies below the cut.
 */
public final class LogReader implements AutoCloseable {
    private static final int PROBE_BYTES = HeaderWalk.PROBE_BYTES;
    private static final int WALK_BYTES = ReadRun.WALK_BYTES;

    private final LogSegments segments;
    private final LogPositions positions;
    private final LogParts parts;
    private final FileView view = new FileView();
    private final UnsafeBuffer batches = new UnsafeBuffer(0, 0);
    private final RecordBatchFlyweight batch = new RecordBatchFlyweight();
    private final ReadRun run;
    private final CloseLook closeLook;
    private final HeaderWalk headers;
    private final OffsetsByTime byTime;

    private @Nullable Segment segment;
    private long position;

    /** Offset that is due at the position; -1 if that is not known. */
    private long due;

    private long length;
    private long nextOffset;

    /** What {@link #seek} found to be the bound: what the file has beyond is about to be published, but is not yet. */
    private long limit;

    private long locatedHistory;
    private long shownHistory;

    // Where the last read ended: a sequential reader needs no index.
    private @Nullable Segment hintSegment;
    private long hintOffset = -1;
    private long hintPosition;
    private long hintHistory;
    private boolean isByHint;

    /** Whether the batch at the position was looked at closely. */
    private boolean isClose;

    /** Whether {@link #headers} knows the size of the batch at the position. */
    private boolean isWalked;

    LogReader(
            final LogSegments segments,
            final LogPositions positions,
            final LogParts parts,
            final LeaderEpochTable epochs) {
        this.segments = segments;
        this.positions = positions;
        this.parts = parts;
        this.run = new ReadRun(epochs, new BatchValidator(parts.codecs()));
        this.closeLook = new CloseLook(parts, run);
        this.headers = new HeaderWalk(run, closeLook);
        this.byTime = new OffsetsByTime(segments, positions, parts, closeLook);
    }

    /**
     * Whether {@link #read} checks the CRC of each batch before it shows it; on at first.
     *
     * @param verifies false for a caller that checks, or whose own readers check.
     * @return this.
     */
    public LogReader verifying(final boolean verifies) {
        run.verifying(verifies);
        return this;
    }

    /**
     * Shows whole batches from an offset on. The first is the one that holds the offset, or the next one if it was compacted
     * away, and is shown whatever its size.
     *
     * @param offset to begin at.
     * @param upTo no batch that begins at or above this offset is shown; the high watermark, the last stable offset, or
     *     {@link Long#MAX_VALUE} for all that is published.
     * @param bytesMax most bytes, unless the first batch has more.
     * @return bytes in {@link #buffer}, 0 if there is nothing yet; or {@link Refusal#OFFSET_OUT_OF_RANGE}.
     * @throws CorruptLogException if what should hold the offset is damaged or missing; batches in front of it are shown first,
     *     and {@link CorruptLogException#nextOffset} tells where a caller that does without it can go on.
     * @throws StorageException if the disk fails.
     */
    public long read(final long offset, final long upTo, final int bytesMax) {
        for (int tries = 0; ; tries++) {
            final long history = positions.history();
            final long stable = Math.min(upTo, positions.stableEnd(history));
            try {
                final long found = seek(offset, stable);
                final long result = found <= 0 ? found : show(offset, limit, bytesMax);
                if (positions.history() == history) {
                    remember(result, history);
                    shownHistory = history;
                    return result;
                }
            } catch (final StorageException | CorruptLogException | InternalError e) {
                throwIfReal(e, history, segment);
            }
            Waits.pause(tries);
        }
    }

    /**
     * Finds the batches from an offset on without reading them, for {@link #transferTo}.
     *
     * @param offset to begin at.
     * @param upTo no batch that begins at or above this offset is included.
     * @param bytesMax most bytes; the last batch may be cut by this limit, which Kafka's clients expect, the first is not.
     * @return bytes that can be transferred, 0 if there is nothing yet; or {@link Refusal#OFFSET_OUT_OF_RANGE}.
     * @throws CorruptLogException if a header on the way is damaged.
     * @throws StorageException if the disk fails.
     */
    public long locate(final long offset, final long upTo, final int bytesMax) {
        for (int tries = 0; ; tries++) {
            final long history = positions.history();
            final long stable = Math.min(upTo, positions.stableEnd(history));
            try {
                final long found = seek(offset, stable);
                final long result = found <= 0 ? found : measure(offset, limit, bytesMax);
                if (positions.history() == history) {
                    locatedHistory = history;
                    return result;
                }
            } catch (final StorageException | CorruptLogException | InternalError e) {
                throwIfReal(e, history, segment);
            }
            Waits.pause(tries);
        }
    }

    /**
     * Sends what {@link #locate} found.
     *
     * @param target of the bytes.
     * @param skip bytes of it that were sent before.
     * @return bytes sent now; or {@link Refusal#OFFSET_OUT_OF_RANGE} if the log was truncated since they were found, or
     *     their segment dropped: what was sent of them is void then, and may be torn.
     * @throws StorageException if the disk or the target fails.
     */
    public long transferTo(final WritableByteChannel target, final long skip) {
        final Segment located = segment;
        if (located == null || skip >= length) {
            return 0;
        }
        if (positions.history() != locatedHistory) {
            return Refusal.OFFSET_OUT_OF_RANGE;
        }
        try {
            final long sent = located.file().transferTo(position + skip, length - skip, target);
            return positions.history() == locatedHistory ? sent : Refusal.OFFSET_OUT_OF_RANGE;
        } catch (final StorageException e) {
            // The file is another one since a truncation.
            if (positions.history() != locatedHistory) {
                return Refusal.OFFSET_OUT_OF_RANGE;
            }
            final Segment sealed = sameSegment(located);
            if (sealed == null) {
                return Refusal.OFFSET_OUT_OF_RANGE;
            }
            if (sealed == located) {
                throw e;
            }
            // The writer's file was closed behind a roll, before anything was sent; the bytes have another file now.
            segment = sealed;
            return transferTo(target, skip);
        }
    }

    /** The segment as it is listed now; null if it was dropped. */
    private @Nullable Segment sameSegment(final Segment other) {
        final SegmentList list = segments.list();
        final int index = list.floor(other.baseOffset());
        return index >= 0 && list.get(index).baseOffset() == other.baseOffset() ? list.get(index) : null;
    }

    /**
     * The batches of the last {@link #read}.
     *
     * @return whole batches, from index 0 on; valid until the next call of this reader.
     */
    public DirectBuffer buffer() {
        return batches;
    }

    /**
     * Whether what the last {@link #read} shows was not taken back since. A reader that is bounded by what is committed need
     * not ask. Of what a truncation took back, bytes that were shown in place may have turned to zeros: who read on behind the
     * high watermark asks once it has used the bytes, and drops what it made of them if the answer is false.
     *
     * @return false if the log was truncated, or started anew at another offset, since the read.
     */
    public boolean isUnchanged() {
        VarHandle.acquireFence();
        return positions.history() == shownHistory;
    }

    /**
     * Where the last {@link #read} or {@link #locate} begins in its file, for messages.
     *
     * @return position in bytes.
     */
    public long position() {
        return position;
    }

    /**
     * Offset to read from next.
     *
     * @return the offset behind the last batch of the last {@link #read}.
     */
    public long nextOffset() {
        return nextOffset;
    }

    /**
     * Gives each batch of the last {@link #read} to a visitor.
     *
     * @param visitor of the batches.
     * @return false if the visitor stopped.
     */
    public boolean forEach(final BatchVisitor visitor) {
        for (int at = 0; at < batches.capacity(); at += batch.sizeInBytes()) {
            if (!visitor.onBatch(batch.wrap(batches, at))) {
                return false;
            }
        }
        return true;
    }

    /**
     * The first offset whose record is at least as young as a timestamp.
     *
     * @param timestampMs milliseconds since the epoch.
     * @param upTo no offset at or above is answered.
     * @return the offset, or -1 if there is none.
     * @throws CorruptLogException if a batch on the way is damaged.
     * @throws CodecException if the library of a batch's codec is missing.
     * @throws StorageException if the disk fails.
     */
    public long offsetForTimestamp(final long timestampMs, final long upTo) {
        for (int tries = 0; ; tries++) {
            final long history = positions.history();
            try {
                final long found = byTime.find(timestampMs, upTo, positions.stableEnd(history));
                if (positions.history() == history) {
                    return found;
                }
            } catch (final StorageException | CorruptLogException | CodecException | InternalError e) {
                throwIfReal(e, history, byTime.segment());
            }
            Waits.pause(tries);
        }
    }

    /** Timestamp of the record that {@link #offsetForTimestamp} found.
     *
     * @return milliseconds since the epoch.
     */
    public long timestampFound() {
        return byTime.timestampFound();
    }

    /** Lets go of what was read; the reader can be used again. */
    public void release() {
        batches.wrap(0, 0);
        view.release();
        headers.release();
        byTime.release();
        segment = null;
        hintSegment = null;
    }

    @Override
    public void close() {
        release();
        view.close();
        headers.close();
        byTime.close();
        run.close();
    }

    /** Files go when segments are dropped, and bytes change when a log is truncated; else a failure is real. */
    private void throwIfReal(final Throwable failure, final long history, final @Nullable Segment used) {
        final RuntimeException real =
                failure instanceof InternalError fault ? closeLook.unreadable(fault, used) : (RuntimeException) failure;
        if (isCurrent(history, used)) {
            throw real;
        }
    }

    /** Whether a failure is one of the log as it is now, and not of a segment that is gone or being cut. */
    private boolean isCurrent(final long history, final @Nullable Segment used) {
        if (positions.history() != history || LogPositions.isChanging(history)) {
            return false;
        }
        if (used == null) {
            return true;
        }
        final SegmentList list = segments.list();
        final int index = list.floor(used.baseOffset());
        return index >= 0 && list.get(index) == used;
    }

    /** Moves to the batch that holds an offset: 1 and {@link #position} set, 0 for nothing yet, or a refusal. */
    private long seek(final long offset, final long upTo) {
        batches.wrap(0, 0);
        length = 0;
        nextOffset = offset;
        final long end = positions.publishedEnd();
        final SegmentList list = segments.list();
        if (offset < positions.startOffset() || offset > end) {
            return Refusal.OFFSET_OUT_OF_RANGE;
        }
        limit = Math.min(upTo, end);
        if (offset >= limit) {
            return 0;
        }
        if (offset == hintOffset && isHintGood(list)) {
            segment = hintSegment;
            position = hintPosition;
            due = offset;
            isByHint = true;
            isWalked = false;
            isClose = false;
            return 1;
        }
        isByHint = false;
        isWalked = true;
        final int floor = Math.max(0, list.floor(offset));
        for (int i = floor; i < list.size(); i++) {
            final Segment candidate = list.get(i);
            segment = candidate;
            if (candidate.baseOffset() >= limit) {
                return 0;
            }
            if (walk(candidate, offset, list.endOffset(i, positions.appendedEnd()))) {
                if (i > floor && offset >= list.get(floor).baseOffset()) {
                    closeLook.checkGap(list, i - 1, offset, end);
                }
                return 1;
            }
        }
        return 0;
    }

    private boolean isHintGood(final SegmentList list) {
        final Segment hinted = hintSegment;
        if (hinted == null || hintHistory != positions.history() || hintPosition >= hinted.bytes()) {
            return false;
        }
        final int index = list.floor(hinted.baseOffset());
        return index >= 0 && list.get(index) == hinted && hintOffset < list.endOffset(index, Long.MAX_VALUE);
    }

    private void remember(final long result, final long history) {
        if (result > 0) {
            hintSegment = segment;
            hintOffset = nextOffset;
            hintPosition = position + result;
            hintHistory = history;
        }
    }

    /** Goes to the batch that holds an offset or follows it; false if the segment ends below the offset. */
    private boolean walk(final Segment in, final long offset, final long end) {
        position = headers.find(in, offset, end, positions.publishedEnd());
        due = headers.dueFound();
        isClose = headers.sizeFound() < 0;
        return position < in.bytes();
    }

    /** Shows whole batches from the position on. */
    private long show(final long offset, final long upTo, final int bytesMax) {
        final Segment in = current();
        final long bytes = lengthBehindPosition(in);
        final long end = endOf(in);
        int shown = view.show(in.file(), position, (int) Math.min(bytes - position, Math.max(bytesMax, PROBE_BYTES)));
        int first = run.size(view.buffer(), 0, bytes - position);
        if (first > shown - WALK_BYTES && shown < bytes - position) {
            final long wanted = Math.min(Integer.MAX_VALUE, (long) first + WALK_BYTES);
            shown = view.show(in.file(), position, (int) Math.min(bytes - position, wanted));
            first = run.size(view.buffer(), 0, bytes - position);
        }
        if (first > shown) {
            throw closeLook.damaged(
                    in, position, "the batch claims " + first + " bytes, but the file has " + shown, -1);
        }
        final int most = Math.min(shown, Math.max(bytesMax, first));
        run.start(in, position, offset, isByHint, isClose);
        final int whole =
                first < 0 ? -1 : run.length(view.buffer(), most, bytes - position, Math.min(end, in.reach()), upTo);
        if (whole < 0) {
            stepOver(in, offset, end, run.isGapDoubted());
            return show(offset, upTo, bytesMax);
        }
        nextOffset = run.nextOffset();
        batches.wrap(view.buffer(), 0, whole);
        return whole;
    }

    /** The batch at the position cannot be shown: goes on to the one behind it that holds the offset, or tells what is wrong. */
    private void stepOver(final Segment in, final long offset, final long end, final boolean isGapDoubted) {
        final String why = run.reason();
        final long next = run.behindFlaw();
        final long logEnd = positions.publishedEnd();
        final long found = closeLook.find(in, position, due, end, offset, logEnd);
        if (found < position || (found == position && !isGapDoubted)) {
            // Its bytes are right, but for what only the table of leader epochs tells.
            throw closeLook.damaged(in, position, why, Math.min(next, logEnd));
        }
        position = found;
        due = -1;
        isByHint = false;
        isClose = true;
    }

    /** No batch of the segment ends above; what its file had before the call lies below. */
    private long endOf(final Segment in) {
        final SegmentList list = segments.list();
        final int index = list.floor(in.baseOffset());
        return index < 0 ? Long.MAX_VALUE : list.endOffset(index, positions.appendedEnd());
    }

    /** Length of the file, which ends at the position or before it only if it was cut after that was found. */
    private long lengthBehindPosition(final Segment in) {
        final long bytes = in.bytes();
        if (bytes <= position) {
            throw closeLook.damaged(in, position, "the file ends at " + bytes, -1);
        }
        return bytes;
    }

    private Segment current() {
        final Segment in = segment;
        if (in == null) {
            throw new IllegalStateException("no segment was found");
        }
        return in;
    }

    /** Length for a transfer from the position on. */
    private long measure(final long offset, final long upTo, final int bytesMax) {
        final Segment in = current();
        // The length before the bound: what the file has now lies below the appended end that is read after it.
        final long bytes = lengthBehindPosition(in);
        final long segmentEnd = endOf(in);
        int first = isWalked ? headers.sizeFound() : -1;
        isWalked = false;
        if (first < 0) {
            first = headers.size(in, position, bytes);
            final long last = first < 0 ? -1 : run.batch().lastOffset();
            final long end = Math.min(segmentEnd, in.reach());
            final boolean isGapDoubted = first >= 0
                    && !isClose
                    && run.batch().baseOffset() > offset
                    && !headers.isFollowedRightly(in, position + first, bytes, end);
            if (last < offset || last >= end || isGapDoubted) {
                stepOver(in, offset, segmentEnd, isGapDoubted);
                return measure(offset, upTo, bytesMax);
            }
        }
        final long stop = upTo >= segmentEnd ? bytes : headers.stop(in, position, upTo, bytes);
        length = Math.min(stop - position, Math.max(bytesMax, first));
        return length;
    }

    /** Codecs of the log, for readers of records. */
    Codecs codecs() {
        return parts.codecs();
    }
}
