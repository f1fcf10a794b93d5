package io.cordwood.inspector;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.fasterxml.jackson.databind.JsonNode;
import java.io.IOException;
import java.io.OutputStream;
import java.nio.ByteBuffer;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.SortedMap;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** What has gone wrong in other people's tools; each test has the number of its report. */
final class BugsTest {
    private static final String BASE_0 = "00000000000000000000";
    private static final String BASE_10 = "00000000000000000010";
    private static final String BASE_500 = "00000000000000000500";

    @TempDir
    private Path scratch;

    private Path partition() {
        return scratch.resolve("t-0");
    }

    private Path file(final String name) {
        return partition().resolve(name);
    }

    private static String[] values(final int count) {
        final String[] values = new String[count];
        for (int i = 0; i < count; i++) {
            values[i] = "v" + i;
        }
        return values;
    }

    private static byte[] offsetEntry(final int relativeOffset, final int position) {
        return ByteBuffer.allocate(8).putInt(relativeOffset).putInt(position).array();
    }

    private static byte[] timeEntry(final long timestamp, final int relativeOffset) {
        return ByteBuffer.allocate(12).putLong(timestamp).putInt(relativeOffset).array();
    }

    @Test
    void b43LengthThatIsGarbageIsReportedAndAllocatesNothing() throws IOException {
        final byte[] sound = TestBatch.of(0, values(5));
        for (final int length : new int[] {1936946533, -610402302}) {
            final byte[] broken = TestBatch.of(5, values(5));
            ByteBuffer.wrap(broken).putInt(8, length);
            TestBatch.write(file(BASE_0 + ".log"), sound, broken, TestBatch.of(10, values(5)));
            TestBatch.write(file("00000000000000000015.log"), TestBatch.of(15, values(1)));
            TestBatch.write(scratch.resolve("u-0").resolve(BASE_0 + ".log"), sound);

            final Run dump = Run.of("dump", scratch);
            assertEquals(1, dump.exitCode());
            assertTrue(dump.out().contains("invalid at position " + sound.length + ":"), dump.out());
            assertTrue(dump.out().contains("u-0\n"), dump.out());

            final JsonNode verified =
                    Run.of("verify", "--format", "json", scratch).json();
            final JsonNode fault =
                    verified.get("partitions").get(0).get("faults").get(0);
            assertEquals(1, verified.get("faults").asInt(), verified.toString());
            assertEquals("bad-length", fault.get("kind").asText());
            assertEquals(sound.length, fault.get("position").asInt());
            assertEquals(5, fault.get("offset").asInt());
            assertEquals(
                    11, verified.get("partitions").get(0).get("dataRecords").asInt());
            assertEquals(5, verified.get("partitions").get(1).get("dataRecords").asInt());
        }
    }

    @Test
    void b82IndexOfLastOffsetsIsNoMismatch() throws IOException {
        TestBatch.write(file(BASE_0 + ".log"), TestBatch.of(0, values(10)));
        TestBatch.write(file(BASE_0 + ".index"), offsetEntry(9, 0));
        TestBatch.write(file(BASE_0 + ".timeindex"), timeEntry(TestBatch.TIMESTAMP, 0));
        TestBatch.write(file(BASE_10 + ".log"), TestBatch.of(10, values(1)));
        TestBatch.write(file(BASE_10 + ".index"), new byte[4096]);
        TestBatch.write(file(BASE_10 + ".timeindex"), new byte[4092]);
        final Run sound = Run.of("verify", partition());
        assertEquals(0, sound.exitCode(), sound.out());

        final JsonNode index = Run.dump(partition())
                .json()
                .get("partitions")
                .get(0)
                .get("segments")
                .get(1)
                .get("offsetIndex");
        assertEquals(0, index.get("entries").size());
        assertEquals(512, index.get("unusedEntries").asInt());

        TestBatch.write(file(BASE_0 + ".index"), offsetEntry(9, 50));
        final Run wrong = Run.of("verify", partition());
        assertEquals(1, wrong.exitCode());
        assertTrue(wrong.out().contains(BASE_0 + ".index at position 0, offset 9"), wrong.out());
        assertTrue(wrong.out().contains("position 50"), wrong.out());
    }

    @Test
    void b82IndexOffsetsAreAbsolute() throws IOException {
        TestBatch.write(file(BASE_500 + ".log"), TestBatch.of(500, values(10)));
        TestBatch.write(file(BASE_500 + ".index"), offsetEntry(9, 0));
        TestBatch.write(file(BASE_500 + ".timeindex"), timeEntry(TestBatch.TIMESTAMP, 0));
        final JsonNode segment = Run.dump(partition())
                .json()
                .get("partitions")
                .get(0)
                .get("segments")
                .get(0);
        assertEquals("[[509,0]]", segment.get("offsetIndex").get("entries").toString());
        assertEquals(
                "[[" + TestBatch.TIMESTAMP + ",500]]",
                segment.get("timeIndex").get("entries").toString());
        assertEquals(0, Run.of("verify", partition()).exitCode());
    }

