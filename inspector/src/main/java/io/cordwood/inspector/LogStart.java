package io.cordwood.inspector;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;

/**
 * Where a partition begins, by the data directory that holds it: records below were deleted, though their bytes may still lie
 * in the first segment.
 */
final class LogStart {
    private static final String FILE = "log-start-offset-checkpoint";
    private static final int BYTES_MAX = 1 << 24;
    private static final int HEAD_LINES = 2;
    private static final int FIELDS = 3;

    private LogStart() {}

    /** The offset that the checkpoint beside the partition has for it; 0 if there is none, or it cannot be understood. */
    static long of(final Path partition) throws IOException {
        final Path absolute = partition.toAbsolutePath().normalize();
        final Path file = absolute.resolveSibling(FILE);
        final PartitionName name = PartitionName.parse(String.valueOf(absolute.getFileName()));
        if (name == null || !Files.isRegularFile(file) || Files.size(file) > BYTES_MAX) {
            return 0;
        }
        final List<String> lines = Files.readAllLines(file, StandardCharsets.UTF_8);
        for (final String line : lines.subList(Math.min(HEAD_LINES, lines.size()), lines.size())) {
            final String[] fields = line.split(" ", -1);
            if (fields.length == FIELDS
                    && fields[0].equals(name.topic())
                    && fields[1].equals(Integer.toString(name.partition()))
                    && fields[2].matches("\\d{1,18}")) {
                return Long.parseLong(fields[2]);
            }
        }
        return 0;
    }
}
