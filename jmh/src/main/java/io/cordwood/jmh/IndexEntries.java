package io.cordwood.jmh;

import java.util.SplittableRandom;

/** Batches of one segment whose indexes are full: 10 MiB, Kafka's default, of which the last entries are left free. */
final class IndexEntries {
    /** Most bytes of an index file. */
    static final int BYTES_MAX = 10 << 20;

    /** Bytes of the segment between two batches. */
    static final int STEP_BYTES = 1_600;

    /** Bytes between two entries, fewer than between two batches: each batch has an entry. */
    static final int INTERVAL_BYTES = 1_024;

    private static final int BATCHES = 1_310_000;
    private static final int TAIL = 1_000;
    private static final int RECORDS_MAX = 32;
    private static final int STEP_MS_MAX = 20;
    private static final long FIRST_MS = 1_700_000_000_000L;

    private final int[] lastOffsets = new int[BATCHES];
    private final long[] timestamps = new long[BATCHES];

    /** Draws the batches; time stands still at one of three, so that the time index is filled as far as the offset index. */
    IndexEntries() {
        final SplittableRandom random = Seed.random(13);
        int offset = -1;
        long timestamp = FIRST_MS;
        for (int i = 0; i < BATCHES; i++) {
            offset += random.nextInt(1, RECORDS_MAX);
            timestamp += i % 3 == 0 ? 0 : random.nextInt(1, STEP_MS_MAX + 1);
            lastOffsets[i] = offset;
            timestamps[i] = timestamp;
        }
    }

    int count() {
        return BATCHES;
    }

    int lastOffset(final int batch) {
        return lastOffsets[batch];
    }

    /** Position of a batch; in front of the first one lies what no entry speaks of. */
    int position(final int batch) {
        return (batch + 1) * STEP_BYTES;
    }

    long timestamp(final int batch) {
        return timestamps[batch];
    }

    /** Whether the batch is younger than all before it. */
    boolean hasTimeEntry(final int batch) {
        return timestamps[batch] > (batch == 0 ? 0 : timestamps[batch - 1]);
    }

    Keys offsets(final IndexBenchmark.Place place) {
        final long first = place == IndexBenchmark.Place.TAIL ? lastOffsets[BATCHES - TAIL] : 0;
        return new Keys(first, lastOffsets[BATCHES - 1] - first);
    }

    Keys times(final IndexBenchmark.Place place) {
        final long first = place == IndexBenchmark.Place.TAIL ? timestamps[BATCHES - TAIL] : FIRST_MS;
        return new Keys(first, timestamps[BATCHES - 1] - first);
    }

    /** Keys without end, drawn evenly; cheap beside the search. */
    static final class Keys {
        private static final long STEP = 0x9e3779b97f4a7c15L;
        private static final long FACTOR = 0xbf58476d1ce4e5b9L;

        private final long first;
        private final long count;
        private long state = Seed.random(17).nextLong();

        private Keys(final long first, final long count) {
            this.first = first;
            this.count = count;
        }

        long next() {
            state += STEP;
            final long mixed = (state ^ (state >>> 32)) * FACTOR;
            return first + (((mixed >>> 33) * count) >>> 31);
        }
    }
}
