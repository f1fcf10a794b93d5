package io.cordwood.index;

import static java.nio.charset.StandardCharsets.UTF_8;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import io.cordwood.log.LogFiles;
import java.io.IOException;
import java.io.InputStream;
import java.nio.ByteBuffer;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.zip.GZIPInputStream;

/** The segments that Kafka wrote, with their index files and what Kafka's classes read in them. */
final class IndexCorpus {
    /** Cases that say what is in the index files. */
    static final List<String> CASES = List.of(
            "01-plain",
            "02-codecs",
            "03-txn",
            "04-compaction",
            "05-groups",
            "06-cluster",
            "07-crash",
            "08-old-formats",
            "10-kcat");

    private static final int TAR_BLOCK = 512;

    /** One segment and what the truth says of it. */
    record KafkaSegment(String partition, long baseOffset, Path directory, JsonNode truth) {
        String file(final String suffix) {
            return LogFiles.name(baseOffset, suffix);
        }

        String name() {
            return partition + "/" + file(LogFiles.LOG);
        }

        /** Kafka has given back what it had preallocated, as it does when it seals and closes. */
        boolean isTrimmed() {
            return truth.get("offsetIndex").get("unusedEntries").asInt() == 0
                    && truth.get("timeIndex").get("unusedEntries").asInt() == 0;
        }
    }

    private IndexCorpus() {}

    /** All segments that have index files; packed partitions are unpacked into a directory. */
    static List<KafkaSegment> segments(final Path unpacked) throws IOException {
        final List<KafkaSegment> segments = new ArrayList<>();
        for (final String name : CASES) {
            for (final JsonNode partition : truth(name).get("partitions")) {
                final String path = name + "/" + partition.get("path").asText();
                Path directory = root().resolve(path);
                if (!Files.isDirectory(directory)) {
                    directory = unpacked.resolve(path);
                    unpack(root().resolve(path + ".tar.gz"), directory);
                }
                for (final JsonNode segment : partition.get("segments")) {
                    if (segment.hasNonNull("offsetIndex")) {
                        segments.add(
                                new KafkaSegment(path, segment.get("baseOffset").asLong(), directory, segment));
                    }
                }
            }
        }
        return segments;
    }

    private static Path root() {
        final String directory = System.getProperty("cordwood.corpus");
        if (directory == null || !Files.isDirectory(Path.of(directory))) {
            throw new AssertionError("the system property cordwood.corpus must name the corpus: " + directory);
        }
        return Path.of(directory);
    }

    private static JsonNode truth(final String name) throws IOException {
        try (InputStream in =
                new GZIPInputStream(Files.newInputStream(root().resolve(name).resolve("truth.json.gz")))) {
            return new ObjectMapper().readTree(in);
        }
    }

    private static void unpack(final Path packed, final Path directory) throws IOException {
        Files.createDirectories(directory);
        try (InputStream in = new GZIPInputStream(Files.newInputStream(packed))) {
            for (byte[] header = in.readNBytes(TAR_BLOCK); header[0] != 0; header = in.readNBytes(TAR_BLOCK)) {
                final byte[] stored = in.readNBytes(number(header, 124));
                in.skipNBytes(-stored.length & (TAR_BLOCK - 1));
                final String name = text(header, 0, 100);
                if (!name.endsWith("/")) {
                    final byte[] content = header[156] == 'S' ? spread(header, stored) : stored;
                    Files.write(directory.resolve(name.substring(name.lastIndexOf('/') + 1)), content);
                }
            }
        }
    }

    /** A sparse file: pieces, of which the header tells the places, and zeros between and behind them. */
    private static byte[] spread(final byte[] header, final byte[] stored) {
        if (header[482] != 0) {
            throw new AssertionError("sparse map continues, which is not read here: " + text(header, 0, 100));
        }
        final byte[] content = new byte[number(header, 483)];
        final ByteBuffer pieces = ByteBuffer.wrap(stored);
        for (int piece = 0; piece < 4; piece++) {
            final int at = 386 + 24 * piece;
            if (header[at] != 0) {
                pieces.get(content, number(header, at), number(header, at + 12));
            }
        }
        return content;
    }

    private static int number(final byte[] header, final int begin) {
        return Integer.parseInt(text(header, begin, 12), 8);
    }

    private static String text(final byte[] header, final int begin, final int length) {
        int end = begin;
        while (end < begin + length && header[end] != 0) {
            end++;
        }
        return new String(header, begin, end - begin, UTF_8).trim();
    }
}
