package io.cordwood.log;

import static io.cordwood.log.TestBatches.batch;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.cordwood.log.store.DiskStorage;
import io.cordwood.log.store.Storage;
import java.nio.ByteBuffer;
import java.nio.channels.WritableByteChannel;
import java.nio.file.Path;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.atomic.AtomicReference;
import org.agrona.concurrent.UnsafeBuffer;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * The published end bounds every reader: a batch that was gathered, or whose bytes are in the file already while the writer has not
 * said so, is seen by nobody, in no way. The writer is stopped there, so that readers look at just that moment.
 */
@Timeout(60)
final class PublishedEndTest {
    private static final long NOW = 1_700_000_000_000L;
    private static final int LOOKS = 3;

    @TempDir
    Path root;

    private static Log open(final Storage storage, final boolean mapped) {
        final LogBuilder builder = new LogBuilder(storage, "t-0");
        return (mapped ? builder.mapped() : builder).open(NOW);
    }

    private static void gather(final Log log, final long offset) {
        final UnsafeBuffer batch = batch(NOW + offset, "value " + offset);
        assertEquals(offset, log.gather(batch, 0, batch.capacity(), AppendAs.client(0), NOW));
    }

    /** Counts the bytes that it gets. */
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

    /** Looks in every way, from the start and from the end, and fails if it sees anything at or above that end. */
    private static void assertEndsAt(final Log log, final LogReader reader, final long end) {
        assertEquals(end, log.endOffset());
        final long whole = reader.read(0, Long.MAX_VALUE, 1 << 20);
        assertEquals(end > 0, whole > 0);
        assertEquals(end, reader.nextOffset());
        // From where the last read ended, which needs no search.
        assertEquals(0, reader.read(end, Long.MAX_VALUE, 1 << 20));
        assertEquals(end, reader.nextOffset());
        assertEquals(whole, reader.locate(0, Long.MAX_VALUE, 1 << 20));
        final Sink sink = new Sink();
        assertEquals(whole, reader.transferTo(sink, 0));
        assertEquals(whole, sink.bytes);
        assertEquals(0, reader.locate(end, Long.MAX_VALUE, 1 << 20));
        assertTrue(reader.read(end + 1, Long.MAX_VALUE, 1 << 20) < 0, "behind the end nothing can be asked for");
        assertEquals(-1, reader.offsetForTimestamp(NOW + end, Long.MAX_VALUE));
        assertEquals(end == 0 ? -1 : end - 1, reader.offsetForTimestamp(NOW + end - 1, Long.MAX_VALUE));
    }

    @ParameterizedTest
    @ValueSource(booleans = {false, true})
    void nothingIsSeenBetweenTheFileAndTheEnd(final boolean mapped) {
        try (DiskStorage disk = new DiskStorage(root)) {
            final FailingStorage storage = new FailingStorage(disk);
            try (Log log = open(storage, mapped);
                    LogReader reader = log.newReader()) {
                final AtomicLong looks = new AtomicLong();
                for (long end = 0; end < 20; end++) {
                    final long before = end;
                    gather(log, end);
                    assertEndsAt(log, reader, before);
                    storage.afterPublication(() -> {
                        assertEndsAt(log, reader, before);
                        looks.incrementAndGet();
                    });
                    assertEquals(end + 1, log.publish());
                    assertEndsAt(log, reader, end + 1);
                }
                assertEquals(20, looks.get());
                storage.afterPublication(() -> {});
            }
        }
    }

    @ParameterizedTest
    @ValueSource(booleans = {false, true})
    void aReaderBesideTheWriterSeesNothingBetweenTheFileAndTheEnd(final boolean mapped) throws InterruptedException {
        final AtomicLong begun = new AtomicLong();
        final AtomicLong ended = new AtomicLong();
        final AtomicBoolean isDone = new AtomicBoolean();
        final AtomicReference<Throwable> failure = new AtomicReference<>();
        try (DiskStorage disk = new DiskStorage(root)) {
            final FailingStorage storage = new FailingStorage(disk);
            try (Log log = open(storage, mapped)) {
                final Thread thread = new Thread(
                        () -> {
                            try (LogReader reader = log.newReader()) {
                                while (!isDone.get()) {
                                    begun.incrementAndGet();
                                    look(log, reader);
                                    ended.incrementAndGet();
                                }
                            }
                        },
                        "reader");
                thread.setUncaughtExceptionHandler((self, error) -> failure.set(error));
                thread.start();
                storage.afterPublication(() -> awaitLooks(begun, ended, thread));
                long end = 0;
                for (int round = 0; round < 200; round++) {
                    for (int i = 0; i <= round % 3; i++) {
                        gather(log, end++);
                    }
                    log.publish();
                }
                storage.afterPublication(() -> {});
                isDone.set(true);
                thread.join();
                assertEquals(null, failure.get());
                assertEquals(end, log.endOffset());
            }
        }
    }

    /** Until some looks have both begun and ended since. */
    private static void awaitLooks(final AtomicLong begun, final AtomicLong ended, final Thread thread) {
        final long wanted = begun.get() + LOOKS;
        while (ended.get() < wanted && thread.isAlive()) {
            assertFalse(Thread.currentThread().isInterrupted(), "out of time");
            Thread.onSpinWait();
        }
    }

    /** The end is read behind each look: it may have moved on meanwhile, but never be short of what was seen. */
    private static void look(final Log log, final LogReader reader) {
        final long before = log.endOffset();
        final long from = Math.max(0, before - 5);
        reader.read(from, Long.MAX_VALUE, 1 << 20);
        final long seen = reader.nextOffset();
        assertTrue(seen <= log.endOffset(), seen + " was seen, the end is " + log.endOffset());
        reader.read(seen, Long.MAX_VALUE, 1 << 20);
        assertTrue(reader.nextOffset() <= log.endOffset(), reader.nextOffset() + " was seen by who went on");
        final long found = reader.offsetForTimestamp(NOW + before, Long.MAX_VALUE);
        assertTrue(found < log.endOffset(), found + " was found by its time");
    }
}
