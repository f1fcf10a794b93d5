package io.cordwood.log;

import static io.cordwood.log.TestBatches.batch;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.cordwood.log.record.RecordBatchFlyweight;
import io.cordwood.log.record.Refusal;
import io.cordwood.log.store.DiskStorage;
import io.cordwood.log.store.StorageException;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.WritableByteChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.atomic.AtomicLong;
import java.util.zip.CRC32;
import org.agrona.DirectBuffer;
import org.agrona.concurrent.UnsafeBuffer;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * Readers beside a writer that appends, rolls, drops and truncates. Each batch tells of itself: its one record's value and
 * timestamp follow from its offset. What is wrong is seen by its content, not by a crash.
 */
@Timeout(120)
final class LogReadersTest {
    private static final long NOW = 1_700_000_000_000L;
    private static final int ROUNDS = 600;

    @TempDir
    Path root;

    private static Log open(final DiskStorage storage, final boolean mapped) {
        final Map<String, String> small = Map.of(
                "segment.bytes", "4096",
                "file.delete.delay.ms", "0",
                "retention.bytes", "20000");
        final LogBuilder builder = new LogBuilder(storage, "t-0").config(LogConfig.of(small));
        return (mapped ? builder.mapped() : builder).open(NOW);
    }

    @ParameterizedTest
    @ValueSource(booleans = {true, false})
    void aSealedSegmentThatSomebodyElseCutIsATypedErrorAndHarmsNobodyElse(final boolean isToBeCopied)
            throws IOException {
        try (DiskStorage storage = new DiskStorage(root);
                Log log = open(storage, false);
                LogReader reader = log.newReader()) {
            while (log.segmentCount() < 3) {
                final UnsafeBuffer batch = telling(log.endOffset());
                log.append(batch, 0, batch.capacity(), AppendAs.client(0), NOW);
            }
            assertTrue(reader.read(0, Long.MAX_VALUE, 1 << 20) > 0);
            reader.release();
            final Path segment = root.resolve("t-0/00000000000000000000.log");
            Files.write(segment, new byte[0]);
            final StorageException failure = assertThrows(StorageException.class, () -> {
                if (isToBeCopied) {
                    reader.read(0, Long.MAX_VALUE, 1 << 20);
                } else {
                    reader.locate(3, Long.MAX_VALUE, 1 << 20);
                }
            });
            assertEquals(segment.toString(), failure.file());
            assertTrue(reader.read(log.endOffset() - 1, Long.MAX_VALUE, 1 << 20) > 0);
        }
    }

    private static UnsafeBuffer telling(final long offset) {
        return batch(NOW + offset, ("o" + offset + ";").repeat(1 + (int) (offset % 9)));
    }

    /** Fails if bytes are not the whole batches of consecutive offsets, the last one perhaps cut. */
    private static void assertTelling(final DirectBuffer buffer, final int length, final long from, final long upTo) {
        long offset = -1;
        for (int index = 0; index + 61 <= length; ) {
            final RecordBatchFlyweight batch = new RecordBatchFlyweight().wrap(buffer, index);
            final int size = batch.sizeInBytes();
            offset = offset < 0 ? from : offset + 1;
            assertEquals(offset, batch.baseOffset(), "base offset at index " + index);
            assertTrue(offset < upTo, "offset " + offset + " is not below " + upTo);
            final UnsafeBuffer expected = telling(offset);
            assertEquals(expected.capacity(), size, "size at offset " + offset);
            for (int i = 61; i < Math.min(size, length - index); i++) {
                assertEquals(expected.getByte(i), buffer.getByte(index + i), "byte " + i + " of offset " + offset);
            }
            index += size;
        }
    }

    /** Takes what is sent. */
    private static final class Sink implements WritableByteChannel {
        private final ByteBuffer bytes = ByteBuffer.allocate(1 << 16);

        @Override
        public int write(final ByteBuffer source) {
            final int length = source.remaining();
            bytes.put(source);
            return length;
        }

        @Override
        public boolean isOpen() {
            return true;
        }

        @Override
        public void close() {}
    }

    /** A thread that reads at random until it is told to stop. */
    private static final class Looker {
        private final Log log;
        private final Random random;
        private final AtomicLong stop;
        private final boolean interrupts;
        private long looks;
        private long takenBack;

        Looker(final Log log, final long seed, final AtomicLong stop) {
            this.log = log;
            this.random = new Random(seed);
            this.stop = stop;
            this.interrupts = seed % 2 == 0;
        }

