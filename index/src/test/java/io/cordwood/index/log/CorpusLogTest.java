package io.cordwood.index.log;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import io.cordwood.index.SparseIndexes;
import io.cordwood.log.Log;
import io.cordwood.log.LogBuilder;
import io.cordwood.log.LogConfig;
import io.cordwood.log.LogReader;
import io.cordwood.log.store.DiskStorage;
import java.io.IOException;
import java.io.InputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Map;
import java.util.Objects;
import java.util.TreeMap;
import java.util.zip.GZIPInputStream;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Opens copies of the directories that Kafka wrote: our end of the log is Kafka's, and a look changes nothing. */
final class CorpusLogTest {
    private static final long NOW = 1_800_000_000_000L;

    @TempDir
    Path scratch;

    @ParameterizedTest
    @ValueSource(strings = {"01-plain", "02-codecs", "03-txn", "04-compaction", "05-groups", "06-cluster", "10-kcat"})
    void whatKafkaWroteOpensToKafkasEnd(final String name) throws IOException {
        final Path corpus = Path.of(Objects.requireNonNull(System.getProperty("cordwood.corpus")), name);
        final JsonNode truth;
        try (InputStream in = new GZIPInputStream(Files.newInputStream(corpus.resolve("truth.json.gz")))) {
            truth = new ObjectMapper().readTree(in);
        }
        int opened = 0;
        for (final JsonNode partition : truth.get("partitions")) {
            final Path source = corpus.resolve(partition.get("path").asText());
            final JsonNode load = partition.get("kafkaLoad");
            if (Files.isDirectory(source)
                    && load != null
                    && "loaded".equals(load.get("outcome").asText())) {
                opened += opens(source, load, 0) + opens(source, load, Long.MAX_VALUE);
            }
        }
        assertTrue(opened >= 4, "opened " + opened);
    }

    private int opens(final Path source, final JsonNode load, final long recoveryPoint) throws IOException {
        final Map<String, byte[]> before = content(source);
        final Path copy = Files.createTempDirectory(scratch, "copy");
        for (final Map.Entry<String, byte[]> file : before.entrySet()) {
            Files.write(copy.resolve(file.getKey()), file.getValue());
        }
        final String where = source + " from " + recoveryPoint;
        try (DiskStorage storage = new DiskStorage(copy)) {
            try (Log log = new LogBuilder(storage, "")
                    .config(LogConfig.of(Map.of("index.interval.bytes", intervalOf(source))))
                    .indexes(new SparseIndexes())
                    .startOffset(load.get("logStartOffset").asLong())
                    .recoveryPoint(recoveryPoint)
                    .open(NOW)) {
                assertEquals(load.get("logEndOffset").asLong(), log.endOffset(), where);
                assertEquals(load.get("logStartOffset").asLong(), log.startOffset(), where);
                assertEquals(load.get("segments").size(), log.segmentCount(), where);
                readAll(log, where);
            }
        }
        final Map<String, byte[]> after = content(copy);
        for (final Map.Entry<String, byte[]> file : before.entrySet()) {
            final String name = file.getKey();
            final boolean isTrimmedIndex = name.endsWith(".index") && file.getValue().length < 4096;
            if (name.endsWith(".log") || (recoveryPoint > 0 && isTrimmedIndex)) {
                assertArrayEquals(file.getValue(), after.get(name), where + " " + name);
            }
        }
        return 1;
    }

    /** The interval with which Kafka wrote the topic: only with the same one an index that is fed again has the same bytes. */
    private static String intervalOf(final Path directory) {
        final String name = String.valueOf(directory.getFileName());
        final boolean isDefault = name.startsWith("__") || name.startsWith("plain-big");
        return isDefault ? "4096" : "512";
    }

    private static void readAll(final Log log, final String where) {
        try (LogReader reader = log.newReader()) {
            long offset = log.startOffset();
            long bytes = reader.read(offset, Long.MAX_VALUE, 4096);
            while (bytes > 0) {
                offset = reader.nextOffset();
                bytes = reader.read(offset, Long.MAX_VALUE, 4096);
            }
            assertEquals(0, bytes, where);
        }
    }

    private static Map<String, byte[]> content(final Path directory) throws IOException {
        final Map<String, byte[]> content = new TreeMap<>();
        try (var files = Files.list(directory)) {
            for (final Path file : files.toList()) {
                content.put(file.getFileName().toString(), Files.readAllBytes(file));
            }
        }
        return content;
    }
}
