package io.cordwood.index.log;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.fasterxml.jackson.databind.JsonNode;
import io.cordwood.index.log.RecoveryCorpus.Walk;
import io.cordwood.log.CorruptLogException;
import io.cordwood.log.Fault;
import io.cordwood.log.Log;
import io.cordwood.log.LogCheck;
import io.cordwood.log.LogConfig;
import io.cordwood.log.LogFiles;
import io.cordwood.log.RecoveryReport;
import io.cordwood.log.store.DiskStorage;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HexFormat;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.LongStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** The 85 damaged directories, each opened in three ways: as Kafka opens it, or better where this is listed. */
final class RecoveryCorpusTest {
    private static final String CASE = "09-corrupt";
    private static final String UNCLEAN = "uncleanStart";
    private static final String AT_LAST = "uncleanStartRecoveryPointAtLastSegment";
    private static final String CLEAN = "cleanStart";

    /** Where the table of leader epochs differs from Kafka's; the test of the command that shows it holds them to that. */
    private static final List<String> OTHER_EPOCHS =
            List.of("deleted-only-copy", "first-segment-missing", "leaderepoch-checkpoint-missing");

    /** Kafka fails to load; we load, and lose nothing. */
    private static final Map<String, List<String>> KAFKA_FAILS = Map.of(
            "junk-log-name", List.of(UNCLEAN, AT_LAST, CLEAN),
            "leaderepoch-checkpoint-garbage", List.of(UNCLEAN, AT_LAST, CLEAN),
            "overlapping-segment", List.of(UNCLEAN, AT_LAST, CLEAN),
            "partition-metadata-garbage", List.of(UNCLEAN, AT_LAST, CLEAN),
            "segment-name-above-first-batch", List.of(UNCLEAN),
            "tail-zeros-30", List.of(CLEAN),
            "tail-zeros-4096", List.of(CLEAN),
            "txn-index-garbage", List.of(UNCLEAN, AT_LAST, CLEAN),
            "txn-index-wrong-version", List.of(UNCLEAN, AT_LAST, CLEAN));

    /** Kafka leaves as it is, or empties, what it mends at an unclean start; we mend it at every start. */
    private static final Map<String, List<String>> MENDED = Map.ofEntries(
            Map.entry("index-empty", List.of(AT_LAST)),
            Map.entry("index-garbage", List.of(AT_LAST)),
            Map.entry("index-last-entry-below-base", List.of(AT_LAST)),
            Map.entry("index-odd-size", List.of(AT_LAST, CLEAN)),
            Map.entry("index-past-log", List.of(CLEAN)),
            Map.entry("index-unsorted", List.of(AT_LAST)),
            Map.entry("index-zero-padded", List.of(CLEAN)),
            Map.entry("last-segment-empty", List.of(CLEAN)),
            Map.entry("mid-segment-empty", List.of(AT_LAST, CLEAN)),
            Map.entry("swap-log-without-indexes", List.of(AT_LAST, CLEAN)),
            Map.entry("swap-merged-two-segments", List.of(AT_LAST, CLEAN)),
            Map.entry("tail-cut-1", List.of(CLEAN)),
            Map.entry("tail-cut-after-header", List.of(CLEAN)),
            Map.entry("tail-cut-at-12", List.of(CLEAN)),
            Map.entry("tail-cut-at-16", List.of(CLEAN)),
            Map.entry("tail-cut-at-17", List.of(CLEAN)),
            Map.entry("tail-cut-at-batch-edge", List.of(CLEAN)),
            Map.entry("tail-cut-in-header", List.of(CLEAN)),
            Map.entry("tail-cut-in-offset", List.of(CLEAN)),
            Map.entry("tail-cut-in-records", List.of(CLEAN)),
            Map.entry("tail-garbage", List.of(CLEAN)),
            Map.entry("tail-zeros-8", List.of(CLEAN)),
            Map.entry("timeindex-garbage", List.of(AT_LAST)),
            Map.entry("timeindex-missing", List.of(AT_LAST, CLEAN)),
            Map.entry("timeindex-odd-size", List.of(AT_LAST, CLEAN)),
            Map.entry("timeindex-past-log", List.of(CLEAN)),
            Map.entry("timeindex-unsorted", List.of(AT_LAST)),
            Map.entry("timeindex-zero-padded", List.of(CLEAN)),
            Map.entry("txn-tail-cut-in-marker", List.of(CLEAN)));

