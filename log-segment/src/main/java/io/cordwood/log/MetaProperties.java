package io.cordwood.log;

import static java.nio.charset.StandardCharsets.ISO_8859_1;

import io.cordwood.log.store.Storage;
import java.io.IOException;
import java.io.StringReader;
import java.util.Properties;
import java.util.UUID;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/**
 * The content of Kafka's file {@code meta.properties}: whose data directory this is. Java properties:
 *
 * <pre>
 *   #
 *   node.id=1
 *   directory.id=Pd8NlKSIZ4yDrhO3M0WYhg     16 bytes in base64 with the URL alphabet
 *   version=1
 *   cluster.id=ZrOfjqCuSOiRU83UrIXx1g
 * </pre>
 *
 * <p>Version 0, of the time of ZooKeeper, is read as well: there {@code broker.id} stands for {@code node.id}. What is there is
 * kept as it is; only a new directory gets a file.
 *
 * @param version 0 or 1.
 * @param clusterId of the cluster; null if the file does not say.
 * @param nodeId of the broker; {@link #NO_NODE} if the file does not say.
 * @param directoryId of the directory, 22 characters; null if the file does not say.
 */
public record MetaProperties(
        int version,
        @Nullable String clusterId,
        int nodeId,
        @Nullable String directoryId) {
    /** Name of the file. */
    public static final String FILE = "meta.properties";

    /** Stands for no node. */
    public static final int NO_NODE = -1;

    private static final int VERSION = 1;
    private static final int BYTES_MAX = 1 << 16;
    private static final int RESERVED_IDS = 100;
    private static final Pattern WORD = Pattern.compile("[A-Za-z0-9._-]{1,255}");

    /**
     * What a new directory says of itself.
     *
     * @param directoryId a new random id; not one of the hundred that Kafka reserves.
     * @param clusterId of the cluster: letters, digits, dots, underscores and hyphens; null if there is none.
     * @param nodeId of the broker; {@link #NO_NODE} if there is none.
     * @return the content.
     */
    public static MetaProperties fresh(final UUID directoryId, final @Nullable String clusterId, final int nodeId) {
        if (directoryId.getMostSignificantBits() == 0
                && Long.compareUnsigned(directoryId.getLeastSignificantBits(), RESERVED_IDS) < 0) {
            throw new IllegalArgumentException("directory id " + directoryId + " is reserved");
        }
        if (clusterId != null && !WORD.matcher(clusterId).matches()) {
            throw new IllegalArgumentException("cluster id '" + clusterId + "' is not 1 to 255 characters of a word");
        }
        if (nodeId < NO_NODE) {
            throw new IllegalArgumentException("node id is " + nodeId + ", but the least is 0");
        }
        return new MetaProperties(VERSION, clusterId, nodeId, PartitionMetadata.text(directoryId));
    }

    /**
     * Reads the file of a data directory.
     *
     * @param storage whose root is the data directory.
     * @return what it says; null if there is no such file.
     * @throws CorruptLogException if it is not in the format.
     */
    public static @Nullable MetaProperties read(final Storage storage) {
        final byte[] content = SmallFile.read(storage, "", FILE, BYTES_MAX);
        return content == null ? null : parse(storage.describe(FILE), content);
    }

    static MetaProperties parse(final String file, final byte[] content) {
        final Properties properties = new Properties();
        try {
            properties.load(new StringReader(new String(content, ISO_8859_1)));
        } catch (final IOException | IllegalArgumentException e) {
            throw new CorruptLogException(file, 0, "no properties: " + e.getMessage());
        }
        final int version = number(file, properties, "version", 0);
        if (version < 0 || version > VERSION || properties.getProperty("version") == null) {
            throw new CorruptLogException(
                    file, 0, "version " + properties.getProperty("version") + ", known are 0 and " + VERSION);
        }
        final String nodeKey = version == 0 ? "broker.id" : "node.id";
        final int nodeId = number(file, properties, nodeKey, NO_NODE);
        if (nodeId < 0 && properties.getProperty(nodeKey) != null) {
            throw new CorruptLogException(file, 0, nodeKey + " is " + nodeId + ", but the least is 0");
        }
        return new MetaProperties(
                version, properties.getProperty("cluster.id"), nodeId, properties.getProperty("directory.id"));
    }

    private static int number(final String file, final Properties properties, final String key, final int ifMissing) {
        final String value = properties.getProperty(key);
        try {
            return value == null ? ifMissing : Integer.parseInt(value);
        } catch (final NumberFormatException e) {
            throw new CorruptLogException(file, 0, key + " is '" + value + "', not a number");
        }
    }

    /** Puts the file into a data directory; durable on return. */
    void write(final Storage storage) {
        final StringBuilder text = new StringBuilder("#\n");
        if (nodeId != NO_NODE) {
            text.append("node.id=").append(nodeId).append('\n');
        }
        if (directoryId != null) {
            text.append("directory.id=").append(directoryId).append('\n');
        }
        text.append("version=").append(version).append('\n');
        if (clusterId != null) {
            text.append("cluster.id=").append(clusterId).append('\n');
        }
        SmallFile.replace(storage, "", FILE, text.toString().getBytes(ISO_8859_1));
    }
}
