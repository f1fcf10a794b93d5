package io.cordwood.jmh;

import io.cordwood.log.codec.Codecs;
import io.cordwood.log.record.Crc32c;
import io.cordwood.log.record.RecordBatchFlyweight;
import io.cordwood.log.record.RecordFlyweight;
import io.cordwood.log.record.RecordReader;
import java.io.BufferedInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import net.openhft.chronicle.bytes.Bytes;
import net.openhft.chronicle.queue.ExcerptAppender;
import net.openhft.chronicle.queue.ExcerptTailer;
import net.openhft.chronicle.queue.RollCycles;
import net.openhft.chronicle.queue.impl.single.SingleChronicleQueue;
import net.openhft.chronicle.queue.impl.single.SingleChronicleQueueBuilder;
import net.openhft.chronicle.wire.DocumentContext;
import org.agrona.CloseHelper;
import org.agrona.concurrent.UnsafeBuffer;
import org.openjdk.jmh.annotations.Param;
import org.openjdk.jmh.annotations.Scope;
import org.openjdk.jmh.annotations.Setup;
import org.openjdk.jmh.annotations.State;
import org.openjdk.jmh.annotations.TearDown;

/**
 * Chronicle Queue being read from its start to its end, and then again: each document is a batch of the log that the others read,
 * byte for byte, and as many are read at once.
 *
 * <p>The same: each document is found by the tailer and looked at where it lies; the batch's checksum is checked and each record
 * looked at, by our classes, since the queue has neither. Not the same: nobody checks that the batches follow on each other, nothing is
 * looked for by its offset, and all lies in one file, which does not roll.
 */
@State(Scope.Thread)
public class ChronicleReads {
    private static final int COPIED_BYTES = 1 << 20;

    /** Batches of the log. */
    @Param({"ONE_OF_100_B", "ONE_OF_1_KIB", "SIXTEEN_OF_1_KIB"})
    public BatchShape shape = BatchShape.ONE_OF_100_B;

    private final RecordReader records = new RecordReader(Codecs.standard(), ReadLog.READ_BYTES);
    private final RecordBatchFlyweight batch = new RecordBatchFlyweight();
    private final UnsafeBuffer document = new UnsafeBuffer(0, 0);
    private final Crc32c crc = new Crc32c();
    private int documentsPerRead;
    private SingleChronicleQueue queue;
    private ExcerptTailer tailer;

    /** Made by JMH. */
    public ChronicleReads() {}

    /**
     * Opens the queue; fills it if that was not done before.
     *
     * @throws IOException if the disk fails.
     */
    @Setup
    public void open() throws IOException {
        documentsPerRead = ReadLog.recordsPerRead(shape) / shape.records();
        final ReadLog log = ReadLog.of(shape);
        final String name = log.directory().getFileName() + ".queue";
        final Path directory = BenchDirectory.kept(name);
        final Path filled = BenchDirectory.kept(name + ".filled");
        if (!Files.exists(filled)) {
            BenchDirectory.remove(directory);
            fill(directory, log);
            Files.createFile(filled);
        }
        queue = at(directory);
        tailer = queue.createTailer().toStart();
    }

    /** Closes the queue. */
    @TearDown
    public void close() {
        CloseHelper.closeAll(records, tailer, queue);
    }

    private static SingleChronicleQueue at(final Path directory) {
        return SingleChronicleQueueBuilder.binary(directory)
                .rollCycle(RollCycles.FAST_DAILY)
                .build();
    }

    private void fill(final Path directory, final ReadLog log) throws IOException {
        final byte[] one = new byte[shape.received(0).limit()];
        try (SingleChronicleQueue filling = at(directory);
                ExcerptAppender appender = filling.createAppender()) {
            for (final Path segment : FloorBenchmark.segmentsOf(log.directory())) {
                try (InputStream batches = new BufferedInputStream(Files.newInputStream(segment), COPIED_BYTES)) {
                    // They have all the same length.
                    while (batches.readNBytes(one, 0, one.length) == one.length) {
                        try (DocumentContext context = appender.writingDocument()) {
                            context.wire().bytes().write(one);
                        }
                    }
                }
            }
        }
    }

    /** Reads as many batches as the others do; fewer at the end. */
    long read() {
        long sum = 0;
        int read = 0;
        while (read < documentsPerRead) {
            try (DocumentContext context = tailer.readingDocument()) {
                if (context.isPresent()) {
                    sum += look(context.wire().bytes());
                    read++;
                    continue;
                }
            }
            tailer.toStart();
            if (read > 0) {
                break;
            }
        }
        return sum;
    }

    private long look(final Bytes<?> bytes) {
        document.wrap(bytes.addressForRead(bytes.readPosition()), (int) bytes.readRemaining());
        if (!batch.wrap(document, 0).isCrcValid(crc)) {
            throw new IllegalStateException("the checksum at " + batch.baseOffset() + " is wrong");
        }
        records.wrap(batch);
        long sum = 0;
        while (records.next()) {
            final RecordFlyweight record = records.record();
            sum += record.offset() + record.timestamp() + record.valueLength();
        }
        return sum;
    }
}
