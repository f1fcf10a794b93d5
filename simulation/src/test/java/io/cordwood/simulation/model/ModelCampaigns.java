package io.cordwood.simulation.model;

import io.cordwood.log.codec.CompressionType;
import io.cordwood.log.store.DiskStorage;
import io.cordwood.log.store.Storage;
import io.cordwood.simulation.Scratch;
import io.cordwood.simulation.soak.Campaign;
import io.cordwood.simulation.soak.Campaigns;
import io.cordwood.simulation.soak.Tally;
import io.cordwood.testkit.SimulatedStorage;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.TreeMap;
import java.util.function.LongFunction;

/** The models by their names, for {@code bin/soak} and for the test that plays a few lives of each. */
public final class ModelCampaigns {
    /** Acts of a life. */
    static final int ACTS = 200;

    private static final int LIVES = 25;
    private static final int DISK_LIVES = 5;
    private static final int LIVES_LEAST = 1_000;
    private static final long NOW = 1_700_000_000_000L;
    private static final Map<String, LongFunction<Life>> MODELS = new TreeMap<>();

    static {
        for (final boolean isMapped : List.of(false, true)) {
            final String store = isMapped ? "/mapped" : "/channel";
            MODELS.put("log/scanned" + store, seed -> new LogLife(seed, disk(), isMapped, false));
            MODELS.put("log/indexed" + store, seed -> new LogLife(seed, disk(), isMapped, true));
        }
        for (final CompressionType codec : CompressionType.values()) {
            MODELS.put("records/" + codec.codecName(), seed -> new RecordsLife(seed, codec));
        }
        MODELS.put("index", IndexLife::new);
        MODELS.put("epochs", EpochsLife::new);
        MODELS.put("checkpoint", CheckpointLife::new);
        MODELS.put("partitions", PartitionsLife::new);
    }

    private ModelCampaigns() {}

    private static SimulatedStorage disk() {
        return new SimulatedStorage(() -> NOW);
    }

    /**
     * Lists them.
     *
     * @return one for each model.
     */
    public static List<Campaign> campaigns() {
        final List<Campaign> all = new ArrayList<>();
        for (final String name : names()) {
            all.add(Campaign.of("G15", "model/" + name, (seed, tally) -> live(name, seed, LIVES, tally)));
        }
        for (final boolean isMapped : List.of(false, true)) {
            for (final boolean isIndexed : List.of(false, true)) {
                all.add(Campaign.of("G15", onDisk(isMapped, isIndexed), (seed, tally) -> {
                    liveOnDisk(isMapped, isIndexed, seed);
                    tally.add("lives on a real disk", DISK_LIVES);
                }));
            }
        }
        return all;
    }

    /**
     * What has to be reached: each model its lives.
     *
     * @return one for each model.
     */
    public static List<Campaigns.Figure> figures() {
        return names().stream()
                .map(name -> new Campaigns.Figure("G15", counted(name), LIVES_LEAST))
                .toList();
    }

    static List<String> names() {
        return List.copyOf(MODELS.keySet());
    }

    static String counted(final String name) {
        return "lives of " + ACTS + " acts, " + name;
    }

    static String onDisk(final boolean isMapped, final boolean isIndexed) {
        return "model/disk/" + (isIndexed ? "indexed" : "scanned") + (isMapped ? "/mapped" : "/channel");
    }

    /** Some lives on files that are there. */
    static void liveOnDisk(final boolean isMapped, final boolean isIndexed, final long seed) {
        try {
            final Path root = Files.createTempDirectory("cordwood-model");
            try {
                for (long life = seed; life < seed + DISK_LIVES; life++) {
                    try (Storage storage = new DiskStorage(root.resolve(Long.toString(life)))) {
                        live("log", of -> new LogLife(of, storage, isMapped, isIndexed), life);
                    }
                }
            } finally {
                Scratch.delete(root);
            }
        } catch (final IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    /** Lives from seeds that follow from one. */
    static void live(final String name, final long seed, final int lives, final Tally tally) {
        for (int i = 0; i < lives; i++) {
            live(name, Objects.requireNonNull(MODELS.get(name)), seed * LIVES + i);
            tally.add(counted(name), 1);
        }
    }

    /** One life; {@code -Dcordwood.model.seed} of the test lives it again. */
    static void live(final String name, final LongFunction<Life> model, final long seed) {
        try (Life life = model.apply(seed)) {
            try {
                for (int act = 0; act < ACTS; act++) {
                    life.step();
                }
                life.end();
            } catch (final RuntimeException | AssertionError e) {
                throw new AssertionError(
                        "model " + name + ", life " + seed + " (-Dtest=ModelTest -Dcordwood.model.seed=" + seed
                                + "), after " + life.history() + ": " + e,
                        e);
            }
        }
    }

    static void liveOne(final String name, final long seed) {
        live(name, Objects.requireNonNull(MODELS.get(name)), seed);
    }
}
