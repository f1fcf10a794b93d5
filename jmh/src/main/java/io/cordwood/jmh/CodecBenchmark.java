package io.cordwood.jmh;

import io.cordwood.log.codec.CompressionType;
import io.cordwood.log.record.BatchBuilder;
import io.cordwood.log.record.Crc32c;
import io.cordwood.log.record.RecordBatchFlyweight;
import io.cordwood.log.record.RecordFlyweight;
import io.cordwood.log.record.RecordReader;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.concurrent.TimeUnit;
import org.agrona.concurrent.UnsafeBuffer;
import org.apache.kafka.common.compress.Compression;
import org.apache.kafka.common.record.TimestampType;
import org.apache.kafka.common.record.internal.MemoryRecords;
import org.apache.kafka.common.record.internal.MemoryRecordsBuilder;
import org.apache.kafka.common.record.internal.MutableRecordBatch;
import org.apache.kafka.common.record.internal.Record;
import org.apache.kafka.common.utils.internals.BufferSupplier;
import org.apache.kafka.common.utils.internals.CloseableIterator;
import org.openjdk.jmh.annotations.Benchmark;
import org.openjdk.jmh.annotations.BenchmarkMode;
import org.openjdk.jmh.annotations.Mode;
import org.openjdk.jmh.annotations.OutputTimeUnit;
import org.openjdk.jmh.annotations.Param;
import org.openjdk.jmh.annotations.Scope;
import org.openjdk.jmh.annotations.Setup;
import org.openjdk.jmh.annotations.State;
import org.openjdk.jmh.annotations.TearDown;

/** One batch of 16 x 1 KiB encoded in memory, and read again, record by record. Both sides use their buffers again. */
@BenchmarkMode(Mode.AverageTime)
@OutputTimeUnit(TimeUnit.MICROSECONDS)
public class CodecBenchmark {
    private static final BatchShape SHAPE = BatchShape.SIXTEEN_OF_1_KIB;
    private static final long TIMESTAMP = 1_700_000_000_000L;
    private static final int ROOM = 64 << 10;

    /** Made by JMH. */
    public CodecBenchmark() {}

    /** Rows of the table. */
    static List<Comparison> comparisons() {
        final List<Comparison> rows = new ArrayList<>();
        final Map<String, Double> builds = Map.of("none", 2.0, "lz4", 1.3, "zstd", 1.1);
        for (final String codec : List.of("none", "lz4", "zstd", "gzip", "snappy")) {
            final boolean hasGoal = builds.containsKey(codec);
            final Comparison build = row("build", "build", codec, builds.getOrDefault(codec, 0.0));
            rows.add(codec.equals("none") ? build : build.fullRunsOnly());
            final Comparison iterate = row("iterate", "iterate", codec, hasGoal ? 1 : 0);
            rows.add(codec.equals("lz4") ? iterate : iterate.fullRunsOnly());
            rows.add(row("check and iterate", "check", codec, hasGoal ? 1 : 0).fullRunsOnly());
        }
        return rows;
    }

    private static Comparison row(final String what, final String method, final String codec, final double goal) {
        final Map<String, String> parameters = Map.of("codec", codec);
        final Comparison row = new Comparison(
                        "codec", work(what, codec), Subject.of(CodecBenchmark.class, method + "Cordwood", parameters))
                .beside("Kafka", Subject.of(CodecBenchmark.class, method + "Kafka", parameters), goal);
        return goal > 0 ? row.garbageFree() : row;
    }

    /** The row's work in words. */
    static String work(final String what, final String codec) {
        return what + " " + SHAPE.title() + (codec.equals("none") ? "" : ", " + codec);
    }

    /** Kafka's builder and iterators; a batch on the heap, as its producer has it. */
    @State(Scope.Thread)
    public static class Kafka {
        /** Kafka's name of the codec. */
        @Param("none")
        public String codec = "none";

        private final ByteBuffer[] values = new ByteBuffer[SHAPE.records()];
        private final ByteBuffer buffer = ByteBuffer.allocate(ROOM);
        private final BufferSupplier suppliedBuffers = BufferSupplier.create();
        private Compression compression;
        private MemoryRecords batches;

        /** Made by JMH. */
        public Kafka() {}

        /** Makes the batch that is read. */
        @Setup
        public void fill() {
            compression = Compression.of(codec).build();
            final byte[][] bytes = SHAPE.recordValues();
            for (int i = 0; i < values.length; i++) {
                values[i] = ByteBuffer.wrap(bytes[i]);
            }
            final ByteBuffer built = build().buffer();
            final ByteBuffer copy = ByteBuffer.allocate(built.remaining()).put(built);
            batches = MemoryRecords.readableRecords(copy.flip());
        }