        void run() {
            try (LogReader reader = log.newReader()) {
                while (stop.get() == 0) {
                    if (interrupts && random.nextInt(5) == 0) {
                        Thread.currentThread().interrupt();
                    }
                    look(reader);
                    looks++;
                    if (random.nextInt(20) == 0) {
                        reader.release();
                    }
                }
            }
            assertTrue(looks > 10, "looks: " + looks);
            assertTrue(takenBack < looks / 2, "taken back: " + takenBack + " of " + looks);
        }

        private void look(final LogReader reader) {
            final long end = log.endOffset();
            final long start = log.startOffset();
            final long offset = start + (long) (random.nextDouble() * (end - start + 1));
            final long upTo = random.nextInt(3) == 0 ? offset + random.nextInt(5) : Long.MAX_VALUE;
            if (random.nextBoolean()) {
                final long bytes = reader.read(offset, upTo, 2_000);
                assertTrue(bytes >= 0 || bytes == Refusal.OFFSET_OUT_OF_RANGE, "read: " + bytes);
                if (bytes > 0) {
                    final UnsafeBuffer seen = new UnsafeBuffer(new byte[(int) bytes]);
                    seen.putBytes(0, reader.buffer(), 0, (int) bytes);
                    if (reader.isUnchanged()) {
                        assertTelling(seen, (int) bytes, offset, upTo);
                    } else {
                        takenBack++;
                    }
                }
            } else {
                transfer(reader, offset, upTo);
            }
        }

        private void transfer(final LogReader reader, final long offset, final long upTo) {
            final long located = reader.locate(offset, upTo, 2_000);
            final Sink sink = new Sink();
            long sent = 0;
            while (sent < located) {
                final long now = reader.transferTo(sink, sent);
                if (now == Refusal.OFFSET_OUT_OF_RANGE) {
                    return;
                }
                sent += now;
            }
            assertTelling(new UnsafeBuffer(sink.bytes), (int) sent, offset, upTo);
        }
    }

    @ParameterizedTest
    @ValueSource(booleans = {false, true})
    void readersSeeWhatIsThereWhateverTheWriterDoes(final boolean mapped) throws InterruptedException {
        final ConcurrentLinkedQueue<Throwable> errors = new ConcurrentLinkedQueue<>();
        final AtomicLong stop = new AtomicLong();
        try (DiskStorage storage = new DiskStorage(root);
                Log log = open(storage, mapped)) {
            final List<Thread> threads = new ArrayList<>();
            for (int i = 0; i < 4; i++) {
                final Looker looker = new Looker(log, i, stop);
                final Thread thread = new Thread(looker::run, "looker-" + i);
                thread.setUncaughtExceptionHandler((self, failure) -> errors.add(failure));
                threads.add(thread);
                thread.start();
            }
            write(log, new Random(7), errors);
            stop.set(1);
            for (final Thread thread : threads) {
                thread.join();
            }
        }
        if (!errors.isEmpty()) {
            throw new AssertionError(errors.size() + " readers failed", errors.peek());
        }
    }

    private static void write(final Log log, final Random random, final ConcurrentLinkedQueue<Throwable> errors) {
        for (int round = 0; round < ROUNDS && errors.isEmpty(); round++) {
            long next = log.endOffset();
            for (int i = random.nextInt(30); i >= 0; i--, next++) {
                final UnsafeBuffer batch = telling(next);
                assertEquals(next, log.gather(batch, 0, batch.capacity(), AppendAs.client(0), NOW));
                if (random.nextInt(3) == 0) {
                    log.publish();
                }
            }
            log.publish();
            final long end = log.endOffset();
            switch (random.nextInt(10)) {
                case 0 -> log.truncateTo(Math.max(log.startOffset(), end - random.nextInt(80)), NOW);
                case 1 -> log.deletePrefix(Math.min(end, log.startOffset() + random.nextInt(60)), end, NOW);
                case 2 -> log.retain(NOW, end);
                case 3 -> log.roll(NOW);
                case 4 -> log.flush();
                default -> log.doWork(NOW);
            }
            if (round % 200 == 199) {
                log.truncateFullyAndStartAt(end - 20, NOW);
            }
        }
    }

