package io.cordwood.jmh;

/** The offsets that a reader asks for, one after the other, for as long as it asks; the same for both sides. */
final class NextOffset {
    private final long endOffset;
    private final int step;
    private final long[] drawn;
    private long next;

    NextOffset(final ReadLog log, final BatchShape shape, final ReadOrder order) {
        endOffset = log.endOffset();
        step = ReadLog.recordsPerRead(shape);
        drawn = order == ReadOrder.RANDOM ? log.randomOffsets() : new long[0];
    }

    long take() {
        if (drawn.length > 0) {
            return drawn[(int) next++ & drawn.length - 1];
        }
        final long offset = next;
        behind(offset + step);
        return offset;
    }

    /** Where the last read has ended, for whoever knows: it ends early where a segment does. One that is drawn follows none. */
    void behind(final long offset) {
        if (drawn.length == 0) {
            next = offset < endOffset ? offset : 0;
        }
    }
}
