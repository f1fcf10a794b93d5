package io.cordwood.inspector;

import static org.junit.jupiter.api.Assertions.assertEquals;

import io.cordwood.index.SparseIndexes;
import io.cordwood.log.AppendAs;
import io.cordwood.log.Log;
import io.cordwood.log.LogBuilder;
import io.cordwood.log.LogConfig;
import io.cordwood.log.LogFiles;
import io.cordwood.log.store.DiskStorage;
import io.cordwood.log.store.Storage;
import io.cordwood.log.store.StorageFile;
import java.io.IOException;
import java.lang.reflect.InvocationHandler;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Proxy;
import java.nio.channels.FileChannel;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.Map;
import org.agrona.concurrent.UnsafeBuffer;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Reads a log whose index files are cut by their owner, each at the worst moment: when it was just shown. */
final class ReadOnlyLogTest {
    private static final int BATCHES = 2000;

    @TempDir
    private Path scratch;

    @Test
    void anIndexThatIsCutWhileItIsSearchedIsNoFault() throws IOException {
        try (Storage disk = new DiskStorage(scratch)) {
            append(disk);
            final Storage cutting = cutting(disk);
            for (final long offset : new long[] {1, BATCHES / 2, BATCHES - 1}) {
                try (ReadOnlyLog log = open(cutting)) {
                    final long[] first = {-1};
                    log.fromOffset(offset, record -> {
                        first[0] = record.offset();
                        return false;
                    });
                    assertEquals(offset, first[0]);
                }
                append(disk);
                try (ReadOnlyLog log = open(cutting)) {
                    assertEquals(offset, log.offsetForTimestamp(TestBatch.TIMESTAMP + offset));
                }
                append(disk);
            }
        }
    }

    private static ReadOnlyLog open(final Storage storage) {
        return new ReadOnlyLog(storage, new Place("t-0", "t-0", "t-0", null));
    }

    /** Fills the log, or repairs the indexes that were cut. */
    private static void append(final Storage disk) {
        try (Log log = new LogBuilder(disk, "t-0")
                .indexes(new SparseIndexes())
                .config(LogConfig.of(Map.of("index.interval.bytes", "0")))
                .open(1)) {
            final UnsafeBuffer batch = new UnsafeBuffer(new byte[4096]);
            for (long offset = log.endOffset(); offset < BATCHES; offset++) {
                final byte[] bytes = TestBatch.at(TestBatch.TIMESTAMP + offset);
                batch.putBytes(0, bytes);
                log.append(batch, 0, bytes.length, AppendAs.client(0), TestBatch.TIMESTAMP);
            }
        }
    }

    /** The same, but whoever is shown a piece of an index finds the file cut to nothing behind it. */
    private Storage cutting(final Storage disk) {
        return proxy(Storage.class, disk, (method, args, answer) -> {
            final boolean isIndex = method.equals("open") && !args[0].toString().endsWith(LogFiles.LOG);
            return isIndex ? cutting((StorageFile) answer, scratch.resolve(args[0].toString())) : answer;
        });
    }

    private static StorageFile cutting(final StorageFile file, final Path path) {
        return proxy(StorageFile.class, file, (method, args, answer) -> {
            if (method.equals("view")) {
                try (FileChannel channel = FileChannel.open(path, StandardOpenOption.WRITE)) {
                    channel.truncate(0);
                }
            }
            return answer;
        });
    }

    /** Sees each call behind its answer, and may give another. */
    @FunctionalInterface
    private interface Behind {
        Object called(String method, Object[] args, Object answer) throws IOException;
    }

    private static <T> T proxy(final Class<T> type, final T real, final Behind behind) {
        final InvocationHandler handler = (self, method, args) -> {
            try {
                return behind.called(method.getName(), args, method.invoke(real, args));
            } catch (final InvocationTargetException e) {
                throw e.getCause();
            }
        };
        return type.cast(Proxy.newProxyInstance(type.getClassLoader(), new Class<?>[] {type}, handler));
    }
}
