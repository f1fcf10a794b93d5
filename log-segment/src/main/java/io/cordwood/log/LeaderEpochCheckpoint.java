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

    private final String file;
    private final DirectBuffer buffer;
    private final int begin;
    private final int end;
    private int index;
    private int lineBegin;
    private int lineEnd;

    private LeaderEpochCheckpoint(final String file, final DirectBuffer buffer, final int index, final int length) {
        this.file = file;
        this.buffer = buffer;
        this.begin = index;
        this.end = index + length;
        this.index = index;
    }

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
        return new LeaderEpochCheckpoint(file, buffer, index, length).parse();
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

    private List<LeaderEpoch> parse() {
        final long version = onlyNumber("the version");
        if (version != VERSION) {
            throw damaged("version " + version + ", known is " + VERSION);
        }
        final long count = onlyNumber("the number of entries");
        final List<LeaderEpoch> entries = new ArrayList<>();
        LeaderEpoch last = null;
        while (index < end) {
            nextLine("an entry");
            int blank = lineBegin;
            while (blank < lineEnd && buffer.getByte(blank) != ' ') {
                blank++;
            }
            final long epoch = number(lineBegin, blank, "an epoch", Integer.MAX_VALUE);
            final long startOffset = number(blank + 1, lineEnd, "an offset", Long.MAX_VALUE);
            if (last != null && (epoch <= last.epoch() || startOffset <= last.startOffset())) {
                throw damaged("epoch " + epoch + " from offset " + startOffset + " does not ascend from epoch "
                        + last.epoch() + " from offset " + last.startOffset());
            }
            last = new LeaderEpoch((int) epoch, startOffset);
            entries.add(last);
        }
        if (entries.size() != count) {
            lineBegin = end;
            throw damaged(count + " entries are announced, " + entries.size() + " are there");
        }
        return entries;
    }

    private long onlyNumber(final String what) {
        nextLine(what);
        return number(lineBegin, lineEnd, what, Integer.MAX_VALUE);
    }

    private void nextLine(final String what) {
        lineBegin = index;
        int at = index;
        while (at < end && buffer.getByte(at) != '\n') {
            at++;
        }
        if (at == end) {
            throw damaged("ends before or inside the line of " + what);
        }
        index = at + 1;
        lineEnd = at > lineBegin && buffer.getByte(at - 1) == '\r' ? at - 1 : at;
    }

    private long number(final int from, final int to, final String what, final long max) {
        long value = 0;
        for (int i = from; i < to; i++) {
            final int digit = buffer.getByte(i) - '0';
            if (digit < 0 || digit > 9 || value > (max - digit) / 10) {
                throw damaged("no number from 0 to " + max + " where " + what + " should be");
            }
            value = value * 10 + digit;
        }
        if (from >= to) {
            throw damaged("nothing where " + what + " should be");
        }
        return value;
    }

    private CorruptLogException damaged(final String reason) {
        return new CorruptLogException(file, lineBegin - begin, reason);
    }
}
