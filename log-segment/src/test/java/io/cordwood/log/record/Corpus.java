package io.cordwood.log.record;

import static java.nio.charset.StandardCharsets.UTF_8;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import java.io.IOException;
import java.io.InputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.zip.GZIPInputStream;
import org.agrona.concurrent.UnsafeBuffer;

/** The log directories that Kafka wrote, and what Kafka's own classes read in them. */
public final class Corpus {
    private static final int TAR_BLOCK = 512;
    private static final ObjectMapper JSON = new ObjectMapper();

    private Corpus() {}

    public static Path root() {
        final String directory = System.getProperty("cordwood.corpus");
        if (directory == null || !Files.isDirectory(Path.of(directory))) {
            throw new AssertionError("the system property cordwood.corpus must name the corpus: " + directory);
        }
        return Path.of(directory);
    }

    public static JsonNode truth(final String name) throws IOException {
        try (InputStream in =
                new GZIPInputStream(Files.newInputStream(root().resolve(name).resolve("truth.json.gz")))) {
            return JSON.readTree(in);
        }
    }

    /** A file of a partition, which may be packed because it is sparse. */
    public static UnsafeBuffer bytes(final String name, final String partition, final String file) throws IOException {
        final Path plain = root().resolve(name).resolve(partition).resolve(file);
        return new UnsafeBuffer(Files.exists(plain) ? Files.readAllBytes(plain) : unpacked(name, partition, file));
    }

    private static byte[] unpacked(final String name, final String partition, final String file) throws IOException {
        final Path packed = root().resolve(name).resolve(partition + ".tar.gz");
        try (InputStream in = new GZIPInputStream(Files.newInputStream(packed))) {
            for (byte[] header = in.readNBytes(TAR_BLOCK); header[0] != 0; header = in.readNBytes(TAR_BLOCK)) {
                final int size = Integer.parseInt(text(header, 124, 12), 8);
                final byte[] content = in.readNBytes(size);
                in.skipNBytes(-size & (TAR_BLOCK - 1));
                if (text(header, 0, 100).endsWith("/" + file)) {
                    return content;
                }
                if (header[156] == 'S' && header[482] != 0) {
                    throw new AssertionError("sparse map continues, which is not read here: " + text(header, 0, 100));
                }
            }
        }
        throw new AssertionError("no " + file + " in " + packed);
    }

    private static String text(final byte[] header, final int begin, final int length) {
        int end = begin;
        while (end < begin + length && header[end] != 0) {
            end++;
        }
        return new String(header, begin, end - begin, UTF_8).trim();
    }
}
