package io.cordwood.index;

import io.cordwood.log.IndexLimits;
import io.cordwood.log.LogFiles;
import io.cordwood.log.SegmentIndex;
import io.cordwood.log.store.FileView;
import io.cordwood.log.store.Storage;
import java.io.IOException;
import java.io.RandomAccessFile;
import java.io.UncheckedIOException;
import java.nio.ByteBuffer;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import org.jspecify.annotations.Nullable;

/** A segment as an index sees it, and the naive model of its indexes: lists, and look-ups that try every entry. */
final class TestSegment {
    record Batch(long baseOffset, long lastOffset, long position, long bytes, long maxTimestamp) {}

    record Entry(long key, long value) {}

    final long baseOffset;
    final IndexLimits limits;
    final List<Batch> batches = new ArrayList<>();
    private @Nullable List<Entry> offsetEntries;

    TestSegment(final long baseOffset, final IndexLimits limits) {
        this.baseOffset = baseOffset;
        this.limits = limits;
    }

    /** Batches of all sizes; timestamps that grow, fall, stand still or are missing. */
    static TestSegment random(final long seed, final int batches) {
        final Random random = new Random(seed);
        final int[] intervals = {0, 100, 512, 4096};
        final TestSegment segment = new TestSegment(
                random.nextBoolean() ? 0 : random.nextLong(1L << 40),
                new IndexLimits(1 << 20, intervals[random.nextInt(intervals.length)]));
        long time = random.nextInt(3) == 0 ? 0 : 1_700_000_000_000L;
        final int trend = random.nextInt(4);
        for (int i = 0; i < batches; i++) {
            switch (trend) {
                case 0 -> time += random.nextInt(50);
                case 1 -> time = Math.max(0, time + random.nextInt(2000) - 1000);
                case 2 -> time = random.nextInt(100) == 0 ? time + 1 : time;
                default -> time += random.nextInt(10) == 0 ? 100_000 : -1;
            }
            final long timestamp = random.nextInt(20) == 0 ? -1 : Math.max(-1, time);
            segment.add(1 + random.nextInt(20), 61 + random.nextInt(random.nextInt(10) == 0 ? 9000 : 400), timestamp);
        }
        return segment;
    }

    TestSegment add(final int records, final long bytes, final long maxTimestamp) {
        final long base = endOffset();
        batches.add(new Batch(base, base + records - 1, length(), bytes, maxTimestamp));
        offsetEntries = null;
        return this;
    }

    long endOffset() {
        return batches.isEmpty() ? baseOffset : batches.get(batches.size() - 1).lastOffset() + 1;
    }

    long length() {
        if (batches.isEmpty()) {
            return 0;
        }
        final Batch last = batches.get(batches.size() - 1);
        return last.position() + last.bytes();
    }

    /** The first batches alone. */
    TestSegment first(final int count) {
        final TestSegment shorter = new TestSegment(baseOffset, limits);
        shorter.batches.addAll(batches.subList(0, count));
        return shorter;
    }

    /** Gives an index all batches from a position on. */
    void feed(final SegmentIndex index, final long from) {
        for (final Batch batch : batches) {
            if (batch.position() >= from) {
                index.append(batch.lastOffset(), batch.position(), batch.maxTimestamp());
            }
        }
    }

    List<Entry> offsetEntries() {
        List<Entry> entries = offsetEntries;
        if (entries == null) {
            entries = new ArrayList<>();
            long lastPosition = 0;
            for (final Batch batch : batches) {
                if (batch.position() - lastPosition > limits.intervalBytes()) {
                    entries.add(new Entry(batch.lastOffset(), batch.position()));
                    lastPosition = batch.position();
                }
            }
            offsetEntries = entries;
        }
        return entries;
    }

    List<Entry> timeEntries(final boolean isSealed) {
        final List<Entry> entries = new ArrayList<>();
        long largest = -1;
        long largestOffset = -1;
        long written = -1;
        long lastPosition = 0;
        for (final Batch batch : batches) {
            if (batch.maxTimestamp() > largest) {
                largest = batch.maxTimestamp();
                largestOffset = batch.lastOffset();
            }
            if (batch.position() - lastPosition > limits.intervalBytes()) {
                lastPosition = batch.position();
                if (largest > written) {
                    entries.add(new Entry(largest, largestOffset));
                    written = largest;
                }
            }
        }
        if (isSealed && largest > written) {
            entries.add(new Entry(largest, largestOffset));
        }
        return entries;
    }

    long largestTimestamp() {
        return batches.stream().mapToLong(Batch::maxTimestamp).max().orElse(-1);
    }

    long positionOf(final long offset) {
        long position = 0;
        for (final Entry entry : offsetEntries()) {
            if (entry.key() <= offset) {
                position = entry.value();
            }
        }
        return position;
    }

    long positionOfTimestamp(final List<Entry> times, final long timestamp) {
        long offset = baseOffset - 1;
        for (final Entry entry : times) {
            if (entry.key() <= timestamp) {
                offset = entry.value();
            }
        }
        return positionOf(offset);
    }

    /** Position of the batch that holds an offset, or the length. */
    long truePosition(final long offset) {
        for (final Batch batch : batches) {
            if (batch.lastOffset() >= offset) {
                return batch.position();
            }
        }
        return length();
    }

    /** Position of the first batch with a record as young as a timestamp, or the length. */
    long truePositionOfTimestamp(final long timestamp) {
        for (final Batch batch : batches) {
            if (batch.maxTimestamp() >= timestamp) {
                return batch.position();
            }
        }
        return length();
    }

