package io.cordwood.jmh;

import java.util.ArrayList;
import java.util.List;
import java.util.Map;

/** All comparisons that the command knows, in the order of the table. */
final class Catalog {
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
        rows.add(append("mapped store, published one by one", "mapped", BatchShape.ONE_OF_100_B, 4));
        rows.add(append("channel store, gathered 64 to a write", "channelGathered", BatchShape.ONE_OF_100_B, 8));
        rows.add(append("channel store, one by one", "channel", BatchShape.SIXTEEN_OF_1_KIB, 1.2));
        rows.add(append("channel store, gathered 64 to a write", "channelGathered", BatchShape.SIXTEEN_OF_1_KIB, 2));
    }

    private static Comparison append(final String how, final String method, final BatchShape shape, final double goal) {
        final Map<String, String> parameters = Map.of("shape", shape.name());
        return new Comparison(
                "append",
                "append " + shape.title() + ", " + how,
                Subject.of(AppendBenchmark.class, method, parameters),
                Subject.of(AppendBenchmark.class, "kafka", parameters),
                goal);
    }

    private static void find(final List<Comparison> rows) {
        for (final BatchShape shape : READ_SHAPES) {
            for (final ReadOrder order : ReadOrder.values()) {
                final Map<String, String> parameters = Map.of("shape", shape.name(), "order", order.name());
                rows.add(new Comparison(
                        "find",
                        "find the place of an offset, " + shape.title() + ", " + order.title(),
                        Subject.of(FindBenchmark.class, "cordwood", parameters),
                        Subject.of(FindBenchmark.class, "kafka", parameters),
                        3));
            }
        }
    }

    private static void read(final List<Comparison> rows) {
        for (final BatchShape shape : READ_SHAPES) {
            final Map<String, String> parameters = Map.of("shape", shape.name());
            rows.add(new Comparison(
                    "read",
                    "read 64 KiB, checksums and records, " + shape.title(),
                    Subject.of(ReadBenchmark.class, "cordwood", parameters),
                    Subject.of(ReadBenchmark.class, "kafka", parameters),
                    shape == BatchShape.ONE_OF_100_B ? 2 : 0));
        }
    }

    private static void open(final List<Comparison> rows) {
        rows.add(unclean(BatchShape.SIXTEEN_OF_1_KIB, 2));
        rows.add(unclean(BatchShape.ONE_OF_1_KIB, 8));
        rows.add(unclean(BatchShape.ONE_OF_100_B, 15));
        rows.add(new Comparison(
                "open",
                "clean open of " + PartitionsToOpen.PARTITIONS + " partitions",
                Subject.of(CleanOpenBenchmark.class, "cordwood", Map.of()),
                Subject.of(CleanOpenBenchmark.class, "kafka", Map.of()),
                2));
    }

    private static Comparison unclean(final BatchShape shape, final double goal) {
        final Map<String, String> parameters = Map.of("shape", shape.name());
        return new Comparison(
                "open",
                "unclean open from recovery point 0, " + shape.title(),
                Subject.of(UncleanOpenBenchmark.class, "cordwood", parameters),
                Subject.of(UncleanOpenBenchmark.class, "kafka", parameters),
                goal);
    }
}
