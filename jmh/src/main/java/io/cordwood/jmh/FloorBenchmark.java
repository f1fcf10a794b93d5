package io.cordwood.jmh;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.MappedByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;
import java.util.zip.CRC32C;
import org.agrona.BufferUtil;
import org.agrona.CloseHelper;
import org.openjdk.jmh.annotations.Benchmark;
import org.openjdk.jmh.annotations.BenchmarkMode;
import org.openjdk.jmh.annotations.Mode;
import org.openjdk.jmh.annotations.OperationsPerInvocation;
import org.openjdk.jmh.annotations.OutputTimeUnit;
import org.openjdk.jmh.annotations.Param;
import org.openjdk.jmh.annotations.Scope;
import org.openjdk.jmh.annotations.Setup;
import org.openjdk.jmh.annotations.State;
import org.openjdk.jmh.annotations.TearDown;

/**
 * The least that the machine must do for the work of a log: bytes of a batch into a file or out of it, and one checksum over them.
 * Nothing is looked at, indexed or handed on.
 */
@BenchmarkMode(Mode.AverageTime)
@OutputTimeUnit(TimeUnit.MICROSECONDS)
public class FloorBenchmark {
    private static final int GATHERED = 64;
    private static final int SCAN_BYTES = 256 << 10;

    /** Made by JMH. */
    public FloorBenchmark() {}

    /** A batch, and the checksum over it. */
    @State(Scope.Thread)
    public static class Batch {
        /** Batch whose length the bytes have. */
        @Param
        public BatchShape shape = BatchShape.ONE_OF_100_B;

        private final CRC32C crc = new CRC32C();
        private ByteBuffer bytes;
        private ByteBuffer gathered;

        /** Made by JMH. */
        public Batch() {}

        /** Makes the batch. */
        @Setup
        public void fill() {
            final ByteBuffer received = shape.received(System.currentTimeMillis());
            bytes = ByteBuffer.allocateDirect(received.limit()).put(received);
            gathered = ByteBuffer.allocateDirect(bytes.capacity() * GATHERED);
            for (int i = 0; i < GATHERED; i++) {
                gathered.put(bytes.clear());
            }
        }

        long checksum() {
            crc.reset();
            crc.update(bytes.clear());
            return crc.getValue();
        }
    }

    /** A file that is written through a channel. */
    @State(Scope.Thread)
    public static class Written implements Scanning.Scanned {
        private final RollingFiles files = new RollingFiles();
        private final int fileBytes;
        private FileChannel channel;
        private int left;

        /** Made by JMH. */
        public Written() {
            this(GrowingLog.SEGMENT_BYTES);
        }

        private Written(final int fileBytes) {
            this.fileBytes = fileBytes;
        }

        /** Begins the first file. */
        @Setup
        public void open() {
            channel = files.next();
            left = fileBytes;
        }

        /** Removes the files. */
        @TearDown
        public void close() {
            CloseHelper.close(channel);
            files.close();
        }

        @Override
        public Scanning.Scan newScan() {
            return files.newScan();
        }

        void append(final Batch batch) throws IOException {
            write(batch.bytes);
        }

        private void write(final ByteBuffer bytes) throws IOException {
            bytes.clear();
            left -= bytes.capacity();
            if (left < 0) {
                CloseHelper.close(channel);
                channel = files.next();
                left = fileBytes - bytes.capacity();
            }
            while (bytes.hasRemaining()) {
                channel.write(bytes);
            }
        }
    }

    /** The same with files that roll soon. */
    @State(Scope.Thread)
    public static class ShortWritten extends Written {
        /** Made by JMH. */
        public ShortWritten() {
            super(GrowingLog.SHORT_SEGMENT_BYTES);
        }
    }

    /**
     * Checksum and one write to a growing file.
     *
     * @param batch to write.
     * @param file that grows.
     * @return the checksum.
     * @throws IOException if the disk fails.
     */
    @Benchmark
    public long write(final Batch batch, final Written file) throws IOException {
        final long checksum = batch.checksum();
        file.write(batch.bytes);
        return checksum;
    }

    /**
     * The same with one write for 64 batches.
     *
     * @param batch to write.
     * @param file that grows.
     * @return something that depends on the checksums.
     * @throws IOException if the disk fails.
     */
    @Benchmark
    @OperationsPerInvocation(GATHERED)
    public long writeGathered(final Batch batch, final Written file) throws IOException {
        long sum = 0;
        for (int i = 0; i < GATHERED; i++) {
            sum += batch.checksum();
        }
        file.write(batch.gathered);
        return sum;
    }

    /** A mapped file whose pages nobody touched before. */
    @State(Scope.Thread)
    public static class Mapped {
        private final RollingFiles files = new RollingFiles();
        private MappedByteBuffer mapping;

        /** Made by JMH. */
        public Mapped() {}

        /**
         * Begins the first file.
         *
         * @throws IOException if the disk fails.
         */
        @Setup
        public void open() throws IOException {
            try (FileChannel channel = files.next()) {
                mapping = channel.map(FileChannel.MapMode.READ_WRITE, 0, GrowingLog.SEGMENT_BYTES);
            }
        }

        /** Removes the files. */
        @TearDown
        public void close() {
            BufferUtil.free(mapping);
            files.close();
        }

        private void copy(final ByteBuffer bytes) throws IOException {
            bytes.clear();
            if (mapping.remaining() < bytes.capacity()) {
                BufferUtil.free(mapping);
                open();
            }
            mapping.put(bytes);
        }
    }

    /**
     * Checksum and copy into fresh mapped memory.
     *
     * @param batch to copy.
     * @param file that is filled.
     * @return the checksum.
     * @throws IOException if the disk fails.
     */
    @Benchmark
    public long copyToMapping(final Batch batch, final Mapped file) throws IOException {
        final long checksum = batch.checksum();
        file.copy(batch.bytes);
        return checksum;
    }

