package io.cordwood.index.log;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Map;
import java.util.Objects;
import java.util.TreeMap;
import java.util.function.Predicate;

/** The files of a directory, by name, as they were at one moment. */
record DirectoryContent(Map<String, byte[]> files) {
    static DirectoryContent of(final Path directory) throws IOException {
        final Map<String, byte[]> content = new TreeMap<>();
        try (var files = Files.newDirectoryStream(directory)) {
            for (final Path file : files) {
                content.put(Objects.requireNonNull(file.getFileName()).toString(), Files.readAllBytes(file));
            }
        }
        return new DirectoryContent(content);
    }

    /** Writes the files with some names to a new directory. */
    void writeTo(final Path directory, final Predicate<String> isWanted) throws IOException {
        Files.createDirectories(directory);
        for (final Map.Entry<String, byte[]> file : files.entrySet()) {
            if (isWanted.test(file.getKey())) {
                Files.write(directory.resolve(file.getKey()), file.getValue());
            }
        }
    }

    /** Deletes a directory and the files in it. */
    static void delete(final Path directory) throws IOException {
        try (var files = Files.newDirectoryStream(directory)) {
            for (final Path file : files) {
                Files.delete(file);
            }
        }
        Files.delete(directory);
    }
}
