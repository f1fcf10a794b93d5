package io.cordwood.log;

import io.cordwood.log.codec.Codecs;
import io.cordwood.log.record.BatchValidator;
import io.cordwood.log.record.RecordBatchDescriptor;
import io.cordwood.log.record.RecordBatchFlyweight;
import io.cordwood.log.record.Refusal;
import io.cordwood.log.store.FileView;
import io.cordwood.log.store.StorageException;
import java.nio.ByteOrder;
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
 * between is noticed, and the read done again.
 */
public final class LogReader implements AutoCloseable {
    private static final int PROBE_BYTES = 4096 + 256;
    private static final int MAGIC_END = RecordBatchDescriptor.MAGIC_OFFSET + 1;
    private static final int WALK_BYTES = RecordBatchDescriptor.LAST_OFFSET_DELTA_OFFSET + 4;
    // Kafka's smallest message: magic 0, no key, no value.
    private static final int LEGACY_BYTES_MIN = 26;

    private final LogSegments segments;
    private final LogPositions positions;
    private final LogParts parts;
    private final FileView view = new FileView();
    private final FileView probe = new FileView();
    private final UnsafeBuffer batches = new UnsafeBuffer(0, 0);
    private final RecordBatchFlyweight batch = new RecordBatchFlyweight();
    private final BatchValidator validator;
    private final OffsetsByTime byTime;
    private boolean isVerifying = true;

    private @Nullable Segment segment;
    private long position;
    private long length;
    private long nextOffset;

    /** What {@link #seek} found to be the bound: what the file has beyond is about to be published, but is not yet. */
    private long limit;

    private long locatedHistory;

    // Where the last read ended: a sequential reader needs no index.
    private @Nullable Segment hintSegment;
    private long hintOffset = -1;
    private long hintPosition;
    private long hintHistory;

    LogReader(final LogSegments segments, final LogPositions positions, final LogParts parts) {
        this.segments = segments;
        this.positions = positions;
        this.parts = parts;
        this.validator = new BatchValidator(parts.codecs());
        this.byTime = new OffsetsByTime(segments, positions, parts);
    }

