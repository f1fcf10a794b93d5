package io.cordwood.index;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNotNull;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.cordwood.log.IndexLimits;
import io.cordwood.log.store.DiskStorage;
import io.cordwood.log.store.FileView;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** A {@link SparseIndex} from its creation to its end, against the naive model. */
final class SparseIndexTest {
    @TempDir
    Path directory;

    private DiskStorage storage;

    @BeforeEach
    void open() {
        storage = new DiskStorage(directory);
    }

    @AfterEach
    void close() {
        storage.close();
    }

    @Test
    void answersLikeTheModelWhileItGrowsAndSealedAndReopened() {
        for (int seed = 0; seed < 150; seed++) {
            final TestSegment segment = TestSegment.random(seed, 1 + seed * 7);
            try (SparseIndex index = segment.created(storage)) {
                assertNull(segment.difference(index, false), "growing, seed " + seed);
                index.seal();
                assertNull(segment.difference(index, true), "sealed, seed " + seed);
                assertArrayEquals(segment.offsetBytes(), offsetFile(segment), "seed " + seed);
                assertArrayEquals(segment.timeBytes(true), timeFile(segment), "seed " + seed);
                index.force();
                index.force();
            }
            try (SparseIndex index = segment.opened(storage)) {
                assertNull(segment.difference(index, true), "opened, seed " + seed);
                assertNull(index.damage());
            }
        }
    }

    @Test
    void truncatesLikeAnIndexThatNeverSawTheRest() {
        for (int seed = 0; seed < 150; seed++) {
            final TestSegment whole = TestSegment.random(seed, 200);
            try (SparseIndex index = whole.created(storage)) {
                if (seed % 3 == 1) {
                    index.seal();
                }
                final TestSegment cut = whole.first(seed % 2 == 0 ? 200 - seed : seed);
                final long from = index.restore(cut.endOffset(), cut.length());
                assertTrue(from <= cut.length(), "seed " + seed);
                cut.feed(index, from);
                index.restored();
                assertNull(cut.difference(index, false), "cut, seed " + seed);
                cut.add(3, 5000, cut.largestTimestamp() + 7).add(1, 100, 5);
                cut.batches
                        .subList(cut.batches.size() - 2, cut.batches.size())
                        .forEach(b -> index.append(b.lastOffset(), b.position(), b.maxTimestamp()));
                assertNull(cut.difference(index, false), "grown again, seed " + seed);
                index.seal();
                assertArrayEquals(cut.offsetBytes(), offsetFile(cut), "seed " + seed);
                assertArrayEquals(cut.timeBytes(true), timeFile(cut), "seed " + seed);
            }
        }
    }

    @Test
    void restoreOfASealedIndexAsksForLittleAgain() {
        final TestSegment segment = growing(4096, 5000);
        try (SparseIndex index = segment.created(storage)) {
            index.seal();
        }
        try (SparseIndex index = segment.opened(storage)) {
            final long from = index.restore(segment.endOffset(), segment.length());
            assertEquals(segment.positionOf(Long.MAX_VALUE), from);
        }
    }

    @Test
    void isFullWhereKafkasFilesWouldBe() {
        final TestSegment segment = new TestSegment(0, new IndexLimits(96, 0));
        try (SparseIndex index = new SparseIndexes().create(storage, "", 0, segment.limits)) {
            for (int i = 0; i < 8; i++) {
                assertFalse(index.isFull(), "after " + i + " batches");
                index.append(i, i * 100L, 1000 + i);
            }
            assertTrue(index.isFull(), "seven time entries are one less than 96 / 12");
            for (int i = 8; i < 50; i++) {
                index.append(i, i * 100L, 1000 + i);
            }
            index.seal();
            assertEquals(7 * 8, offsetFile(segment).length);
            assertEquals(8 * 12, timeFile(segment).length, "the place for the last time entry was kept");
        }
        try (SparseIndex index = new SparseIndexes().create(storage, "", 1, new IndexLimits(96, 0))) {
            for (int i = 0; i < 13; i++) {
                assertFalse(index.isFull(), "after " + i + " batches");
                index.append(1 + i, i * 100L, -1);
            }
            assertTrue(index.isFull(), "twelve offset entries are 96 / 8");
        }
    }

    @Test
    void refusesWhatCannotFollow() {
        final IndexLimits limits = new IndexLimits(4096, 0);
        try (SparseIndex index = new SparseIndexes().create(storage, "", 1000, limits)) {
            assertThrows(IllegalArgumentException.class, () -> index.append(999, 0, 1));
            assertThrows(IllegalArgumentException.class, () -> index.append(1000L + (1L << 31), 0, 1));
            index.append(1000, 0, 1);
            index.append(1010, 100, 2);
            assertThrows(IllegalArgumentException.class, () -> index.append(1009, 200, 3));
            assertThrows(IllegalArgumentException.class, () -> index.append(1010, 200, 3));
            assertThrows(IllegalArgumentException.class, () -> index.append(1011, 99, 3));
            index.append(1000L + Integer.MAX_VALUE, Integer.MAX_VALUE, 3);
            try (FileView view = new FileView()) {
                assertEquals(Integer.MAX_VALUE, index.positionOf(Long.MAX_VALUE, view));
            }
        }
    }

