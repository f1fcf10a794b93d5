package io.cordwood.log;

import static java.nio.charset.StandardCharsets.US_ASCII;

import io.cordwood.log.store.Storage;
import java.nio.ByteBuffer;
import java.util.Base64;
import java.util.UUID;
import org.jspecify.annotations.Nullable;

/**
 * The content of Kafka's file {@code partition.metadata}, which ties a directory to a topic beyond its name: a topic that was
 * deleted and made again under the same name has another id.
 *
 * <pre>
 *   version: 0
 *   topic_id: f8M93cjiTPy_L9C4PwjM3g       16 bytes in base64 with the URL alphabet, no padding: 22 characters
 * </pre>
 *
 * <p>Lines end with a line feed, which may be missing from the last one: Kafka leaves it out, and so do we.
 *
 * @param topicId id of the topic, not all zeros.
 */
public record PartitionMetadata(UUID topicId) {
    /** The version that is read and written. */
    public static final int VERSION = 0;

    private static final String VERSION_KEY = "version: ";
    private static final String TOPIC_ID_KEY = "topic_id: ";
    private static final int TOPIC_ID_CHARS = 22;
    private static final int BYTES_MAX = 1 << 12;

    /**
     * Checks the id.
     *
     * @param topicId not all zeros.
     */
    public PartitionMetadata {
        if (topicId.getMostSignificantBits() == 0 && topicId.getLeastSignificantBits() == 0) {
            throw new IllegalArgumentException("a topic id of zeros means that there is none");
        }
    }

    /**
     * Reads the file of a log directory.
     *
     * @param storage that holds the directory.
     * @param directory of the log.
     * @return what it says; null if there is no such file, as in directories older than Kafka 2.8.
     * @throws CorruptLogException if the file is not in the format.
     */
    public static @Nullable PartitionMetadata read(final Storage storage, final String directory) {
        final byte[] content = SmallFile.read(storage, directory, LogFiles.PARTITION_METADATA, BYTES_MAX);
        final String file = storage.describe(LogFiles.path(directory, LogFiles.PARTITION_METADATA));
        return content == null ? null : parse(file, content);
    }

    /**
     * Writes the file of a log directory, replacing what is there; durable on return, the name included.
     *
     * @param storage that holds the directory.
     * @param directory of the log.
     */
    public void write(final Storage storage, final String directory) {
        final String text = VERSION_KEY + VERSION + "\n" + TOPIC_ID_KEY + topicIdText();
        SmallFile.replace(storage, directory, LogFiles.PARTITION_METADATA, text.getBytes(US_ASCII));
    }

    /**
     * Reads the content of such a file.
     *
     * @param file name for the message of an error.
     * @param content of it.
     * @return what it says.
     * @throws CorruptLogException if it is not in the format; with the position of the line that is wrong.
     */
    public static PartitionMetadata parse(final String file, final byte[] content) {
        final String text = new String(content, US_ASCII);
        final int firstEnd = text.indexOf('\n');
        if (firstEnd < 0 || !text.startsWith(VERSION_KEY)) {
            throw new CorruptLogException(file, 0, "no line that begins with '" + VERSION_KEY + "'");
        }
        final String version = text.substring(VERSION_KEY.length(), firstEnd).strip();
        if (!version.equals(Integer.toString(VERSION))) {
            throw new CorruptLogException(file, 0, "version '" + version + "', known is " + VERSION);
        }
        final int position = firstEnd + 1;
        final String[] rest = text.substring(position).split("\n", -1);
        if (!rest[0].startsWith(TOPIC_ID_KEY)) {
            throw new CorruptLogException(file, position, "no line that begins with '" + TOPIC_ID_KEY + "'");
        }
        if (rest.length > 2 || (rest.length == 2 && !rest[1].isEmpty())) {
            throw new CorruptLogException(file, position + rest[0].length() + 1L, "lines behind the topic id");
        }
        return ofText(file, position, rest[0].substring(TOPIC_ID_KEY.length()).strip());
    }

    /**
     * The id as Kafka writes it.
     *
     * @return 22 characters of base64 with the URL alphabet.
     */
    public String topicIdText() {
        return text(topicId);
    }

    /** Any id as Kafka writes it. */
    static String text(final UUID id) {
        final byte[] bytes = ByteBuffer.allocate(2 * Long.BYTES)
                .putLong(id.getMostSignificantBits())
                .putLong(id.getLeastSignificantBits())
                .array();
        return Base64.getUrlEncoder().withoutPadding().encodeToString(bytes);
    }

    private static PartitionMetadata ofText(final String file, final int position, final String id) {
        PartitionMetadata metadata = null;
        if (id.length() == TOPIC_ID_CHARS) {
            try {
                final ByteBuffer bytes = ByteBuffer.wrap(Base64.getUrlDecoder().decode(id));
                metadata = new PartitionMetadata(new UUID(bytes.getLong(), bytes.getLong()));
            } catch (final IllegalArgumentException e) {
                throw new CorruptLogException(file, position, "topic id '" + id + "': " + e.getMessage());
            }
        }
        if (metadata == null || !metadata.topicIdText().equals(id)) {
            throw new CorruptLogException(
                    file, position, "topic id '" + id + "' is not 16 bytes in base64 with the URL alphabet");
        }
        return metadata;
    }
}
