package io.cordwood.index;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.cordwood.log.store.DiskStorage;
import io.cordwood.log.store.FileUse;
import io.cordwood.log.store.FileView;
import io.cordwood.log.store.StorageFile;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.Random;
import org.apache.kafka.storage.internals.log.CorruptIndexException;
import org.apache.kafka.storage.internals.log.OffsetIndex;
import org.apache.kafka.storage.internals.log.TimeIndex;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Kafka's own index classes read what we write, answer as we do, and write what we do. */
@Tag("oracle")
final class IndexOracleTest {
    private static final int INDEX_BYTES = 1 << 20;

    @TempDir
    Path directory;

    @Test
    void kafkaFindsInOurFilesWhatWeFind() throws IOException {
        for (int seed = 0; seed < 60; seed++) {
            final TestSegment segment = TestSegment.random(seed, 1 + seed * 9);
            final Path ours = directory.resolve("ours" + seed);
            try (DiskStorage storage = new DiskStorage(made(ours));
                    FileView view = new FileView()) {
                try (SparseIndex index = segment.created(storage)) {
                    index.seal();
                    segment.write(ours, read(ours, segment.offsetFile()), read(ours, segment.timeFile()));
                }
                try (SparseIndex index = segment.opened(storage);
                        OffsetIndex offsets = offsets(ours, segment);
                        TimeIndex times = times(ours, segment)) {
                    offsets.sanityCheck();
                    times.sanityCheck();
                    assertEquals(segment.offsetEntries().size(), offsets.entries(), "seed " + seed);
                    assertEquals(times.lastEntry().timestamp(), index.largestTimestamp(view), "seed " + seed);
                    final Random random = new Random(seed);
                    for (int i = 0; i < 500; i++) {
                        final long offset = random.nextLong(segment.baseOffset, segment.endOffset() + 10);
                        assertEquals(
                                offsets.lookup(offset).position(),
                                index.positionOf(offset, view),
                                "seed " + seed + " offset " + offset);
                    }
                    for (final long timestamp : segment.askedTimestamps()) {
                        assertEquals(
                                offsets.lookup(times.lookup(timestamp).offset()).position(),
                                index.positionOfTimestamp(timestamp, view),
                                "seed " + seed + " timestamp " + timestamp);
                    }
                }
            }
        }
    }

    @Test
    void kafkaWritesTheSameBytes() throws IOException {
        for (int seed = 0; seed < 40; seed++) {
            final TestSegment segment = TestSegment.random(seed, 1 + seed * 9);
            final Path ours = directory.resolve("ours" + seed);
            final Path kafkas = directory.resolve("kafkas" + seed);
            try (DiskStorage storage = new DiskStorage(made(ours));
                    SparseIndex index = segment.created(storage)) {
                index.seal();
            }
            made(kafkas);
            try (OffsetIndex offsets = offsets(kafkas, segment);
                    TimeIndex times = times(kafkas, segment)) {
                long lastPosition = 0;
                long largest = -1;
                long offsetOfLargest = segment.baseOffset;
                for (final TestSegment.Batch batch : segment.batches) {
                    if (batch.maxTimestamp() > largest) {
                        largest = batch.maxTimestamp();
                        offsetOfLargest = batch.lastOffset();
                    }
                    if (batch.position() - lastPosition > segment.limits.intervalBytes()) {
                        offsets.append(batch.lastOffset(), (int) batch.position());
                        times.maybeAppend(largest, offsetOfLargest);
                        lastPosition = batch.position();
                    }
                }
                times.maybeAppend(largest, offsetOfLargest, true);
                offsets.trimToValidSize();
                times.trimToValidSize();
            }
            assertArrayEquals(read(kafkas, segment.offsetFile()), read(ours, segment.offsetFile()), "seed " + seed);
            assertArrayEquals(read(kafkas, segment.timeFile()), read(ours, segment.timeFile()), "seed " + seed);
        }
    }

    @Test
    void kafkaAndWeComplainOfTheSameFiles() throws IOException {
        int complaints = 0;
        for (int seed = 0; seed < 400; seed++) {
            final Random random = new Random(seed);
            final TestSegment segment = TestSegment.random(seed, 30);
            final byte[] offsets = damaged(segment.offsetBytes(), random);
            final byte[] times = damaged(segment.timeBytes(true), random);
            final Path damaged = made(directory.resolve("damaged"));
            segment.write(damaged, offsets, times);
            final boolean isOffsetsSane = isSane(() -> offsets(damaged, segment).sanityCheck());
            final boolean isTimesSane = isSane(() -> times(damaged, segment).sanityCheck());
            segment.write(damaged, offsets, times);
            try (DiskStorage storage = new DiskStorage(damaged)) {
                assertEquals(isOffsetsSane, complaint(storage, segment, true) == null, "offsets, seed " + seed);
                assertEquals(isTimesSane, complaint(storage, segment, false) == null, "times, seed " + seed);
            }
            complaints += (isOffsetsSane ? 0 : 1) + (isTimesSane ? 0 : 1);
        }
        assertTrue(complaints > 100 && complaints < 700, "complaints: " + complaints);
    }

    private interface Check {
        void run() throws IOException;
    }

    private static boolean isSane(final Check check) throws IOException {
        try {
            check.run();
            return true;
        } catch (final CorruptIndexException e) {
            return false;
        }
    }

    private static @Nullable String complaint(
            final DiskStorage storage, final TestSegment segment, final boolean isOffsets) {
        final String name = isOffsets ? segment.offsetFile() : segment.timeFile();
        try (StorageFile file = storage.open(name, FileUse.READ, 0)) {
            final IndexDump dump = isOffsets
                    ? IndexDump.ofOffsets(file, segment.baseOffset)
                    : IndexDump.ofTimes(file, segment.baseOffset);
            return dump.complaint();
        }
    }

    /** Cut somewhere, padded, or with some bytes changed near the end. */
    private static byte[] damaged(final byte[] bytes, final Random random) {
        if (bytes.length == 0) {
            return bytes;
        }
        return switch (random.nextInt(4)) {
            case 0 -> Arrays.copyOf(bytes, 1 + random.nextInt(bytes.length));
            case 1 -> Arrays.copyOf(bytes, bytes.length + 24 * (1 + random.nextInt(9)));
            case 2 -> {
                final byte[] changed = bytes.clone();
                changed[changed.length - 1 - random.nextInt(Math.min(12, changed.length))] = (byte) random.nextInt();
                yield changed;
            }
            default -> bytes;
        };
    }

    private static Path made(final Path path) throws IOException {
        return Files.createDirectories(path);
    }

    private static byte[] read(final Path where, final String file) {
        return TestSegment.read(where.resolve(file));
    }

    private static OffsetIndex offsets(final Path where, final TestSegment segment) throws IOException {
        return new OffsetIndex(where.resolve(segment.offsetFile()).toFile(), segment.baseOffset, INDEX_BYTES);
    }

    private static TimeIndex times(final Path where, final TestSegment segment) throws IOException {
        return new TimeIndex(where.resolve(segment.timeFile()).toFile(), segment.baseOffset, INDEX_BYTES);
    }
}
