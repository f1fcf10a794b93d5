package io.cordwood.inspector;

import io.cordwood.log.LogFiles;
import io.cordwood.log.store.FileUse;
import io.cordwood.log.store.FileView;
import io.cordwood.log.store.Storage;
import io.cordwood.log.store.StorageFile;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;

/** The text files beside the segments, read as they are: what they should be and are not is an answer, not an exception. */
final class SmallFile {
    /** Far above any that is real: 64 Ki epochs. */
    private static final int BYTES_MAX = 1 << 20;

    /**
     * What a leader-epoch table says.
     *
     * @param entries epoch and start offset, as they stand; those before the first error.
     * @param error what is wrong with the file, empty if nothing is.
     */
    record Epochs(List<long[]> entries, String error) {}

    /**
     * What a {@code partition.metadata} says.
     *
     * @param topicId as it stands, empty if there is none.
     * @param error what is wrong with the file, empty if nothing is.
     */
    record TopicId(String topicId, String error) {}

    private SmallFile() {}

    static Epochs epochs(final Storage storage, final String directory) {
        final List<long[]> entries = new ArrayList<>();
        final List<String> lines = lines(storage, LogFiles.path(directory, LogFiles.LEADER_EPOCHS));
        if (lines.isEmpty() || !lines.get(0).strip().equals("0")) {
            return new Epochs(entries, "the first line is not version 0");
        }
        try {
            final int announced =
                    lines.size() < 2 ? -1 : Integer.parseInt(lines.get(1).strip());
            for (final String line : lines.subList(Math.min(2, lines.size()), lines.size())) {
                final String[] parts = line.strip().split(" ", -1);
                if (parts.length != 2) {
                    return new Epochs(entries, "not an epoch and an offset: " + Text.shorten(line));
                }
                entries.add(new long[] {Integer.parseInt(parts[0]), Long.parseLong(parts[1])});
            }
            return new Epochs(
                    entries,
                    announced == entries.size() ? "" : announced + " entries announced, " + entries.size() + " found");
        } catch (final NumberFormatException e) {
            return new Epochs(entries, "not a number: " + Text.shorten(String.valueOf(e.getMessage())));
        }
    }

    static TopicId topicId(final Storage storage, final String directory) {
        final List<String> lines = lines(storage, LogFiles.path(directory, LogFiles.PARTITION_METADATA));
        if (lines.isEmpty() || !lines.get(0).strip().equals("version: 0")) {
            return new TopicId("", "the first line is not version 0");
        }
        final String key = "topic_id: ";
        for (final String line : lines) {
            if (line.startsWith(key)) {
                return new TopicId(line.substring(key.length()).strip(), "");
            }
        }
        return new TopicId("", "no topic_id");
    }

    private static List<String> lines(final Storage storage, final String path) {
        try (StorageFile file = storage.open(path, FileUse.READ, 0);
                FileView view = new FileView()) {
            final int bytes = file.view(0, (int) Math.min(file.length(), BYTES_MAX), view);
            final byte[] content = new byte[bytes];
            view.buffer().getBytes(0, content);
            return new String(content, StandardCharsets.UTF_8).lines().toList();
        }
    }
}
