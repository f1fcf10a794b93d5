package io.cordwood.log;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.sun.management.ThreadMXBean;
import io.cordwood.log.store.DiskStorage;
import java.io.IOException;
import java.lang.management.ManagementFactory;
import java.nio.ByteBuffer;
import java.nio.channels.WritableByteChannel;
import java.nio.file.Path;
import java.util.Map;
import java.util.function.LongConsumer;
import org.agrona.concurrent.UnsafeBuffer;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Appends, reads and look-ups allocate nothing per act, once the thread is warm. */
final class LogAllocationTest {
    private static final long NOW = 1_700_000_000_000L;
    private static final int WARM_UP = 30_000;
    private static final int ACTS = 100_000;
    private static final Map<String, String> LARGE = Map.of("segment.bytes", "67108864");

    @TempDir
    Path root;

    private static Log open(final DiskStorage storage, final boolean mapped) {
        final LogBuilder builder = new LogBuilder(storage, "t-0").config(LogConfig.of(LARGE));
        return (mapped ? builder.mapped() : builder).open(NOW);
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
    void anAppendAllocatesNothing(final boolean mapped, final int gathered) {
        final UnsafeBuffer batch = TestBatches.batch(NOW, "v".repeat(32));
        assertEquals(100, batch.capacity());
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
        }
    }

    /** Counts what it gets. */
    private static final class Sink implements WritableByteChannel {
        private long bytes;

        @Override
        public int write(final ByteBuffer source) {
            final int length = source.remaining();
            bytes += length;
            source.position(source.limit());
            return length;
        }

        @Override
        public boolean isOpen() {
            return true;
        }

        @Override
        public void close() {}
    }

    @ParameterizedTest
    @ValueSource(booleans = {false, true})
    void aReadAndALookUpAllocateNothing(final boolean mapped) throws IOException {
        final UnsafeBuffer batch = TestBatches.batch(NOW, "v".repeat(32));
        try (DiskStorage storage = new DiskStorage(root);
                Log log = open(storage, mapped);
                LogReader reader = log.newReader()) {
            for (int i = 0; i < 40; i++) {
                log.append(batch, 0, batch.capacity(), AppendAs.client(0), NOW);
            }
            assertAllocatesNothing(
                    "a read", i -> assertTrue(reader.read(i % 40, Long.MAX_VALUE, 300) > 0, "nothing read"));
            assertAllocatesNothing(
                    "a sequential read", i -> reader.read(i % 40 == 0 ? 0 : reader.nextOffset(), Long.MAX_VALUE, 1));
            assertAllocatesNothing(
                    "a place", i -> assertTrue(reader.locate(i % 40, Long.MAX_VALUE, 300) > 0, "nothing located"));
            assertAllocatesNothing("a time", i -> reader.offsetForTimestamp(NOW, Long.MAX_VALUE));
            assertAllocatesNothing("nothing yet", i -> reader.read(40, Long.MAX_VALUE, 300));
            final Sink sink = new Sink();
            final long located = reader.locate(20, Long.MAX_VALUE, 300);
            assertEquals(300, located);
            reader.transferTo(sink, 0);
            assertEquals(300, sink.bytes);
        }
    }
}