    @ParameterizedTest
    @ValueSource(booleans = {false, true})
    void lookUpsByTimeGoOnWhileSegmentsGo(final boolean mapped) throws InterruptedException {
        final ConcurrentLinkedQueue<Throwable> errors = new ConcurrentLinkedQueue<>();
        final AtomicLong stop = new AtomicLong();
        try (DiskStorage storage = new DiskStorage(root);
                Log log = open(storage, mapped)) {
            final Thread thread = new Thread(() -> {
                try (LogReader reader = log.newReader()) {
                    while (stop.get() == 0) {
                        final long wanted = log.startOffset() + 3;
                        final long found = reader.offsetForTimestamp(NOW + wanted, Long.MAX_VALUE);
                        assertTrue(found == -1 || found >= wanted, wanted + " found as " + found);
                        assertTrue(found == -1 || reader.timestampFound() == NOW + found, "timestamp of " + found);
                    }
                }
            });
            thread.setUncaughtExceptionHandler((self, failure) -> errors.add(failure));
            thread.start();
            write(log, new Random(11), errors);
            stop.set(1);
            thread.join();
        }
        assertEquals(List.of(), List.copyOf(errors));
    }

    /** A reader that had its segment dropped meets damage elsewhere: an error, and no search without an end. */
    @Test
    void damageThatALookUpByTimeMeetsIsToldAlsoAfterTheReadersSegmentIsGone() throws Exception {
        try (DiskStorage storage = new DiskStorage(root);
                Log log = open(storage, false);
                LogReader reader = log.newReader()) {
            for (long offset = 0; offset < 200; offset++) {
                final UnsafeBuffer batch = telling(offset);
                log.append(batch, 0, batch.capacity(), AppendAs.client(0), NOW);
            }
            assertTrue(reader.read(0, Long.MAX_VALUE, 100) > 0);
            final long[] bases = log.baseOffsets();
            log.deletePrefix(bases[1], log.endOffset(), NOW);
            final Path second = root.resolve("t-0").resolve(LogFiles.name(bases[1], LogFiles.LOG));
            try (var channel = java.nio.channels.FileChannel.open(second, java.nio.file.StandardOpenOption.WRITE)) {
                channel.write(ByteBuffer.wrap(new byte[] {99, 99, 99}), 70);
            }
            assertThrows(CorruptLogException.class, () -> reader.offsetForTimestamp(NOW + bases[1], Long.MAX_VALUE));
        }
    }

    /** A transfer that was located before a truncation sends nothing of what came in its place. */
    @ParameterizedTest
    @ValueSource(booleans = {false, true})
    void aTransferAcrossATruncationIsRefused(final boolean mapped) {
        try (DiskStorage storage = new DiskStorage(root);
                Log log = open(storage, mapped);
                LogReader reader = log.newReader()) {
            for (long offset = 0; offset < 10; offset++) {
                final UnsafeBuffer batch = telling(offset);
                log.append(batch, 0, batch.capacity(), AppendAs.client(0), NOW);
            }
            assertTrue(reader.locate(5, Long.MAX_VALUE, 1000) > 0);
            log.truncateTo(2, NOW);
            final Sink sink = new Sink();
            assertEquals(Refusal.OFFSET_OUT_OF_RANGE, reader.transferTo(sink, 0));
            assertEquals(0, sink.bytes.position());
            assertEquals(Refusal.OFFSET_OUT_OF_RANGE, reader.locate(5, Long.MAX_VALUE, 1000));
            assertEquals(0, reader.locate(2, Long.MAX_VALUE, 1000));
        }
    }

    private static UnsafeBuffer smallest() {
        final ByteBuffer message = ByteBuffer.allocate(26);
        message.putInt(8, 14).putInt(18, -1).putInt(22, -1);
        final CRC32 crc = new CRC32();
        crc.update(message.array(), 16, 10);
        message.putInt(12, (int) crc.getValue());
        return new UnsafeBuffer(message.array());
    }

    /** Kafka's smallest message: magic 0, no key, no value, 26 bytes. */
    @Test
    void theSmallestMessageOfAllIsRead() {
        final UnsafeBuffer message = smallest();
        assertEquals(26, message.capacity());
        try (DiskStorage storage = new DiskStorage(root);
                Log log = open(storage, false);
                LogReader reader = log.newReader()) {
            for (int offset = 0; offset < 3; offset++) {
                message.putLong(0, offset, java.nio.ByteOrder.BIG_ENDIAN);
                assertEquals(offset, log.append(message, 0, 26, AppendAs.replica(), NOW), log.refusalReason());
            }
            assertEquals(3 * 26, reader.read(0, Long.MAX_VALUE, 1000));
            assertEquals(26, reader.read(2, Long.MAX_VALUE, 1));
            assertEquals(52, reader.locate(1, Long.MAX_VALUE, 1000));
        }
    }
}
