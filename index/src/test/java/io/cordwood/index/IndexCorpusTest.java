package io.cordwood.index;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNotEquals;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.fasterxml.jackson.databind.JsonNode;
import io.cordwood.index.IndexCorpus.KafkaSegment;
import io.cordwood.log.BatchCursor;
import io.cordwood.log.Fault;
import io.cordwood.log.IndexLimits;
import io.cordwood.log.LogFiles;
import io.cordwood.log.store.DiskStorage;
import io.cordwood.log.store.FileUse;
import io.cordwood.log.store.FileView;
import io.cordwood.log.store.StorageFile;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.TreeSet;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Index files that Kafka wrote: rebuilt byte for byte, read as Kafka reads them, and found to be in order. */
final class IndexCorpusTest {
    /** Replicas, whose index entries stand where the fetched runs of batches happened to end. */
    private static final List<String> REPLICAS = List.of(
            "06-cluster/final/broker-2/rf3-acks1-0/00000000000000000000.log",
            "06-cluster/final/broker-3/rf3-0/00000000000000000000.log",
            "06-cluster/final/broker-3/rf3-1/00000000000000000000.log",
            "06-cluster/final/broker-3/rf3-acks1-0/00000000000000000000.log");

    @TempDir
    Path directory;

    @Test
    void rebuildsKafkasBytes() throws IOException {
        final List<String> unequal = new ArrayList<>();
        int trimmed = 0;
        for (final KafkaSegment segment : IndexCorpus.segments(directory.resolve("unpacked"))) {
            if (!segment.isTrimmed()) {
                continue;
            }
            trimmed++;
            final Path target = directory.resolve("rebuilt/" + trimmed);
            Files.createDirectories(target);
            try (DiskStorage storage = new DiskStorage(target);
                    SparseIndex index =
                            new SparseIndexes().create(storage, "", segment.baseOffset(), limits(segment))) {
                feed(segment, index, 0);
                index.seal();
            }
            if (!isSame(segment, target)) {
                unequal.add(segment.name());
            }
        }
        assertEquals(REPLICAS, unequal);
        assertEquals(163, trimmed, "153, and 10 of a directory that Kafka recovered");
    }

    @Test
    void restoresWhatKafkaLeftAndAsksForLittle() throws IOException {
        int untrimmed = 0;
        int fedFromLast = 0;
        int fedEarlier = 0;
        for (final KafkaSegment segment : IndexCorpus.segments(directory.resolve("unpacked"))) {
            final Path copy = directory.resolve("copied/" + segment.partition());
            Files.createDirectories(copy);
            for (final String suffix : List.of(LogFiles.OFFSET_INDEX, LogFiles.TIME_INDEX)) {
                Files.copy(segment.directory().resolve(segment.file(suffix)), copy.resolve(segment.file(suffix)));
            }
            final long length = Files.size(segment.directory().resolve(segment.file(LogFiles.LOG)));
            try (DiskStorage storage = new DiskStorage(copy);
                    FileView view = new FileView();
                    SparseIndex index = new SparseIndexes().open(storage, "", segment.baseOffset(), limits(segment))) {
                final boolean isPlausible = new SparseIndexes()
                        .isPlausible(storage.list(""), segment.baseOffset(), length, limits(segment));
                assertEquals(segment.isTrimmed(), isPlausible, segment.name());
                final long largest = index.largestTimestamp(view);
                final long from = index.restore(Long.MAX_VALUE, length);
                final JsonNode entries = segment.truth().get("offsetIndex").get("entries");
                if (segment.isTrimmed() && !entries.isEmpty()) {
                    final long last = entries.get(entries.size() - 1).get(1).asLong();
                    assertTrue(from <= last, segment.name());
                    fedFromLast += from == last ? 1 : 0;
                    fedEarlier += from == last ? 0 : 1;
                }
                feed(segment, index, from);
                assertTrue(largest <= index.largestTimestamp(view), segment.name());
                if (segment.isTrimmed()) {
                    assertEquals(largest, index.largestTimestamp(view), segment.name());
                }
                index.seal();
                untrimmed += segment.isTrimmed() ? 0 : 1;
            }
            assertEquals(List.of(), faults(copy, segment, true), segment.name());
        }
        assertEquals(19, untrimmed);
        assertEquals(12, fedEarlier, "whose last entries are not shown to be complete by the time index");
        assertEquals(128, fedFromLast);
    }

    @Test
    void dumpsWhatKafkaReads() throws IOException {
        int padded = 0;
        int insane = 0;
        for (final KafkaSegment segment : IndexCorpus.segments(directory)) {
            try (DiskStorage storage = new DiskStorage(segment.directory())) {
                final IndexDump offsets = dump(storage, segment, LogFiles.OFFSET_INDEX);
                final IndexDump times = dump(storage, segment, LogFiles.TIME_INDEX);
                assertSame(segment.truth().get("offsetIndex"), offsets, segment.name());
                assertSame(segment.truth().get("timeIndex"), times, segment.name());
                padded += offsets.unusedEntries() > 0 ? 1 : 0;
                insane += times.complaint() != null ? 1 : 0;
            }
        }
        assertEquals(19, padded);
        assertEquals(17, insane, "time indexes that Kafka finds corrupt");
    }