        private MemoryRecords build() {
            final MemoryRecordsBuilder builder =
                    MemoryRecords.builder(buffer.clear(), compression, TimestampType.CREATE_TIME, 0L);
            try (builder) {
                for (int i = 0; i < values.length; i++) {
                    builder.append(TIMESTAMP + i, null, values[i]);
                }
            }
            return builder.build();
        }

        private long iterate(final boolean isChecked) {
            long sum = 0;
            for (final MutableRecordBatch batch : batches.batches()) {
                if (isChecked) {
                    batch.ensureValid();
                }
                try (CloseableIterator<Record> records = batch.streamingIterator(suppliedBuffers)) {
                    while (records.hasNext()) {
                        final Record record = records.next();
                        sum += record.offset() + record.timestamp() + record.valueSize();
                    }
                }
            }
            return sum;
        }
    }

    /**
     * Kafka's batch.
     *
     * @param codec to build with.
     * @return its size.
     */
    @Benchmark
    public int buildKafka(final Kafka codec) {
        return codec.build().sizeInBytes();
    }

    /**
     * Kafka's records.
     *
     * @param codec to read with.
     * @return something that depends on each record.
     */
    @Benchmark
    public long iterateKafka(final Kafka codec) {
        return codec.iterate(false);
    }

    /**
     * Kafka's records, after a look at the checksum.
     *
     * @param codec to read with.
     * @return something that depends on each record.
     */
    @Benchmark
    public long checkKafka(final Kafka codec) {
        return codec.iterate(true);
    }

    /** Our builder and reader; a batch outside the heap, as the log has it. */
    @State(Scope.Thread)
    public static class Cordwood {
        /** Kafka's name of the codec. */
        @Param("none")
        public String codec = "none";

        private final UnsafeBuffer[] values = new UnsafeBuffer[SHAPE.records()];
        private final UnsafeBuffer buffer = new UnsafeBuffer(ByteBuffer.allocateDirect(ROOM));
        private final UnsafeBuffer built = new UnsafeBuffer(ByteBuffer.allocateDirect(ROOM));
        private final RecordBatchFlyweight batch = new RecordBatchFlyweight();
        private final Crc32c crc = new Crc32c();
        private CompressionType type;
        private BatchBuilder builder;
        private RecordReader records;

        /** Made by JMH. */
        public Cordwood() {}

        /**
         * Makes the batch that is read.
         *
         * @param parts that batches are coded with.
         */
        @Setup
        public void fill(final Parts parts) {
            type = Objects.requireNonNull(CompressionType.forName(codec), codec);
            builder = new BatchBuilder(parts.codecs());
            records = new RecordReader(parts.codecs(), ROOM);
            final byte[][] bytes = SHAPE.recordValues();
            for (int i = 0; i < values.length; i++) {
                values[i] = new UnsafeBuffer(bytes[i]);
            }
            built.putBytes(0, buffer, 0, build());
        }

        /** Gives the memory back. */
        @TearDown
        public void close() {
            records.close();
        }

        private int build() {
            builder.wrap(buffer, 0, ROOM).compression(type, CompressionType.DEFAULT_LEVEL);
            for (int i = 0; i < values.length; i++) {
                builder.append(TIMESTAMP + i, null, 0, -1, values[i], 0, values[i].capacity(), null);
            }
            return builder.finish();
        }

        private long iterate(final boolean isChecked) {
            batch.wrap(built, 0);
            if (isChecked && !batch.isCrcValid(crc)) {
                throw new IllegalStateException("the batch is damaged");
            }
            long sum = 0;
            records.wrap(batch);
            while (records.next()) {
                final RecordFlyweight record = records.record();
                sum += record.offset() + record.timestamp() + record.valueLength();
            }
            return sum;
        }
    }

    /**
     * Our batch.
     *
     * @param codec to build with.
     * @return its size.
     */
    @Benchmark
    public int buildCordwood(final Cordwood codec) {
        return codec.build();
    }

    /**
     * Our records.
     *
     * @param codec to read with.
     * @return something that depends on each record.
     */
    @Benchmark
    public long iterateCordwood(final Cordwood codec) {
        return codec.iterate(false);
    }

    /**
     * Our records, after a look at the checksum.
     *
     * @param codec to read with.
     * @return something that depends on each record.
     */
    @Benchmark
    public long checkCordwood(final Cordwood codec) {
        return codec.iterate(true);
    }
}
