package io.cordwood.jmh;

import java.util.ArrayList;
import java.util.List;
import java.util.Map;

/** All comparisons that the command knows, in the order of the table. */
final class Catalog {
    /** Name of a peer. */
    static final String KAFKA = "Kafka";

    /** Name of a peer. */
    static final String CHRONICLE = "Chronicle Queue";

    private static final List<BatchShape> READ_SHAPES = List.of(BatchShape.ONE_OF_100_B, BatchShape.SIXTEEN_OF_1_KIB);

    private Catalog() {}

    /**
     * The comparisons.
     *
     * @return rows, those of a group together.
     */
    static List<Comparison> comparisons() {
        final List<Comparison> rows = new ArrayList<>();
        floor(rows);
        append(rows);
        rows.addAll(LatencyBenchmark.comparisons());
        find(rows);
        read(rows);
        rows.addAll(IndexBenchmark.comparisons());
        rows.addAll(CodecBenchmark.comparisons());
        open(rows);
        rows.addAll(DurableBenchmark.comparisons());
        return rows;
    }

    private static void floor(final List<Comparison> rows) {
        for (final BatchShape shape : BatchShape.values()) {
            final boolean isInQuick = shape == BatchShape.ONE_OF_100_B || shape == BatchShape.SIXTEEN_OF_1_KIB;
            final Comparison write = new Comparison(
                    "floor", "CRC-32C + write to a growing file, " + shape.title(), floor("write", shape));
            rows.add(isInQuick ? write : write.fullRunsOnly());
            rows.add(new Comparison(
                            "floor",
                            "CRC-32C + copy into a fresh mapping, " + shape.title(),
                            floor("copyToMapping", shape))
                    .fullRunsOnly());
        }
        final BatchShape full = BatchShape.SIXTEEN_OF_1_KIB;
        rows.add(new Comparison("floor", "64 KiB read + CRC-32C, sequential", floor("read", full)));
        rows.add(new Comparison("floor", "64 KiB mapped + CRC-32C, sequential", mapped(full, ReadOrder.SEQUENTIAL))
                .fullRunsOnly());
        rows.addAll(IndexBenchmark.floors());
    }

    private static Subject floor(final String method, final BatchShape shape) {
        return Subject.of(FloorBenchmark.class, method, Map.of("shape", shape.name()));
    }

    private static void append(final List<Comparison> rows) {
        final String each = "channel store, one by one";
        rows.add(append(each, "channel", BatchShape.ONE_OF_100_B, 1.5).fullRunsOnly());
        rows.add(append(each, "channel", BatchShape.ONE_OF_1_KIB, 1.4).fullRunsOnly());
        rows.add(append(each, "channel", BatchShape.SIXTEEN_OF_1_KIB, 1.2));
        rows.add(append(each, "channel", BatchShape.THOUSAND_OF_1_KIB, 1.3).fullRunsOnly());
        final String mapped = "mapped store, one by one";
        rows.add(append(mapped, "mapped", BatchShape.ONE_OF_100_B, 5));
        rows.add(append(mapped, "mapped", BatchShape.ONE_OF_1_KIB, 2).fullRunsOnly());
        rows.add(append(mapped, "mapped", BatchShape.SIXTEEN_OF_1_KIB, 0).fullRunsOnly());
        final String gathered = "channel store, gathered 64 to a write";
        rows.add(append(gathered, "channelGathered", BatchShape.ONE_OF_100_B, 10));
        rows.add(append(gathered, "channelGathered", BatchShape.ONE_OF_1_KIB, 4).fullRunsOnly());
        rows.add(append(gathered, "channelGathered", BatchShape.SIXTEEN_OF_1_KIB, 2));
        final String claim = "mapped store, encoded in a claim";
        rows.add(append(claim, "mappedClaim", BatchShape.ONE_OF_100_B, 0));
        rows.add(append(claim, "mappedClaim", BatchShape.ONE_OF_1_KIB, 0).fullRunsOnly());
        rows.add(compressed("lz4", 1.3));
        rows.add(compressed("zstd", 1.8).fullRunsOnly());
    }

    private static Comparison append(final String how, final String method, final BatchShape shape, final double goal) {
        final Comparison row =
                append(how, method, shape, "none", goal).over(floorOf(method, shape), withinFloor(method, shape));
        return shape == BatchShape.THOUSAND_OF_1_KIB
                ? row
                : row.beside(
                        CHRONICLE, Subject.of(AppendBenchmark.class, "chronicle", Map.of("shape", shape.name())), 0);
    }

    private static Subject floorOf(final String method, final BatchShape shape) {
        return floor(
                method.endsWith("Gathered") ? "writeGathered" : method.startsWith("mapped") ? "copyToMapping" : "write",
                shape);
    }

