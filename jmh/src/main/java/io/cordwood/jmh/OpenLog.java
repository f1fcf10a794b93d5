package io.cordwood.jmh;

import io.cordwood.index.SparseIndexes;
import io.cordwood.log.Log;
import io.cordwood.log.LogBuilder;
import io.cordwood.log.LogConfig;
import io.cordwood.log.LogReader;
import io.cordwood.log.store.Storage;
import java.nio.file.Path;
import java.util.HashMap;
import java.util.Map;
import java.util.Objects;

/**
 * The log that is read, in our hands.
 *
 * @param storage that holds it.
 * @param log itself.
 * @param reader of it.
 */
record OpenLog(Storage storage, Log log, LogReader reader) implements AutoCloseable {
    /**
     * Opens a log that was closed cleanly.
     *
     * @param parts that it is made of.
     * @param read where it lies.
     * @return the log, which ends where it should.
     */
    static OpenLog of(final Parts parts, final ReadLog read) {
        return of(parts, read, Long.MAX_VALUE);
    }

    /**
     * Opens a log.
     *
     * @param parts that it is made of.
     * @param read where it lies.
     * @param recoveryPoint below which it is believed.
     * @return the log, which ends where it should.
     */
    static OpenLog of(final Parts parts, final ReadLog read, final long recoveryPoint) {
        final Path directory = read.directory();
        final Map<String, String> topic = new HashMap<>();
        ReadLog.TOPIC.forEach((name, value) -> topic.put(name, value.toString()));
        final Storage storage = parts.storage(Objects.requireNonNull(directory.getParent()));
        final Log log = new LogBuilder(
                        storage, Objects.requireNonNull(directory.getFileName()).toString())
                .config(LogConfig.of(topic))
                .codecs(parts.codecs())
                .indexes(new SparseIndexes())
                .recoveryPoint(recoveryPoint)
                .open(System.currentTimeMillis());
        read.requireEnd(log.endOffset());
        return new OpenLog(storage, log, log.newReader());
    }

    @Override
    public void close() {
        reader.close();
        log.close();
        storage.close();
    }
}
