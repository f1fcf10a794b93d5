package io.cordwood.transactions;

import io.cordwood.log.DerivedState;
import io.cordwood.log.Origin;
import io.cordwood.log.record.RecordBatchFlyweight;
import io.cordwood.log.store.Storage;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;

/**
 * The producers and transactions of one log: a derived state that is given to the {@link io.cordwood.log.LogBuilder} when the log is opened, and
 * closed by the log. Owns the last stable offset, the files {@code .snapshot} and {@code .txnindex}, and who may write what next.
 *
 * <p>Idempotence: a batch that is among the producer's last five is not appended again, the append answers the offsets that it has; one that does
 * not follow on the last is refused ({@code OUT_OF_ORDER_SEQUENCE}), as is one of an older epoch ({@code INVALID_PRODUCER_EPOCH}), one without a
 * transaction while the producer has one open ({@code INVALID_TRANSACTION_STATE}), and one of a producer too many ({@code TOO_MANY_PRODUCERS}). A
 * producer that nothing is known of, since it is new or was idle for long, may begin with any sequence.
 *
 * <p>Threads: the log's writer's, but for {@link #force}, as for each derived state, and {@link #lastStableOffset}, which any thread may ask.
 * Readers of aborted ranges have an {@link AbortedReader} of their own.
 *
 * <p>Durability: all of it follows from the log, but for producers whose batches are gone. Their snapshot is durable before the log's recovery
 * point moves beyond it, and so before the batches can go.
 */
public final class ProducerState implements DerivedState {
    /** No transaction is to be verified: it is ongoing. */
    public static final long NO_GUARD = 0;

    /**
     * Guard of a marker that a coordinator of the second transaction protocol writes: its producer epoch must be above that of the transaction's
     * batches. Any other guard means the first protocol, in which it must not be below.
     */
    public static final long MARKER_OF_SECOND_PROTOCOL = 2;

    private final ProducerConfig config;
    private final ProducerTable table = new ProducerTable();
    private final UndecidedTransactions undecided = new UndecidedTransactions();
    private final Verifications verifications = new Verifications();
    private final ProducerRules rules;
    private final SnapshotFiles snapshots;
    private final AbortedIndex aborted;
    private final Marker marker = new Marker();
    private final Storage storage;
    private final String directory;

    /** Offset of the last snapshot that was taken or restored; -1 for none. */
    private long snapshotOffset = -1;

    private int expiryRow;

    /**
     * Makes the state of a log that is about to be opened.
     *
     * @param storage of the log.
     * @param directory of the log.
     * @param config how much is remembered.
     */
    public ProducerState(final Storage storage, final String directory, final ProducerConfig config) {
        this.storage = storage;
        this.directory = directory;
        this.config = config;
        this.rules = new ProducerRules(table, verifications, config);
        this.snapshots = new SnapshotFiles(storage, directory);
        this.aborted = new AbortedIndex(storage, directory);
    }

    @Override
    public long check(final RecordBatchFlyweight batch, final Origin origin, final long guard) {
        return rules.check(batch, origin, guard);
    }

    @Override
    public void apply(final RecordBatchFlyweight batch, final long segmentBase) {
        if (!batch.hasProducerId()) {
            return;
        }
        if (!batch.isControl()) {
            applyData(batch);
        } else if (marker.read(batch)) {
            applyMarker(batch, segmentBase);
        }
    }

    private int rowOf(final RecordBatchFlyweight batch) {
        final int known = table.find(batch.producerId());
        final int row = known == ProducerTable.NONE ? table.add(batch.producerId()) : known;
        table.epoch(row, batch.producerEpoch());
        return row;
    }

    private void applyData(final RecordBatchFlyweight batch) {
        final int row = rowOf(batch);
        final long first = batch.baseOffset();
        table.addBatch(row, batch.lastSequence(), batch.lastOffset(), batch.lastOffsetDelta(), batch.maxTimestamp());
        table.lastTimestamp(row, batch.maxTimestamp());
        if (batch.isTransactional() && table.transactionFirst(row) < 0) {
            table.transactionFirst(row, first);
            undecided.begin(batch.producerId(), first);
            verifications.end(batch.producerId());
        }
    }

    private void applyMarker(final RecordBatchFlyweight batch, final long segmentBase) {
        final int row = rowOf(batch);
        final long producerId = batch.producerId();
        final long first = table.transactionFirst(row);
        table.coordinatorEpoch(row, marker.coordinatorEpoch());
        table.lastTimestamp(row, marker.timestamp());
        verifications.end(producerId);
        if (first < 0) {
            return;
        }
        table.transactionFirst(row, -1);
        final long offset = batch.baseOffset();
        if (marker.isAbort()) {
            final long stable = Math.min(undecided.firstUndecidedBut(producerId), offset + 1);
            aborted.append(segmentBase, producerId, first, offset, stable);
        }
        undecided.decide(producerId, first, offset);
    }

    /** Freezes the producers; the file is written by {@link #force}, so that who appends does not wait for the disk. */
    @Override
    public void snapshot(final long offset) {
        if (offset > snapshotOffset) {
            snapshots.add(ProducerSnapshot.of(table, offset));
            snapshotOffset = offset;
        }
    }

    /** Writes the snapshots that were frozen, and forces them and the aborted transactions. */
    @Override
    public void force(final long offset) {
        snapshots.write();
        aborted.force();
    }

    /** Forgets where aborted transactions were; the files go with their segments, which the log removes. */
    @Override
    public void retain(final long logStartOffset, final long[] bases) {
        aborted.retain(bases);
    }