    /**
     * The index of the segment that ends at the recovery point is fed with what lies behind its last entry, since it may have been
     * sealed behind the force that the point tells of. Here damage lies there, and gets no entry or other ones; Kafka does not look.
     */
    private static final Set<String> FED_BEHIND =
            Set.of("mid-segment-cut", "segment-name-above-first-batch", "segment-name-below-first-batch");

    /** A checksum that is right hides what cannot be: Kafka serves or drops it; we keep the bytes and leave the batch out of the index. */
    private static final Map<String, List<String>> HIDDEN = Map.of(
            "baseoffset-bitflip-high", List.of(UNCLEAN),
            "baseoffset-bitflip-low", List.of(UNCLEAN),
            "segment-name-below-first-batch", List.of(UNCLEAN));

    /** What a reader does not get, first and last offset and position of the fault; at all starts unless the log is cut there. */
    private static final Map<String, long[]> UNREADABLE = Map.ofEntries(
            Map.entry("attributes-bitflip", new long[] {36, 36, 632}),
            Map.entry("baseoffset-bitflip-high", new long[] {42, 42, 2260}),
            Map.entry("baseoffset-bitflip-low", new long[] {37, 38, 964}),
            Map.entry("crc-bitflip", new long[] {34, 35, 225}),
            Map.entry("leaderepoch-bitflip", new long[] {43, 44, 2450}),
            Map.entry("length-13", new long[] {42, 42, 2260}),
            Map.entry("length-48", new long[] {45, 45, 2798}),
            Map.entry("length-bitflip-256", new long[] {34, 35, 225}),
            Map.entry("length-bitflip-low", new long[] {46, 47, 2973}),
            Map.entry("length-bitflip-sign", new long[] {39, 39, 1503}),
            Map.entry("length-zero", new long[] {40, 41, 1780}),
            Map.entry("log-missing-indexes-kept", new long[] {33, 48, 3972}),
            Map.entry("magic-flip-to-0", new long[] {37, 38, 964}),
            Map.entry("magic-flip-to-3", new long[] {39, 39, 1503}),
            Map.entry("mid-segment-cut", new long[] {39, 48, 1503}),
            Map.entry("mid-segment-empty", new long[] {33, 48, 0}),
            Map.entry("mid-segment-missing", new long[] {33, 48, 3972}),
            Map.entry("payload-bitflip-first-segment", new long[] {10, 11, 2535}),
            Map.entry("payload-bitflip-last-batch", new long[] {55, 55, 1355}),
            Map.entry("payload-bitflip-mid", new long[] {46, 47, 2973}),
            Map.entry("segment-name-above-first-batch", new long[] {33, 35, 0}),
            Map.entry("segment-name-below-first-batch", new long[] {31, 32, 3519}),
            Map.entry("txn-payload-bitflip-mid", new long[] {52, 52, 1905}));

    @TempDir
    Path scratch;

    @ParameterizedTest
    @ValueSource(strings = {UNCLEAN, AT_LAST, CLEAN})
    void opensAsKafkaDoesOrBetter(final String start) throws IOException, NoSuchAlgorithmException {
        final JsonNode truth = RecoveryCorpus.truth(CASE);
        final LogConfig config = RecoveryCorpus.config(truth.get("logConfig"));
        int variants = 0;
        for (final JsonNode variant : truth.get("variants")) {
            final String name = variant.get("variant").asText();
            final Path copy = scratch.resolve(name);
            RecoveryCorpus.copy(
                    RecoveryCorpus.folder(CASE).resolve(variant.get("path").asText()), copy);
            opensAsKafkaDoesOrBetter(variant, start, copy, config);
            variants++;
        }
        assertEquals(85, variants);
    }

