package io.cordwood.index;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNotNull;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.cordwood.log.Fault;
import io.cordwood.log.IndexLimits;
import io.cordwood.log.LogFiles;
import io.cordwood.log.store.DiskStorage;
import io.cordwood.log.store.FileUse;
import io.cordwood.log.store.FileView;
import io.cordwood.log.store.StorageException;
import io.cordwood.log.store.StorageFile;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.concurrent.CyclicBarrier;
import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.condition.EnabledOnOs;
import org.junit.jupiter.api.condition.OS;
import org.junit.jupiter.api.io.TempDir;

/** What went wrong in the indexes of other systems, one test for each, by the number of our list. */
final class IndexBugsTest {
    private static final long BASE_TIME = 1_700_000_000_000L;
    private static final IndexLimits EVERY_BATCH = new IndexLimits(1 << 20, 0);

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
    void b24TimestampsThatGoBackDoNotWrapTheLargest() {
        final TestSegment segment = new TestSegment(0, EVERY_BATCH)
                .add(1, 100, BASE_TIME)
                .add(1, 100, BASE_TIME - 3_600_000)
                .add(1, 100, BASE_TIME + 10);
        try (SparseIndex index = segment.created(storage);
                FileView view = new FileView()) {
            assertEquals(BASE_TIME + 10, index.largestTimestamp(view));
            index.seal();
        }
        try (SparseIndex index = segment.opened(storage);
                FileView view = new FileView()) {
            assertEquals(BASE_TIME + 10, index.largestTimestamp(view));
            assertEquals(0, index.positionOfTimestamp(BASE_TIME - 3_600_000, view), "offset 0 is the first as young");
            assertTrue(index.positionOfTimestamp(BASE_TIME + 5, view) <= 200, "offset 2 is the first as young");
            final IndexDump times = dump(segment, false);
            for (int i = 1; i < times.entries(); i++) {
                assertTrue(times.key(i) > times.key(i - 1));
            }
        }
    }

    @Test
    void b25PaddingIsNoEntryOfTimeZero() {
        final TestSegment segment = new TestSegment(0, EVERY_BATCH)
                .add(1, 100, BASE_TIME)
                .add(1, 100, BASE_TIME + 1)
                .add(1, 100, BASE_TIME + 2)
                .add(1, 100, BASE_TIME + 3);
        assertEquals(36, segment.timeBytes(true).length);
        segment.write(directory, segment.offsetBytes(), Arrays.copyOf(segment.timeBytes(true), 10_485_756));
        assertFalse(new SparseIndexes().isPlausible(storage.list(""), 0, segment.length(), segment.limits));
        try (SparseIndex index = segment.opened(storage);
                FileView view = new FileView()) {
            assertEquals(BASE_TIME + 3, index.largestTimestamp(view), "retention must not see an old segment");
            assertNotNull(index.damage());
            segment.feed(index, index.restore(segment.endOffset(), segment.length()));
            index.seal();
            assertEquals(BASE_TIME + 3, index.largestTimestamp(view));
            assertNull(index.damage());
        }
        assertArrayEquals(segment.timeBytes(true), TestSegment.read(directory.resolve(segment.timeFile())));
        assertTrue(new SparseIndexes().isPlausible(storage.list(""), 0, segment.length(), segment.limits));
    }

    @Test
    void b26FirstTouchedByReaderAndWriterAtOnce() throws Exception {
        final TestSegment segment = new TestSegment(0, EVERY_BATCH);
        for (int i = 0; i < 6; i++) {
            segment.add(1, 100, BASE_TIME + i);
        }
        segment.write(directory, segment.offsetBytes(), segment.timeBytes(true));
        final CyclicBarrier start = new CyclicBarrier(2);
        final AtomicLong read = new AtomicLong();
        for (int round = 0; round < 1500; round++) {
            try (SparseIndex index = segment.opened(storage)) {
                final Thread reader = new Thread(() -> {
                    try (FileView view = new FileView()) {
                        start.await();
                        read.set(index.positionOf(5, view));
                    } catch (final Exception e) {
                        read.set(-1);
                    }
                });
                reader.start();
                start.await();
                final long from = index.restore(6, segment.length());
                reader.join();
                assertEquals(500, read.get(), "round " + round);
                assertEquals(500, from, "round " + round);
                index.append(5, 500, BASE_TIME + 5);
                assertFalse(index.isFull());
                index.seal();
            }
            assertArrayEquals(segment.offsetBytes(), TestSegment.read(directory.resolve(segment.offsetFile())));
        }
    }