    /** Takes the newest snapshot that can be believed, and asks for all that came after it. */
    @Override
    public long restore(final long logStartOffset, final long[] bases, final long upTo) {
        table.clear();
        undecided.clear();
        verifications.clear();
        expiryRow = 0;
        final long soundTo = aborted.restore(bases, upTo);
        final long taken = snapshots.restore(bases, upTo, soundTo, table);
        final long from = Math.max(bases[0], taken);
        // Without a snapshot nothing is known as of the first segment's base, and none is taken there.
        snapshotOffset = from;
        for (int row = 0; row < table.size(); row++) {
            if (table.transactionFirst(row) >= 0) {
                undecided.begin(table.id(row), table.transactionFirst(row));
            }
        }
        return from;
    }

    @Override
    public void close() {
        snapshots.close();
        aborted.close();
    }

    /**
     * Up to where a reader of committed records may read: everything below is decided, and replicated with its markers. Any thread.
     *
     * @param highWatermark up to where the log is replicated; its end, if it is not.
     * @return the high watermark, or the first offset of a transaction that is not decided below it.
     */
    public long lastStableOffset(final long highWatermark) {
        return Math.min(highWatermark, undecided.firstUnstable());
    }

    /**
     * First offset of the transactions that have no marker. The writer's thread.
     *
     * @return the offset; -1 if there are none.
     */
    public long firstUndecidedOffset() {
        final long first = undecided.firstUndecided();
        return first == UndecidedTransactions.NONE ? -1 : first;
    }

    /**
     * Says up to where the log is replicated, so that the last stable offset can move beyond transactions whose markers are. To be called whenever it
     * has moved, also where the log's end takes its place. The writer's thread.
     *
     * @param offset the high watermark.
     */
    public void highWatermark(final long offset) {
        undecided.replicatedTo(offset);
    }

    /**
     * Forgets producers that have written nothing for the time that the settings say. Goes on where the last call has ended.
     *
     * @param nowMs milliseconds since the epoch.
     * @param most producers that are looked at.
     * @return producers that were forgotten.
     */
    public int expire(final long nowMs, final int most) {
        verifications.expire(nowMs, config.expirationMs());
        int forgotten = 0;
        if (most >= table.size()) {
            // From the first row on each is looked at once, whichever take the place of others.
            expiryRow = 0;
        }
        for (int looks = Math.min(most, table.size()); looks > 0 && table.size() > 0; looks--) {
            expiryRow = expiryRow < table.size() ? expiryRow : 0;
            final boolean isIdle = nowMs - table.lastTimestamp(expiryRow) >= config.expirationMs();
            if (isIdle && table.transactionFirst(expiryRow) < 0) {
                // Another one has this row then.
                table.remove(expiryRow);
                forgotten++;
            } else {
                expiryRow++;
            }
        }
        return forgotten;
    }

    /**
     * Notes that the coordinator is asked whether a transaction is ongoing, before its first batch is appended here. A batch that comes when the
     * transaction has ended then has no guard that counts, and is refused instead of opening a transaction that nobody ends.
     *
     * @param producerId of the batch.
     * @param epoch of the batch.
     * @param sequence first one of the batch: none above the lowest that waits is accepted.
     * @param isSecondProtocol whether the producer has a new epoch for each transaction, and so begins each with sequence 0.
     * @param nowMs milliseconds since the epoch; a verification is forgotten like an idle producer.
     * @return the guard to append the batch with, once the coordinator has said yes; {@link #NO_GUARD} if the transaction is open in this log, and
     *     nobody need be asked.
     */
    public long beginVerification(
            final long producerId,
            final short epoch,
            final int sequence,
            final boolean isSecondProtocol,
            final long nowMs) {
        final int row = table.find(producerId);
        final boolean isOngoing =
                row != ProducerTable.NONE && table.transactionFirst(row) >= 0 && table.epoch(row) == epoch;
        return isOngoing ? NO_GUARD : verifications.begin(producerId, epoch, sequence, isSecondProtocol, nowMs);
    }

    /**
     * How many producers are remembered.
     *
     * @return the number.
     */
    public int producerCount() {
        return table.size();
    }

    /**
     * All that is remembered, for those who look into a log. The writer's thread.
     *
     * @return copies, ascending by producer id.
     */
    public List<ProducerEntry> producers() {
        final List<ProducerEntry> entries = new ArrayList<>();
        for (int row = 0; row < table.size(); row++) {
            entries.add(new ProducerEntry(
                    table.id(row),
                    table.epoch(row),
                    table.coordinatorEpoch(row),
                    table.lastTimestamp(row),
                    table.transactionFirst(row),
                    batches(row)));
        }
        entries.sort(Comparator.comparingLong(ProducerEntry::producerId));
        return entries;
    }

    private List<ProducerEntry.Batch> batches(final int row) {
        final List<ProducerEntry.Batch> batches = new ArrayList<>();
        for (int number = 0; number < table.batches(row); number++) {
            final int delta = table.batchOffsetDelta(row, number);
            final int lastSequence = table.batchLastSequence(row, number);
            final long last = table.batchLastOffset(row, number);
            final int firstSequence = lastSequence < 0
                    ? lastSequence
                    : (int) Math.floorMod((long) lastSequence - delta, 1L << (Integer.SIZE - 1));
            batches.add(new ProducerEntry.Batch(
                    firstSequence, lastSequence, last - delta, last, table.batchTimestamp(row, number)));
        }
        return batches;
    }

    /**
     * A reader of aborted ranges, for one thread beside the writer.
     *
     * @return to be closed by the caller.
     */
    public AbortedReader newAbortedReader() {
        return new AbortedReader(storage, directory, aborted);
    }
}
