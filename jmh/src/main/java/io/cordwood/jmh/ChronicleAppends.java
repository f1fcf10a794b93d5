package io.cordwood.jmh;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.TreeMap;
import net.openhft.chronicle.bytes.Bytes;
import net.openhft.chronicle.queue.ExcerptAppender;
import net.openhft.chronicle.queue.ExcerptTailer;
import net.openhft.chronicle.queue.RollCycle;
import net.openhft.chronicle.queue.RollCycles;
import net.openhft.chronicle.queue.impl.single.SingleChronicleQueue;
import net.openhft.chronicle.queue.impl.single.SingleChronicleQueueBuilder;
import net.openhft.chronicle.wire.DocumentContext;
import org.openjdk.jmh.annotations.Param;
import org.openjdk.jmh.annotations.Scope;
import org.openjdk.jmh.annotations.Setup;
import org.openjdk.jmh.annotations.State;
import org.openjdk.jmh.annotations.TearDown;

/** Chronicle Queue being appended to: it grows, rolls each second, since it rolls by time alone, and drops the files behind. */
@State(Scope.Thread)
public class ChronicleAppends implements Scanning.Scanned {
    private static final int KEPT = 2;

    /** What is appended: all its values in one document. */
    @Param({"ONE_OF_100_B", "ONE_OF_1_KIB", "SIXTEEN_OF_1_KIB"})
    public BatchShape shape = BatchShape.ONE_OF_100_B;

    private Path root;
    private SingleChronicleQueue queue;
    private ExcerptAppender appender;
    private Bytes<Void> values;
    private final TreeMap<Integer, Path> released = new TreeMap<>();
    private int firstCycle;
    private boolean hasDropped;
    private boolean isClosing;

    /** Made by JMH. */
    public ChronicleAppends() {}

    /** Begins an empty queue. */
    @Setup
    public void open() {
        root = BenchDirectory.fresh();
        queue = SingleChronicleQueueBuilder.binary(root)
                .rollCycle(new Secondly())
                .storeFileListener((cycle, file) -> released(cycle, file.toPath()))
                .build();
        firstCycle = queue.cycle();
        appender = queue.createAppender();
        final byte[] value = shape.value();
        values = Bytes.allocateDirect((long) shape.records() * value.length);
        for (int i = 0; i < shape.records(); i++) {
            values.write(value);
        }
    }

    /** Removes the queue. */
    @TearDown
    public void close() {
        endRetention();
        appender.close();
        queue.close();
        values.releaseLast();
        BenchDirectory.remove(root);
    }

    long append() {
        try (DocumentContext document = appender.writingDocument()) {
            document.wire().bytes().write(values, 0, values.writePosition());
        }
        return appender.lastIndexAppended();
    }

    @Override
    public Scanning.Scan newScan() {
        final Bytes<?> read = Bytes.allocateElasticDirect(ReadLog.READ_BYTES);
        final ExcerptTailer tailer = queue.createTailer().toStart();
        return new Scanning.Scan() {
            @Override
            public long step() {
                long bytes = 0;
                while (bytes < ReadLog.READ_BYTES) {
                    try (DocumentContext document = tailer.readingDocument()) {
                        if (!document.isPresent()) {
                            break;
                        }
                        read.clear();
                        document.wire().bytes().read(read);
                        bytes += read.readRemaining();
                    }
                }
                if (bytes == 0) {
                    tailer.toStart();
                }
                return bytes;
            }

            @Override
            public void close() {
                tailer.close();
                read.releaseLast();
            }
        };
    }

    /** What the queue's own thread releases from now on stays, for whoever removes the directory. */
    private synchronized void endRetention() {
        isClosing = true;
        if (!hasDropped && queue.cycle() - firstCycle > 2 * KEPT) {
            throw new IllegalStateException("no file was released and dropped");
        }
    }

    /** Called by the queue's own thread for a file that nobody is in. The oldest go; a tailer that begins anew may open one of the others. */
    private synchronized void released(final int cycle, final Path file) {
        if (isClosing) {
            return;
        }
        released.put(cycle, file);
        while (released.size() > KEPT) {
            try {
                Files.deleteIfExists(released.pollFirstEntry().getValue());
            } catch (final IOException e) {
                throw new UncheckedIOException(e);
            }
            hasDropped = true;
        }
    }

    /** Indexes like its fast cycles, of which none is as short. */
    private static final class Secondly implements RollCycle {
        private static final RollCycle FAST = RollCycles.FAST_HOURLY;

        @Override
        public String format() {
            return "yyyyMMdd-HHmmss'S'";
        }

        @Override
        public int lengthInMillis() {
            return 1_000;
        }

        @Override
        public int defaultIndexCount() {
            return FAST.defaultIndexCount();
        }

        @Override
        public int defaultIndexSpacing() {
            return FAST.defaultIndexSpacing();
        }

        @Override
        public long toIndex(final int cycle, final long sequenceNumber) {
            return FAST.toIndex(cycle, sequenceNumber);
        }

        @Override
        public long toSequenceNumber(final long index) {
            return FAST.toSequenceNumber(index);
        }

        @Override
        public int toCycle(final long index) {
            return FAST.toCycle(index);
        }

        @Override
        public long maxMessagesPerCycle() {
            return FAST.maxMessagesPerCycle();
        }
    }
}