    @Test
    @EnabledOnOs(OS.LINUX)
    void b27NoMappingIsLeftToTheGarbageCollector() throws IOException {
        final List<SparseIndex> indexes = new ArrayList<>();
        try (FileView view = new FileView()) {
            for (int i = 0; i < 400; i++) {
                final TestSegment segment = new TestSegment(i * 100L, EVERY_BATCH);
                for (int batch = 0; batch < 20; batch++) {
                    segment.add(1, 100, BASE_TIME + batch);
                }
                final SparseIndex index = segment.created(storage);
                index.seal();
                index.force();
                assertEquals(19 * 100, index.positionOf(Long.MAX_VALUE, view));
                indexes.add(index);
            }
            assertEquals(400, mappings().size(), "one mapping for each file that was looked at");
            for (final String mapping : mappings()) {
                final String[] range =
                        mapping.substring(0, mapping.indexOf(' ')).split("-", 2);
                assertEquals(4096, Long.parseLong(range[1], 16) - Long.parseLong(range[0], 16), mapping);
            }
            for (int i = 0; i < 400; i += 2) {
                for (final String suffix : new SparseIndexes().suffixes()) {
                    assertTrue(storage.delete(LogFiles.name(i * 100L, suffix)));
                }
                indexes.get(i).close();
            }
            assertEquals(1900, indexes.get(1).positionOf(Long.MAX_VALUE, view));
            assertEquals(200, mappings().size());
            assertTrue(mappings().stream().noneMatch(line -> line.contains("(deleted)")));
        }
        for (final SparseIndex index : indexes) {
            index.close();
        }
        assertEquals(List.of(), mappings());
    }

    @Test
    @EnabledOnOs(OS.LINUX)
    void b28AFullDiskIsAnExceptionAndNoFault() throws IOException {
        final FullDisk disk = new FullDisk(storage);
        final TestSegment segment = new TestSegment(0, EVERY_BATCH);
        try (SparseIndex index = new SparseIndexes().create(disk, "", 0, EVERY_BATCH);
                FileView view = new FileView()) {
            disk.isFull(true);
            StorageException full = null;
            for (int i = 0; i < 2000; i++) {
                segment.add(1, 100, BASE_TIME + i);
                try {
                    index.append(i, i * 100L, BASE_TIME + i);
                } catch (final StorageException e) {
                    full = e;
                }
            }
            assertNotNull(full);
            assertThrows(StorageException.class, index::seal);
            assertEquals(List.of(), mappings(), "nothing that grows is mapped");
            assertEquals(199_900, index.positionOf(Long.MAX_VALUE, view), "look-ups go on");
            disk.isFull(false);
            index.seal();
        }
        assertArrayEquals(segment.offsetBytes(), TestSegment.read(directory.resolve(segment.offsetFile())));
        assertArrayEquals(segment.timeBytes(true), TestSegment.read(directory.resolve(segment.timeFile())));
    }

    @Test
    void b29OneRecordSegmentsAndEmptyIndexesAreHealthy() {
        final TestSegment segment = new TestSegment(2076, EVERY_BATCH).add(1, 100, BASE_TIME);
        final byte[] zeroEntry = new byte[8];
        segment.write(directory, zeroEntry, segment.timeBytes(true));
        assertTrue(new SparseIndexes().isPlausible(storage.list(""), 2076, segment.length(), segment.limits));
        assertHealthy(segment);
        segment.write(directory, new byte[0], segment.timeBytes(true));
        assertTrue(new SparseIndexes().isPlausible(storage.list(""), 2076, segment.length(), segment.limits));
        assertHealthy(segment);
    }

