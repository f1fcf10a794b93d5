package io.cordwood.log;

import io.cordwood.log.record.RecordBatchFlyweight;
import io.cordwood.log.record.Refusal;
import io.cordwood.log.store.Storage;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * Which leader wrote which part of a log: the truth behind Kafka's file {@code leader-epoch-checkpoint}, whose format is
 * {@link LeaderEpochCheckpoint}. Followers compare it with their leader's to find where two histories part.
 *
 * <p>Not wholly derived: retention and compaction remove the batches that an entry came from, so the file is forced before the
 * recovery point moves, and a replay of everything is a repair that may find later start offsets.
 *
 * <p>Rules, as in Kafka:
 *
 * <ul>
 *   <li>Epochs and start offsets ascend. A new epoch drops the entries that start at or above it: they are of leaders who wrote
 *       nothing.
 *   <li>An epoch below the latest is ignored: {@link #assign} answers false.
 *   <li>A truncation drops the entries that start at or above the new end, that of a leader who wrote nothing included.
 *   <li>Of the entries that start at or below the log start the last one stays, and is shown as if it began there.
 * </ul>
 *
 * <p>Threads: the questions may be asked by any thread at any time, they are answered from an immutable copy. The other methods
 * belong to the log's writer; {@link #force} may run beside them, but not beside itself or {@link #restore}. Complexity: a
 * question is a binary search; a new epoch copies the table.
 */
public final class LeaderEpochTable implements DerivedState {
    private final Storage storage;
    private final String directory;
    private volatile EpochList list = EpochList.EMPTY;
    private volatile @Nullable EpochList filed;
    private @Nullable String damage;

    /** The table without the epoch that the last batch began. */
    private @Nullable EpochList withoutLast;

    /**
     * Makes an empty table; {@link #restore} fills it.
     *
     * @param storage that holds the directory.
     * @param directory of the log.
     */
    public LeaderEpochTable(final Storage storage, final String directory) {
        this.storage = storage;
        this.directory = directory;
    }

    /**
     * The epoch of the last leader.
     *
     * @return the largest epoch, or -1 if none is known.
     */
    public int latestEpoch() {
        return list.latestEpoch();
    }

    /**
     * How far an epoch reached, by the rules of Kafka's OffsetsForLeaderEpoch.
     *
     * @param epoch to ask for.
     * @param logEndOffset where the log ends now.
     * @return for the latest epoch, the end of the log. For one between two entries or at one, the largest epoch at or below
     *     it and the start of the next. For one below all entries, the epoch itself and the start of the first entry. For one
     *     above all entries or below 0, {@link EpochEndOffset#UNDEFINED} twice.
     */
    public EpochEndOffset endOffsetFor(final int epoch, final long logEndOffset) {
        return list.endOffsetFor(epoch, logEndOffset);
    }

    /**
     * The epoch of the leader that wrote an offset.
     *
     * @param offset at or above the log start.
     * @return the epoch of the last entry that starts at or below it, or -1 if there is none.
     */
    public int epochAt(final long offset) {
        return list.epochAt(offset);
    }

    /**
     * All entries.
     *
     * @return an unmodifiable list, ascending.
     */
    public List<LeaderEpoch> entries() {
        return list.entries();
    }

    /**
     * What was wrong with the file when it was last restored.
     *
     * @return the reason why the table is built from the batches instead; null if the file was good, or if it was missing and
     *     nothing is lost by that.
     */
    public @Nullable String damage() {
        return damage;
    }

    /**
     * A leader begins, with its first batch or without one. Durable after {@link #force}.
     *
     * @param epoch of the leader, at least 0.
     * @param startOffset offset of the first record that it is going to write, at least 0.
     * @return false if nothing changed: the epoch is below the latest, or is the latest and began at or below that offset.
     */
    public boolean assign(final int epoch, final long startOffset) {
        final EpochList before = list;
        final EpochList after = before.with(new LeaderEpoch(epoch, startOffset));
        list = after;
        return after != before;
    }

    /** Has nothing against any batch: that epochs do not fall is for the log to see to. */
    @Override
    public long check(final RecordBatchFlyweight batch, final Origin origin, final long guard) {
        return Refusal.ACCEPTED;
    }

    /**
     * Begins a new epoch if the batch is of one. An epoch that one batch alone has, while the next one is of the leader before, is
     * taken back: the checksum does not cover it, and leaders do not come back.
     */
    @Override
    public void apply(final RecordBatchFlyweight batch, final long segmentBase) {
        final int epoch = batch.partitionLeaderEpoch();
        final EpochList before = withoutLast;
        withoutLast = null;
        if (before != null && epoch >= 0 && epoch == before.latestEpoch()) {
            list = before;
        }
        if (epoch > list.latestEpoch()) {
            withoutLast = list;
            assign(epoch, batch.baseOffset());
        }
    }

    /** Does nothing: there is one file, and {@link #force} writes it. */
    @Override
    public void snapshot(final long offset) {}

    /** Writes the whole table to a new file, forces and renames it, if it has changed since; entries at or above the offset too. */
    @Override
    public void force(final long offset) {
        final EpochList now = list;
        final EpochList before = filed;
        if (before == null || !now.isSameInFile(before)) {
            SmallFile.replace(storage, directory, LogFiles.LEADER_EPOCHS, now.encode());
            filed = now;
        }
    }

    @Override
    public void retain(final long logStartOffset, final long[] bases) {
        list = list.from(logStartOffset);
    }

    /**
     * Believes what the file says of leaders that began below an offset. A missing or damaged file is reported by
     * {@link #damage}, and the table is then to be built from all batches.
     *
     * <p>Entries below the first segment stay, also if the log holds no record any more: an idle log whose records have all
     * expired still fences the leaders before its last one. A log that begins anew calls this for offset 0 first.
     */
    @Override
    public long restore(final long logStartOffset, final long[] bases, final long upTo) {
        damage = null;
        filed = null;
        final EpochList read = readFile(upTo == bases[0]);
        withoutLast = null;
        if (read == null) {
            list = EpochList.EMPTY.from(logStartOffset);
            return bases[0];
        }
        final EpochList kept = read.below(upTo);
        filed = read;
        list = kept.from(logStartOffset);
        if (!kept.isSameInFile(read)) {
            force(upTo);
        }
        return upTo;
    }

    private @Nullable EpochList readFile(final boolean mayBeMissing) {
        try {
            final List<LeaderEpoch> entries = LeaderEpochCheckpoint.read(storage, directory);
            if (entries != null) {
                return EpochList.of(entries);
            }
            if (!mayBeMissing) {
                damage = storage.describe(LogFiles.path(directory, LogFiles.LEADER_EPOCHS)) + " is missing";
            }
        } catch (final CorruptLogException e) {
            damage = e.getMessage();
        }
        return null;
    }

    /** Does nothing: no file stays open. */
    @Override
    public void close() {}
}