    @Test
    void findsNoFaultInWhatKafkaWrote() throws IOException {
        final TreeSet<String> faulty = new TreeSet<>();
        for (final KafkaSegment segment : IndexCorpus.segments(directory)) {
            for (final Fault fault : faults(segment.directory(), segment, segment.isTrimmed())) {
                faulty.add(segment.name() + " " + fault);
            }
        }
        assertEquals(new TreeSet<>(), faulty);
    }

    private static List<Fault> faults(final Path indexes, final KafkaSegment segment, final boolean isSealed) {
        try (DiskStorage storage = new DiskStorage(indexes)) {
            final IndexCheck check = new IndexCheck(
                    segment.baseOffset(),
                    segment.file(LogFiles.OFFSET_INDEX),
                    dump(storage, segment, LogFiles.OFFSET_INDEX),
                    segment.file(LogFiles.TIME_INDEX),
                    dump(storage, segment, LogFiles.TIME_INDEX));
            walk(segment, check::batch);
            return check.finish(isSealed);
        }
    }

    private static IndexDump dump(final DiskStorage storage, final KafkaSegment segment, final String suffix) {
        try (StorageFile file = storage.open(segment.file(suffix), FileUse.READ, 0)) {
            return suffix.equals(LogFiles.OFFSET_INDEX)
                    ? IndexDump.ofOffsets(file, segment.baseOffset())
                    : IndexDump.ofTimes(file, segment.baseOffset());
        }
    }

    private static void assertSame(final JsonNode truth, final IndexDump dump, final String name) {
        assertEquals(truth.get("size").asLong(), dump.sizeInBytes(), name);
        assertEquals(truth.get("unusedEntries").asInt(), dump.unusedEntries(), name);
        assertEquals(truth.get("entries").size(), dump.entries(), name);
        for (int i = 0; i < dump.entries(); i++) {
            assertEquals(truth.get("entries").get(i).get(0).asLong(), dump.key(i), name);
            assertEquals(truth.get("entries").get(i).get(1).asLong(), dump.value(i), name);
        }
        final String sanity = truth.path("sanityCheck").asText("ok");
        if (sanity.equals("ok")) {
            assertNull(dump.complaint(), name);
        } else {
            assertNotEquals(null, dump.complaint(), name + ": " + sanity);
        }
    }

    private interface Batches {
        void next(long lastOffset, long position, long maxTimestamp);
    }

    private static void feed(final KafkaSegment segment, final SparseIndex index, final long from) {
        walk(segment, (lastOffset, position, maxTimestamp) -> {
            if (position >= from) {
                index.append(lastOffset, position, maxTimestamp);
            }
        });
    }

    private static void walk(final KafkaSegment segment, final Batches batches) {
        try (DiskStorage storage = new DiskStorage(segment.directory());
                StorageFile log = storage.open(segment.file(LogFiles.LOG), FileUse.READ, 0);
                BatchCursor cursor = new BatchCursor(1 << 20, Long.MAX_VALUE)) {
            cursor.open(log, segment.baseOffset(), 0, log.length());
            while (cursor.next() == BatchCursor.Step.BATCH) {
                batches.next(
                        cursor.batch().lastOffset(),
                        cursor.position(),
                        cursor.batch().maxTimestamp());
            }
        }
    }

    private static boolean isSame(final KafkaSegment segment, final Path rebuilt) {
        final String offsets = segment.file(LogFiles.OFFSET_INDEX);
        final String times = segment.file(LogFiles.TIME_INDEX);
        return Arrays.equals(
                        TestSegment.read(segment.directory().resolve(offsets)),
                        TestSegment.read(rebuilt.resolve(offsets)))
                && Arrays.equals(
                        TestSegment.read(segment.directory().resolve(times)), TestSegment.read(rebuilt.resolve(times)));
    }

    /** The topic's limits. */
    private static IndexLimits limits(final KafkaSegment segment) {
        final String path = segment.partition();
        final String topic = path.substring(path.lastIndexOf('/') + 1, path.lastIndexOf('-'));
        if (topic.equals("plain-onerec")) {
            return new IndexLimits(400, 0);
        }
        return new IndexLimits(
                topic.startsWith("__") ? 10 << 20 : 4096,
                switch (topic) {
                    case "dmg-plain", "dmg-txn" -> 256;
                    case "crash-lz4" -> 1024;
                    case "plain-big", "codec-gzip", "codec-lz4", "codec-snappy", "codec-zstd", "crash" -> 2048;
                    case "crash-default-index" -> 4096;
                    default -> topic.startsWith("__") ? 4096 : 512;
                });
    }
}
