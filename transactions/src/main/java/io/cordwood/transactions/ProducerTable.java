package io.cordwood.transactions;

import java.util.Arrays;

/**
 * What is known of the producers of one log: a row for each, of primitives in pages, and a hash table of row numbers. Owns the
 * memory and no rule; {@link ProducerRules} has those.
 *
 * <p>A row takes 152 bytes and its share of the hash table between 8 and 16. The last row takes the place of one that is removed, so
 * that pages at the end become free. One thread's; allocates only when it grows.
 */
final class ProducerTable {
    /** What {@link #find} answers if there is no row. */
    static final int NONE = -1;

    /** As many batches as a producer may have in flight: Kafka's window for duplicates. */
    static final int BATCHES = 5;

    private static final int ID = 0;
    private static final int LAST_TIMESTAMP = 1;
    private static final int TRANSACTION_FIRST = 2;
    private static final int PACKED = 3;
    private static final int BATCH = 4;
    private static final int BATCH_LONGS = 3;
    private static final int ROW_LONGS = BATCH + BATCHES * BATCH_LONGS;

    // In the order of the bits: number of batches, place of the oldest, producer epoch, coordinator epoch.
    private static final int OLDEST_SHIFT = 8;
    private static final int EPOCH_SHIFT = 16;
    private static final int COORDINATOR_SHIFT = 32;
    private static final long BYTE_MASK = 0xFF;

    private static final int PAGE_BITS = 8;
    private static final int PAGE_ROWS = 1 << PAGE_BITS;
    private static final int BUCKETS_LEAST = 16;
    private static final long NO_EPOCHS = -1L << EPOCH_SHIFT;

    private long[][] pages = new long[1][];
    private int rows;

    /** Numbers of rows and one, in the order of the hash; 0 where there is none. */
    private int[] buckets = new int[BUCKETS_LEAST];

    int size() {
        return rows;
    }

    /** Row of a producer, or {@link #NONE}. Good until a row is removed. */
    int find(final long producerId) {
        final int mask = buckets.length - 1;
        for (int bucket = bucketOf(producerId); ; bucket = (bucket + 1) & mask) {
            final int row = buckets[bucket] - 1;
            if (row < 0 || id(row) == producerId) {
                return row;
            }
        }
    }

    /** Row of a producer that has none yet: without epochs, batches and transaction. */
    int add(final long producerId) {
        if ((rows + 1) * 2 > buckets.length) {
            rehash(buckets.length * 2);
        }
        final int row = rows++;
        final long[] page = pageFor(row);
        final int at = at(row);
        page[at + ID] = producerId;
        page[at + LAST_TIMESTAMP] = -1;
        page[at + TRANSACTION_FIRST] = -1;
        page[at + PACKED] = NO_EPOCHS;
        enter(row);
        return row;
    }

    private long[] pageFor(final int row) {
        final int number = row >> PAGE_BITS;
        if (number == pages.length) {
            pages = Arrays.copyOf(pages, number * 2);
        }
        if (pages[number] == null) {
            pages[number] = new long[PAGE_ROWS * ROW_LONGS];
        }
        return pages[number];
    }

    /** Removes a row; the last one has its number then. */
    void remove(final int row) {
        leave(row);
        final int last = rows - 1;
        if (row != last) {
            final int bucket = bucketHolding(last);
            System.arraycopy(page(last), at(last), page(row), at(row), ROW_LONGS);
            buckets[bucket] = row + 1;
        }
        rows = last;
        // One page is kept, so that a producer that comes and goes costs nothing.
        final int spare = ((rows + PAGE_ROWS - 1) >> PAGE_BITS) + 1;
        if (spare < pages.length && pages[spare] != null) {
            pages[spare] = null;
        }
        if (buckets.length > BUCKETS_LEAST && rows * 8 < buckets.length) {
            rehash(buckets.length / 2);
        }
    }

    void clear() {
        pages = new long[1][];
        buckets = new int[BUCKETS_LEAST];
        rows = 0;
    }

    private void rehash(final int length) {
        buckets = new int[length];
        for (int row = 0; row < rows; row++) {
            enter(row);
        }
    }

    private void enter(final int row) {
        final int mask = buckets.length - 1;
        int bucket = bucketOf(id(row));
        while (buckets[bucket] != 0) {
            bucket = (bucket + 1) & mask;
        }
        buckets[bucket] = row + 1;
    }

    private int bucketHolding(final int row) {
        final int mask = buckets.length - 1;
        int bucket = bucketOf(id(row));
        while (buckets[bucket] != row + 1) {
            bucket = (bucket + 1) & mask;
        }
        return bucket;
    }

