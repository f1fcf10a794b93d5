package io.cordwood.jmh;

import java.util.ArrayList;
import java.util.List;
import java.util.Map;

/**
 * All rows of the counting mode. An iteration has so many operations that what JMH itself allocates, about a kilobyte, counts for
 * less than an object of ours would, and writes so little that no segment is full: what a roll takes is a row of its own.
 */
final class CountRows {
    private static final String ONE_BY_ONE = "channel store, one by one";

    /** For work of about a microsecond. */
    private static final int MANY = 50_000;

    /** For work on 16 KiB and more. */
    private static final int SOME = 4_000;

    /** For work that takes a millisecond or so. */
    private static final int FEWER = 1_000;

    /** For work that waits for the disk. */
    private static final int FEW = 100;

    private CountRows() {}

    static List<CountRow> all() {
        final List<CountRow> rows = new ArrayList<>();
        append(rows);
        read(rows);
        index(rows);
        codec(rows);
        durable(rows);
        return rows;
    }

    private static void append(final List<CountRow> rows) {
        final int gathered = MANY / AppendBenchmark.GATHERED;
        rows.add(append(ONE_BY_ONE, "channel", BatchShape.ONE_OF_100_B, "none", MANY, 1));
        rows.add(append(ONE_BY_ONE, "channel", BatchShape.SIXTEEN_OF_1_KIB, "none", SOME, 1));
        rows.add(append("mapped store, one by one", "mapped", BatchShape.ONE_OF_100_B, "none", MANY, 1));
        rows.add(append(
                "channel store, gathered 64 to a write",
                "channelGathered",
                BatchShape.ONE_OF_100_B,
                "none",
                gathered,
                AppendBenchmark.GATHERED));
        rows.add(append(
                "mapped store, gathered 64",
                "mappedGathered",
                BatchShape.ONE_OF_100_B,
                "none",
                gathered,
                AppendBenchmark.GATHERED));
        rows.add(append("channel store, encoded in a claim", "channelClaim", BatchShape.ONE_OF_100_B, "none", MANY, 1));
        rows.add(append("mapped store, encoded in a claim", "mappedClaim", BatchShape.ONE_OF_100_B, "none", MANY, 1));
        for (final String codec : List.of("lz4", "zstd", "gzip", "snappy")) {
            rows.add(append("as " + codec + ", " + ONE_BY_ONE, "channel", BatchShape.SIXTEEN_OF_1_KIB, codec, SOME, 1));
        }
        rows.add(new CountRow(
                "append",
                "append " + BatchShape.ONE_OF_100_B.title() + ", as a replica, " + ONE_BY_ONE,
                Subject.of(CountBenchmark.class, "replica", Map.of()),
                MANY,
                1));
        rows.add(new CountRow(
                "append",
                "a roll: append, roll, drop the older segment",
                Subject.of(CountBenchmark.class, "roll", Map.of()),
                FEW,
                1));
    }

    private static CountRow append(
            final String how,
            final String method,
            final BatchShape shape,
            final String codec,
            final int calls,
            final int perCall) {
        return new CountRow(
                "append",
                "append " + shape.title() + ", " + how,
                Subject.of(AppendBenchmark.class, method, Map.of("shape", shape.name(), "codec", codec)),
                calls,
                perCall);
    }

    private static void read(final List<CountRow> rows) {
        for (final ReadOrder order : ReadOrder.values()) {
            rows.add(new CountRow(
                    "find",
                    "find the place of an offset, " + BatchShape.ONE_OF_100_B.title() + ", " + order.title(),
                    Subject.of(CountBenchmark.class, "find", Map.of("order", order.name())),
                    MANY,
                    1));
            rows.add(new CountRow(
                    "read",
                    "read 64 KiB, checksums and records, " + BatchShape.ONE_OF_100_B.title() + ", " + order.title(),
                    Subject.of(CountBenchmark.class, "read", Map.of("order", order.name())),
                    SOME,
                    1));
        }
        for (final String store : List.of("channel", "mapped")) {
            rows.add(new CountRow(
                    "read",
                    TailBenchmark.work(store, BatchShape.ONE_OF_100_B),
                    Subject.of(
                            TailBenchmark.class,
                            store,
                            Map.of("shape", BatchShape.ONE_OF_100_B.name(), "codec", "none")),
                    MANY,
                    1));
        }
        rows.add(new CountRow(
                "read",
                "transfer 64 KiB to a socket, " + BatchShape.ONE_OF_100_B.title(),
                Subject.of(CountBenchmark.class, "transfer", Map.of("order", ReadOrder.SEQUENTIAL.name())),
                SOME,
                1));
        rows.add(new CountRow(
                "read",
                "find the first offset of a time",
                Subject.of(CountBenchmark.class, "offsetOfTime", Map.of("order", ReadOrder.RANDOM.name())),
                SOME,
                1));
    }

    private static void index(final List<CountRow> rows) {
        for (final IndexBenchmark.Kind kind : IndexBenchmark.Kind.values()) {
            for (final IndexBenchmark.Place place : IndexBenchmark.Place.values()) {
                rows.add(index("offset", place, kind));
            }
            rows.add(index("time", IndexBenchmark.Place.RANDOM, kind));
        }
    }

    private static CountRow index(final String what, final IndexBenchmark.Place place, final IndexBenchmark.Kind kind) {
        return new CountRow(
                "index",
                IndexBenchmark.work(what, place, kind),
                Subject.of(IndexBenchmark.class, what + "Cordwood", Map.of("place", place.name(), "kind", kind.name())),
                MANY,
                1);
    }

    private static void codec(final List<CountRow> rows) {
        for (final String codec : List.of("none", "lz4", "zstd", "gzip", "snappy")) {
            rows.add(codec("build", "build", codec));
            rows.add(codec("check and iterate", "check", codec));
        }
    }

    private static CountRow codec(final String what, final String method, final String codec) {
        return new CountRow(
                "codec",
                CodecBenchmark.work(what, codec),
                Subject.of(CodecBenchmark.class, method + "Cordwood", Map.of("codec", codec)),
                codec.equals("gzip") ? FEWER : SOME,
                1);
    }

    private static void durable(final List<CountRow> rows) {
        rows.add(new CountRow(
                "durable",
                "forced append 1 x 1 KiB, each by itself",
                Subject.of(DurableBenchmark.class, "each", Map.of()),
                FEW,
                1));
        rows.add(new CountRow(
                "durable",
                "forced append 1 x 100 B, group commit of " + CountBenchmark.PRODUCERS + " producers",
                Subject.of(CountBenchmark.class, "groupCommit", Map.of()),
                FEW,
                CountBenchmark.PRODUCERS));
    }
}
