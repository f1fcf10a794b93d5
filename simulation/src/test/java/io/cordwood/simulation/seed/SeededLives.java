package io.cordwood.simulation.seed;

import io.cordwood.log.AppendAs;
import io.cordwood.log.DirectoryConfig;
import io.cordwood.log.Log;
import io.cordwood.log.LogConfig;
import io.cordwood.log.LogDirectory;
import io.cordwood.log.MetaProperties;
import io.cordwood.log.PartitionName;
import io.cordwood.log.codec.Codecs;
import io.cordwood.log.record.BatchBuilder;
import io.cordwood.simulation.Partitions;
import io.cordwood.testkit.FaultyStorage;
import io.cordwood.testkit.PowerCut;
import io.cordwood.testkit.SimulatedStorage;
import io.cordwood.testkit.SimulationTrace;
import java.util.Map;
import java.util.Random;
import java.util.UUID;
import org.agrona.concurrent.UnsafeBuffer;

/** Some lives of a data directory with three partitions, each life ended by a power cut; what is done follows from a seed. */
final class SeededLives {
    private static final long NOW = 1_700_000_000_000L;
    private static final int LIVES = 4;
    private static final int STEPS = 60;
    private static final int PARTITIONS = 3;
    private static final LogConfig CONFIG = LogConfig.of(Map.of(
            "segment.bytes",
            "2048",
            "segment.index.bytes",
            "1024",
            "index.interval.bytes",
            "300",
            "file.delete.delay.ms",
            "0",
            "retention.bytes",
            "8000"));

    private final Random random;
    private final SimulationTrace trace = new SimulationTrace();
    private final Log[] logs = new Log[PARTITIONS];
    private final UnsafeBuffer memory = new UnsafeBuffer(new byte[2048]);
    private long nowMs = NOW;

    private SeededLives(final long seed) {
        this.random = new Random(seed);
    }

    /**
     * Prints the hash of all acts on the disk, and of what each power cut has left.
     *
     * @param arguments the seed.
     */
    public static void main(final String[] arguments) {
        System.out.println(play(Long.parseLong(arguments[0])));
    }

    static SimulationTrace play(final long seed) {
        final SeededLives lives = new SeededLives(seed);
        lives.play();
        return lives.trace;
    }

    private void play() {
        SimulatedStorage disk = new SimulatedStorage(() -> nowMs);
        for (int life = 0; life < LIVES; life++) {
            final FaultyStorage traced = new FaultyStorage(disk);
            live(traced);
            traced.trace().forEach(trace::add);
            disk = disk.powerCut(PowerCut.random(random));
            trace.add("left " + Long.toHexString(disk.platterHash()));
        }
    }

    private void live(final FaultyStorage disk) {
        final LogDirectory directory = LogDirectory.openOwned(
                disk, new DirectoryConfig(500, 100, 100), MetaProperties.fresh(new UUID(1, 2), "cluster", 1));
        for (int i = 0; i < PARTITIONS; i++) {
            final boolean isMapped = random.nextBoolean();
            final PartitionName name = new PartitionName("t", i);
            directory.create(name, new UUID(3, i));
            logs[i] = Partitions.open(directory, name, CONFIG, isMapped, nowMs);
        }
        for (int step = 0; step < STEPS; step++) {
            nowMs += random.nextInt(20);
            directory.doWork(nowMs);
            step(logs[random.nextInt(PARTITIONS)]);
        }
    }

    private void step(final Log log) {
        final long start = log.startOffset();
        final long end = log.endOffset();
        switch (random.nextInt(8)) {
            case 0 -> log.roll(nowMs);
            case 1 -> log.flush();
            case 2 -> log.truncateTo(start + (end - start) * 3 / 4, nowMs);
            case 3 -> log.deletePrefix(start + (end - start) / 3, end, nowMs);
            case 4 -> log.doWork(nowMs);
            default -> append(log);
        }
    }

    private void append(final Log log) {
        final BatchBuilder batch = new BatchBuilder(Codecs.standard()).wrap(memory, 0, memory.capacity());
        final byte[] value = new byte[1 + random.nextInt(500)];
        random.nextBytes(value);
        batch.append(nowMs, null, 0, -1, new UnsafeBuffer(value), 0, value.length, null);
        log.append(memory, 0, batch.finish(), AppendAs.client(0), nowMs);
    }
}
