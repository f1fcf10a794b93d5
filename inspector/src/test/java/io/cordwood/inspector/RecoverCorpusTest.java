package io.cordwood.inspector;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.cordwood.log.LogFiles;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** The damaged directories: what a dry run tells is what the recovery then does, and what Kafka found on loading. */
final class RecoverCorpusTest {
    private static final String CASE = "09-corrupt";
    private static final String UNCLEAN = "uncleanStart";
    private static final String AT_LAST = "uncleanStartRecoveryPointAtLastSegment";
    private static final String CLEAN = "cleanStart";

    private static final List<String> FIELDS = List.of(
            "outcome",
            "logStartOffset",
            "logEndOffset",
            "recoveryPoint",
            "leaderEpochs",
            "segments",
            "hadCleanShutdown",
            "logStartOffsetGiven");

    /** What a recovery may rebuild, cut or take away without a word of its own: it follows from the segments. */
    private static final Pattern DERIVED = Pattern.compile(
            "\\d{20}\\.(index|timeindex|txnindex|snapshot)|leader-epoch-checkpoint|.*\\.(deleted|cleaned|swap)");

    @TempDir
    private Path scratch;

    private static Run recover(
            final JsonNode truth, final JsonNode given, final Path directory, final Object... options) {
        final JsonNode settings = truth.get("logConfig");
        final List<Object> args = new ArrayList<>(List.of("recover", "--format", "json"));
        for (final String name : List.of("index.interval.bytes", "segment.index.bytes")) {
            args.add("--set");
            args.add(name + "=" + settings.get(name).asText());
        }
        if (given.get("hadCleanShutdown").asBoolean()) {
            args.add("--clean");
        } else {
            args.add("--recovery-point");
            args.add(given.get("recoveryPointGiven").asLong());
        }
        args.addAll(List.of(options));
        args.add(directory);
        return Run.of(args.toArray());
    }

    @ParameterizedTest
    @ValueSource(strings = {UNCLEAN, AT_LAST, CLEAN})
    void aDryRunTellsWhatTheRecoveryThenDoes(final String start) throws Exception {
        final JsonNode truth = Corpus.truth(CASE);
        int variants = 0;
        int changed = 0;
        for (final JsonNode variant : truth.get("variants")) {
            final String name = variant.get("variant").asText();
            final String path = variant.get("path").asText();
            final Path copy = Corpus.copy(Corpus.root().resolve(CASE).resolve(path), scratch.resolve(path));
            final JsonNode given = variant.get(start).get("kafkaLoad");
            final SortedMap<String, String> before = Corpus.state(scratch.resolve(name));
            final Run dry = recover(truth, given, copy, "--dry-run");
            assertEquals(before, Corpus.state(scratch.resolve(name)), name);
            final Run real = recover(truth, given, copy);
            assertEquals(dry.exitCode(), real.exitCode(), name + real.err());
            final ObjectNode dryTold = (ObjectNode) dry.json();
            final ObjectNode realTold = (ObjectNode) real.json();
            assertTrue(dryTold.remove("dryRun").asBoolean());
            assertEquals(false, realTold.remove("dryRun").asBoolean());
            assertEquals(realTold, dryTold, name);
            assertEquals("loaded", realTold.get("outcome").asText(), name);
            variants++;
            changed += realTold.get("acts").isEmpty() ? 0 : 1;
        }
        assertEquals(85, variants);
        assertTrue(changed >= 20, changed + " with something to report");
    }

