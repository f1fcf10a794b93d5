package io.cordwood.simulation.model;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.cordwood.index.SparseIndexes;
import io.cordwood.log.IndexLimits;
import io.cordwood.log.LogFiles;
import io.cordwood.log.SegmentIndex;
import io.cordwood.log.store.FileView;
import io.cordwood.simulation.damage.MemoryDisk;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;

/** The sparse indexes of one segment beside a list of all its batches, of which look-ups are found by a linear scan. */
final class IndexLife implements Life {
    private static final String DIRECTORY = "t-0";
    private static final long BASE = 1000;

    private record Batch(long last, long position, long end, long maxTimestamp) {}

    private final Random random;
    private final IndexLimits limits;
    private final MemoryDisk disk = new MemoryDisk();
    private final List<String> history = new ArrayList<>();
    private final List<Batch> batches = new ArrayList<>();
    private final FileView view = new FileView();
    private SegmentIndex index;
    private boolean isSealed;

    IndexLife(final long seed) {
        random = new Random(seed);
        limits = new IndexLimits(400 + random.nextInt(2000), random.nextInt(600));
        disk.makeDirectory(DIRECTORY);
        writeSegment();
        index = new SparseIndexes().create(disk, DIRECTORY, BASE, limits);
    }

    @Override
    public List<String> history() {
        return history;
    }

    @Override
    public void step() {
        final int choice = random.nextInt(20);
        if (choice < 14) {
            append();
        } else if (choice < 16) {
            restore(batches.size());
        } else if (choice < 17) {
            restore(random.nextInt(batches.size() + 1));
        } else {
            seal();
        }
        agree();
    }

    private void append() {
        if (isSealed) {
            restore(batches.size());
        }
        // A log asks what goes on growing, not what is sealed: that is never full.
        if (index.isFull()) {
            restore(random.nextInt(batches.size() + 1));
            return;
        }
        final Batch before = batches.isEmpty() ? new Batch(BASE - 1, 0, 0, -1) : batches.get(batches.size() - 1);
        final long timestamp = random.nextInt(10) == 0 ? -1 : 5_000 + batches.size() * 3L + random.nextInt(40);
        final Batch batch = new Batch(
                before.last() + 1 + random.nextInt(5),
                before.end(),
                before.end() + 70 + random.nextInt(200),
                timestamp);
        history.add("append " + batch);
        batches.add(batch);
        index.append(batch.last(), batch.position(), batch.maxTimestamp());
        writeSegment();
    }

    /** A truncation, or an open after a crash, or a clean one. A log that was killed is recovered before it is cut. */
    private void restore(final int kept) {
        final boolean isCut = kept < batches.size();
        history.add((isCut ? "cut to " : "reopen with ") + kept);
        if (random.nextBoolean()) {
            index.close();
            index = new SparseIndexes().open(disk, DIRECTORY, BASE, limits);
            if (isCut && !isSealed) {
                feed(Long.MAX_VALUE);
            }
        }
        batches.subList(kept, batches.size()).clear();
        writeSegment();
        feed(isCut ? lastOffset() + 1 : Long.MAX_VALUE);
        isSealed = false;
    }

    private void feed(final long endOffset) {
        final long end = batches.isEmpty() ? 0 : batches.get(batches.size() - 1).end();
        final long from = index.restore(endOffset, end);
        for (final Batch batch : batches) {
            if (batch.position() >= from) {
                index.append(batch.last(), batch.position(), batch.maxTimestamp());
            }
        }
        index.restored();
    }

    private void seal() {
        if (isSealed) {
            return;
        }
        history.add("seal");
        index.seal();
        index.force();
        isSealed = true;
        if (random.nextBoolean()) {
            history.add("open sealed");
            index.close();
            index = new SparseIndexes().open(disk, DIRECTORY, BASE, limits);
        }
    }

    private long lastOffset() {
        return batches.isEmpty() ? BASE - 1 : batches.get(batches.size() - 1).last();
    }

    private void writeSegment() {
        final int bytes =
                batches.isEmpty() ? 0 : (int) batches.get(batches.size() - 1).end();
        disk.put(LogFiles.path(DIRECTORY, LogFiles.name(BASE, LogFiles.LOG)), new byte[bytes]);
    }

    private void agree() {
        for (int i = 0; i < 6; i++) {
            final long offset = BASE + random.nextInt((int) (lastOffset() - BASE + 5));
            final long found = index.lookUps().positionOf(offset, view);
            assertEquals(floor(offset), found, "position of offset " + offset);
            final long timestamp = 4_990L + random.nextInt(batches.size() * 3 + 60);
            final long young = firstYoung(timestamp);
            final long from = index.lookUps().positionOfTimestamp(timestamp, view);
            assertTrue(from <= young, "a scan for time " + timestamp + " must begin at " + young + ", not at " + from);
            assertTrue(
                    from == 0 || batches.stream().anyMatch(batch -> batch.position() == from),
                    "position " + from + " is that of no batch");
        }
        if (isSealed) {
            final long largest =
                    batches.stream().mapToLong(Batch::maxTimestamp).max().orElse(-1);
            assertEquals(largest, index.lookUps().largestTimestamp(view), "largest timestamp");
        }
    }

    /** Position of the last batch with an entry, by the rule of the interval, that ends at or below an offset. */
    private long floor(final long offset) {
        long indexed = 0;
        long found = 0;
        for (final Batch batch : batches) {
            if (batch.position() > indexed + limits.intervalBytes()) {
                indexed = batch.position();
                found = batch.last() <= offset ? batch.position() : found;
            }
        }
        return found;
    }

    private long firstYoung(final long timestamp) {
        for (final Batch batch : batches) {
            if (batch.maxTimestamp() >= timestamp) {
                return batch.position();
            }
        }
        return Long.MAX_VALUE;
    }

    @Override
    public void close() {
        index.close();
        view.close();
    }
}
