package io.cordwood.jmh;

import io.cordwood.index.SparseIndexes;
import io.cordwood.log.AppendAs;
import io.cordwood.log.AppendTicket;
import io.cordwood.log.FlushAgent;
import io.cordwood.log.Log;
import io.cordwood.log.LogAppender;
import io.cordwood.log.LogBuilder;
import io.cordwood.log.LogConfig;
import io.cordwood.log.record.Refusal;
import io.cordwood.log.store.Storage;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.file.Path;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import org.agrona.CloseHelper;
import org.agrona.concurrent.Agent;
import org.agrona.concurrent.AgentRunner;
import org.agrona.concurrent.BackoffIdleStrategy;
import org.agrona.concurrent.IdleStrategy;
import org.agrona.concurrent.UnsafeBuffer;
import org.apache.kafka.common.record.internal.MemoryRecords;
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
 * Appends of 1 x 1 KiB that are acknowledged when the disk has them, for so many producers at once, each of which has one append
 * under way; one thread speaks for all of them, as the event loop of a server does. The segments roll; none is dropped, since the
 * disk bounds how much is appended.
 */
@BenchmarkMode(Mode.AverageTime)
@OutputTimeUnit(TimeUnit.MICROSECONDS)
public class DurableBenchmark {
    private static final String FORCES = "forces";
    private static final BatchShape SHAPE = BatchShape.ONE_OF_1_KIB;
    private static final AppendAs TERMS = AppendAs.client(0).forced();

    /** Made by JMH. */
    public DurableBenchmark() {}

    /** Rows of the table. */
    static List<Comparison> comparisons() {
        return List.of(
                row(Producers.ONE, 0).fullRunsOnly(),
                row(Producers.EIGHT, 0).fullRunsOnly(),
                row(Producers.SIXTY_FOUR, 8));
    }

    private static Comparison row(final Producers producers, final double goal) {
        return new Comparison(
                        "durable",
                        "forced appends, producers: " + producers.count + ", group commit",
                        Subject.of(DurableBenchmark.class, "grouped", Map.of("producers", producers.name())))
                .beside("one force per append", Subject.of(DurableBenchmark.class, "each", Map.of()), goal)
                .beside("Kafka", Subject.of(DurableBenchmark.class, "kafka", Map.of()), 0);
    }

    /** How many producers append at once. */
    public enum Producers {
        /** Each append waits for its own force, and for the threads on the way. */
        ONE(1),
        /** Some. */
        EIGHT(8),
        /** Many. */
        SIXTY_FOUR(64);

        private final int count;

        Producers(final int count) {
            this.count = count;
        }
    }

    /** Our log, empty at first. */
    @State(Scope.Thread)
    public static class Opened {
        private Path root;
        private Storage storage;
        private Log log;

        /** Made by JMH. */
        public Opened() {}

        /**
         * Begins the log.
         *
         * @param parts that it is made of.
         */
        @Setup
        public void open(final Parts parts) {
            root = BenchDirectory.fresh();
            storage = parts.storage(root);
            log = new LogBuilder(storage, "cordwood-0")
                    .config(LogConfig.of(Map.of("segment.bytes", String.valueOf(GrowingLog.SEGMENT_BYTES))))
                    .indexes(new SparseIndexes())
                    .codecs(parts.codecs())
                    .open(System.currentTimeMillis());
            CountProfiler.show(FORCES, log::forceCount);
            CallsProfiler.countForces(log::forceCount);
        }

        /** Removes the log. */
        @TearDown
        public void close() {
            log.closeUncleanly();
            storage.close();
            BenchDirectory.remove(root);
        }

        private long appendAndForce(final UnsafeBuffer batch) {
            final long offset = log.append(batch, 0, batch.capacity(), TERMS, System.currentTimeMillis());
            if (offset < 0 || log.flush() <= offset) {
                throw new IllegalStateException(log.refusalReason());
            }
            return offset;
        }
    }

    /** The door of the log, and who forces it. */
    @State(Scope.Thread)
    public static class Door {
        private LogAppender appender;
        private AgentRunner appending;
        private AgentRunner forcing;

        /** Made by JMH. */
        public Door() {}

        /**
         * Opens the door.
         *
         * @param opened the log behind it.
         */
        @Setup
        public void open(final Opened opened) {
            appender = new LogAppender(opened.log, System::currentTimeMillis, 1 << 20);
            final FlushAgent flusher = new FlushAgent(System::currentTimeMillis);
            flusher.add(opened.log);
            appending = start(appender);
            forcing = start(flusher);
        }

