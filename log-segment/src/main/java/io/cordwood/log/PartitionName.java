package io.cordwood.log;

import java.util.Comparator;
import java.util.List;
import java.util.UUID;
import org.jspecify.annotations.Nullable;

/**
 * Which partition of which topic, as Kafka names its directory: {@code <topic>-<partition>}. Sorted by topic, then partition.
 *
 * @param topic name of the topic: 1 to 249 letters, digits, dots, underscores and hyphens, not {@code .} or {@code ..}.
 * @param partition number of the partition, at least 0.
 */
public record PartitionName(String topic, int partition) implements Comparable<PartitionName> {
    private static final int TOPIC_CHARS_MAX = 249;
    private static final int FILE_NAME_CHARS_MAX = 255;
    private static final int ID_CHARS = 32;
    private static final String DELETING = "-delete";
    private static final List<String> MARKS = List.of(DELETING, "-future", "-stray");
    private static final Comparator<PartitionName> ORDER =
            Comparator.comparing(PartitionName::topic).thenComparingInt(PartitionName::partition);

    /**
     * Checks both.
     *
     * @param topic of the partition.
     * @param partition at least 0.
     */
    public PartitionName {
        if (!isTopic(topic)) {
            throw new IllegalArgumentException("topic '" + topic + "': legal are 1 to " + TOPIC_CHARS_MAX
                    + " ASCII letters, digits, '.', '_' and '-', but not '.' and '..'");
        }
        if (partition < 0) {
            throw new IllegalArgumentException("partition is " + partition + ", but the least is 0");
        }
    }

    /**
     * Reads the name of a directory.
     *
     * @param directory name of it, without its parents.
     * @return the partition; null if it is no partition's, or that of one which is being deleted, moved or was found stray.
     */
    public static @Nullable PartitionName parse(final String directory) {
        final int hyphen = directory.lastIndexOf('-');
        if (hyphen <= 0) {
            return null;
        }
        final int partition = number(directory.substring(hyphen + 1));
        final String topic = directory.substring(0, hyphen);
        return partition < 0 || !isTopic(topic) ? null : new PartitionName(topic, partition);
    }

    /**
     * Reads the name of a directory, whatever is becoming of the partition.
     *
     * @param directory name of it, without its parents.
     * @return the partition, also of a directory that is being deleted, moved or was found stray; null if it is no partition's.
     *     Kafka cuts the topic of such a name where the name would be too long.
     */
    public static @Nullable PartitionName parseMarked(final String directory) {
        for (final String mark : MARKS) {
            final String name = unmarked(directory, mark);
            if (name != null) {
                return parse(name);
            }
        }
        return parse(directory);
    }

    /** The number if it is written as Kafka writes it, else -1. */
    private static int number(final String digits) {
        try {
            final int number = Integer.parseInt(digits);
            return number >= 0 && Integer.toString(number).equals(digits) ? number : -1;
        } catch (final NumberFormatException e) {
            return -1;
        }
    }

    private static boolean isTopic(final String topic) {
        if (topic.isEmpty() || topic.length() > TOPIC_CHARS_MAX || ".".equals(topic) || "..".equals(topic)) {
            return false;
        }
        for (int i = 0; i < topic.length(); i++) {
            final char c = topic.charAt(i);
            final boolean isLetterOrDigit = (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9');
            if (!isLetterOrDigit && c != '.' && c != '_' && c != '-') {
                return false;
            }
        }
        return true;
    }

    /**
     * Name of the directory.
     *
     * @return {@code <topic>-<partition>}.
     */
    public String directory() {
        return topic + "-" + partition;
    }

    /**
     * Name of the directory while the partition is being deleted.
     *
     * @param id that no other deletion has.
     * @return {@code <topic>-<partition>.<id>-delete}, with as much of the topic as 255 characters allow.
     */
    public String deletingDirectory(final UUID id) {
        final String suffix = "-" + partition + "." + id.toString().replace("-", "") + DELETING;
        return topic.substring(0, Math.min(topic.length(), FILE_NAME_CHARS_MAX - suffix.length())) + suffix;
    }

    /** Whether a directory is what {@link #deletingDirectory} makes of a partition. */
    static boolean isDeleting(final String directory) {
        final String name = unmarked(directory, DELETING);
        return name != null && parse(name) != null;
    }

    /** What stands before an id and a mark; null if they are not there. */
    private static @Nullable String unmarked(final String directory, final String mark) {
        final int dot = directory.length() - mark.length() - ID_CHARS - 1;
        if (dot <= 0 || !directory.endsWith(mark) || directory.charAt(dot) != '.') {
            return null;
        }
        for (int i = dot + 1; i <= dot + ID_CHARS; i++) {
            if (Character.digit(directory.charAt(i), 16) < 0 || directory.charAt(i) > 'f') {
                return null;
            }
        }
        return directory.substring(0, dot);
    }

    @Override
    public int compareTo(final PartitionName other) {
        return ORDER.compare(this, other);
    }

    /** The name of the directory. */
    @Override
    public String toString() {
        return directory();
    }
}
