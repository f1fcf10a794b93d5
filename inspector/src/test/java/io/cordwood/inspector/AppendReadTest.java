package io.cordwood.inspector;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.fasterxml.jackson.databind.JsonNode;
import io.cordwood.log.store.DiskStorage;
import io.cordwood.log.store.Storage;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Lines become records, and records lines again. */
final class AppendReadTest {
    @TempDir
    private Path scratch;

    private Path log() {
        return scratch.resolve("data/t-0");
    }

    private static String lines(final int from, final int to) {
        return IntStream.range(from, to).mapToObj(i -> "value " + i + "\n").collect(Collectors.joining());
    }

    private void append(final String input, final String... options) {
        final Object[] args = new Object[options.length + 2];
        args[0] = "append";
        System.arraycopy(options, 0, args, 1, options.length);
        args[args.length - 1] = log();
        final Run run = Run.withInput(input, args);
        assertEquals(0, run.exitCode(), run.err());
        assertEquals("", run.out());
    }

    private JsonNode segment() {
        return Run.dump(log()).json().get("partitions").get(0).get("segments").get(0);
    }

    @Test
    void linesComeBack() {
        append("a\nb\n");
        append("c\n\nwithout line feed");
        final Run run = Run.of("read", log());
        assertEquals(0, run.exitCode(), run.err());
        assertEquals("a\nb\nc\n\nwithout line feed\n", run.out());
        assertEquals(0, Run.of("verify", log()).exitCode());
    }

    @Test
    void eachBatchIsAcknowledgedOnRequest() {
        for (final String durability : new String[] {"page-cache", "forced"}) {
            final Path directory = scratch.resolve(durability + "-0");
            final Run run = Run.withInput(
                    lines(0, 25),
                    "append",
                    "--acknowledge",
                    "--batch-records",
                    10,
                    "--durability",
                    durability,
                    directory);
            assertEquals(0, run.exitCode(), run.err());
            assertEquals("10\n20\n25\n", run.out());
        }
    }

    @Test
    void nothingIsAppendedFromNothing() {
        final Run run = Run.withInput("", "append", log());
        assertEquals(0, run.exitCode());
        assertEquals("nothing appended; the log ends at offset 0\n", run.err());
        assertEquals("", Run.of("read", log()).out());
    }

    @ParameterizedTest
    @ValueSource(strings = {"none", "gzip", "snappy", "lz4", "zstd"})
    void everyCodec(final String codec) {
        final String input = lines(0, 1000);
        append(input, "--compression", codec, "--batch-records", "300");
        final JsonNode batches = segment().get("batches");
        assertEquals(4, batches.size());
        assertEquals(300, batches.get(0).get("count").asInt());
        assertEquals(100, batches.get(3).get("count").asInt());
        assertEquals(codec, batches.get(0).get("compression").asText());
        assertEquals(input, Run.of("read", log()).out());
    }

    @Test
    void keysAreSplitOff() {
        append("k1::v1\nno key\n::empty key\nk2::v::2\nk3::\n", "--key-separator", "::", "--durability", "forced");
        assertEquals(
                "k1\tv1\nnull\tno key\n\tempty key\nk2\tv::2\nk3\t\n",
                Run.of("read", "--print-key", log()).out());
        assertEquals("v1\nno key\nempty key\nv::2\n\n", Run.of("read", log()).out());
    }

    @Test
    void readsFromAnOffset() {
        append(lines(0, 500), "--batch-records", "7");
        assertEquals(
                lines(123, 500), Run.of("read", "--from-offset", 123, log()).out());
        assertEquals(
                lines(123, 126),
                Run.of("read", "--from-offset", 123, "--max-records", 3, log()).out());
        assertEquals("", Run.of("read", "--from-offset", 500, log()).out());
        assertEquals("", Run.of("read", "--max-records", 0, log()).out());
        final Run outside = Run.of("read", "--from-offset", 501, log());
        assertEquals(2, outside.exitCode());
        assertTrue(outside.err().contains("offset 501 is out of range: the log ends at 500"), outside.err());
    }

    @Test
    void readsTheTail() {
        append(lines(0, 100), "--batch-records", "9");
        assertEquals(lines(90, 100), Run.of("read", "--tail", log()).out());
        assertEquals(
                lines(97, 100),
                Run.of("read", "--tail", "--max-records", 3, log()).out());
        assertEquals(
                lines(0, 100),
                Run.of("read", "--tail", "--max-records", 1000, log()).out());
    }

    @Test
    void readsAcrossSegmentsByOffsetTimestampAndTail() {
        final Path partition = Corpus.root().resolve("01-plain/dmg-plain-0");
        final String all = Run.of("read", partition).out();
        final String[] values = all.split("\n", -1);
        for (int offset = 0; offset < 56; offset++) {
            final String expected = String.join("\n", java.util.Arrays.copyOfRange(values, offset, values.length));
            assertEquals(
                    expected, Run.of("read", "--from-offset", offset, partition).out(), "offset " + offset);
            // In this partition the record at offset n has the timestamp of 1,700,000,000,000 plus 100 n.
            final long timestamp = 1_700_000_000_000L + 100L * offset;
            final Run byTime = Run.of("read", "--from-timestamp", timestamp - 1, partition);
            assertEquals(expected, byTime.out(), "timestamp " + timestamp);
            final Run byTail = Run.of("read", "--tail", "--max-records", 56 - offset, partition);
            assertEquals(expected, byTail.out(), "tail from " + offset);
        }
        assertEquals(
                "",
                Run.of("read", "--from-timestamp", "2100-01-01T00:00:00Z", partition)
                        .out());
        assertEquals(
                all,
                Run.of("read", "--from-timestamp", "2001-01-01T00:00:00+01:00", partition)
                        .out());
    }

