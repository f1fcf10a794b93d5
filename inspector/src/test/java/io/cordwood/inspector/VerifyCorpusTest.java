package io.cordwood.inspector;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.fasterxml.jackson.databind.JsonNode;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Nothing is wrong in what Kafka wrote, and each damage that was done to it is found where it is. */
final class VerifyCorpusTest {
    /** What leaves a log that is whole, or that a cleaner or an operator could have left. */
    private static final Set<String> LEGAL = Set.of(
            "untouched",
            "txn-untouched",
            "first-segment-missing",
            "index-empty",
            "index-zero-padded",
            "timeindex-zero-padded",
            "leaderepoch-checkpoint-missing",
            "partition-metadata-missing",
            "junk-files",
            "junk-subdirectory",
            "deleted-leftover",
            "deleted-only-copy",
            "cleaned-leftover",
            "swap-beside-original",
            "swap-only-copy",
            "swap-log-without-indexes",
            "swap-index-without-log-swap",
            "swap-merged-two-segments",
            "swap-and-cleaned",
            "txn-index-missing",
            "snapshots-missing");

    /** Damage in files that are neither records nor sparse indexes: whoever writes them checks them. */
    private static final Set<String> ELSEWHERE = Set.of(
            "txn-index-cut",
            "txn-index-garbage",
            "txn-index-wrong-version",
            "snapshot-last-bitflip",
            "snapshots-all-bitflip",
            "snapshot-last-empty",
            "snapshot-stray");

    @TempDir
    private Path scratch;

    @Test
    void b82NoFaultInHealthyDirectories() {
        int partitions = 0;
        final List<String> problems = new ArrayList<>();
        final List<String> cases = new ArrayList<>(Corpus.HEALTHY);
        cases.add("07-crash");
        for (final String name : cases) {
            for (final JsonNode truth : Corpus.truth(name).get("partitions")) {
                final String path = truth.get("path").asText();
                final Run run = Run.of("verify", "--format", "json", Corpus.partition(name, path, scratch));
                final JsonNode json = run.json();
                if (run.exitCode() != 0 || json.get("faults").asInt() != 0) {
                    problems.add(name + "/" + path + ": " + run.out() + run.err());
                }
                assertEquals(
                        batches(truth),
                        json.get("partitions").get(0).get("batches").asInt(),
                        path);
                partitions++;
            }
        }
        assertTrue(problems.isEmpty(), () -> String.join("\n", problems));
        assertEquals(114, partitions);
    }

    private static int batches(final JsonNode partition) {
        int count = 0;
        for (final JsonNode segment : partition.get("segments")) {
            count += segment.get("batches").size();
        }
        return count;
    }

    @Test
    void eachDamageIsFoundAtItsPlace() {
        final Map<String, Long> positions = batchPositions();
        final Set<String> silent = new TreeSet<>();
        final List<String> problems = new ArrayList<>();
        int variants = 0;
        for (final JsonNode variant : Corpus.truth("09-corrupt").get("variants")) {
            final String name = variant.get("variant").asText();
            final Path path = Corpus.root()
                    .resolve("09-corrupt")
                    .resolve(variant.get("path").asText());
            final Run run = Run.of("verify", "--format", "json", path);
            final JsonNode faults = run.json().get("partitions").get(0).get("faults");
            assertEquals(faults.isEmpty() ? 0 : 1, run.exitCode(), name + run.err());
            if (faults.isEmpty()) {
                silent.add(name);
            } else if (!isAtItsPlace(variant.get("damage"), faults, positions)) {
                problems.add(name + ": " + variant.get("damage") + " but " + faults);
            }
            variants++;
        }
        final Set<String> expected = new TreeSet<>(LEGAL);
        expected.addAll(ELSEWHERE);
        assertEquals(expected, silent);
        assertTrue(problems.isEmpty(), () -> String.join("\n", problems));
        assertEquals(85, variants);
    }

    /** Whether a fault is told at the batch that was hit, or at or before the byte that was written. */
    private static boolean isAtItsPlace(
            final JsonNode damage, final JsonNode faults, final Map<String, Long> positions) {
        if (!damage.has("file") || (!damage.has("at") && !damage.has("batchBaseOffset"))) {
            return true;
        }
        final String file = damage.get("file").asText();
        final String hit =
                damage.has("batchBaseOffset") ? damage.get("batchBaseOffset").asText() : "";
        final Long batch = positions.get(file + "@" + hit);
        for (final JsonNode fault : faults) {
            if (fault.get("file").asText().endsWith("/" + file)) {
                final long position = fault.get("position").asLong();
                if (batch == null
                        ? position <= damage.get("at").asLong()
                        : position == batch || isNext(file, positions, batch, position)) {
                    return true;
                }
            }
        }
        // A batch that is cut off at its very beginning is missed by the time index alone.
        return batch != null
                && damage.has("cutToSize")
                && damage.get("cutToSize").asLong() == batch;
    }

    /** A leader epoch that is too high shows at the batch behind it. */
    private static boolean isNext(
            final String file, final Map<String, Long> positions, final long batch, final long position) {
        long next = Long.MAX_VALUE;
        for (final Map.Entry<String, Long> entry : positions.entrySet()) {
            if (entry.getKey().startsWith(file) && entry.getValue() > batch) {
                next = Math.min(next, entry.getValue());
            }
        }
        return position == next;
    }

    private static Map<String, Long> batchPositions() {
        final Map<String, Long> positions = new HashMap<>();
        for (final String name : List.of("01-plain/dmg-plain-0", "03-txn/dmg-txn-0")) {
            final JsonNode dump = Run.dump(Corpus.root().resolve(name)).json();
            for (final JsonNode segment : dump.get("partitions").get(0).get("segments")) {
                for (final JsonNode batch : segment.get("batches")) {
                    positions.put(
                            segment.get("log").asText() + "@"
                                    + batch.get("baseOffset").asText(),
                            batch.get("position").asLong());
                }
            }
        }
        return positions;
    }

    @Test
    void goesOnBehindDamage() {
        for (final String name : List.of(
                "payload-bitflip-mid",
                "payload-bitflip-first-segment",
                "crc-bitflip",
                "length-bitflip-low",
                "length-bitflip-256",
                "length-bitflip-sign",
                "length-zero",
                "length-13",
                "length-48",
                "magic-flip-to-3",
                "magic-flip-to-0",
                "baseoffset-bitflip-high")) {
            final JsonNode checked = Run.of(
                            "verify",
                            "--format",
                            "json",
                            Corpus.root().resolve("09-corrupt").resolve(name))
                    .json()
                    .get("partitions")
                    .get(0);
            assertEquals(37, checked.get("batches").asInt(), name + ": of 38 batches one is damaged");
            assertEquals(56, checked.get("endOffset").asInt(), name);
        }
    }
}