    @Test
    void b84NullKeysAndValuesAreShown() throws IOException {
        TestBatch.write(
                file(BASE_0 + ".log"),
                TestBatch.keyed(0, "k", null),
                TestBatch.keyed(1, null, "v"),
                TestBatch.keyed(2, null, null),
                TestBatch.keyed(3, "", ""));
        final String text = Run.of("dump", "--records", partition()).out();
        assertTrue(text.contains("key \"k\"  value null"), text);
        assertTrue(text.contains("key null  value \"v\""), text);
        assertTrue(text.contains("key null  value null"), text);
        assertTrue(text.contains("key \"\"  value \"\""), text);
        assertEquals(
                "k\tnull\nnull\tv\nnull\tnull\n\t\n",
                Run.of("read", "--print-key", partition()).out());
    }

    @ParameterizedTest
    @ValueSource(strings = {"04-compaction", "05-groups"})
    void b84InternalTopicsWithTombstonesAreShown(final String name) {
        final Run run = Run.of("dump", "--records", Corpus.root().resolve(name));
        assertEquals(0, run.exitCode(), run.err());
        assertEquals("", run.err());
        assertTrue(run.out().contains("value null"));
    }

    @Test
    void b84TransactionStateIsShown() {
        final Run run = Run.of("dump", "--records", Corpus.root().resolve("03-txn/__transaction_state-0"));
        assertEquals(0, run.exitCode(), run.err());
        assertEquals("", run.err());
    }

    @Test
    void b85LimitBoundsWhatIsRead() throws IOException {
        final byte[] batch = TestBatch.large(0, 1 << 20);
        TestBatch.write(file(BASE_0 + ".log"), batch, TestBatch.large(1, 1 << 20), TestBatch.large(2, 1 << 20));
        final Run run = Run.of("dump", "--max-bytes", 5000, partition());
        assertEquals(0, run.exitCode(), run.err());
        assertTrue(run.out().contains("1 batch, 1 data record"), run.out());
        assertTrue(run.out().contains("not read from position " + batch.length + " on"), run.out());
    }

    @Test
    void b85LimitIsKeptToTheByte() throws IOException {
        final byte[][] batches = new byte[2000][];
        for (int i = 0; i < batches.length; i++) {
            batches[i] = TestBatch.of(i, "value " + i);
        }
        TestBatch.write(file(BASE_0 + ".log"), batches);
        for (final int limit : new int[] {61, 62, 70, 100, 1000, 5000, 65_536, 100_000}) {
            try (SegmentWalk walk = new SegmentWalk(limit, ProgressTest.toldToNobody());
                    var storage = new io.cordwood.log.store.DiskStorage(partition())) {
                final long size = Files.size(file(BASE_0 + ".log"));
                walk.walk(storage, BASE_0 + ".log", 0, size, ignored -> {});
                final String message = "limit " + limit + ", read " + walk.bytesRead();
                assertTrue(walk.counts().batches() >= 1, message);
                assertTrue(walk.bytesRead() <= limit + batches[0].length, message);
                assertTrue(walk.parsedBytes() >= limit - 2L * batches[1999].length || limit < 200, message);
                assertEquals(size, walk.parsedBytes() + walk.skippedBytes(), message);
            }
        }
    }

    @Test
    void b85SegmentOfAGibibyteInAHeapOf64MiB() throws Exception {
        Files.createDirectories(partition());
        final byte[] batch = TestBatch.large(0, (1 << 20) - 80);
        try (OutputStream out = Files.newOutputStream(file(BASE_0 + ".log"))) {
            for (int i = 0; i < 1024; i++) {
                ByteBuffer.wrap(batch).putLong(0, i);
                out.write(batch);
            }
        }
        final List<String> lines =
                Subprocess.cordwood("-Xmx64m", "dump", "--records", partition().toString());
        assertTrue(
                lines.stream().anyMatch(line -> line.contains("1,024 batches, 1,024 data records, offsets 0 to 1023")),
                () -> String.join("\n", lines.subList(Math.max(0, lines.size() - 20), lines.size())));
        assertEquals("exit code 0", lines.get(lines.size() - 1));
    }

    @Test
    void b86MarkersAndGapsAreNotCountedAsRecords() throws IOException {
        TestBatch.write(file(BASE_0 + ".log"), TestBatch.transactional(0, 1, "a", "b"), TestBatch.commit(2, 1));
        final String first = Run.of("dump", partition()).out();
        assertTrue(
                first.contains("in all: data 2, control 1, offsets 0 to 2, end offset 3, last data offset 1"), first);
        assertEquals("a\nb\n", Run.of("read", partition()).out());

        TestBatch.write(
                file(BASE_0 + ".log"), TestBatch.of(3, "c"), TestBatch.of(7, "d"), TestBatch.thinned(9, 2, "e"));
        final String second = Run.of("dump", partition()).out();
        assertTrue(
                second.contains("in all: data 3, control 0, offsets 3 to 11, end offset 12, last data offset 9"),
                second);
        assertEquals("c\nd\ne\n", Run.of("read", partition()).out());
        final Run verified = Run.of("verify", partition());
        assertEquals(0, verified.exitCode(), verified.out());
        assertTrue(verified.out().contains("3 gaps of 7 offsets"), verified.out());
    }