    /** Where the bytes count for more than the call, little may be added to them. */
    private static double withinFloor(final String method, final BatchShape shape) {
        final boolean isLarge = shape == BatchShape.SIXTEEN_OF_1_KIB || shape == BatchShape.THOUSAND_OF_1_KIB;
        return isLarge && method.equals("channel") ? 1.15 : 0;
    }

    /** Both sides decompress the batch to validate it, and keep it as it came. */
    private static Comparison compressed(final String codec, final double goal) {
        return append(
                "as " + codec + ", channel store, one by one", "channel", BatchShape.SIXTEEN_OF_1_KIB, codec, goal);
    }

    private static Comparison append(
            final String how, final String method, final BatchShape shape, final String codec, final double goal) {
        final Map<String, String> parameters = Map.of("shape", shape.name(), "codec", codec);
        return new Comparison(
                        "append",
                        "append " + shape.title() + ", " + how,
                        Subject.of(AppendBenchmark.class, method, parameters))
                .beside(KAFKA, Subject.of(AppendBenchmark.class, "kafka", parameters), goal)
                .garbageFree();
    }

    private static void find(final List<Comparison> rows) {
        for (final BatchShape shape : READ_SHAPES) {
            for (final ReadOrder order : ReadOrder.values()) {
                final Map<String, String> parameters = Map.of("shape", shape.name(), "order", order.name());
                final Comparison row = new Comparison(
                                "find",
                                "find the place of an offset, " + shape.title() + ", " + order.title(),
                                Subject.of(FindBenchmark.class, "cordwood", parameters))
                        .beside(
                                KAFKA,
                                Subject.of(FindBenchmark.class, "kafka", parameters),
                                shape == BatchShape.ONE_OF_100_B ? 6 : 3)
                        .garbageFree();
                final boolean isInQuick = (shape == BatchShape.ONE_OF_100_B) == (order == ReadOrder.RANDOM);
                rows.add(isInQuick ? row : row.fullRunsOnly());
            }
        }
    }

    private static void read(final List<Comparison> rows) {
        for (final BatchShape shape : READ_SHAPES) {
            rows.add(read(shape, ReadOrder.SEQUENTIAL, shape == BatchShape.ONE_OF_100_B ? 2.5 : 1.15)
                    .beside(CHRONICLE, Subject.of(ReadBenchmark.class, "chronicle", Map.of("shape", shape.name())), 0));
        }
        for (final BatchShape shape : READ_SHAPES) {
            rows.add(read(shape, ReadOrder.RANDOM, 0));
        }
        rows.addAll(TailBenchmark.comparisons());
        rows.addAll(TransferBenchmark.comparisons());
    }

    private static Comparison read(final BatchShape shape, final ReadOrder order, final double goal) {
        final Map<String, String> parameters = Map.of("shape", shape.name(), "order", order.name());
        return new Comparison(
                        "read",
                        "read 64 KiB, checksums and records, " + shape.title() + ", " + order.title(),
                        Subject.of(ReadBenchmark.class, "cordwood", parameters))
                .beside(KAFKA, Subject.of(ReadBenchmark.class, "kafka", parameters), goal)
                .over(mapped(shape, order), 0)
                .garbageFree();
    }

    private static Subject mapped(final BatchShape shape, final ReadOrder order) {
        return Subject.of(FloorBenchmark.class, "readMapped", Map.of("shape", shape.name(), "order", order.name()));
    }

    private static void open(final List<Comparison> rows) {
        rows.add(unclean(BatchShape.SIXTEEN_OF_1_KIB, 2.5));
        rows.add(unclean(BatchShape.ONE_OF_1_KIB, 15));
        rows.add(unclean(BatchShape.ONE_OF_100_B, 30).fullRunsOnly());
        rows.add(new Comparison(
                        "open",
                        "clean open of " + PartitionsToOpen.PARTITIONS + " partitions",
                        Subject.of(CleanOpenBenchmark.class, "cordwood", Map.of()))
                .beside(KAFKA, Subject.of(CleanOpenBenchmark.class, "kafka", Map.of()), 3));
    }

    private static Comparison unclean(final BatchShape shape, final double goal) {
        final Map<String, String> parameters = Map.of("shape", shape.name());
        return new Comparison(
                        "open",
                        "unclean open from recovery point 0, " + shape.title(),
                        Subject.of(UncleanOpenBenchmark.class, "cordwood", parameters))
                .beside(KAFKA, Subject.of(UncleanOpenBenchmark.class, "kafka", parameters), goal)
                .over(floor("scan", shape), 2);
    }
}