    @Test
    void b30CutIndexFilesAreMended() {
        final TestSegment segment = TestSegment.random(77, 200);
        segment.write(directory, Arrays.copyOf(segment.offsetBytes(), 43), Arrays.copyOf(segment.timeBytes(true), 55));
        assertFalse(new SparseIndexes()
                .isPlausible(storage.list(""), segment.baseOffset, segment.length(), segment.limits));
        try (SparseIndex index = segment.opened(storage)) {
            assertNull(segment.unsafeAnswer(index));
            assertNotNull(index.damage());
            segment.feed(index, index.restore(segment.endOffset(), segment.length()));
            assertNull(segment.difference(index, false));
            index.seal();
            assertNull(segment.difference(index, true));
        }
        assertTrue(new SparseIndexes()
                .isPlausible(storage.list(""), segment.baseOffset, segment.length(), segment.limits));
    }

    @Test
    void b31TimeLookUpBeginsNoLaterThanTheBatchWithTheRecord() {
        final TestSegment segment = new TestSegment(0, EVERY_BATCH)
                .add(5, 200, 140)
                .add(5, 200, 190)
                .add(3, 200, 500);
        final long[] asked = {0, 115, 140, 145, 195, 501};
        final long[] latest = {0, 0, 0, 200, 400, 600};
        try (SparseIndex index = segment.created(storage);
                FileView view = new FileView()) {
            for (int round = 0; round < 2; round++) {
                for (int i = 0; i < asked.length; i++) {
                    assertTrue(index.positionOfTimestamp(asked[i], view) <= latest[i], "timestamp " + asked[i]);
                }
                assertEquals(200, index.positionOfTimestamp(195, view), "no earlier than it must");
                if (round == 0) {
                    index.seal();
                }
            }
        }
    }

    @Test
    void b82ChecksComplainOfWhatIsWrongAndOfNothingElse() {
        final TestSegment segment = new TestSegment(0, EVERY_BATCH).add(10, 200, BASE_TIME);
        final byte[] time = segment.timeBytes(true);
        assertEquals(List.of(), faults(segment, entry(9, 0), time), "the last offset of the batch");
        final List<Fault> faults = faults(segment, entry(9, 50), time);
        assertEquals(1, faults.size(), faults.toString());
        assertEquals(Fault.Kind.INDEX_ENTRY, faults.get(0).kind());
        assertEquals(9, faults.get(0).offset());
        final TestSegment untouched = new TestSegment(500, EVERY_BATCH);
        assertEquals(List.of(), faults(untouched, new byte[4096], new byte[4092]), "preallocated, no entry");
    }

    private void assertHealthy(final TestSegment segment) {
        try (SparseIndex index = segment.opened(storage);
                FileView view = new FileView()) {
            assertEquals(0, index.positionOf(2076, view));
            assertEquals(0, index.positionOf(2077, view));
            assertEquals(0, index.positionOfTimestamp(BASE_TIME, view));
            assertEquals(BASE_TIME, index.largestTimestamp(view));
            assertNull(index.damage());
            assertNull(dump(segment, true).complaint());
            assertNull(dump(segment, false).complaint());
            assertEquals(0, index.restore(segment.endOffset(), segment.length()));
        }
    }

    private List<Fault> faults(final TestSegment segment, final byte[] offsets, final byte[] times) {
        segment.write(directory, offsets, times);
        final IndexCheck check = new IndexCheck(
                segment.baseOffset,
                segment.offsetFile(),
                dump(segment, true),
                segment.timeFile(),
                dump(segment, false));
        segment.batches.forEach(b -> check.batch(b.lastOffset(), b.position(), b.maxTimestamp()));
        return check.finish(!segment.batches.isEmpty());
    }

    private IndexDump dump(final TestSegment segment, final boolean isOffsets) {
        final String file = isOffsets ? segment.offsetFile() : segment.timeFile();
        try (StorageFile open = storage.open(file, FileUse.READ, 0)) {
            return isOffsets
                    ? IndexDump.ofOffsets(open, segment.baseOffset)
                    : IndexDump.ofTimes(open, segment.baseOffset);
        }
    }

    private static byte[] entry(final int relativeOffset, final int position) {
        return ByteBuffer.allocate(8).putInt(relativeOffset).putInt(position).array();
    }

    private List<String> mappings() throws IOException {
        return Files.readAllLines(Path.of("/proc/self/maps")).stream()
                .filter(line -> line.contains(directory.toString()))
                .toList();
    }
}
