package io.cordwood.inspector;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.HexFormat;
import java.util.List;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.stream.Stream;
import java.util.zip.GZIPInputStream;

/** The directories that Kafka wrote, and what Kafka's classes read in them. */
final class Corpus {
    static final List<String> HEALTHY = List.of(
            "01-plain", "02-codecs", "03-txn", "04-compaction", "05-groups", "06-cluster", "08-old-formats", "10-kcat");

    private static final String ARCHIVE = ".tar.gz";

    private Corpus() {}

    static Path root() {
        final String root = System.getProperty("cordwood.corpus");
        if (root == null || !Files.isDirectory(Path.of(root))) {
            throw new IllegalStateException("no corpus: cordwood.corpus is " + root);
        }
        return Path.of(root);
    }

    static JsonNode truth(final String name) {
        try (InputStream in =
                new GZIPInputStream(Files.newInputStream(root().resolve(name).resolve("truth.json.gz")))) {
            return new ObjectMapper().readTree(in);
        } catch (final IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    /** The directory of a partition of a case; unpacked into {@code scratch} if it is stored as an archive. */
    static Path partition(final String name, final String path, final Path scratch) {
        final Path stored = root().resolve(name).resolve(path);
        if (Files.isDirectory(stored)) {
            return stored;
        }
        final Path unpacked = scratch.resolve(name).resolve(path);
        final Path parent = unpacked.getParent();
        if (!Files.isDirectory(unpacked) && parent != null) {
            unpack(stored.resolveSibling(stored.getFileName() + ARCHIVE), parent);
        }
        return unpacked;
    }

    private static void unpack(final Path archive, final Path target) {
        try {
            Files.createDirectories(target);
            final Process tar = new ProcessBuilder("tar", "-xzSf", archive.toString(), "-C", target.toString())
                    .inheritIO()
                    .start();
            if (tar.waitFor() != 0) {
                throw new IllegalStateException("tar failed on " + archive);
            }
        } catch (final IOException e) {
            throw new UncheckedIOException(e);
        } catch (final InterruptedException e) {
            throw new IllegalStateException(e);
        }
    }

    /** Copies a directory with its files. */
    static Path copy(final Path source, final Path target) throws IOException {
        Files.createDirectories(target);
        try (var entries = Files.newDirectoryStream(source)) {
            for (final Path entry : entries) {
                final Path copy = target.resolve(String.valueOf(entry.getFileName()));
                if (Files.isDirectory(entry)) {
                    copy(entry, copy);
                } else {
                    Files.copy(entry, copy);
                }
            }
        }
        return target;
    }

    /** Every name below a directory, with the bytes and the time of the last change of what it stands for. */
    static SortedMap<String, String> state(final Path root) throws IOException {
        final SortedMap<String, String> state = new TreeMap<>();
        final List<Path> paths;
        try (Stream<Path> walk = Files.walk(root)) {
            paths = walk.toList();
        }
        for (final Path path : paths) {
            final String content = Files.isDirectory(path) ? "directory" : sha256(Files.readAllBytes(path));
            state.put(root.relativize(path).toString(), Files.getLastModifiedTime(path) + " " + content);
        }
        return state;
    }

    private static String sha256(final byte[] bytes) {
        try {
            return HexFormat.of().formatHex(MessageDigest.getInstance("SHA-256").digest(bytes));
        } catch (final NoSuchAlgorithmException e) {
            throw new IllegalStateException(e);
        }
    }
}