        private static AgentRunner start(final Agent agent) {
            final AgentRunner runner =
                    new AgentRunner(new BackoffIdleStrategy(), Throwable::printStackTrace, null, agent);
            AgentRunner.startOnThread(runner);
            return runner;
        }

        /** Closes the door. */
        @TearDown
        public void close() {
            CloseHelper.closeAll(appending, forcing);
        }
    }

    /** What is appended. */
    @State(Scope.Thread)
    public static class Batch {
        private final UnsafeBuffer bytes = new UnsafeBuffer(0, 0);

        /** Made by JMH. */
        public Batch() {}

        /** Makes the batch. */
        @Setup
        public void fill() {
            final ByteBuffer received = SHAPE.received(System.currentTimeMillis());
            bytes.wrap(ByteBuffer.allocateDirect(received.limit()).put(received));
        }
    }

    /** Those who append and wait for the acknowledgement. */
    @State(Scope.Thread)
    public static class Appending {
        /** How many they are. */
        @Param
        public Producers producers = Producers.SIXTY_FOUR;

        private final IdleStrategy idle = new BackoffIdleStrategy();
        private LogAppender door;
        private UnsafeBuffer batch;
        private AppendTicket[] tickets;
        private int next;

        /** Made by JMH. */
        public Appending() {}

        /**
         * Has each of them begin.
         *
         * @param opened where appends go.
         * @param appended what they append.
         */
        @Setup
        public void begin(final Door opened, final Batch appended) {
            door = opened.appender;
            batch = appended.bytes;
            tickets = new AppendTicket[producers.count];
            for (int i = 0; i < tickets.length; i++) {
                tickets[i] = door.newTicket();
                offer(tickets[i]);
            }
        }

        /** Acknowledgements come in the order of the appends, so the oldest one is waited for. */
        private long await() {
            final AppendTicket ticket = tickets[next];
            next = (next + 1) % tickets.length;
            while (ticket.outcome() == AppendTicket.PENDING) {
                idle.idle();
            }
            idle.reset();
            final long offset = ticket.outcome();
            if (offset < 0) {
                throw new IllegalStateException("refused: " + offset, ticket.failure());
            }
            offer(ticket);
            return offset;
        }

        private void offer(final AppendTicket ticket) {
            while (!door.offer(ticket, batch, 0, batch.capacity(), TERMS)) {
                if (ticket.outcome() != Refusal.BACK_PRESSURE) {
                    throw new IllegalStateException("refused: " + ticket.outcome(), ticket.failure());
                }
                idle.idle();
            }
            idle.reset();
        }
    }

    /**
     * A force covers what has come meanwhile.
     *
     * @param producers that append.
     * @return offset of a batch that the disk has.
     */
    @Benchmark
    public long grouped(final Appending producers) {
        return producers.await();
    }

    /**
     * Each append is forced on its own, by the thread that appends.
     *
     * @param opened the log.
     * @param batch to append.
     * @return offset of the batch.
     */
    @Benchmark
    public long each(final Opened opened, final Batch batch) {
        return opened.appendAndForce(batch.bytes);
    }

    /** Kafka's log, told to force each append. */
    @State(Scope.Thread)
    public static class Kafka {
        private final ByteBuffer batch = SHAPE.received(System.currentTimeMillis());
        private Path root;
        private UnifiedLog log;

        /** Made by JMH. */
        public Kafka() {}

        /**
         * Begins the log.
         *
         * @throws IOException Kafka's own.
         */
        @Setup
        public void open() throws IOException {
            root = BenchDirectory.fresh();
            final Map<String, Object> topic = new HashMap<>();
            topic.put("segment.bytes", GrowingLog.SEGMENT_BYTES);
            topic.put("flush.messages", 1);
            log = KafkaPeer.open(root.resolve("kafka-0"), topic);
        }

        /** Removes the log. */
        @TearDown
        public void close() {
            KafkaPeer.close(log);
            BenchDirectory.remove(root);
        }
    }

    /**
     * Kafka's log; it forces the indexes too.
     *
     * @param kafka the log.
     * @return offset of the batch.
     * @throws IOException Kafka's own.
     */
    @Benchmark
    public long kafka(final Kafka kafka) throws IOException {
        kafka.batch.putLong(0, 0);
        return kafka.log
                .appendAsLeader(MemoryRecords.readableRecords(kafka.batch.duplicate()), 0)
                .firstOffset();
    }
}
