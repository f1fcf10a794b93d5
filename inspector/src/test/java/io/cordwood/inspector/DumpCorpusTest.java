package io.cordwood.inspector;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** What dump says of the directories that Kafka wrote is what Kafka's own classes read in them. */
final class DumpCorpusTest {
    @TempDir
    private Path scratch;

    @ParameterizedTest
    @CsvSource({
        "01-plain, 9, 304, 609",
        "02-codecs, 7, 180, 1106",
        "03-txn, 10, 658, 803",
        "04-compaction, 18, 1259, 1293",
        "05-groups, 7, 53, 138",
        "06-cluster, 21, 2242, 3405",
        "07-crash, 18, 3042, 5108",
        "08-old-formats, 17, 156, 307",
        "10-kcat, 7, 247, 4123"
    })
    void dumpEqualsTruth(final String name, final int partitions, final int batches, final int records) {
        final List<String> differences = new ArrayList<>();
        final JsonNode truths = Corpus.truth(name).get("partitions");
        int batchesCompared = 0;
        int recordsCompared = 0;
        for (final JsonNode truth : truths) {
            final String path = truth.get("path").asText();
            final Path directory = Corpus.partition(name, path, scratch);
            final Run run = Run.dump(directory);
            assertEquals(0, run.exitCode(), path + ": " + run.err());
            final JsonNode ours = run.json().get("partitions");
            assertEquals(1, ours.size(), path);
            ((ObjectNode) truth).put("path", directory.toString());
            differences.addAll(TruthDiff.of(name + "/" + path, truth, ours.get(0)));
            for (final JsonNode batch : ours.get(0).findValues("batches")) {
                batchesCompared += batch.size();
            }
            for (final JsonNode record : ours.get(0).findValues("records")) {
                recordsCompared += record.size();
            }
        }
        assertTrue(differences.isEmpty(), () -> String.join("\n", differences));
        assertEquals(partitions, truths.size());
        assertEquals(batches, batchesCompared);
        assertEquals(records, recordsCompared);
    }

    @Test
    void dataDirectoryHasItsPartitionsByFolder() {
        final Path directory = Corpus.root().resolve("01-plain");
        final JsonNode ours = Run.dump(directory).json().get("partitions");
        final List<String> paths = new ArrayList<>();
        ours.forEach(partition -> paths.add(partition.get("path").asText()));
        final List<String> expected = new ArrayList<>();
        Corpus.truth("01-plain")
                .get("partitions")
                .forEach(partition ->
                        expected.add(directory + "/" + partition.get("path").asText()));
        assertEquals(expected, paths);
    }
}
