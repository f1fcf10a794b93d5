package io.cordwood.transactions;

import io.cordwood.log.Log;
import io.cordwood.log.LogReader;
import io.cordwood.log.codec.Codecs;
import io.cordwood.log.record.RecordBatchFlyweight;
import io.cordwood.log.record.RecordFlyweight;
import io.cordwood.log.record.RecordReader;
import org.agrona.DirectBuffer;
import org.agrona.collections.LongHashSet;

/**
 * Reads the records of a log that are committed: those of no transaction, and those of committed ones, in the order of their offsets. Markers and
 * records of aborted transactions are passed over, and nothing is shown that is not decided.
 *
 * <pre>
 *   try (CommittedReader reader = new CommittedReader(log, state, codecs, 1 &lt;&lt; 20)) {
 *       while (reader.read(offset, log.endOffset(), 1 &lt;&lt; 16) &gt; 0) {
 *           while (reader.next()) {
 *               use(reader.record());
 *           }
 *           offset = reader.nextOffset();
 *       }
 *   }
 * </pre>
 *
 * <p>One thread's, beside the log's writer. Allocates nothing per record while no transaction was aborted.
 */
public final class CommittedReader implements AutoCloseable {
    private final LogReader reader;
    private final AbortedReader aborted;
    private final ProducerState state;
    private final RecordReader records;
    private final RecordBatchFlyweight batch = new RecordBatchFlyweight();
    private final Marker marker = new Marker();

    /** Producers whose records are passed over at this place of the log. */
    private final LongHashSet hidden = new LongHashSet();

    private long from;
    private int abortedCount;
    private int abortedSeen;
    private int at;
    private boolean isInBatch;

    /**
     * Creates the reader of one thread.
     *
     * @param log to read.
     * @param state that the log was opened with.
     * @param codecs to decompress with.
     * @param decompressedBytesMax most bytes that the records of one batch may decompress to.
     */
    public CommittedReader(
            final Log log, final ProducerState state, final Codecs codecs, final int decompressedBytesMax) {
        this.state = state;
        this.reader = log.newReader();
        this.aborted = state.newAbortedReader();
        this.records = new RecordReader(codecs, decompressedBytesMax);
    }

    /**
     * Goes to an offset and takes batches from there on; {@link #next} then moves through their records.
     *
     * @param offset of the first record that is wanted.
     * @param highWatermark up to where the log is replicated; its end, if it is not. The last stable offset bounds the read if it is lower.
     * @param bytesMax most bytes of batches, unless the first one has more.
     * @return bytes that were taken, also if no record in them is committed; 0 if there is nothing yet; or a refusal of {@link LogReader#read}.
     * @throws io.cordwood.log.CorruptLogException if what should hold the offset is damaged.
     * @throws io.cordwood.log.store.StorageException if the disk fails.
     */
    public long read(final long offset, final long highWatermark, final int bytesMax) {
        from = offset;
        long bytes;
        do {
            at = 0;
            isInBatch = false;
            abortedSeen = 0;
            abortedCount = 0;
            hidden.clear();
            bytes = reader.read(offset, state.lastStableOffset(highWatermark), bytesMax);
            if (bytes > 0) {
                abortedCount = aborted.list(offset, reader.nextOffset());
            }
            // What was listed must be of the same history as what was read.
        } while (bytes > 0 && !reader.isUnchanged());
        return bytes;
    }

    /**
     * Moves to the next committed record.
     *
     * @return false if the batches that {@link #read} took have no more.
     * @throws io.cordwood.log.record.CorruptRecordException if a record is damaged.
     */
    public boolean next() {
        while (true) {
            while (isInBatch) {
                isInBatch = records.next();
                if (isInBatch && records.record().offset() >= from) {
                    return true;
                }
            }
            final DirectBuffer buffer = reader.buffer();
            if (at >= buffer.capacity()) {
                return false;
            }
            batch.wrap(buffer, at);
            at += batch.sizeInBytes();
            if (isShown()) {
                records.wrap(batch);
                isInBatch = true;
            }
        }
    }

    private boolean isShown() {
        if (abortedSeen < abortedCount) {
            hideUpTo(batch.lastOffset());
        }
        if (batch.isControl()) {
            if (!hidden.isEmpty() && batch.hasProducerId() && marker.read(batch)) {
                // Also a commit: an earlier transaction cannot be open behind it.
                hidden.remove(batch.producerId());
            }
            return false;
        }
        return hidden.isEmpty() || !batch.isTransactional() || !hidden.contains(batch.producerId());
    }

    private void hideUpTo(final long offset) {
        while (abortedSeen < abortedCount && aborted.firstOffset(abortedSeen) <= offset) {
            hidden.add(aborted.producerId(abortedSeen));
            abortedSeen++;
        }
    }

    /**
     * The record that {@link #next} came to.
     *
     * @return always the same view.
     */
    public RecordFlyweight record() {
        return records.record();
    }

    /**
     * Offset to read from next.
     *
     * @return the offset behind the last batch of the last {@link #read}.
     */
    public long nextOffset() {
        return reader.nextOffset();
    }

    @Override
    public void close() {
        records.close();
        aborted.close();
        reader.close();
    }
}
