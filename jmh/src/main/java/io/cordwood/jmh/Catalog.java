package io.cordwood.jmh;

import java.util.ArrayList;
import java.util.List;
import java.util.Map;

/** All comparisons that the command knows, in the order of the table. */
final class Catalog {
    private static final String KAFKA = "Kafka";
    private static final List<BatchShape> READ_SHAPES = List.of(BatchShape.ONE_OF_100_B, BatchShape.SIXTEEN_OF_1_KIB);

    private Catalog() {}

    /**
     * The comparisons.
     *
     * @return rows, those of a group together.
     */
    static List<Comparison> comparisons() {
        final List<Comparison> rows = new ArrayList<>();
        append(rows);
        find(rows);
        read(rows);
        open(rows);
        return rows;
    }

    private static void append(final List<Comparison> rows) {
        rows.add(append("mapped store, published one by one", "mapped", BatchShape.ONE_OF_100_B, 5));
        rows.add(append("channel store, gathered 64 to a write", "channelGathered", BatchShape.ONE_OF_100_B, 10));
        rows.add(append("channel store, one by one", "channel", BatchShape.SIXTEEN_OF_1_KIB, 1.2));
        rows.add(append("channel store, gathered 64 to a write", "channelGathered", BatchShape.SIXTEEN_OF_1_KIB, 2));
    }

    private static Comparison append(final String how, final String method, final BatchShape shape, final double goal) {
        final Map<String, String> parameters = Map.of("shape", shape.name());
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
            final Map<String, String> parameters = Map.of("shape", shape.name());
            rows.add(new Comparison(
                            "read",
                            "read 64 KiB, checksums and records, " + shape.title(),
                            Subject.of(ReadBenchmark.class, "cordwood", parameters))
                    .beside(
                            KAFKA,
                            Subject.of(ReadBenchmark.class, "kafka", parameters),
                            shape == BatchShape.ONE_OF_100_B ? 2.5 : 1.15)
                    .garbageFree());
        }
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
                .beside(KAFKA, Subject.of(UncleanOpenBenchmark.class, "kafka", parameters), goal);
    }
}