    byte[] offsetBytes() {
        final List<Entry> entries = offsetEntries();
        final ByteBuffer bytes = ByteBuffer.allocate(entries.size() * OffsetIndexDescriptor.ENTRY_BYTES);
        for (final Entry entry : entries) {
            bytes.putInt((int) (entry.key() - baseOffset)).putInt((int) entry.value());
        }
        return bytes.array();
    }

    byte[] timeBytes(final boolean isSealed) {
        final List<Entry> entries = timeEntries(isSealed);
        final ByteBuffer bytes = ByteBuffer.allocate(entries.size() * TimeIndexDescriptor.ENTRY_BYTES);
        for (final Entry entry : entries) {
            bytes.putLong(entry.key()).putInt((int) (entry.value() - baseOffset));
        }
        return bytes.array();
    }

    String offsetFile() {
        return LogFiles.name(baseOffset, LogFiles.OFFSET_INDEX);
    }

    String timeFile() {
        return LogFiles.name(baseOffset, LogFiles.TIME_INDEX);
    }

    /** Makes the segment's file, as long as it would be and without content, and its index files as given; null: missing. */
    void write(final Path directory, final byte @Nullable [] offsets, final byte @Nullable [] times) {
        try {
            Files.createDirectories(directory);
            final Path log = directory.resolve(LogFiles.name(baseOffset, LogFiles.LOG));
            try (RandomAccessFile file = new RandomAccessFile(log.toFile(), "rw")) {
                file.setLength(length());
            }
            write(directory.resolve(offsetFile()), offsets);
            write(directory.resolve(timeFile()), times);
        } catch (final IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    private static void write(final Path file, final byte @Nullable [] bytes) throws IOException {
        Files.deleteIfExists(file);
        if (bytes != null) {
            Files.write(file, bytes);
        }
    }

    static byte[] read(final Path file) {
        try {
            return Files.readAllBytes(file);
        } catch (final IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    /** A new index of this segment with all batches, in the root of a storage. */
    SparseIndex created(final Storage storage) {
        final SparseIndex index = new SparseIndexes().create(storage, "", baseOffset, limits);
        feed(index, 0);
        return index;
    }

    SparseIndex opened(final Storage storage) {
        return new SparseIndexes().open(storage, "", baseOffset, limits);
    }

    /** Offsets worth asking for: around each entry and each end. */
    List<Long> askedOffsets() {
        final List<Long> asked = new ArrayList<>(List.of(baseOffset - 1, baseOffset, endOffset(), Long.MAX_VALUE, 0L));
        for (final Entry entry : sample(offsetEntries())) {
            asked.add(entry.key() - 1);
            asked.add(entry.key());
            asked.add(entry.key() + 1);
        }
        return asked;
    }

    /** Timestamps worth asking for: around each entry and each end. */
    List<Long> askedTimestamps() {
        final List<Long> asked = new ArrayList<>(List.of(Long.MIN_VALUE, -1L, 0L, Long.MAX_VALUE));
        for (final Entry entry : sample(timeEntries(true))) {
            asked.add(entry.key() - 1);
            asked.add(entry.key());
            asked.add(entry.key() + 1);
        }
        return asked;
    }

    /** All of a short list, of a long one the ends and every so many. */
    private static List<Entry> sample(final List<Entry> entries) {
        final List<Entry> sample = new ArrayList<>();
        final int step = 1 + entries.size() / 30;
        for (int i = 0; i < entries.size(); i++) {
            if (i % step == 0 || i < 3 || i > entries.size() - 4) {
                sample.add(entries.get(i));
            }
        }
        return sample;
    }

    /** Says what an index answers differently from the model, or null. */
    @Nullable
    String difference(final SparseIndex index, final boolean isSealed) {
        final List<Entry> times = timeEntries(isSealed);
        try (FileView view = new FileView()) {
            for (final long offset : askedOffsets()) {
                final long answer = index.positionOf(offset, view);
                if (answer != positionOf(offset)) {
                    return "offset " + offset + ": " + answer + ", the model says " + positionOf(offset);
                }
            }
            for (final long timestamp : askedTimestamps()) {
                final long answer = index.positionOfTimestamp(timestamp, view);
                final long model = positionOfTimestamp(times, timestamp);
                if (answer != model) {
                    return "timestamp " + timestamp + ": " + answer + ", the model says " + model;
                }
            }
            final long largest = index.largestTimestamp(view);
            return largest == largestTimestamp()
                    ? null
                    : "largest timestamp " + largest + ", the model says " + largestTimestamp();
        }
    }

    /** Says where an index answers with a position behind the place asked for, or null: it may be damaged, but not wrong. */
    @Nullable
    String unsafeAnswer(final SparseIndex index) {
        try (FileView view = new FileView()) {
            for (final long offset : askedOffsets()) {
                final long answer = index.positionOf(offset, view);
                if (answer > truePosition(offset)) {
                    return "offset " + offset + " lies at " + truePosition(offset) + ", the answer is " + answer;
                }
            }
            for (final long timestamp : askedTimestamps()) {
                final long answer = index.positionOfTimestamp(timestamp, view);
                if (answer > truePositionOfTimestamp(timestamp)) {
                    return "timestamp " + timestamp + " lies at " + truePositionOfTimestamp(timestamp)
                            + ", the answer is " + answer;
                }
            }
            return null;
        }
    }
}
