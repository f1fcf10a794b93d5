package io.cordwood.jmh;

import io.cordwood.log.AppendAs;
import io.cordwood.log.AppendTicket;
import io.cordwood.log.FlushAgent;
import io.cordwood.log.LogAppender;
import io.cordwood.log.LogReader;
import io.cordwood.log.record.RecordBatchDescriptor;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.channels.ServerSocketChannel;
import java.nio.channels.SocketChannel;
import java.util.Map;
import java.util.concurrent.TimeUnit;
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

/** What is counted and not compared: one thread does all, agents are stepped by it, so that each run does the very same. */
@BenchmarkMode(Mode.SingleShotTime)
@OutputTimeUnit(TimeUnit.MICROSECONDS)
public class CountBenchmark {
    /** Who wait for one force together. */
    static final int PRODUCERS = 8;

    /** Made by JMH. */
    public CountBenchmark() {}

    /** Nothing: what the measuring takes by itself. */
    @Benchmark
    public void nothing() {}

    /** A log of a leader whose appends are copied. */
    @State(Scope.Thread)
    public static class Replica {
        private final AppendAs terms = AppendAs.replica();
        private CountLog log;
        private long next;

        /** Made by JMH. */
        public Replica() {}

        /**
         * Begins the log.
         *
         * @param parts that it is made of.
         */
        @Setup
        public void open(final Parts parts) {
            log = new CountLog(parts, Map.of());
            log.batch.putInt(RecordBatchDescriptor.PARTITION_LEADER_EPOCH_OFFSET, 0, ByteOrder.BIG_ENDIAN);
        }

        /** Removes the log. */
        @TearDown
        public void close() {
            log.close();
        }
    }

    /**
     * A batch with offset and epoch, as a leader has it.
     *
     * @param replica to append to.
     * @return offset of the batch.
     */
    @Benchmark
    public long replica(final Replica replica) {
        replica.log.batch.putLong(0, replica.next++, ByteOrder.BIG_ENDIAN);
        return replica.log.append(replica.terms);
    }

    /** A log whose segments are dropped as soon as another one follows. */
    @State(Scope.Thread)
    public static class Rolling {
        private CountLog log;

        /** Made by JMH. */
        public Rolling() {}

        /**
         * Begins the log.
         *
         * @param parts that it is made of.
         */
        @Setup
        public void open(final Parts parts) {
            log = new CountLog(parts, Map.of("file.delete.delay.ms", "0"));
        }

        /** Removes the log. */
        @TearDown
        public void close() {
            log.close();
        }
    }

    /**
     * A segment's whole life.
     *
     * @param rolling log.
     * @return start of the log.
     */
    @Benchmark
    public long roll(final Rolling rolling) {
        final CountLog log = rolling.log;
        log.append(AppendAs.client(0));
        final long nowMs = System.currentTimeMillis();
        final long base = log.log.roll(nowMs);
        final long start = log.log.deletePrefix(base, base, nowMs);
        log.log.doWork(nowMs);
        if (start != base || log.log.segmentCount() != 1) {
            throw new IllegalStateException("not one segment but " + log.log.segmentCount());
        }
        return start;
    }

    /** Producers at the door of a log. */
    @State(Scope.Thread)
    public static class Producers {
        private final AppendTicket[] tickets = new AppendTicket[PRODUCERS];
        private final AppendAs terms = AppendAs.client(0).forced();
        private final FlushAgent forcing = new FlushAgent(System::currentTimeMillis);
        private CountLog log;
        private LogAppender door;

        /** Made by JMH. */
        public Producers() {}

        /**
         * Begins the log.
         *
         * @param parts that it is made of.
         */
        @Setup
        public void open(final Parts parts) {
            log = new CountLog(parts, Map.of());
            door = new LogAppender(log.log, System::currentTimeMillis, 64 << 10);
            forcing.add(log.log);
            for (int i = 0; i < tickets.length; i++) {
                tickets[i] = door.newTicket();
            }
        }

        /** Removes the log. */
        @TearDown
        public void close() {
            door.onClose();
            log.close();
        }
    }

    /**
     * All append, and one force covers them.
     *
     * @param producers that append.
     * @return offset of the last one.
     */
    @Benchmark
    @OperationsPerInvocation(PRODUCERS)
    public long groupCommit(final Producers producers) {
        for (final AppendTicket ticket : producers.tickets) {
            if (!producers.door.offer(
                    ticket, producers.log.batch, 0, producers.log.batch.capacity(), producers.terms)) {
                throw new IllegalStateException("refused: " + ticket.outcome());
            }
        }
        producers.door.doWork();
        producers.forcing.doWork();
        producers.door.doWork();
        long last = 0;
        for (final AppendTicket ticket : producers.tickets) {
            last = ticket.outcome();
            if (last < 0) {
                throw new IllegalStateException("not acknowledged: " + last, ticket.failure());
            }
        }
        return last;
    }

