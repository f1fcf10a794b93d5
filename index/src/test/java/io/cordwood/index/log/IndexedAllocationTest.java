package io.cordwood.index.log;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.sun.management.ThreadMXBean;
import io.cordwood.index.SparseIndexes;
import io.cordwood.log.AppendAs;
import io.cordwood.log.Log;
import io.cordwood.log.LogBuilder;
import io.cordwood.log.LogConfig;
import io.cordwood.log.LogReader;
import io.cordwood.log.codec.Codecs;
import io.cordwood.log.codec.CompressionType;
import io.cordwood.log.record.BatchBuilder;
import io.cordwood.log.store.DiskStorage;
import java.lang.management.ManagementFactory;
import java.nio.file.Path;
import java.util.Map;
import java.util.function.LongConsumer;
import org.agrona.concurrent.UnsafeBuffer;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** A log with its index files: appends that add entries, and reads and look-ups that search them, allocate nothing once warm. */
final class IndexedAllocationTest {
    private static final long NOW = 1_700_000_000_000L;
    private static final int WARM_UP = 30_000;
    private static final int ACTS = 100_000;

    @TempDir
    Path root;

    /** An entry every third batch or so. */
    private static Log open(final DiskStorage storage, final boolean mapped) {
        final LogBuilder builder = new LogBuilder(storage, "t-0")
                .indexes(new SparseIndexes())
                .config(LogConfig.of(Map.of("segment.bytes", "67108864", "index.interval.bytes", "200")));
        return (mapped ? builder.mapped() : builder).open(NOW);
    }

    private static UnsafeBuffer batch() {
        final UnsafeBuffer memory = new UnsafeBuffer(new byte[200]);
        final UnsafeBuffer value = new UnsafeBuffer(new byte[32]);
        final BatchBuilder builder = new BatchBuilder(Codecs.standard())
                .wrap(memory, 0, memory.capacity())
                .compression(CompressionType.NONE, CompressionType.DEFAULT_LEVEL);
        assertTrue(builder.append(NOW, null, 0, -1, value, 0, value.capacity(), null));
        return new UnsafeBuffer(memory, 0, builder.finish());
    }

    /** Fails if an act allocates a byte or more on average. */
    private static void assertAllocatesNothing(final String act, final LongConsumer acts) {
        final ThreadMXBean threads = (ThreadMXBean) ManagementFactory.getThreadMXBean();
        final long self = Thread.currentThread().getId();
        for (long i = 0; i < WARM_UP; i++) {
            acts.accept(i);
        }
        final long before = threads.getThreadAllocatedBytes(self);
        for (long i = 0; i < ACTS; i++) {
            acts.accept(i);
        }
        final long allocated = threads.getThreadAllocatedBytes(self) - before;
        assertTrue(allocated < ACTS, act + " allocates " + (double) allocated / ACTS + " bytes");
    }

    @ParameterizedTest
    @CsvSource({"false, 1", "false, 64", "true, 1", "true, 64"})
    void anAppendThatIsIndexedAllocatesNothing(final boolean mapped, final int gathered) {
        final UnsafeBuffer batch = batch();
        final AppendAs as = AppendAs.client(0);
        try (DiskStorage storage = new DiskStorage(root);
                Log log = open(storage, mapped)) {
            assertAllocatesNothing("an append", i -> {
                log.gather(batch, 0, batch.capacity(), as, NOW);
                if (i % gathered == 0) {
                    log.publish();
                }
            });
            assertEquals(WARM_UP + ACTS, log.publish());
            assertEquals(1, log.segmentCount());
        }
        assertTrue(root.resolve("t-0/00000000000000000000.index").toFile().length() > 8L * ACTS / 4);
    }

    /** In a sealed segment, whose index is looked up in its file, and in the active one, whose entries are in memory. */
    @ParameterizedTest
    @ValueSource(booleans = {false, true})
    void aReadAndALookUpThroughAnIndexAllocateNothing(final boolean mapped) {
        final UnsafeBuffer batch = batch();
        try (DiskStorage storage = new DiskStorage(root);
                Log log = open(storage, mapped);
                LogReader reader = log.newReader()) {
            for (int i = 0; i < 2000; i++) {
                if (i == 1000) {
                    log.roll(NOW);
                }
                log.append(batch, 0, batch.capacity(), AppendAs.client(0), NOW);
            }
            assertEquals(2, log.segmentCount());
            assertAllocatesNothing(
                    "a read", i -> assertTrue(reader.read(i * 7 % 2000, Long.MAX_VALUE, 300) > 0, "nothing read"));
            assertAllocatesNothing(
                    "a place", i -> assertTrue(reader.locate(i * 7 % 2000, Long.MAX_VALUE, 300) > 0, "nothing found"));
            assertAllocatesNothing("a time", i -> assertEquals(0, reader.offsetForTimestamp(NOW, Long.MAX_VALUE)));
            assertAllocatesNothing("a time behind all", i -> reader.offsetForTimestamp(NOW + 1, Long.MAX_VALUE));
        }
    }
}
