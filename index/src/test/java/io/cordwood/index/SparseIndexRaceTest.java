package io.cordwood.index;

import static org.junit.jupiter.api.Assertions.assertEquals;

import io.cordwood.log.IndexLimits;
import io.cordwood.log.store.DiskStorage;
import io.cordwood.log.store.FileView;
import java.nio.file.Path;
import java.util.List;
import java.util.Random;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.locks.LockSupport;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/**
 * Readers and a force beside a writer that appends, seals, restores and truncates. Answers are compared with the model's: that
 * nothing crashes proves nothing.
 */
final class SparseIndexRaceTest {
    private static final int BATCHES = 6000;
    private static final int ROUNDS = 12;

    @TempDir
    Path directory;

    private final TestSegment segment = new TestSegment(1 << 20, new IndexLimits(1 << 20, 200));
    private final long[] offsetFloors = new long[BATCHES];
    private final ConcurrentLinkedQueue<String> failures = new ConcurrentLinkedQueue<>();
    private final AtomicLong lookUps = new AtomicLong();

    /** Batches that the index has and will keep until the epoch changes. */
    private volatile int kept;

    private volatile int epoch;
    private volatile boolean isDone;

    @Test
    void readersGetTheAnswersOfTheModelWhateverTheWriterDoes() throws InterruptedException {
        for (int i = 0; i < BATCHES; i++) {
            segment.add(3, 100 + i % 7, 1_000_000 + 10L * i);
        }
        int entry = 0;
        final List<TestSegment.Entry> entries = segment.offsetEntries();
        for (int i = 0; i < BATCHES; i++) {
            final long last = segment.batches.get(i).lastOffset();
            while (entry < entries.size() && entries.get(entry).key() <= last) {
                entry++;
            }
            offsetFloors[i] = entry == 0 ? 0 : entries.get(entry - 1).value();
        }
        segment.write(directory, null, null);
        try (DiskStorage storage = new DiskStorage(directory);
                SparseIndex index = new SparseIndexes().create(storage, "", segment.baseOffset, segment.limits)) {
            final Thread[] threads = {
                new Thread(() -> read(index, 1)), new Thread(() -> read(index, 2)), new Thread(() -> force(index))
            };
            for (final Thread thread : threads) {
                thread.start();
            }
            try {
                write(index);
            } finally {
                isDone = true;
                for (final Thread thread : threads) {
                    thread.join();
                }
            }
        }
        assertEquals(List.of(), List.copyOf(failures));
    }

    private void write(final SparseIndex index) {
        int from = 0;
        for (int round = 0; round < ROUNDS; round++) {
            for (int i = from; i < BATCHES; i++) {
                final TestSegment.Batch batch = segment.batches.get(i);
                index.append(batch.lastOffset(), batch.position(), batch.maxTimestamp());
                kept = i + 1;
                if (i % 1000 == 0) {
                    awaitLookUps(100);
                }
            }
            if (round % 2 == 0) {
                index.seal();
                awaitLookUps(500);
            }
            final int cut = BATCHES / (2 + round % 3);
            kept = cut;
            epoch = round + 1;
            final TestSegment.Batch first = segment.batches.get(cut);
            final long again = index.restore(first.baseOffset(), first.position());
            from = 0;
            while (segment.batches.get(from).position() < again) {
                from++;
            }
        }
    }

    /** Lets the readers come to their turn, however few processors there are. */
    private void awaitLookUps(final int more) {
        final long enough = lookUps.get() + more;
        while (lookUps.get() < enough && failures.isEmpty()) {
            LockSupport.parkNanos(1000);
        }
    }

    private void read(final SparseIndex index, final int seed) {
        final Random random = new Random(seed);
        try (FileView view = new FileView()) {
            while (!isDone && failures.isEmpty()) {
                final int seenEpoch = epoch;
                final int batches = kept;
                if (batches == 0) {
                    continue;
                }
                final int asked = random.nextInt(4) == 0 ? batches - 1 : random.nextInt(batches);
                final TestSegment.Batch batch = segment.batches.get(asked);
                final long position = index.positionOf(batch.lastOffset(), view);
                final long byTime = index.positionOfTimestamp(batch.maxTimestamp(), view);
                lookUps.incrementAndGet();
                if (epoch == seenEpoch && position != offsetFloors[asked]) {
                    failures.add("offset of batch " + asked + ": " + position + ", not " + offsetFloors[asked]);
                }
                if (epoch == seenEpoch && byTime != offsetFloors[asked]) {
                    failures.add("timestamp of batch " + asked + ": " + byTime + ", not " + offsetFloors[asked]);
                }
                if (index.largestTimestamp(view) < 1_000_000) {
                    failures.add("largest timestamp " + index.largestTimestamp(view));
                }
            }
        } catch (final RuntimeException e) {
            failures.add(e.toString());
        }
    }

    private void force(final SparseIndex index) {
        try {
            while (!isDone) {
                index.force();
                LockSupport.parkNanos(1000);
            }
        } catch (final RuntimeException e) {
            failures.add("force: " + e);
        }
    }
}
