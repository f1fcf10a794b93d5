package io.cordwood.index.log;

import io.cordwood.index.SparseIndexes;
import io.cordwood.log.AppendAs;
import io.cordwood.log.Log;
import io.cordwood.log.LogBuilder;
import io.cordwood.log.LogConfig;
import io.cordwood.log.LogReader;
import io.cordwood.log.codec.CompressionType;
import io.cordwood.log.store.DiskStorage;
import io.cordwood.log.store.Storage;
import java.nio.file.Path;
import java.util.Map;
import java.util.Random;
import org.agrona.concurrent.UnsafeBuffer;

/** A process that makes a log of many segments, opens it, reads here and there, and appends. */
final class ManySegments {
    private static final long NOW = 1_700_000_000_000L;

    private ManySegments() {}

    /** Root of the storage, and how many segments. */
    public static void main(final String[] arguments) {
        final int segments = Integer.parseInt(arguments[1]);
        try (Storage storage = UnforcedStorage.over(new DiskStorage(Path.of(arguments[0])))) {
            try (Log log = open(storage)) {
                for (int i = 0; i < segments; i++) {
                    append(log, i);
                    if (i % 1000 == 0) {
                        log.flush();
                    }
                    log.doWork(NOW);
                }
                require(log.segmentCount() == segments, "segments " + log.segmentCount());
            }
            try (Log log = open(storage);
                    LogReader reader = log.newReader()) {
                require(log.endOffset() == segments, "end " + log.endOffset());
                final Random random = new Random(1);
                for (int i = 0; i < 4_000; i++) {
                    final long offset = random.nextInt(segments);
                    require(reader.read(offset, Long.MAX_VALUE, 1) > 0, "nothing at " + offset);
                    require(reader.buffer().getLong(0, java.nio.ByteOrder.BIG_ENDIAN) == offset, "not " + offset);
                }
                require(reader.offsetForTimestamp(NOW + 15_000, Long.MAX_VALUE) == 15_000, "time");
                append(log, segments);
                System.out.println("read and appended, segments " + log.segmentCount());
            }
        }
    }

    private static Log open(final Storage storage) {
        return new LogBuilder(storage, "t-0")
                .config(LogConfig.of(Map.of("segment.bytes", "100")))
                .indexes(new SparseIndexes())
                .recoveryPoint(Long.MAX_VALUE)
                .open(NOW);
    }

    private static void append(final Log log, final long offset) {
        final byte[] bytes = StoredBatch.encode(0, -1, CompressionType.NONE, new long[] {NOW + offset}, "v")
                .bytes();
        final long at = log.append(new UnsafeBuffer(bytes), 0, bytes.length, AppendAs.client(0), NOW);
        require(at == offset, "appended at " + at + " instead of " + offset);
    }

    private static void require(final boolean holds, final String otherwise) {
        if (!holds) {
            throw new IllegalStateException(otherwise);
        }
    }
}
