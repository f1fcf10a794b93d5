package io.cordwood.simulation.damage;

import io.cordwood.log.Log;
import io.cordwood.log.LogFiles;
import io.cordwood.log.LogReader;
import io.cordwood.simulation.soak.Tally;
import java.util.List;
import java.util.Random;

/** Turns over each bit of an index of a sealed segment under an open log: it must mislead no look-up. */
final class IndexRot {
    private static final int LOOK_UPS = 8;

    private final Specimen specimen;
    private final MemoryDisk disk;
    private final Random random;
    private final Tally tally;

    IndexRot(final Specimen specimen, final Random random, final Tally tally) {
        this.specimen = specimen;
        this.disk = specimen.disk().copy();
        this.random = random;
        this.tally = tally;
    }

    /** Every {@code step}-th bit from the first one on. */
    void play(final String path, final int first, final int step) {
        final int bits = disk.content(path).length * Byte.SIZE;
        try (Log log = specimen.open(disk, Long.MAX_VALUE);
                LogReader reader = log.newReader()) {
            final Look look = new Look(reader, disk, log.endOffset());
            for (int bit = first; bit < bits; bit += step) {
                disk.flip(path, bit / Byte.SIZE, 1 << bit % Byte.SIZE);
                try {
                    lookUp(look, (double) bit / bits, path.endsWith(LogFiles.TIME_INDEX));
                } catch (final RuntimeException | AssertionError e) {
                    throw new AssertionError("bit " + bit + " of " + path + ": " + e, e);
                } finally {
                    disk.flip(path, bit / Byte.SIZE, 1 << bit % Byte.SIZE);
                }
                tally.add("flips", 1);
            }
        }
    }

    /** Half of the look-ups go where the entry is about, the others anywhere. */
    private void lookUp(final Look look, final double place, final boolean isTimeIndex) {
        final List<PlacedBatch> batches = specimen.batches();
        final int near = (int) (place * batches.size());
        for (int i = 0; i < LOOK_UPS; i++) {
            final int index = i % 2 == 0
                    ? random.nextInt(batches.size())
                    : Math.min(batches.size() - 1, Math.max(0, near + random.nextInt(40) - 20));
            final PlacedBatch batch = batches.get(index);
            look.requireOriginal(batch);
            final long time = batch.timestamps()[random.nextInt(batch.timestamps().length)];
            if (!isTimeIndex) {
                look.requireTime(specimen, time);
            } else if (!look.isTimeRight(specimen, time)) {
                tally.add("look-ups misled, " + Unchecked.TIME_INDEX, 1);
            }
        }
    }
}