    @Test
    void b87EmptySegmentLastAndInTheMiddle() throws IOException {
        TestBatch.write(file(BASE_0 + ".log"), TestBatch.of(0, "a"));
        TestBatch.write(file("00000000000000000001.log"));
        final Run last = Run.of("dump", partition());
        assertEquals(0, last.exitCode(), last.err());
        assertTrue(last.out().contains("0 batches, 0 data records"), last.out());
        assertEquals(0, Run.withInput("b\n", "append", partition()).exitCode());
        assertEquals("a\nb\n", Run.of("read", partition()).out());

        TestBatch.write(file("00000000000000000001.log"));
        TestBatch.write(file("00000000000000000002.log"), TestBatch.of(2, "c"));
        assertEquals(0, Run.of("dump", partition()).exitCode());
        assertEquals("a\nc\n", Run.of("read", partition()).out());
        final Run reopened = Run.withInput("d\n", "append", partition());
        assertTrue(reopened.exitCode() == 0 || reopened.err().contains("00000000000000000001.log"), reopened.err());
    }

    @Test
    void b87CutAndZeroFiles() throws IOException {
        final byte[] first = TestBatch.of(0, "a");
        final byte[] second = TestBatch.of(1, "b");
        final byte[] third = java.util.Arrays.copyOf(TestBatch.of(2, "c"), 37);
        TestBatch.write(file(BASE_0 + ".log"), first, second, third);
        final Run cut = Run.of("dump", partition());
        assertEquals(1, cut.exitCode());
        final int position = first.length + second.length;
        assertTrue(cut.out().contains("2 batches, 2 data records"), cut.out());
        assertTrue(cut.out().contains("37 trailing bytes invalid at position " + position), cut.out());
        final JsonNode segment = Run.dump(partition())
                .json()
                .get("partitions")
                .get(0)
                .get("segments")
                .get(0);
        assertEquals(position, segment.get("parsedBytes").asInt());
        assertEquals(37, segment.get("trailingBytes").asInt());
        assertFalse(segment.get("parseError").asText().isEmpty());

        TestBatch.write(file(BASE_0 + ".log"), new byte[512]);
        final Run zeros = Run.of("dump", partition());
        assertEquals(1, zeros.exitCode());
        assertTrue(zeros.out().contains("512 trailing bytes invalid at position 0"), zeros.out());
        final Run verified = Run.of("verify", partition());
        assertEquals(1, verified.exitCode());
        assertTrue(verified.out().contains("512 zero bytes to the end of the file"), verified.out());
    }

    /** A batch's base offset lies outside its checksum: so a segment is made that reaches too far. */
    @Test
    void b40ADryRunTellsOfASplitAndTheRunMakesIt() throws IOException {
        final Path partition = Corpus.copy(
                Corpus.root().resolve("09-corrupt/untouched/dmg-plain-0"), scratch.resolve("far/dmg-plain-0"));
        try (var files = Files.list(partition)) {
            for (final Path file : files.toList()) {
                if (!file.endsWith("00000000000000000000.log")) {
                    Files.delete(file);
                }
            }
        }
        final Path segment = partition.resolve("00000000000000000000.log");
        final ByteBuffer bytes = ByteBuffer.wrap(Files.readAllBytes(segment));
        for (int at = 0; at < bytes.capacity(); at += 12 + bytes.getInt(at + 8)) {
            bytes.putLong(at, bytes.getLong(at) + (bytes.getLong(at) < 10 ? 0 : 1L << 32));
        }
        Files.write(segment, bytes.array());
        final SortedMap<String, String> before = Corpus.state(partition);
        final Run dry = Run.of("recover", "--dry-run", "--recovery-point", 0, partition);
        assertEquals(0, dry.exitCode(), dry.out());
        assertTrue(dry.out().contains("split 00000000000000000000.log at position "), dry.out());
        assertTrue(dry.out().contains("log: 2 segments, 3,795 bytes"), dry.out());
        assertEquals(before, Corpus.state(partition));
        final JsonNode told = Run.of("recover", "--dry-run", "--format", "json", "--recovery-point", 0, partition)
                .json();
        assertEquals(before, Corpus.state(partition));
        final Run run = Run.of("recover", "--format", "json", "--recovery-point", 0, partition);
        assertEquals(0, run.exitCode(), run.out());
        for (final String field : List.of("acts", "segments", "logEndOffset")) {
            assertEquals(told.get(field), run.json().get(field), field);
        }
        assertEquals(0, Run.of("verify", partition).exitCode());
    }
}