    /**
     * Whether {@link #read} checks the CRC of each batch before it shows it; on at first.
     *
     * @param verifies false for a caller that checks, or whose own readers check.
     * @return this.
     */
    public LogReader verifying(final boolean verifies) {
        isVerifying = verifies;
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
     * @throws CorruptLogException if a batch on the way is damaged.
     * @throws StorageException if the disk fails.
     */
    public long read(final long offset, final long upTo, final int bytesMax) {
        while (true) {
            final long history = positions.history();
            try {
                final long found = seek(offset, upTo);
                final long result = found <= 0 ? found : show(limit, bytesMax);
                if (positions.history() == history && isBelowCut(history, result)) {
                    remember(result, history);
                    return result;
                }
            } catch (final StorageException | CorruptLogException e) {
                // Files go when segments are dropped, and bytes change when a log is truncated; else it is real.
                if (isCurrent(history, segment)) {
                    throw e;
                }
            }
            Thread.onSpinWait();
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
        while (true) {
            final long history = positions.history();
            try {
                final long found = seek(offset, upTo);
                final long result = found <= 0 ? found : measure(limit, bytesMax);
                if (positions.history() == history && (found <= 0 || !LogPositions.isChanging(history))) {
                    locatedHistory = history;
                    return result;
                }
            } catch (final StorageException | CorruptLogException e) {
                if (isCurrent(history, segment)) {
                    throw e;
                }
            }
            Thread.onSpinWait();
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
     * @throws StorageException if the disk fails.
     */
    public long offsetForTimestamp(final long timestampMs, final long upTo) {
        while (true) {
            final long history = positions.history();
            try {
                final long found = byTime.find(timestampMs, upTo);
                if (positions.history() == history && !LogPositions.isChanging(history)) {
                    return found;
                }
            } catch (final StorageException | CorruptLogException e) {
                if (isCurrent(history, byTime.segment())) {
                    throw e;
                }
            }
            Thread.onSpinWait();
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
        probe.release();
        byTime.release();
        segment = null;
        hintSegment = null;
    }

    @Override
    public void close() {
        release();
        view.close();
        probe.close();
        byTime.close();
        validator.close();
    }

    /** While bytes are taken back, a read stands if it shows none of them: the end is moved first. */
    private boolean isBelowCut(final long history, final long result) {
        return result <= 0 || !LogPositions.isChanging(history) || nextOffset <= positions.publishedEnd();
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
            return 1;
        }
        for (int i = Math.max(0, list.floor(offset)); i < list.size(); i++) {
            final Segment candidate = list.get(i);
            segment = candidate;
            if (candidate.baseOffset() >= limit) {
                return 0;
            }
            final long from =
                    offset <= candidate.baseOffset() ? 0 : candidate.index().positionOf(offset, probe);
            if (walk(candidate, from, offset)) {
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
        return index >= 0 && list.get(index) == hinted;
    }

    private void remember(final long result, final long history) {
        if (result > 0) {
            hintSegment = segment;
            hintOffset = nextOffset;
            hintPosition = position + result;
            hintHistory = history;
        }
    }

    /** Walks headers from a position to the first batch whose last offset is at least the wanted one. */
    private boolean walk(final Segment in, final long from, final long offset) {
        final long bytes = in.bytes();
        long at = from;
        long shownFrom = from;
        int shown = 0;
        while (at < bytes) {
            if (at + WALK_BYTES > shownFrom + shown) {
                shown = in.file().view(at, (int) Math.min(PROBE_BYTES, bytes - at), probe);
                shownFrom = at;
            }
            final int size = headerAt(in, probe.buffer(), (int) (at - shownFrom), at, bytes);
            if (batch.lastOffset() >= offset) {
                position = at;
                return true;
            }
            at += size;
        }
        return false;
    }

    /** Puts {@link #batch} on a header and checks what a walk depends on. */
    private int headerAt(
            final Segment in, final DirectBuffer buffer, final int index, final long at, final long bytes) {
        final int shown = buffer.capacity() - index;
        if (shown < MAGIC_END) {
            throw damaged(in, at, shown + " bytes are no batch");
        }
        final byte magic = buffer.getByte(index + RecordBatchDescriptor.MAGIC_OFFSET);
        final int declared = buffer.getInt(index + RecordBatchDescriptor.LENGTH_OFFSET, ByteOrder.BIG_ENDIAN);
        final long size = declared + (long) RecordBatchDescriptor.LOG_OVERHEAD;
        if (magic < 0 || magic > RecordBatchDescriptor.MAGIC_V2) {
            throw damaged(in, at, "magic is " + magic + ", but should be 0 to 2");
        }
        final int least = magic == RecordBatchDescriptor.MAGIC_V2 ? WALK_BYTES : LEGACY_BYTES_MIN;
        if (size < least || size > bytes - at || shown < least) {
            throw damaged(in, at, "the batch claims " + size + " bytes, but " + (bytes - at) + " are left");
        }
        batch.wrap(buffer, index);
        return (int) size;
    }

    private CorruptLogException damaged(final Segment in, final long at, final String reason) {
        return new CorruptLogException(parts.storage().describe(in.path()), at, reason);
    }

    /** Shows whole batches from the position on. */
    private long show(final long upTo, final int bytesMax) {
        final Segment in = current();
        final long bytes = lengthBehindPosition(in);
        int shown = in.file().view(position, (int) Math.min(bytes - position, Math.max(bytesMax, PROBE_BYTES)), view);
        final int first = headerAt(in, view.buffer(), 0, position, bytes);
        if (first > shown) {
            shown = in.file().view(position, first, view);
            if (shown < first) {
                throw damaged(in, position, "the batch claims " + first + " bytes, but the file has " + shown);
            }
        }
        final int whole = wholeBatches(in, shown, Math.max(bytesMax, first), upTo);
        batches.wrap(view.buffer(), 0, whole);
        return whole;
    }

    /** Length of the file, which ends at the position or before it only if it was cut after that was found. */
    private long lengthBehindPosition(final Segment in) {
        final long bytes = in.bytes();
        if (bytes <= position) {
            throw damaged(in, position, "the file ends at " + bytes);
        }
        return bytes;
    }

    private int wholeBatches(final Segment in, final int shown, final int bytesMax, final long upTo) {
        final DirectBuffer buffer = view.buffer();
        final int most = Math.min(shown, bytesMax);
        int at = 0;
        while (most - at >= WALK_BYTES || (most - at == LEGACY_BYTES_MIN && isLegacy(buffer, at))) {
            final int size = headerAt(in, buffer, at, position + at, in.bytes());
            if (at + size > most || batch.baseOffset() >= upTo) {
                break;
            }
            if (isVerifying && validator.header(buffer, at, size) < 0) {
                throw damaged(in, position + at, validator.reason());
            }
            nextOffset = batch.nextOffset();
            at += size;
        }
        return at;
    }

    private static boolean isLegacy(final DirectBuffer buffer, final int at) {
        return buffer.getByte(at + RecordBatchDescriptor.MAGIC_OFFSET) < RecordBatchDescriptor.MAGIC_V2;
    }

    private Segment current() {
        final Segment in = segment;
        if (in == null) {
            throw new IllegalStateException("no segment was found");
        }
        return in;
    }

    /** Length for a transfer from the position on. */
    private long measure(final long upTo, final int bytesMax) {
        final Segment in = current();
        // The length before the bound: what the file has now lies below the appended end that is read after it.
        final long bytes = lengthBehindPosition(in);
        final SegmentList list = segments.list();
        final int index = list.floor(in.baseOffset());
        final long segmentEnd = index < 0 ? Long.MAX_VALUE : list.endOffset(index, positions.appendedEnd());
        final long stop = upTo >= segmentEnd ? bytes : stopPosition(in, upTo, bytes);
        in.file().view(position, (int) Math.min(WALK_BYTES, bytes - position), probe);
        final int first = headerAt(in, probe.buffer(), 0, position, bytes);
        length = Math.min(stop - position, Math.max(bytesMax, first));
        return length;
    }

    /** Position of the first batch that begins at or above a bound. */
    private long stopPosition(final Segment in, final long upTo, final long bytes) {
        long at = Math.max(position, in.index().positionOf(upTo, probe));
        long shownFrom = at;
        int shown = 0;
        while (at < bytes) {
            if (at + WALK_BYTES > shownFrom + shown) {
                shown = in.file().view(at, (int) Math.min(PROBE_BYTES, bytes - at), probe);
                shownFrom = at;
            }
            final int size = headerAt(in, probe.buffer(), (int) (at - shownFrom), at, bytes);
            if (batch.baseOffset() >= upTo) {
                return at;
            }
            at += size;
        }
        return bytes;
    }

    /** Codecs of the log, for readers of records. */
    Codecs codecs() {
        return parts.codecs();
    }
}