    /** Where ours is not Kafka's, it is better, and {@code docs/FORMAT.md} names the variant with the reason. */
    @Test
    void fieldsAreThoseOfKafkasLoad() throws Exception {
        final JsonNode truth = Corpus.truth(CASE);
        final String format = FormatDocumentTest.text();
        int same = 0;
        final SortedMap<String, String> different = new TreeMap<>();
        for (final JsonNode variant : truth.get("variants")) {
            final String name = variant.get("variant").asText();
            final Path directory =
                    Corpus.root().resolve(CASE).resolve(variant.get("path").asText());
            for (final String start : List.of(UNCLEAN, AT_LAST, CLEAN)) {
                final JsonNode kafka = variant.get(start).get("kafkaLoad");
                final JsonNode ours =
                        recover(truth, kafka, directory, "--dry-run").json();
                for (final String field : FIELDS) {
                    if (!String.valueOf(ours.get(field)).equals(String.valueOf(kafka.get(field)))) {
                        different.merge(name, start + "." + field, (a, b) -> a + " " + b);
                    }
                }
                same += different.containsKey(name) ? 0 : 1;
                if (kafka.has("logEndOffset")) {
                    assertTrue(
                            ours.get("logEndOffset").asLong()
                                    >= kafka.get("logEndOffset").asLong(),
                            name + " " + start);
                }
            }
        }
        different.forEach((name, where) -> assertTrue(format.contains("`" + name + "`"), name + ": " + where));
        assertTrue(same >= 3 * 50, same + " loads are the same, but not in " + different);
    }

    private static SortedMap<String, byte[]> content(final Path directory) throws IOException {
        final SortedMap<String, byte[]> content = new TreeMap<>();
        try (Stream<Path> files = Files.list(directory)) {
            for (final Path file : files.toList()) {
                final byte[] bytes = Files.isDirectory(file) ? new byte[0] : Files.readAllBytes(file);
                content.put(String.valueOf(file.getFileName()), bytes);
            }
        }
        return content;
    }

    @ParameterizedTest
    @ValueSource(strings = {UNCLEAN, AT_LAST, CLEAN})
    void onlyWhatIsToldHasChanged(final String start) throws Exception {
        final JsonNode truth = Corpus.truth(CASE);
        int kept = 0;
        for (final JsonNode variant : truth.get("variants")) {
            final String path = variant.get("path").asText();
            final Path copy = Corpus.copy(Corpus.root().resolve(CASE).resolve(path), scratch.resolve(path));
            final SortedMap<String, byte[]> before = content(copy);
            final JsonNode acts = recover(truth, variant.get(start).get("kafkaLoad"), copy)
                    .json()
                    .get("acts");
            final SortedMap<String, byte[]> after = content(copy);
            for (final Map.Entry<String, byte[]> file : before.entrySet()) {
                final String where = path + "/" + file.getKey() + " " + acts;
                final byte[] left = after.get(file.getKey());
                if (LogFiles.offset(file.getKey(), LogFiles.LOG) >= 0) {
                    segmentIsAsTold(file.getKey(), file.getValue(), left, acts, where);
                } else if (!DERIVED.matcher(file.getKey()).matches()) {
                    assertArrayEquals(file.getValue(), left, where);
                    kept++;
                }
            }
        }
        // The topic id in all but one, and what is nobody's.
        assertTrue(kept >= 84 + 3, kept + " kept");
    }

    private static void segmentIsAsTold(
            final String name,
            final byte[] before,
            final byte @Nullable [] after,
            final JsonNode acts,
            final String where) {
        if (Arrays.equals(before, after)) {
            return;
        }
        final Set<String> kinds = new TreeSet<>();
        for (final JsonNode act : acts) {
            if (act.get("file").asText().equals(name)) {
                kinds.add(act.get("kind").asText());
                if (act.get("kind").asText().endsWith("cut")) {
                    assertArrayEquals(Arrays.copyOf(before, act.get("position").asInt()), after, where);
                    assertEquals(
                            before.length - act.get("position").asInt(),
                            act.get("bytesGone").asInt(),
                            where);
                }
            }
        }
        assertTrue(
                kinds.contains("cut")
                        || kinds.contains("tail-cut")
                        || kinds.contains("swap-finished")
                        || (after == null && !kinds.isEmpty()),
                where);
    }
}
