package io.cordwood.log;

import java.util.HashSet;
import java.util.Set;

/** Restores the indexes of the segments that a recovery goes through, and tells of those with which something was wrong. */
final class IndexRestore {
    private final LogRecovery recovery;

    /** Base offsets of the segments whose indexes were told of: once is enough. */
    private final Set<Long> noted = new HashSet<>();

    IndexRestore(final LogRecovery recovery) {
        this.recovery = recovery;
    }

    /** Begins anew, with segments that are opened again. */
    void forget() {
        noted.clear();
    }

    /**
     * Restores an index, which is believed only if its last entry is true: behind it the index goes on.
     *
     * @return position from which the index is to be fed.
     */
    long restore(final Segment segment, final long end, final long upTo) {
        return judged(segment, segment.index().restore(end, upTo));
    }

    /**
     * Same, up to where the batches are judged from. The entry that leads there is kept: without it the next recovery would
     * begin at the one before, and with a longer interval it would not come back.
     */
    long restoreUpTo(final Segment segment, final long judgedFrom) {
        return restore(segment, Long.MAX_VALUE, judgedFrom == 0 ? 0 : judgedFrom + 1);
    }

    /** Same, of an index that is sealed again: its files are replaced then, as far as they have to be. */
    long mend(final Segment segment, final long end, final long upTo) {
        return judged(segment, segment.index().mend(end, upTo));
    }

    private long judged(final Segment segment, final long feedFrom) {
        final boolean isBelieved = feedFrom == 0 || recovery.isLastEntryTrue(segment, feedFrom);
        if (!isBelieved || segment.index().finding() == SegmentIndex.Finding.GARBAGE) {
            note(segment);
        }
        if (isBelieved) {
            return feedFrom;
        }
        segment.index().distrust();
        return 0;
    }

    /** Tells of an index that was looked into. What looks odd from outside may be legal, such as one that is full. */
    void noteMended(final Segment segment, final boolean isSound) {
        final SegmentIndex.Finding finding = segment.index().finding();
        final boolean isTold =
                isSound ? finding == SegmentIndex.Finding.GARBAGE : finding != SegmentIndex.Finding.SOUND;
        if (isTold && segment.bytes() > 0) {
            note(segment);
        }
    }

    void note(final Segment segment) {
        if (noted.add(segment.baseOffset())) {
            recovery.note(
                    RecoveryReport.Kind.INDEX_REBUILT,
                    segment.path(),
                    0,
                    segment.baseOffset(),
                    "the index of this segment is built anew");
        }
    }
}
