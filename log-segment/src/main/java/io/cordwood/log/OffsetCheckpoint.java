package io.cordwood.log;

import static java.nio.charset.StandardCharsets.US_ASCII;

import io.cordwood.log.store.Storage;
import java.util.Map;
import java.util.SortedMap;
import java.util.TreeMap;
import org.agrona.DirectBuffer;
import org.agrona.concurrent.UnsafeBuffer;
import org.jspecify.annotations.Nullable;

/**
 * The format of the four files in which a data directory keeps one offset for each of its partitions: text, each line ended by
 * a line feed.
 *
 * <pre>
 *   0              version
 *   2              number of entries
 *   orders 0 120   topic, partition, offset
 *   orders 1 98
 * </pre>
 *
 * <p>A file of 0 bytes has no entries; Kafka makes such ones. Kafka writes entries in no particular order, we sort them. Refused
 * is whatever else a crash or a careless hand can make of it: another version, fewer or more lines than announced, a last line
 * without its line feed, a partition that is named twice, anything that is not a number.
 */
public final class OffsetCheckpoint {
    /** The version that is read and written. */
    public static final int VERSION = 0;

    /** Up to which offset each log was forced: where a recovery begins. */
    public static final String RECOVERY_POINTS = "recovery-point-offset-checkpoint";

    /** Where each log begins, if not with its first segment. */
    public static final String LOG_STARTS = "log-start-offset-checkpoint";

    /** The high watermark of each replica. */
    public static final String HIGH_WATERMARKS = "replication-offset-checkpoint";

    /** Up to where each log was cleaned. */
    public static final String CLEANER_OFFSETS = "cleaner-offset-checkpoint";

    /** A file above this size is not a sound one: it would hold hundreds of thousands of partitions. */
    public static final int BYTES_MAX = 1 << 25;

    private static final int LINE_BYTES_ESTIMATE = 32;

    private OffsetCheckpoint() {}

    /**
     * Reads a file of a data directory.
     *
     * @param storage that holds the file.
     * @param directory of the file; empty for the root.
     * @param name of the file.
     * @return the offsets; null if there is no such file.
     * @throws CorruptLogException if it is not in the format.
     */
    public static @Nullable SortedMap<PartitionName, Long> read(
            final Storage storage, final String directory, final String name) {
        final byte[] content = SmallFile.read(storage, directory, name, BYTES_MAX);
        if (content == null) {
            return null;
        }
        final String file = storage.describe(LogFiles.path(directory, name));
        return parse(file, new UnsafeBuffer(content), 0, content.length);
    }

    /**
     * Reads the content of such a file.
     *
     * @param file name for the message of an error.
     * @param buffer that holds the content.
     * @param index of its first byte.
     * @param length of the content.
     * @return the offsets, at least 0.
     * @throws CorruptLogException if it is not in the format; with the position of the line that is wrong.
     */
    public static SortedMap<PartitionName, Long> parse(
            final String file, final DirectBuffer buffer, final int index, final int length) {
        final SortedMap<PartitionName, Long> offsets = new TreeMap<>();
        if (length == 0) {
            return offsets;
        }
        final CheckpointLines lines = new CheckpointLines(file, buffer, index, length);
        final long count = lines.header(VERSION);
        while (lines.hasNext()) {
            lines.next("an entry");
            final String topic = lines.word();
            final long partition = lines.number("a partition", Integer.MAX_VALUE);
            final long offset = lines.lastNumber("an offset", Long.MAX_VALUE);
            final PartitionName name = PartitionName.parse(topic + "-" + partition);
            if (name == null) {
                throw lines.damaged("'" + topic + "' is no name of a topic");
            }
            if (offsets.put(name, offset) != null) {
                throw lines.damaged("partition " + name + " comes twice");
            }
        }
        lines.requireCount(count, offsets.size());
        return offsets;
    }

    /**
     * Writes the content of such a file.
     *
     * @param offsets of the partitions, in the order in which they are written.
     * @return the bytes.
     */
    public static byte[] encode(final Map<PartitionName, Long> offsets) {
        final StringBuilder text = new StringBuilder(LINE_BYTES_ESTIMATE * (offsets.size() + 1));
        text.append(VERSION).append('\n').append(offsets.size()).append('\n');
        offsets.forEach((name, offset) -> text.append(name.topic())
                .append(' ')
                .append(name.partition())
                .append(' ')
                .append(offset.longValue())
                .append('\n'));
        return text.toString().getBytes(US_ASCII);
    }
}
