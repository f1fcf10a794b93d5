package io.cordwood.index.log;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import io.cordwood.index.SparseIndexes;
import io.cordwood.log.CorruptLogException;
import io.cordwood.log.Log;
import io.cordwood.log.LogBuilder;
import io.cordwood.log.LogConfig;
import io.cordwood.log.LogReader;
import io.cordwood.log.store.Storage;
import java.io.IOException;
import java.io.InputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.TreeMap;
import java.util.stream.Stream;
import java.util.zip.GZIPInputStream;

/** Directories of the corpus that a crash or damage has left: copies of them, opened as the truth says. */
final class RecoveryCorpus {
    static final long NOW = 1_800_000_000_000L;

    private RecoveryCorpus() {}

    static Path folder(final String name) {
        return Path.of(Objects.requireNonNull(System.getProperty("cordwood.corpus")), name);
    }

    static JsonNode truth(final String name) throws IOException {
        try (InputStream in =
                new GZIPInputStream(Files.newInputStream(folder(name).resolve("truth.json.gz")))) {
            return new ObjectMapper().readTree(in);
        }
    }

    static LogConfig config(final JsonNode settings) {
        return LogConfig.of(Map.of(
                "index.interval.bytes", settings.get("index.interval.bytes").asText(),
                "segment.index.bytes", settings.get("segment.index.bytes").asText()));
    }

    /** Copies a partition directory, or unpacks it where it is packed. */
    static void copy(final Path source, final Path target) throws IOException {
        Files.createDirectories(target);
        if (Files.isDirectory(source)) {
            try (Stream<Path> files = Files.list(source)) {
                for (final Path file : files.toList()) {
                    if (Files.isDirectory(file)) {
                        Files.createDirectory(target.resolve(file.getFileName()));
                    } else {
                        Files.copy(file, target.resolve(file.getFileName()));
                    }
                }
            }
            return;
        }
        final Process tar = new ProcessBuilder(
                        "tar", "xzf", source + ".tar.gz", "-C", target.toString(), "--strip-components=1")
                .inheritIO()
                .start();
        try {
            if (tar.waitFor() != 0) {
                throw new IOException("tar cannot unpack " + source);
            }
        } catch (final InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new IOException(e);
        }
    }

    static Log open(final Storage storage, final LogConfig config, final long recoveryPoint) {
        return new LogBuilder(storage, "")
                .config(config)
                .indexes(new SparseIndexes())
                .recoveryPoint(recoveryPoint)
                .open(NOW);
    }

    static Map<String, byte[]> content(final Path directory) throws IOException {
        final Map<String, byte[]> content = new TreeMap<>();
        try (Stream<Path> files = Files.list(directory)) {
            for (final Path file : files.toList()) {
                if (!Files.isDirectory(file)) {
                    content.put(file.getFileName().toString(), Files.readAllBytes(file));
                }
            }
        }
        return content;
    }

    /** What a reader met that goes on behind each fault. */
    record Walk(List<Long> offsets, List<CorruptLogException> faults) {}

    /** Reads everything, batch by batch, and steps over what is damaged. */
    static Walk walk(final Log log) {
        final Walk walk = new Walk(new ArrayList<>(), new ArrayList<>());
        try (LogReader reader = log.newReader()) {
            long offset = log.startOffset();
            while (offset < log.endOffset()) {
                try {
                    if (reader.read(offset, Long.MAX_VALUE, 4096) <= 0) {
                        throw new AssertionError("nothing at " + offset + ", but the log ends at " + log.endOffset());
                    }
                    reader.forEach(batch -> {
                        for (long held = batch.baseOffset(); held <= batch.lastOffset(); held++) {
                            walk.offsets.add(held);
                        }
                        return true;
                    });
                    offset = reader.nextOffset();
                } catch (final CorruptLogException e) {
                    walk.faults.add(e);
                    if (e.nextOffset() <= offset) {
                        throw new AssertionError("no way on from " + offset, e);
                    }
                    offset = e.nextOffset();
                }
            }
        }
        return walk;
    }
}
