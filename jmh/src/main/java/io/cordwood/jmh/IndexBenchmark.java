package io.cordwood.jmh;

import static java.nio.ByteOrder.BIG_ENDIAN;

import io.cordwood.index.SparseIndexes;
import io.cordwood.log.IndexLimits;
import io.cordwood.log.IndexLookUps;
import io.cordwood.log.SegmentIndex;
import io.cordwood.log.store.FileView;
import io.cordwood.log.store.Storage;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import org.agrona.concurrent.UnsafeBuffer;
import org.apache.kafka.storage.internals.log.OffsetIndex;
import org.apache.kafka.storage.internals.log.TimeIndex;
import org.openjdk.jmh.annotations.Benchmark;
import org.openjdk.jmh.annotations.BenchmarkMode;
import org.openjdk.jmh.annotations.Mode;
import org.openjdk.jmh.annotations.OutputTimeUnit;
import org.openjdk.jmh.annotations.Param;
import org.openjdk.jmh.annotations.Scope;
import org.openjdk.jmh.annotations.Setup;
import org.openjdk.jmh.annotations.State;
import org.openjdk.jmh.annotations.TearDown;

/** Look-ups in the full indexes of one segment: offset to position, and timestamp to offset to position. */
@BenchmarkMode(Mode.AverageTime)
@OutputTimeUnit(TimeUnit.MICROSECONDS)
public class IndexBenchmark {
    /** Made by JMH. */
    public IndexBenchmark() {}

    /** Rows of the table. */
    static List<Comparison> comparisons() {
        final List<Comparison> rows = new ArrayList<>();
        for (final Kind kind : Kind.values()) {
            final Comparison random = row("offset", Place.RANDOM, kind, 1.3);
            rows.add(kind == Kind.SEALED ? random : random.fullRunsOnly());
            final Comparison tail = row("offset", Place.TAIL, kind, 1.5);
            rows.add(kind == Kind.ACTIVE ? tail : tail.fullRunsOnly());
            rows.add(row("time", Place.RANDOM, kind, 1.3).fullRunsOnly());
        }
        return rows;
    }

    /** Rows of the floors. */
    static List<Comparison> floors() {
        final List<Comparison> rows = new ArrayList<>();
        for (final Place place : Place.values()) {
            rows.add(
                    new Comparison("floor", "plain binary search of an offset, " + lower(place), plain("offset", place))
                            .fullRunsOnly());
        }
        return rows;
    }

    private static Subject plain(final String what, final Place place) {
        return Subject.of(IndexBenchmark.class, what + "Plain", Map.of("place", place.name()));
    }

    private static Comparison row(final String what, final Place place, final Kind kind, final double goal) {
        final Map<String, String> others = Map.of("place", place.name());
        return new Comparison(
                        "index",
                        work(what, place, kind),
                        Subject.of(
                                IndexBenchmark.class,
                                what + "Cordwood",
                                Map.of("place", place.name(), "kind", kind.name())))
                .beside("Kafka", Subject.of(IndexBenchmark.class, what + "Kafka", others), goal)
                .over(plain(what, place), 0)
                .garbageFree();
    }

    /** The row's work in words. */
    static String work(final String what, final Place place, final Kind kind) {
        return "look up " + (what.equals("time") ? "a time, " : "an offset, ") + lower(place) + ", " + lower(kind)
                + " index";
    }

    private static String lower(final Enum<?> constant) {
        return constant.name().toLowerCase(Locale.ROOT);
    }

    /** Whether the index grows. */
    public enum Kind {
        /** Read in place, from its files. */
        SEALED,
        /** Still appended to. */
        ACTIVE
    }

    /** Where what is looked for lies. */
    public enum Place {
        /** Anywhere in the segment. */
        RANDOM,
        /** At one of the last thousand entries, as readers ask that have caught up. */
        TAIL
    }

    /** Kafka's two indexes, mapped. */
    @State(Scope.Thread)
    public static class Kafka {
        /** What is looked for. */
        @Param
        public Place place = Place.RANDOM;

        private Path directory;
        private OffsetIndex offsets;
        private TimeIndex times;
        private IndexEntries.Keys offsetKeys;
        private IndexEntries.Keys timeKeys;

        /** Made by JMH. */
        public Kafka() {}

        /**
         * Fills the indexes.
         *
         * @throws IOException Kafka's own.
         */
        @Setup
        public void fill() throws IOException {
            final IndexEntries entries = new IndexEntries();
            directory = BenchDirectory.fresh();
            offsets = new OffsetIndex(directory.resolve("0.index").toFile(), 0, IndexEntries.BYTES_MAX, true);
            times = new TimeIndex(directory.resolve("0.timeindex").toFile(), 0, IndexEntries.BYTES_MAX, true);
            for (int i = 0; i < entries.count(); i++) {
                offsets.append(entries.lastOffset(i), entries.position(i));
                times.maybeAppend(entries.timestamp(i), entries.lastOffset(i));
            }
            offsetKeys = entries.offsets(place);
            timeKeys = entries.times(place);
        }

        /**
         * Removes the indexes.
         *
         * @throws IOException Kafka's own.
         */
        @TearDown
        public void close() throws IOException {
            offsets.close();
            times.close();
            BenchDirectory.remove(directory);
        }
    }

    /**
     * Kafka's position of an offset.
     *
     * @param index to search.
     * @return the position.
     */
    @Benchmark
    public long offsetKafka(final Kafka index) {
        return index.offsets.lookup(index.offsetKeys.next()).position();
    }