    /** Segments that are mapped, as the system's cache holds them. */
    @State(Scope.Thread)
    public static class MappedLog {
        /** Batches of the log. */
        @Param
        public BatchShape shape = BatchShape.SIXTEEN_OF_1_KIB;

        /** Order of the pieces. */
        @Param
        public ReadOrder order = ReadOrder.SEQUENTIAL;

        private final List<MappedByteBuffer> mappings = new ArrayList<>();
        private final CRC32C crc = new CRC32C();
        private NextOffset offsets;
        private double bytesPerOffset;
        private int current;

        /** Made by JMH. */
        public MappedLog() {}

        /**
         * Maps the segments.
         *
         * @throws IOException if the disk fails.
         */
        @Setup
        public void open() throws IOException {
            final ReadLog log = ReadLog.of(shape);
            long bytes = 0;
            for (final Path file : segmentsOf(log.directory())) {
                try (FileChannel channel = FileChannel.open(file)) {
                    mappings.add(channel.map(FileChannel.MapMode.READ_ONLY, 0, channel.size()));
                    bytes += channel.size();
                }
            }
            offsets = new NextOffset(log, shape, order);
            bytesPerOffset = (double) bytes / log.endOffset();
        }

        /** Lets go of the segments. */
        @TearDown
        public void close() {
            mappings.forEach(BufferUtil::free);
        }

        private long next() {
            if (order == ReadOrder.RANDOM) {
                jump();
            } else if (!mappings.get(current).hasRemaining()) {
                current = (current + 1) % mappings.size();
                mappings.get(current).clear();
            }
            final MappedByteBuffer mapping = mappings.get(current);
            mapping.limit(Math.min(mapping.capacity(), mapping.position() + ReadLog.READ_BYTES));
            crc.reset();
            crc.update(mapping);
            mapping.limit(mapping.capacity());
            return crc.getValue();
        }

        private void jump() {
            long position = (long) (offsets.take() * bytesPerOffset);
            current = 0;
            while (position >= mappings.get(current).capacity()) {
                position -= mappings.get(current++).capacity();
            }
            mappings.get(current).position((int) position);
        }
    }

    /**
     * 64 KiB of a mapped log, and a checksum over them.
     *
     * @param log that is read.
     * @return the checksum.
     */
    @Benchmark
    public long readMapped(final MappedLog log) {
        return log.next();
    }

    /** Files of a log's batches, the oldest first. */
    static List<Path> segmentsOf(final Path directory) throws IOException {
        try (Stream<Path> files = Files.list(directory)) {
            return files.filter(one -> one.toString().endsWith(".log")).sorted().toList();
        }
    }

    /** Files that are read from the first byte to the last one, and then again. */
    private static final class Scan implements AutoCloseable {
        private final List<FileChannel> channels = new ArrayList<>();
        private final ByteBuffer piece;
        private final CRC32C crc = new CRC32C();
        private int current;

        private Scan(final Path directory, final int pieceBytes) throws IOException {
            piece = ByteBuffer.allocateDirect(pieceBytes);
            for (final Path file : segmentsOf(directory)) {
                channels.add(FileChannel.open(file));
            }
        }

        /** Checksum over the next piece; -1 behind the last one. */
        private long next() throws IOException {
            while (channels.get(current).read(piece.clear()) < 0) {
                current = (current + 1) % channels.size();
                channels.get(current).position(0);
                if (current == 0) {
                    return -1;
                }
            }
            crc.reset();
            crc.update(piece.flip());
            return crc.getValue();
        }

        @Override
        public void close() {
            CloseHelper.closeAll(channels);
        }
    }

    /** The segments of the log that is read. */
    @State(Scope.Thread)
    public static class Log {
        /** Batches of the log. */
        @Param
        public BatchShape shape = BatchShape.SIXTEEN_OF_1_KIB;

        private Scan scan;

        /** Made by JMH. */
        public Log() {}

        /**
         * Opens the segments.
         *
         * @throws IOException if the disk fails.
         */
        @Setup
        public void open() throws IOException {
            scan = new Scan(ReadLog.of(shape).directory(), ReadLog.READ_BYTES);
        }

        /** Closes the segments. */
        @TearDown
        public void close() {
            scan.close();
        }
    }

    /**
     * The next 64 KiB of a log, and a checksum over them.
     *
     * @param log that is read.
     * @return the checksum.
     * @throws IOException if the disk fails.
     */
    @Benchmark
    public long read(final Log log) throws IOException {
        return log.scan.next();
    }

    /** The segments of the log that is recovered. */
    @State(Scope.Thread)
    public static class Lost {
        /** Batches of the log. */
        @Param
        public BatchShape shape = BatchShape.SIXTEEN_OF_1_KIB;

        private Scan scan;

        /** Made by JMH. */
        public Lost() {}

        /**
         * Opens the segments.
         *
         * @throws IOException if the disk fails.
         */
        @Setup
        public void open() throws IOException {
            scan = new Scan(LogToRecover.of(shape).log().directory(), SCAN_BYTES);
        }

        /** Closes the segments. */
        @TearDown
        public void close() {
            scan.close();
        }
    }

    /**
     * All of a log in large pieces, and a checksum over each.
     *
     * @param log that is read.
     * @return something that depends on each checksum.
     * @throws IOException if the disk fails.
     */
    @Benchmark
    public long scan(final Lost log) throws IOException {
        long sum = 0;
        for (long checksum = log.scan.next(); checksum >= 0; checksum = log.scan.next()) {
            sum += checksum;
        }
        return sum;
    }
}