    @Test
    void acceptsNoBatchUnlessItGrows() {
        final TestSegment segment = growing(100, 50);
        final SparseIndex kept;
        try (SparseIndex index = segment.created(storage)) {
            kept = index;
            index.seal();
            assertThrows(IllegalStateException.class, () -> index.append(1, 1, 1));
            assertThrows(IllegalStateException.class, index::seal);
            assertFalse(index.isFull());
        }
        kept.close();
        kept.force();
        assertThrows(IllegalStateException.class, () -> kept.restore(1, 1));
        try (FileView view = new FileView()) {
            assertEquals(0, kept.positionOf(Long.MAX_VALUE, view));
            assertNull(kept.damage(), "a closed index is not a damaged one");
        }
    }

    @Test
    void writesInChunksAndTimeEntriesBeforeOffsetEntries() {
        final TestSegment segment = growing(0, 0);
        try (SparseIndex index = new SparseIndexes().create(storage, "", 0, segment.limits)) {
            for (int i = 0; i < 3000; i++) {
                segment.add(1, 100, 1000 + i);
                index.append(i, i * 100L, 1000 + i);
                final int offsetBytes = offsetFile(segment).length;
                final int timeBytes = timeFile(segment).length;
                assertEquals(offsetBytes / 8, timeBytes / 12, "both files end at the same entry");
                assertTrue(i * 12 - timeBytes < 4096 + 12, "pending: " + (i * 12 - timeBytes));
                assertArrayEquals(Arrays.copyOf(segment.offsetBytes(), offsetBytes), offsetFile(segment));
            }
        }
        assertTrue(offsetFile(segment).length > 8 * 2500, "written without being sealed");
    }

    @Test
    void publishesAndForcesTimeEntriesFirst() {
        final FullDisk disk = new FullDisk(storage);
        final TestSegment segment = growing(0, 1000);
        final String times = segment.timeFile();
        final String offsets = segment.offsetFile();
        try (SparseIndex index = segment.created(disk)) {
            assertEquals(
                    List.of("publish " + times, "publish " + offsets, "publish " + times, "publish " + offsets),
                    disk.acts());
            index.force();
            assertEquals(List.of("force " + times, "force " + offsets), disk.acts());
            index.force();
            assertEquals(List.of(), disk.acts(), "all is durable that was written");
            index.seal();
            index.force();
            assertEquals(
                    List.of("publish " + times, "publish " + offsets, "force " + times, "force " + offsets),
                    disk.acts());
        }
    }

    @Test
    void forcesACutOfWhatIsFalseAndNotOfWhatIsTrue() {
        final FullDisk disk = new FullDisk(storage);
        final TestSegment segment = growing(400, 100);
        final List<String> forced = List.of("force " + segment.timeFile(), "force " + segment.offsetFile());
        try (SparseIndex index = segment.created(disk)) {
            index.seal();
            index.force();
            disk.acts();
            segment.feed(index, index.restore(segment.endOffset(), segment.length()));
            assertEquals(List.of(), disk.acts(), "the last time entry is true");
            final TestSegment cut = segment.first(99);
            index.seal();
            index.force();
            disk.acts();
            index.restore(cut.endOffset(), cut.length());
            assertEquals(forced, disk.acts(), "the last time entry is of the batch that was cut");
            cut.feed(index, segment.positionOf(Long.MAX_VALUE));
            index.seal();
            index.force();
            disk.acts();
            final TestSegment half = segment.first(50);
            half.feed(index, index.restore(half.endOffset(), half.length()));
            assertEquals(forced, disk.acts());
            index.seal();
            index.force();
            disk.acts();
            segment.feed(index, index.restore(segment.endOffset(), segment.length()));
            disk.acts();
            final TestSegment quarter = segment.first(25);
            index.restore(quarter.endOffset(), quarter.length());
            assertEquals(forced, disk.acts(), "while it grows, too");
        }
    }

    @Test
    void createReplacesLeftOvers() {
        final TestSegment old = growing(10, 300);
        old.write(directory, old.offsetBytes(), old.timeBytes(true));
        final TestSegment fresh = growing(100, 20);
        try (SparseIndex index = fresh.created(storage)) {
            assertNull(fresh.difference(index, false));
            index.seal();
        }
        assertArrayEquals(fresh.offsetBytes(), offsetFile(fresh));
        assertArrayEquals(fresh.timeBytes(true), timeFile(fresh));
    }

    @Test
    void touchesNoFileBeforeTheFirstLookUp() throws IOException {
        final TestSegment segment = growing(100, 50);
        segment.write(directory, segment.offsetBytes(), segment.timeBytes(true));
        try (SparseIndex index = segment.opened(storage)) {
            Files.delete(directory.resolve(segment.offsetFile()));
            Files.delete(directory.resolve(segment.timeFile()));
            assertNull(index.damage());
            try (FileView view = new FileView()) {
                assertEquals(0, index.positionOf(segment.endOffset(), view));
                assertNotNull(index.damage());
                assertEquals(-1, index.largestTimestamp(view));
            }
            segment.write(directory, segment.offsetBytes(), segment.timeBytes(true));
            assertNull(segment.difference(index, true), "a failure to read is not remembered as an empty file");
        }
    }

    private static TestSegment growing(final int intervalBytes, final int batches) {
        final TestSegment segment = new TestSegment(0, new IndexLimits(1 << 20, intervalBytes));
        for (int i = 0; i < batches; i++) {
            segment.add(2, 150, 1_700_000_000_000L + i * 10L);
        }
        return segment;
    }

    private byte[] offsetFile(final TestSegment segment) {
        return TestSegment.read(directory.resolve(segment.offsetFile()));
    }

    private byte[] timeFile(final TestSegment segment) {
        return TestSegment.read(directory.resolve(segment.timeFile()));
    }
}
