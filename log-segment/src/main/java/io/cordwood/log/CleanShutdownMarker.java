package io.cordwood.log;

import static java.nio.charset.StandardCharsets.US_ASCII;

import io.cordwood.log.store.Storage;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/**
 * The content of Kafka's file {@code .kafka_cleanshutdown}: whoever wrote last to the data directory has closed every log, and
 * no log needs a scan. Gone while anybody writes.
 *
 * <pre>
 *   {"version":0,"brokerEpoch":15}
 * </pre>
 *
 * <p>A file without bytes, as Kafka before 3.8 left it, is not believed: the failure of a machine can leave the same, and a
 * scan costs only time.
 *
 * @param brokerEpoch with which the broker was registered; {@link #UNKNOWN_EPOCH} if it was not.
 */
public record CleanShutdownMarker(long brokerEpoch) {
    /** Name of the file. */
    public static final String FILE = ".kafka_cleanshutdown";

    /** The version that is read and written. */
    public static final int VERSION = 0;

    /** Stands for no epoch, as in Kafka. */
    public static final long UNKNOWN_EPOCH = -1;

    private static final int BYTES_MAX = 1 << 12;
    private static final Pattern FORM = Pattern.compile(
            "\\s*\\{\\s*\"version\"\\s*:\\s*0\\s*,\\s*\"brokerEpoch\"\\s*:\\s*(-1|[0-9]{1,18})\\s*}\\s*");

    /**
     * Reads the file of a data directory.
     *
     * @param storage whose root is the data directory.
     * @return what it says; null if there is no such file.
     * @throws CorruptLogException if it is not in the format.
     */
    public static @Nullable CleanShutdownMarker read(final Storage storage) {
        final byte[] content = SmallFile.read(storage, "", FILE, BYTES_MAX);
        return content == null ? null : parse(storage.describe(FILE), content);
    }

    static CleanShutdownMarker parse(final String file, final byte[] content) {
        final Matcher matcher = FORM.matcher(new String(content, US_ASCII));
        if (!matcher.matches()) {
            throw new CorruptLogException(
                    file,
                    0,
                    "not the JSON of a clean shutdown, version " + VERSION + ", in " + content.length + " bytes");
        }
        return new CleanShutdownMarker(Long.parseLong(matcher.group(1)));
    }

    /** Puts the file into a data directory; durable on return. */
    void write(final Storage storage) {
        final String json = "{\"version\":" + VERSION + ",\"brokerEpoch\":" + brokerEpoch + "}";
        SmallFile.replace(storage, "", FILE, json.getBytes(US_ASCII));
    }
}