    /** Empties a bucket, and closes the gap for those that were put behind it. */
    private void leave(final int row) {
        final int mask = buckets.length - 1;
        int hole = bucketHolding(row);
        for (int bucket = (hole + 1) & mask; buckets[bucket] != 0; bucket = (bucket + 1) & mask) {
            final int home = bucketOf(id(buckets[bucket] - 1));
            if (((bucket - home) & mask) >= ((bucket - hole) & mask)) {
                buckets[hole] = buckets[bucket];
                hole = bucket;
            }
        }
        buckets[hole] = 0;
    }

    private int bucketOf(final long producerId) {
        final long mixed = producerId * 0x9E3779B97F4A7C15L;
        return (int) (mixed >>> 32) & (buckets.length - 1);
    }

    private long[] page(final int row) {
        return pages[row >> PAGE_BITS];
    }

    private static int at(final int row) {
        return (row & (PAGE_ROWS - 1)) * ROW_LONGS;
    }

    long id(final int row) {
        return page(row)[at(row) + ID];
    }

    /** Time of what the producer, or the coordinator for it, wrote last. */
    long lastTimestamp(final int row) {
        return page(row)[at(row) + LAST_TIMESTAMP];
    }

    void lastTimestamp(final int row, final long timestampMs) {
        page(row)[at(row) + LAST_TIMESTAMP] = timestampMs;
    }

    /** First offset of the producer's open transaction; -1 if it has none. */
    long transactionFirst(final int row) {
        return page(row)[at(row) + TRANSACTION_FIRST];
    }

    void transactionFirst(final int row, final long offset) {
        page(row)[at(row) + TRANSACTION_FIRST] = offset;
    }

    /** Epoch of the producer; -1 if none is known. */
    short epoch(final int row) {
        return (short) (packed(row) >> EPOCH_SHIFT);
    }

    /** Epoch of the coordinator that wrote the producer's last marker; -1 before the first. */
    int coordinatorEpoch(final int row) {
        return (int) (packed(row) >> COORDINATOR_SHIFT);
    }

    void coordinatorEpoch(final int row, final int coordinatorEpoch) {
        pack(row, coordinatorEpoch, epoch(row), oldest(row), batches(row));
    }

    /** Sets the producer's epoch. With another one than before, the batches of that are forgotten. */
    void epoch(final int row, final short epoch) {
        if (epoch != epoch(row)) {
            pack(row, coordinatorEpoch(row), epoch, 0, 0);
        }
    }

    private long packed(final int row) {
        return page(row)[at(row) + PACKED];
    }

    private void pack(
            final int row, final int coordinatorEpoch, final short epoch, final int oldest, final int batches) {
        page(row)[at(row) + PACKED] = ((long) coordinatorEpoch << COORDINATOR_SHIFT)
                | ((epoch & 0xFFFFL) << EPOCH_SHIFT)
                | ((long) oldest << OLDEST_SHIFT)
                | batches;
    }

    private int oldest(final int row) {
        return (int) ((packed(row) >> OLDEST_SHIFT) & BYTE_MASK);
    }

    /** Number of batches that are remembered. */
    int batches(final int row) {
        return (int) (packed(row) & BYTE_MASK);
    }

    /** Remembers a batch, and forgets the oldest if there are too many. */
    void addBatch(
            final int row, final int lastSequence, final long lastOffset, final int offsetDelta, final long timestamp) {
        final int count = batches(row);
        final int oldest = oldest(row);
        final int place = (oldest + count) % BATCHES;
        final long[] page = page(row);
        final int at = at(row) + BATCH + place * BATCH_LONGS;
        page[at] = lastOffset;
        page[at + 1] = timestamp;
        page[at + 2] = ((long) lastSequence << Integer.SIZE) | (offsetDelta & 0xFFFF_FFFFL);
        if (count < BATCHES) {
            pack(row, coordinatorEpoch(row), epoch(row), oldest, count + 1);
        } else {
            pack(row, coordinatorEpoch(row), epoch(row), (oldest + 1) % BATCHES, count);
        }
    }

    private int batchAt(final int row, final int number) {
        return at(row) + BATCH + (oldest(row) + number) % BATCHES * BATCH_LONGS;
    }

    /** Last offset of a batch; number 0 is the oldest. */
    long batchLastOffset(final int row, final int number) {
        return page(row)[batchAt(row, number)];
    }

    long batchTimestamp(final int row, final int number) {
        return page(row)[batchAt(row, number) + 1];
    }

    int batchLastSequence(final int row, final int number) {
        return (int) (page(row)[batchAt(row, number) + 2] >> Integer.SIZE);
    }

    /** How far the last offset lies behind the first. */
    int batchOffsetDelta(final int row, final int number) {
        return (int) page(row)[batchAt(row, number) + 2];
    }

    /** Sequence of the newest batch; -1 if there is none. */
    int lastSequence(final int row) {
        final int count = batches(row);
        return count == 0 ? -1 : batchLastSequence(row, count - 1);
    }
}
