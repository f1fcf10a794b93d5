package io.cordwood.log;

import static java.nio.charset.StandardCharsets.US_ASCII;

import io.cordwood.log.store.Storage;
import java.util.ArrayList;
import java.util.List;
import org.agrona.DirectBuffer;
import org.agrona.concurrent.UnsafeBuffer;
import org.jspecify.annotations.Nullable;

/**
 * The format of Kafka's file {@code leader-epoch-checkpoint}: text, each line ended by a line feed.
 *
 * <pre>
 *   0            version
 *   3            number of entries
 *   0 0          epoch and first offset of the oldest leader
 *   3 40
 *   7 90         both columns ascend
 * </pre>
 *
 * <p>What a crash or a careless hand can make of it is refused: another version, fewer or more lines than announced, a last
 * line without its line feed (a cut {@code 7 90} would read as {@code 7 9}, which Kafka believes), columns that do not ascend,
 * anything that is not a number. A carriage return before the line feed is allowed.
 */
public final class LeaderEpochCheckpoint {
    /** The version that is read and written. */
    public static final int VERSION = 0;

    /** A file above this size is not a sound one: it would hold more than a million leaders. */
    public static final int BYTES_MAX = 1 << 25;

    private static final int LINE_BYTES_ESTIMATE = 16;

    private LeaderEpochCheckpoint() {}

    /**
     * Reads the table of a log directory from its file.
     *
     * @param storage that holds the directory.
     * @param directory of the log.
     * @return the entries, ascending; null if there is no such file.
     * @throws CorruptLogException if the file is not in the format.
     */
    public static @Nullable List<LeaderEpoch> read(final Storage storage, final String directory) {
        final byte[] content = SmallFile.read(storage, directory, LogFiles.LEADER_EPOCHS, BYTES_MAX);
        if (content == null) {
            return null;
        }
        final String file = storage.describe(LogFiles.path(directory, LogFiles.LEADER_EPOCHS));
        return parse(file, new UnsafeBuffer(content), 0, content.length);
    }

    /**
     * Reads the content of such a file.
     *
     * @param file name for the message of an error.
     * @param buffer that holds the content.
     * @param index of its first byte.
     * @param length of the content.
     * @return the entries, ascending.
     * @throws CorruptLogException if it is not in the format; with the position of the line that is wrong.
     */
    public static List<LeaderEpoch> parse(
            final String file, final DirectBuffer buffer, final int index, final int length) {
        final CheckpointLines lines = new CheckpointLines(file, buffer, index, length);
        final long count = lines.header(VERSION);
        final List<LeaderEpoch> entries = new ArrayList<>();
        LeaderEpoch last = null;
        while (lines.hasNext()) {
            lines.next("an entry");
            final long epoch = lines.number("an epoch", Integer.MAX_VALUE);
            final long startOffset = lines.lastNumber("an offset", Long.MAX_VALUE);
            if (last != null && (epoch <= last.epoch() || startOffset <= last.startOffset())) {
                throw lines.damaged("epoch " + epoch + " from offset " + startOffset + " does not ascend from epoch "
                        + last.epoch() + " from offset " + last.startOffset());
            }
            last = new LeaderEpoch((int) epoch, startOffset);
            entries.add(last);
        }
        lines.requireCount(count, entries.size());
        return entries;
    }

    /** Writes the content of such a file. */
    static byte[] encode(final int[] epochs, final long[] startOffsets) {
        final StringBuilder text = new StringBuilder(LINE_BYTES_ESTIMATE * (epochs.length + 2));
        text.append(VERSION).append('\n').append(epochs.length).append('\n');
        for (int i = 0; i < epochs.length; i++) {
            text.append(epochs[i]).append(' ').append(startOffsets[i]).append('\n');
        }
        return text.toString().getBytes(US_ASCII);
    }
}