    /** A log of several segments, of which each batch is a millisecond younger than the one before. */
    @State(Scope.Thread)
    public static class Grown {
        private static final int BATCHES = 96 << 10;
        private static final int OFFSETS = 1 << 12;
        private static final int OFFSETS_PER_READ = ReadLog.recordsPerRead(BatchShape.ONE_OF_100_B);

        /** Order of the offsets. */
        @Param
        public ReadOrder order = ReadOrder.SEQUENTIAL;

        private CountLog log;
        private LogReader reader;
        private CordwoodReads reads;
        private long[] drawn = {};
        private long next;

        /** Made by JMH. */
        public Grown() {}

        /**
         * Fills the log.
         *
         * @param parts that it is made of.
         */
        @Setup
        public void open(final Parts parts) {
            log = new CountLog(parts, Map.of("segment.bytes", "2097152"));
            log.fill(BATCHES);
            reader = log.log.newReader();
            reads = new CordwoodReads(log.log, parts.codecs());
            drawn = Seed.random(19).longs(OFFSETS, 0, BATCHES).toArray();
        }

        /** Removes the log. */
        @TearDown
        public void close() {
            reads.close();
            reader.close();
            log.close();
        }

        private long take() {
            if (order == ReadOrder.RANDOM) {
                return draw();
            }
            if (next >= BATCHES) {
                next = 0;
            }
            return next;
        }

        private long draw() {
            return drawn[(int) next++ & OFFSETS - 1];
        }
    }

    /**
     * A read, wherever it begins, and a look at each record of it.
     *
     * @param grown log.
     * @return something that depends on each record.
     */
    @Benchmark
    public long read(final Grown grown) {
        final long sum = grown.reads.read(grown.take());
        if (grown.order == ReadOrder.SEQUENTIAL) {
            grown.next = grown.reads.nextOffset();
        }
        return sum;
    }

    /**
     * The place of a read.
     *
     * @param grown log.
     * @return something that depends on the place.
     */
    @Benchmark
    public long find(final Grown grown) {
        final LogReader reader = grown.reader;
        final long bytes = reader.locate(grown.take(), Long.MAX_VALUE, ReadLog.READ_BYTES);
        if (grown.order == ReadOrder.SEQUENTIAL) {
            grown.next += Grown.OFFSETS_PER_READ;
        }
        return reader.position() + bytes;
    }

    /** Both ends of a connection in one thread's hands. */
    @State(Scope.Thread)
    public static class Loopback {
        private final ByteBuffer drained = ByteBuffer.allocateDirect(2 * ReadLog.READ_BYTES);
        private SocketChannel near;
        private SocketChannel far;

        /** Made by JMH. */
        public Loopback() {}

        /**
         * Connects.
         *
         * @throws IOException if the system refuses.
         */
        @Setup
        public void open() throws IOException {
            try (ServerSocketChannel server = ServerSocketChannel.open()) {
                server.bind(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0));
                near = SocketChannel.open(server.getLocalAddress());
                far = server.accept();
            }
            near.configureBlocking(false);
        }

        /** Hangs up. */
        @TearDown
        public void close() {
            CloseHelper.closeAll(near, far);
        }

        private void drain(final long bytes) throws IOException {
            for (long left = bytes; left > 0; ) {
                left -= far.read(drained.clear());
            }
        }
    }

    /**
     * A piece found and sent to a socket, and what has arrived there drained.
     *
     * @param grown log.
     * @param loopback of the bytes.
     * @return bytes.
     * @throws IOException if the connection fails.
     */
    @Benchmark
    public long transfer(final Grown grown, final Loopback loopback) throws IOException {
        final long bytes = grown.reader.locate(grown.take(), Long.MAX_VALUE, ReadLog.READ_BYTES);
        for (long sent = 0; sent < bytes; ) {
            final long now = grown.reader.transferTo(loopback.near, sent);
            loopback.drain(now);
            sent += now;
        }
        grown.next += Grown.OFFSETS_PER_READ;
        return bytes;
    }

    /**
     * The first offset of a time, over all segments.
     *
     * @param grown log.
     * @return the offset.
     */
    @Benchmark
    public long offsetOfTime(final Grown grown) {
        final long offset = grown.draw();
        final long found = grown.reader.offsetForTimestamp(CountLog.FIRST_MS + offset, Long.MAX_VALUE);
        if (found != offset) {
            throw new IllegalStateException("the record of " + offset + " ms has offset " + offset + ", not " + found);
        }
        return found;
    }
}
