package io.cordwood.simulation.damage;

import io.cordwood.log.LogFiles;
import io.cordwood.simulation.soak.Tally;
import java.util.Arrays;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** Damages a log that is closed, and opens it: from the beginning, from the middle of the victim, and as one that was closed cleanly. */
final class OpenRot {
    private final Specimen specimen;
    private final Tally tally;
    private final long[] points;

    OpenRot(final Specimen specimen, final Tally tally) {
        this.specimen = specimen;
        this.tally = tally;
        final String log = specimen.victim(LogFiles.LOG);
        final int middle = specimen.indexAt(log, specimen.disk().content(log).length / 2);
        points = new long[] {0, specimen.batches().get(middle).baseOffset(), Long.MAX_VALUE};
    }

    /** One bit of a segment. */
    void flipInSegment(final String path, final int bit) {
        final int index = specimen.indexAt(path, bit / Byte.SIZE);
        final MemoryDisk disk = specimen.disk().copy();
        disk.flip(path, bit / Byte.SIZE, 1 << bit % Byte.SIZE);
        final int wrongByte = bit / Byte.SIZE - specimen.batches().get(index).position();
        play(
                "bit " + bit + " of " + path + ", " + wrongByte + " bytes into the batch",
                new Reopened(specimen, disk, index, index, wrongByte, null, tally));
        tally.add("flips", 1);
    }

    /** One bit of what is derived from the segments. */
    void flipInOther(final String path, final int bit) {
        final MemoryDisk disk = specimen.disk().copy();
        disk.flip(path, bit / Byte.SIZE, 1 << bit % Byte.SIZE);
        play("bit " + bit + " of " + path, Reopened.ofSound(specimen, disk, tolerated(path), tally));
        tally.add("flips", 1);
    }

    /** A segment that ends early. */
    void cutSegment(final String path, final int length) {
        final MemoryDisk disk = specimen.disk().copy();
        cut(disk, path, length);
        final int first = specimen.indexAt(path, length);
        final List<PlacedBatch> batches = specimen.batches();
        int last = first;
        while (last + 1 < batches.size() && batches.get(last + 1).path().equals(path)) {
            last++;
        }
        play(path + " cut to " + length, new Reopened(specimen, disk, first, last, Integer.MAX_VALUE, null, tally));
        tally.add("truncations", 1);
    }

    /** The active segment ends early, between two batches, and what is derived from it does not. */
    void cutBehind(final int lastLeft) {
        final PlacedBatch lost = specimen.batches().get(lastLeft + 1);
        final MemoryDisk disk = specimen.disk().copy();
        cut(disk, lost.path(), lost.position());
        final int last = specimen.batches().size() - 1;
        play(
                lost.path() + " cut to " + lost.position() + " and nothing else",
                new Reopened(specimen, disk, lastLeft + 1, last, Integer.MAX_VALUE, null, tally).goingOn());
        tally.add("truncations", 1);
    }

    /** Another file that does. */
    void cutOther(final String path, final int length) {
        final MemoryDisk disk = specimen.disk().copy();
        cut(disk, path, length);
        play(path + " cut to " + length, Reopened.ofSound(specimen, disk, tolerated(path), tally));
        tally.add("truncations", 1);
    }

    private static @Nullable Unchecked tolerated(final String path) {
        if (path.endsWith(LogFiles.TIME_INDEX)) {
            return Unchecked.TIME_INDEX;
        }
        return path.endsWith(LogFiles.LEADER_EPOCHS) ? Unchecked.LEADER_EPOCHS : null;
    }

    private static void cut(final MemoryDisk disk, final String path, final int length) {
        disk.put(path, Arrays.copyOf(disk.content(path), length));
    }

    private void play(final String damage, final Reopened reopened) {
        try {
            for (final long point : points) {
                reopened.play(point);
            }
        } catch (final RuntimeException | AssertionError e) {
            throw new AssertionError(damage + ": " + e, e);
        }
    }
}
