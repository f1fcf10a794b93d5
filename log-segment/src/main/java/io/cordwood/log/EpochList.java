package io.cordwood.log;

import java.util.Arrays;
import java.util.List;
import java.util.stream.IntStream;

/**
 * An immutable list of leader epochs, both columns ascending, and the log start. The entry in which the log start lies keeps the
 * start that it had, also in the file: only then can it be told from one of a leader who began at the start and wrote nothing.
 */
final class EpochList {
    static final EpochList EMPTY = new EpochList(new int[0], new long[0], 0);

    private final int[] epochs;
    private final long[] starts;
    private final long logStart;

    private EpochList(final int[] epochs, final long[] starts, final long logStart) {
        this.epochs = epochs;
        this.starts = starts;
        this.logStart = logStart;
    }

    static EpochList of(final List<LeaderEpoch> entries) {
        return new EpochList(
                entries.stream().mapToInt(LeaderEpoch::epoch).toArray(),
                entries.stream().mapToLong(LeaderEpoch::startOffset).toArray(),
                0);
    }

    int latestEpoch() {
        return epochs.length == 0 ? -1 : epochs[epochs.length - 1];
    }

    EpochEndOffset endOffsetFor(final int epoch, final long logEndOffset) {
        if (epoch < 0 || epoch > latestEpoch()) {
            return EpochEndOffset.UNKNOWN;
        }
        if (epoch == latestEpoch()) {
            return new EpochEndOffset(epoch, logEndOffset);
        }
        final int found = Arrays.binarySearch(epochs, epoch);
        final int next = found >= 0 ? found + 1 : -found - 1;
        return new EpochEndOffset(next == 0 ? epoch : epochs[next - 1], start(next));
    }

    int epochAt(final long offset) {
        final int at = startsAtOrBelow(offset) - 1;
        return at < 0 || offset < logStart ? -1 : epochs[at];
    }

    List<LeaderEpoch> entries() {
        return IntStream.range(0, epochs.length)
                .mapToObj(i -> new LeaderEpoch(epochs[i], start(i)))
                .toList();
    }

    /** With one more, or this if that changes nothing. */
    EpochList with(final LeaderEpoch entry) {
        final int latest = latestEpoch();
        if (entry.epoch() < latest || (entry.epoch() == latest && entry.startOffset() >= starts[epochs.length - 1])) {
            return this;
        }
        final int kept = startsAtOrBelow(entry.startOffset() - 1);
        final int[] newEpochs = Arrays.copyOf(epochs, kept + 1);
        final long[] newStarts = Arrays.copyOf(starts, kept + 1);
        newEpochs[kept] = entry.epoch();
        newStarts[kept] = entry.startOffset();
        return new EpochList(newEpochs, newStarts, 0).from(logStart);
    }

    /** Without those that start at or above an offset. */
    EpochList below(final long offset) {
        final int kept = startsAtOrBelow(offset - 1);
        return new EpochList(Arrays.copyOf(epochs, kept), Arrays.copyOf(starts, kept), logStart);
    }

    /** For a log that starts here: without those that ended at or below it. */
    EpochList from(final long offset) {
        final int gone = Math.max(0, startsAtOrBelow(offset) - 1);
        return gone == 0
                ? new EpochList(epochs, starts, offset)
                : new EpochList(
                        Arrays.copyOfRange(epochs, gone, epochs.length),
                        Arrays.copyOfRange(starts, gone, starts.length),
                        offset);
    }

    boolean isSameInFile(final EpochList other) {
        return Arrays.equals(epochs, other.epochs) && Arrays.equals(starts, other.starts);
    }

    byte[] encode() {
        return LeaderEpochCheckpoint.encode(epochs, starts);
    }

    private long start(final int i) {
        return Math.max(starts[i], logStart);
    }

    /** How many start at or below an offset. */
    private int startsAtOrBelow(final long offset) {
        final int found = Arrays.binarySearch(starts, offset);
        return found >= 0 ? found + 1 : -found - 1;
    }
}