    @Test
    void readBeginsAtTheLogStart() {
        final Path partition = Corpus.root().resolve("01-plain/plain-trim-0");
        final String out = Run.of("read", "--print-key", partition).out();
        assertEquals(120 - 81, out.lines().count());
        assertEquals(2, Run.of("read", "--from-offset", 80, partition).exitCode());
    }

    @Test
    void aLogStartThatCannotBeReadIsToldOf() throws Exception {
        append(lines(0, 10));
        final Path checkpoint = scratch.resolve("data/log-start-offset-checkpoint");
        Files.writeString(checkpoint, "0\n1\nt 0 4\n");
        assertEquals(lines(4, 10), Run.of("read", log()).out());
        Files.writeString(checkpoint, "0\n1\nt 0 4");
        final Run run = Run.of("read", log());
        assertEquals(0, run.exitCode());
        assertEquals(lines(0, 10), run.out());
        assertTrue(run.err().contains(checkpoint + " is damaged at position 4"), run.err());
    }

    @Test
    void readIgnoresAnIndexThatLeadsNowhere() {
        final Path corrupt = Corpus.root().resolve("09-corrupt");
        final String sound = Run.of("read", "--from-offset", 40, corrupt.resolve("untouched/dmg-plain-0"))
                .out();
        for (final String variant : new String[] {
            "index-garbage", "index-unsorted", "index-wrong-position", "index-odd-size", "index-empty", "index-missing"
        }) {
            final Run run =
                    Run.of("read", "--from-offset", 40, corrupt.resolve(variant).resolve("dmg-plain-0"));
            assertEquals(sound, run.out(), variant + run.err());
        }
    }

    @Test
    void readStopsAtDamageAndSaysWhere() {
        final Path partition = Corpus.root().resolve("09-corrupt/payload-bitflip-mid/dmg-plain-0");
        final Run run = Run.of("read", partition);
        assertEquals(1, run.exitCode());
        assertEquals(46, run.out().lines().count());
        assertTrue(run.err().contains("00000000000000000033.log is damaged at position 2973"), run.err());
        assertFalse(run.err().contains("\tat "), run.err());
    }

    @Test
    void controlRecordsAreLeftOut() {
        final Path partition = Corpus.root().resolve("03-txn/dmg-txn-0");
        assertEquals(64, Run.of("read", partition).out().lines().count());
    }

    @Test
    void lineTooLargeForABatchIsRefusedByNumber() {
        final Run run = Run.withInput("fits\n" + "x".repeat(2_000_000) + "\n", "append", log());
        assertEquals(2, run.exitCode());
        assertTrue(run.err().contains("line 2"), run.err());
        assertFalse(run.err().contains("\tat "), run.err());
        assertEquals(0, Run.of("verify", log()).exitCode());
        assertEquals("fits\n", Run.of("read", log()).out());
    }

    @Test
    void largeLinesShareBatchesAsFarAsTheyFit() {
        final String line = "y".repeat(400_000);
        append((line + "\n").repeat(5));
        final JsonNode batches = segment().get("batches");
        assertEquals(3, batches.size());
        assertEquals((line + "\n").repeat(5), Run.of("read", log()).out());
    }

    @Test
    void aDirectoryInUseIsRefused() throws Exception {
        Files.createDirectories(scratch.resolve("data"));
        try (Storage storage = new DiskStorage(scratch.resolve("data"))) {
            final AutoCloseable lock = storage.lock(".lock");
            try (lock) {
                final Run run = Run.withInput("a\n", "append", log());
                assertEquals(3, run.exitCode());
                assertTrue(run.err().contains(".lock"), run.err());
                assertFalse(Files.exists(log()));
            }
        }
    }

    @Test
    void kafkasDataDirectoryIsLeftAsCleanAsItWas() throws Exception {
        final Path corpus = Corpus.root().resolve("01-plain");
        final Path data = Files.createDirectories(scratch.resolve("data"));
        final Path partition = Files.createDirectories(data.resolve("plain-0"));
        for (final Path from : List.of(corpus, corpus.resolve("plain-0"))) {
            try (Stream<Path> files = Files.list(from)) {
                for (final Path file : files.filter(Files::isRegularFile).toList()) {
                    Files.copy(file, (from == corpus ? data : partition).resolve(file.getFileName()));
                }
            }
        }
        final Run run = Run.withInput("a\n", "append", partition.toString());
        assertEquals(0, run.exitCode(), run.err());
        assertTrue(Files.exists(data.resolve(".kafka_cleanshutdown")));
        final List<String> points = Files.readAllLines(data.resolve("recovery-point-offset-checkpoint"));
        assertTrue(points.contains("plain 0 173"), points.toString());
        assertTrue(points.contains("txn 0 93"), points.toString());
        assertFalse(Files.exists(partition.resolve(".lock")));
    }

    @Test
    void aDirectoryThatCannotBeMadeIsNamed() throws Exception {
        Files.writeString(scratch.resolve("data"), "a file in the way");
        final Run run = Run.withInput("a\n", "append", log());
        assertEquals(3, run.exitCode());
        assertEquals(1, run.err().lines().count(), run.err());
        assertTrue(run.err().contains(scratch.resolve("data").toString()), run.err());
    }
}
