package io.cordwood.transactions;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.ArrayDeque;
import java.util.Deque;
import java.util.Iterator;
import java.util.Map;
import java.util.Random;
import java.util.TreeMap;
import org.junit.jupiter.api.Test;

/** The table against a naive one, over lives in which producers come, write and go. */
final class ProducerTableTest {
    private static final int ACTS = 200_000;

    private record Batch(int lastSequence, long lastOffset, int delta, long timestamp) {}

    private static final class Naive {
        short epoch = -1;
        int coordinatorEpoch = -1;
        long lastTimestamp = -1;
        long transactionFirst = -1;
        final Deque<Batch> batches = new ArrayDeque<>();
    }

    @Test
    void doesAsANaiveTable() {
        for (int seed = 1; seed <= 3; seed++) {
            final Random random = new Random(seed);
            final ProducerTable table = new ProducerTable();
            final Map<Long, Naive> naive = new TreeMap<>();
            // In waves, so that it also shrinks.
            for (int i = 0; i < ACTS; i++) {
                final boolean isEbb = i / 40_000 % 2 == 1;
                final long id = random.nextInt(isEbb ? 2_000 : 20_000) * 4096L;
                final int row = table.find(id);
                assertEquals(naive.containsKey(id), row != ProducerTable.NONE, "producer " + id + ", seed " + seed);
                if (isEbb && row != ProducerTable.NONE && random.nextInt(3) > 0) {
                    table.remove(row);
                    naive.remove(id);
                } else if (isEbb && table.size() > 0 && random.nextBoolean()) {
                    final int any = random.nextInt(table.size());
                    naive.remove(table.id(any));
                    table.remove(any);
                } else {
                    change(table, row == ProducerTable.NONE ? table.add(id) : row, naive, id, random);
                }
            }
            assertSame(naive, table);
        }
    }

    private static void change(
            final ProducerTable table,
            final int row,
            final Map<Long, Naive> naive,
            final long id,
            final Random random) {
        final Naive known = naive.computeIfAbsent(id, any -> new Naive());
        switch (random.nextInt(5)) {
            case 0 -> {
                known.epoch = (short) random.nextInt(Short.MAX_VALUE);
                known.batches.clear();
                table.epoch(row, known.epoch);
            }
            case 1 -> {
                known.coordinatorEpoch = random.nextInt();
                table.coordinatorEpoch(row, known.coordinatorEpoch);
            }
            case 2 -> {
                known.transactionFirst = random.nextLong();
                table.transactionFirst(row, known.transactionFirst);
            }
            default -> {
                final Batch batch = new Batch(random.nextInt(), random.nextLong(), random.nextInt(), random.nextLong());
                known.batches.add(batch);
                if (known.batches.size() > 5) {
                    known.batches.remove();
                }
                known.lastTimestamp = batch.timestamp;
                table.lastTimestamp(row, batch.timestamp);
                table.addBatch(row, batch.lastSequence, batch.lastOffset, batch.delta, batch.timestamp);
            }
        }
    }

    private static void assertSame(final Map<Long, Naive> naive, final ProducerTable table) {
        assertEquals(naive.size(), table.size());
        naive.forEach((id, known) -> {
            final int row = table.find(id);
            assertTrue(row >= 0);
            assertEquals(known.epoch, table.epoch(row));
            assertEquals(known.coordinatorEpoch, table.coordinatorEpoch(row));
            assertEquals(known.lastTimestamp, table.lastTimestamp(row));
            assertEquals(known.transactionFirst, table.transactionFirst(row));
            assertEquals(known.batches.size(), table.batches(row));
            final Iterator<Batch> batches = known.batches.iterator();
            for (int i = 0; i < table.batches(row); i++) {
                final Batch batch = batches.next();
                assertEquals(batch.lastSequence, table.batchLastSequence(row, i));
                assertEquals(batch.lastOffset, table.batchLastOffset(row, i));
                assertEquals(batch.delta, table.batchOffsetDelta(row, i));
                assertEquals(batch.timestamp, table.batchTimestamp(row, i));
            }
        });
    }
}