    /**
     * Kafka's position of a timestamp, as its segment gets it: the time index gives an offset, the offset index its position.
     *
     * @param index to search.
     * @return the position.
     */
    @Benchmark
    public long timeKafka(final Kafka index) {
        return index.offsets
                .lookup(index.times.lookup(index.timeKeys.next()).offset())
                .position();
    }

    /** Our index. */
    @State(Scope.Thread)
    public static class Cordwood {
        /** What is looked for. */
        @Param
        public Place place = Place.RANDOM;

        /** Whether it grows. */
        @Param
        public Kind kind = Kind.SEALED;

        private final FileView view = new FileView();
        private Path directory;
        private Storage storage;
        private SegmentIndex index;
        private IndexLookUps lookUps;
        private IndexEntries.Keys offsetKeys;
        private IndexEntries.Keys timeKeys;

        /** Made by JMH. */
        public Cordwood() {}

        /**
         * Fills the index.
         *
         * @param parts that it is made of.
         */
        @Setup
        public void fill(final Parts parts) {
            final IndexEntries entries = new IndexEntries();
            directory = BenchDirectory.fresh();
            storage = parts.storage(directory);
            storage.makeDirectory("index-0");
            index = new SparseIndexes()
                    .create(
                            storage,
                            "index-0",
                            0,
                            new IndexLimits(IndexEntries.BYTES_MAX, IndexEntries.INTERVAL_BYTES));
            for (int i = 0; i < entries.count(); i++) {
                index.append(entries.lastOffset(i), entries.position(i), entries.timestamp(i));
            }
            if (kind == Kind.SEALED) {
                index.seal();
            }
            lookUps = index.lookUps();
            offsetKeys = entries.offsets(place);
            timeKeys = entries.times(place);
        }

        /** Removes the index. */
        @TearDown
        public void close() {
            view.close();
            index.close();
            storage.close();
            BenchDirectory.remove(directory);
        }
    }

    /**
     * Our position of an offset.
     *
     * @param index to search.
     * @return the position.
     */
    @Benchmark
    public long offsetCordwood(final Cordwood index) {
        return index.lookUps.positionOf(index.offsetKeys.next(), index.view);
    }

    /**
     * Our position of a timestamp.
     *
     * @param index to search.
     * @return the position.
     */
    @Benchmark
    public long timeCordwood(final Cordwood index) {
        return index.lookUps.positionOfTimestamp(index.timeKeys.next(), index.view);
    }

    /** The same entries in memory, without anything around them. */
    @State(Scope.Thread)
    public static class Plain {
        private static final int OFFSET_ENTRY = 8;
        private static final int TIME_ENTRY = 12;

        /** What is looked for. */
        @Param
        public Place place = Place.RANDOM;

        private final UnsafeBuffer offsets = new UnsafeBuffer(ByteBuffer.allocateDirect(IndexEntries.BYTES_MAX));
        private final UnsafeBuffer times = new UnsafeBuffer(ByteBuffer.allocateDirect(IndexEntries.BYTES_MAX));
        private int offsetCount;
        private int timeCount;
        private IndexEntries.Keys offsetKeys;
        private IndexEntries.Keys timeKeys;

        /** Made by JMH. */
        public Plain() {}

        /** Fills the memory as the files are filled. */
        @Setup
        public void fill() {
            final IndexEntries entries = new IndexEntries();
            for (int i = 0; i < entries.count(); i++) {
                offsets.putInt(offsetCount * OFFSET_ENTRY, entries.lastOffset(i), BIG_ENDIAN);
                offsets.putInt(offsetCount * OFFSET_ENTRY + Integer.BYTES, entries.position(i), BIG_ENDIAN);
                offsetCount++;
                if (entries.hasTimeEntry(i)) {
                    times.putLong(timeCount * TIME_ENTRY, entries.timestamp(i), BIG_ENDIAN);
                    times.putInt(timeCount * TIME_ENTRY + Long.BYTES, entries.lastOffset(i), BIG_ENDIAN);
                    timeCount++;
                }
            }
            offsetKeys = entries.offsets(place);
            timeKeys = entries.times(place);
        }

        private long positionOf(final long offset) {
            int low = 0;
            int high = offsetCount - 1;
            while (low <= high) {
                final int middle = (low + high) >>> 1;
                if (offsets.getInt(middle * OFFSET_ENTRY, BIG_ENDIAN) <= offset) {
                    low = middle + 1;
                } else {
                    high = middle - 1;
                }
            }
            return high < 0 ? 0 : offsets.getInt(high * OFFSET_ENTRY + Integer.BYTES, BIG_ENDIAN);
        }

        private long positionOfTimestamp(final long timestamp) {
            int low = 0;
            int high = timeCount - 1;
            while (low <= high) {
                final int middle = (low + high) >>> 1;
                if (times.getLong(middle * TIME_ENTRY, BIG_ENDIAN) <= timestamp) {
                    low = middle + 1;
                } else {
                    high = middle - 1;
                }
            }
            return high < 0 ? 0 : positionOf(times.getInt(high * TIME_ENTRY + Long.BYTES, BIG_ENDIAN));
        }
    }

    /**
     * A plain binary search over offsets.
     *
     * @param index to search.
     * @return the position.
     */
    @Benchmark
    public long offsetPlain(final Plain index) {
        return index.positionOf(index.offsetKeys.next());
    }

    /**
     * The same over times and then over offsets.
     *
     * @param index to search.
     * @return the position.
     */
    @Benchmark
    public long timePlain(final Plain index) {
        return index.positionOfTimestamp(index.timeKeys.next());
    }
}