    private static void opensAsKafkaDoesOrBetter(
            final JsonNode variant, final String start, final Path copy, final LogConfig config)
            throws IOException, NoSuchAlgorithmException {
        final String name = variant.get("variant").asText();
        final String where = name + " " + start;
        final Map<String, byte[]> before = RecoveryCorpus.content(copy);
        final JsonNode load = variant.get(start).get("kafkaLoad");
        final boolean isLoaded = load.get("outcome").asText().equals("loaded");
        assertEquals(!isLoaded, isListed(KAFKA_FAILS, name, start), where);
        try (DiskStorage storage = new DiskStorage(copy);
                Log log = RecoveryCorpus.open(
                        storage, config, load.get("recoveryPointGiven").asLong())) {
            if (isLoaded) {
                final long kafkas = load.get("logEndOffset").asLong();
                final boolean isBetter =
                        where.equals("index-past-log " + CLEAN) || where.equals("baseoffset-bitflip-high " + UNCLEAN);
                assertEquals(
                        isBetter ? variant.get("logEndOffsetOfOriginal").asLong() : kafkas, log.endOffset(), where);
                assertEquals(load.get("logStartOffset").asLong(), log.startOffset(), where);
            } else {
                assertEquals(variant.get("logEndOffsetOfOriginal").asLong(), log.endOffset(), where);
            }
            read(log, name, start);
        }
        final Map<String, byte[]> after = RecoveryCorpus.content(copy);
        if (isListed(HIDDEN, name, start) || !isLoaded) {
            onlyTailsAreCut(before, after, where);
        } else {
            filesAreKafkas(variant, start, after);
        }
        try (DiskStorage storage = new DiskStorage(copy)) {
            RecoveryCorpus.open(storage, config, Long.MAX_VALUE).close();
        }
        final Map<String, byte[]> again = RecoveryCorpus.content(copy);
        assertEquals(after.keySet(), again.keySet(), where);
        after.forEach((file, bytes) -> assertArrayEquals(bytes, again.get(file), where + " again: " + file));
    }

    private static boolean isListed(final Map<String, List<String>> exceptions, final String name, final String start) {
        return exceptions.getOrDefault(name, List.of()).contains(start);
    }

    /** All that is there is read, but for the one place that is listed, and behind it the reading goes on. */
    private static void read(final Log log, final String name, final String start) {
        final String where = name + " " + start + " " + log.recovery().entries();
        final Walk walk = RecoveryCorpus.walk(log);
        final TreeSet<Long> missing = new TreeSet<>();
        LongStream.range(log.startOffset(), log.endOffset()).forEach(missing::add);
        walk.offsets().forEach(missing::remove);
        final long[] expected = UNREADABLE.get(name);
        final boolean isCut =
                log.recovery().entries().stream().anyMatch(entry -> entry.kind() == RecoveryReport.Kind.CUT);
        if (expected == null || isCut) {
            assertEquals(List.of(), walk.faults(), where);
            assertEquals(new TreeSet<>(), missing, where);
            return;
        }
        assertEquals(expected[0], missing.first(), where);
        assertEquals(expected[1], missing.last(), where);
        assertEquals(expected[1] - expected[0] + 1, missing.size(), where);
        assertEquals(1, walk.faults().size(), where + walk.faults());
        final CorruptLogException fault = walk.faults().get(0);
        assertEquals(expected[2], fault.position(), where + fault);
        if (start.equals(UNCLEAN)) {
            assertTrue(
                    log.recovery().entries().stream()
                            .anyMatch(entry ->
                                    fault.file().endsWith(entry.file()) && entry.position() == fault.position()),
                    where);
        }
    }

    private static void onlyTailsAreCut(
            final Map<String, byte[]> before, final Map<String, byte[]> after, final String where) {
        before.forEach((file, bytes) -> {
            if (LogFiles.offset(file, LogFiles.LOG) >= 0) {
                final byte[] left = Objects.requireNonNull(after.get(file), where + " " + file);
                assertArrayEquals(Arrays.copyOf(bytes, left.length), left, where + " " + file);
            } else if (!file.endsWith(".swap") && !isDerived(file)) {
                assertArrayEquals(bytes, after.get(file), where + " " + file);
            }
        });
    }

    private static boolean isDerived(final String file) {
        return file.endsWith("index") || file.endsWith(LogFiles.SNAPSHOT) || file.equals(LogFiles.LEADER_EPOCHS);
    }

