package io.cordwood.jmh;

import io.cordwood.log.LogReader;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.channels.SocketChannel;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;
import org.agrona.CloseHelper;
import org.apache.kafka.common.network.TransferableChannel;
import org.apache.kafka.common.record.internal.FileRecords;
import org.apache.kafka.server.storage.log.FetchIsolation;
import org.apache.kafka.storage.internals.log.UnifiedLog;
import org.openjdk.jmh.annotations.Benchmark;
import org.openjdk.jmh.annotations.BenchmarkMode;
import org.openjdk.jmh.annotations.Mode;
import org.openjdk.jmh.annotations.OutputTimeUnit;
import org.openjdk.jmh.annotations.Param;
import org.openjdk.jmh.annotations.Scope;
import org.openjdk.jmh.annotations.Setup;
import org.openjdk.jmh.annotations.State;
import org.openjdk.jmh.annotations.TearDown;

/**
 * Serves a consumer from the start of a log to its end: the place of its next offset is found, and a piece from there on sent to a
 * connected socket by the system, without a copy here. A piece is cut where its length says, so the next one begins with the
 * batch that was cut. The thread that drains the socket runs beside all alike, and counts as CPU of all.
 */
@BenchmarkMode(Mode.AverageTime)
@OutputTimeUnit(TimeUnit.MICROSECONDS)
public class TransferBenchmark {
    private static final String SMALL = "65536";
    private static final String LARGE = "1048576";

    /** Made by JMH. */
    public TransferBenchmark() {}

    /** Rows of the table. */
    static List<Comparison> comparisons() {
        return List.of(
                transfer(BatchShape.ONE_OF_100_B, SMALL),
                transfer(BatchShape.SIXTEEN_OF_1_KIB, SMALL),
                transfer(BatchShape.ONE_OF_100_B, LARGE).fullRunsOnly(),
                transfer(BatchShape.SIXTEEN_OF_1_KIB, LARGE));
    }

    private static Comparison transfer(final BatchShape shape, final String pieceBytes) {
        final Map<String, String> parameters = Map.of("shape", shape.name(), "pieceBytes", pieceBytes);
        return new Comparison(
                        "read",
                        "transfer " + (pieceBytes.equals(SMALL) ? "64 KiB" : "1 MiB") + " to a socket, "
                                + shape.title(),
                        Subject.of(TransferBenchmark.class, "cordwood", parameters))
                .beside(Catalog.KAFKA, Subject.of(TransferBenchmark.class, "kafka", parameters), 0)
                .over(Subject.of(TransferBenchmark.class, "plain", parameters), 0)
                .garbageFree();
    }

    /** The socket. */
    @State(Scope.Thread)
    public static class Target {
        private final SocketSink sink;
        private final Transferable forKafka;
        private long sent;

        /** Made by JMH. */
        public Target() {
            this(bytes -> {});
        }

        /**
         * Connects.
         *
         * @param taker of what arrives, on another thread.
         */
        Target(final Consumer<ByteBuffer> taker) {
            sink = new SocketSink(taker);
            forKafka = new Transferable(sink.channel());
        }

        /** Hangs up; all that was sent must have arrived. */
        @TearDown
        public void close() {
            sink.close(sent);
        }
    }

    /** What is sent. */
    @State(Scope.Thread)
    public abstract static class Source {
        /** Batches of the log. */
        @Param({"ONE_OF_100_B", "SIXTEEN_OF_1_KIB"})
        public BatchShape shape = BatchShape.ONE_OF_100_B;

        /** Most bytes of a piece; the last one of a segment may have less. */
        @Param({SMALL, LARGE})
        public int pieceBytes;

        private int batchBytes;

        /** Made by JMH. */
        protected Source() {}

        /** Finds the log. */
        ReadLog find() {
            batchBytes = shape.received(0).limit();
            return ReadLog.of(shape);
        }

        /** Whole batches of a piece. */
        int wholeIn(final long bytes) {
            return (int) (bytes / batchBytes);
        }

        /** Bytes of whole batches. */
        long bytesOf(final int batches) {
            return (long) batches * batchBytes;
        }

        /**
         * Sends the next piece.
         *
         * @param target of it.
         * @return its bytes.
         * @throws IOException the source's own.
         */
        abstract long send(Target target) throws IOException;

        long sendCounted(final Target target) throws IOException {
            final long bytes = send(target);
            target.sent += bytes;
            return bytes;
        }
    }

    /** Kafka's log, opened for reading. */
    @State(Scope.Thread)
    public static class Kafka extends Source {
        private UnifiedLog log;
        private NextOffset offsets;

        /** Made by JMH. */
        public Kafka() {}

        /**
         * Opens the log.
         *
         * @throws IOException Kafka's own.
         */
        @Setup
        public void open() throws IOException {
            final ReadLog read = find();
            log = KafkaPeer.open(read.directory(), ReadLog.TOPIC);
            offsets = new NextOffset(read, shape, ReadOrder.SEQUENTIAL);
        }