    private static void filesAreKafkas(final JsonNode variant, final String start, final Map<String, byte[]> after)
            throws NoSuchAlgorithmException {
        final String name = variant.get("variant").asText();
        final Map<String, String> ours = new TreeMap<>();
        for (final Map.Entry<String, byte[]> file : after.entrySet()) {
            if (isCompared(file.getKey())) {
                ours.put(file.getKey(), hash(file.getValue()));
            }
        }
        final Map<String, String> theirs = hashes(variant.get(start).get("filesAfterClose"));
        if (start.equals(AT_LAST) && FED_BEHIND.contains(name)) {
            assertTrue(!theirs.equals(ours), name + " is listed and no exception");
            final List<String> logs = ours.keySet().stream()
                    .filter(file -> file.endsWith(LogFiles.LOG))
                    .toList();
            final String last = logs.get(logs.size() - 2).replace(LogFiles.LOG, ".");
            theirs.keySet().removeIf(file -> file.startsWith(last) && file.endsWith("index"));
            ours.keySet().retainAll(theirs.keySet());
        }
        if (!isListed(MENDED, name, start)) {
            assertEquals(theirs, ours, name + " " + start);
            return;
        }
        final Map<String, String> mended = hashes(variant.get(UNCLEAN).get("filesAfterClose"));
        assertTrue(!theirs.equals(ours), name + " " + start + " is listed and no exception");
        assertEquals(mended, ours, name + " " + start);
    }

    private static Map<String, String> hashes(final JsonNode files) {
        final Map<String, String> hashes = new TreeMap<>();
        for (final JsonNode file : files) {
            if (isCompared(file.get("name").asText())) {
                hashes.put(file.get("name").asText(), file.get("sha256").asText());
            }
        }
        return hashes;
    }

    /** Segments and their indexes; the files of transactions have an owner of their own. */
    private static boolean isCompared(final String file) {
        return file.endsWith(LogFiles.LOG) || file.endsWith(".index") || file.endsWith(LogFiles.TIME_INDEX);
    }

    private static String hash(final byte[] bytes) throws NoSuchAlgorithmException {
        return HexFormat.of().formatHex(MessageDigest.getInstance("SHA-256").digest(bytes));
    }

    /** What a reader is refused, verify names, at the same place. */
    @Test
    void theCheckNamesThePlaces() throws IOException {
        for (final JsonNode variant : RecoveryCorpus.truth(CASE).get("variants")) {
            final String name = variant.get("variant").asText();
            final long[] expected = UNREADABLE.get(name);
            final Path copy = scratch.resolve("checked-" + name);
            RecoveryCorpus.copy(
                    RecoveryCorpus.folder(CASE).resolve(variant.get("path").asText()), copy);
            final List<Fault> faults = new ArrayList<>();
            try (DiskStorage storage = new DiskStorage(copy);
                    LogCheck check = new LogCheck(storage, 1 << 20, 1 << 20, faults::add)) {
                check.check("");
            }
            if (expected != null) {
                // An epoch is seen to fall at the batch behind the one whose epoch stands out.
                final long position = name.equals("leaderepoch-bitflip") ? 2798 : expected[2];
                assertTrue(
                        faults.stream().anyMatch(fault -> fault.position() == position),
                        name + " " + faults + " " + Arrays.toString(expected));
            }
        }
    }

    /** The document lists what is better, and lists nothing else. */
    @Test
    void theDocumentListsTheExceptions() throws IOException {
        final String document = Files.readString(
                Path.of(Objects.requireNonNull(System.getProperty("cordwood.root")), "docs", "FORMAT.md"));
        final String section = document.substring(document.indexOf("### Better than Kafka, variant by variant"));
        final TreeSet<String> listed = new TreeSet<>();
        final Matcher matcher = Pattern.compile("`([a-z0-9-]+)`").matcher(section);
        while (matcher.find()) {
            listed.add(matcher.group(1));
        }
        final TreeSet<String> expected = new TreeSet<>();
        expected.addAll(KAFKA_FAILS.keySet());
        expected.addAll(MENDED.keySet());
        expected.addAll(FED_BEHIND);
        expected.addAll(HIDDEN.keySet());
        expected.addAll(UNREADABLE.keySet());
        expected.addAll(OTHER_EPOCHS);
        assertEquals(expected, listed);
    }
}