        /** Closes the log. */
        @TearDown
        public void close() {
            KafkaPeer.close(log);
        }

        @Override
        long send(final Target target) throws IOException {
            final long offset = offsets.take();
            final FileRecords found = (FileRecords) log.read(offset, pieceBytes, FetchIsolation.LOG_END, true).records;
            final int bytes = found.sizeInBytes();
            int sent = 0;
            while (sent < bytes) {
                sent += found.writeTo(target.forKafka, sent, bytes - sent);
            }
            offsets.behind(offset + (long) wholeIn(bytes) * shape.records());
            return bytes;
        }
    }

    /**
     * Kafka's log.
     *
     * @param log to send from.
     * @param target of the bytes.
     * @return bytes.
     * @throws IOException Kafka's own.
     */
    @Benchmark
    public long kafka(final Kafka log, final Target target) throws IOException {
        return log.sendCounted(target);
    }

    /** Our log, opened for reading. */
    @State(Scope.Thread)
    public static class Cordwood extends Source {
        private OpenLog log;
        private NextOffset offsets;

        /** Made by JMH. */
        public Cordwood() {}

        /**
         * Opens the log.
         *
         * @param parts that it is made of.
         */
        @Setup
        public void open(final Parts parts) {
            final ReadLog read = find();
            log = OpenLog.of(parts, read);
            offsets = new NextOffset(read, shape, ReadOrder.SEQUENTIAL);
        }

        /** Closes the log. */
        @TearDown
        public void close() {
            log.close();
        }

        @Override
        long send(final Target target) {
            final LogReader reader = log.reader();
            final long offset = offsets.take();
            final long bytes = reader.locate(offset, Long.MAX_VALUE, pieceBytes);
            long sent = 0;
            while (sent < bytes) {
                final long now = reader.transferTo(target.sink.channel(), sent);
                if (now < 0) {
                    throw new IllegalStateException("refused: " + now);
                }
                sent += now;
            }
            offsets.behind(offset + (long) wholeIn(bytes) * shape.records());
            return bytes;
        }
    }

    /**
     * Our log.
     *
     * @param log to send from.
     * @param target of the bytes.
     * @return bytes.
     * @throws IOException never.
     */
    @Benchmark
    public long cordwood(final Cordwood log, final Target target) throws IOException {
        return log.sendCounted(target);
    }

    /** The segments as plain files: nothing is looked for. */
    @State(Scope.Thread)
    public static class Plain extends Source {
        private final List<FileChannel> channels = new ArrayList<>();
        private int current;
        private long position;

        /** Made by JMH. */
        public Plain() {}

        /**
         * Opens the segments.
         *
         * @throws IOException if the disk fails.
         */
        @Setup
        public void open() throws IOException {
            for (final Path file : FloorBenchmark.segmentsOf(find().directory())) {
                channels.add(FileChannel.open(file));
            }
        }

        /** Closes the segments. */
        @TearDown
        public void close() {
            CloseHelper.closeAll(channels);
        }

        @Override
        long send(final Target target) throws IOException {
            final FileChannel channel = channels.get(current);
            final long left = channel.size() - position;
            final long bytes = Math.min(pieceBytes, left);
            long sent = 0;
            while (sent < bytes) {
                sent += channel.transferTo(position + sent, bytes - sent, target.sink.channel());
            }
            position += bytesOf(wholeIn(bytes));
            if (bytes == left) {
                current = (current + 1) % channels.size();
                position = 0;
            }
            return bytes;
        }
    }

    /**
     * The same pieces of plain files: the least.
     *
     * @param files to send from.
     * @param target of the bytes.
     * @return bytes.
     * @throws IOException if the disk fails.
     */
    @Benchmark
    public long plain(final Plain files, final Target target) throws IOException {
        return files.sendCounted(target);
    }

    /** A socket as Kafka's network layer hands it to its records when nothing is encrypted. */
    private record Transferable(SocketChannel socket) implements TransferableChannel {
        @Override
        public boolean hasPendingWrites() {
            return false;
        }

        @Override
        public long transferFrom(final FileChannel file, final long position, final long count) throws IOException {
            return file.transferTo(position, count, socket);
        }

        @Override
        public int write(final ByteBuffer source) throws IOException {
            return socket.write(source);
        }

        @Override
        public long write(final ByteBuffer[] sources) throws IOException {
            return socket.write(sources);
        }

        @Override
        public long write(final ByteBuffer[] sources, final int offset, final int length) throws IOException {
            return socket.write(sources, offset, length);
        }

        @Override
        public boolean isOpen() {
            return socket.isOpen();
        }

        @Override
        public void close() throws IOException {
            socket.close();
        }
    }
}
