package io.cordwood.simulation.damage;

import io.cordwood.log.Log;
import io.cordwood.log.LogFiles;
import io.cordwood.log.LogReader;
import io.cordwood.simulation.soak.Tally;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.List;
import java.util.SortedSet;
import java.util.TreeSet;

/**
 * Turns over each bit of an index under an open log, and before one that believes it: it must mislead no look-up. Asked for are the
 * batches about the old and the new value, which the entry leads to or past.
 */
final class IndexRot {
    private static final int OFFSET_ENTRY_BYTES = 8;
    private static final int TIME_ENTRY_BYTES = 12;

    private final Specimen specimen;
    private final MemoryDisk disk;
    private final Tally tally;

    IndexRot(final Specimen specimen, final Tally tally) {
        this.specimen = specimen;
        this.disk = specimen.disk().copy();
        this.tally = tally;
    }

    /** Every {@code step}-th bit from the first one on, under one log. */
    void play(final String path, final int first, final int step) {
        final int bits = disk.content(path).length * Byte.SIZE;
        try (Log log = specimen.open(disk, Long.MAX_VALUE);
                LogReader reader = log.newReader()) {
            final Look look = new Look(reader, disk);
            for (int bit = first; bit < bits; bit += step) {
                play(look, path, bit);
                tally.add("flips", 1);
            }
        }
    }

    /** The same with a log for each, that finds the file so. */
    void playOpened(final String path, final int first, final int step) {
        final int bits = disk.content(path).length * Byte.SIZE;
        for (int bit = first; bit < bits; bit += step) {
            final MemoryDisk damaged = disk.copy();
            damaged.flip(path, bit / Byte.SIZE, 1 << bit % Byte.SIZE);
            try (Log log = specimen.open(damaged, Long.MAX_VALUE);
                    LogReader reader = log.newReader()) {
                ask(new Look(reader, damaged), path, bit, isLawful(path, damaged.content(path)));
            } catch (final RuntimeException | AssertionError e) {
                throw new AssertionError("bit " + bit + " of " + path + " before an open: " + e, e);
            }
            tally.add("flips", 1);
        }
    }

    private void play(final Look look, final String path, final int bit) {
        disk.flip(path, bit / Byte.SIZE, 1 << bit % Byte.SIZE);
        try {
            ask(look, path, bit, true);
        } catch (final RuntimeException | AssertionError e) {
            throw new AssertionError("bit " + bit + " of " + path + ": " + e, e);
        } finally {
            disk.flip(path, bit / Byte.SIZE, 1 << bit % Byte.SIZE);
        }
    }

    /** Whether nothing in a time index shows that it is wrong. */
    private boolean isLawful(final String path, final byte[] content) {
        final String log = path.substring(0, path.lastIndexOf('.')) + LogFiles.LOG;
        final long segmentEnd = specimen.batches().get(lastOf(log)).lastOffset()
                - specimen.batches().get(specimen.indexAt(log, 0)).baseOffset();
        final ByteBuffer entries = ByteBuffer.wrap(content);
        long time = -1;
        long offset = 0;
        while (path.endsWith(LogFiles.TIME_INDEX) && entries.hasRemaining()) {
            final long nextTime = entries.getLong();
            final int nextOffset = entries.getInt();
            if (nextTime <= time || nextOffset < offset || nextOffset > segmentEnd) {
                return false;
            }
            time = nextTime;
            offset = nextOffset;
        }
        return true;
    }

    private int lastOf(final String log) {
        int last = specimen.indexAt(log, 0);
        while (last + 1 < specimen.batches().size()
                && specimen.batches().get(last + 1).path().equals(log)) {
            last++;
        }
        return last;
    }

    /**
     * From the last batch to the first, so that no read goes on where another has ended.
     *
     * @param isLawful whether a time index may mislead: not if it shows that it is wrong.
     */
    private void ask(final Look look, final String path, final int bit, final boolean isLawful) {
        final boolean isTimeIndex = path.endsWith(LogFiles.TIME_INDEX);
        final List<PlacedBatch> asked = new ArrayList<>();
        about(path, bit, isTimeIndex)
                .forEach(index -> asked.add(0, specimen.batches().get(index)));
        for (final PlacedBatch batch : asked) {
            look.requireOriginal(batch);
            for (final long time : new long[] {batch.timestamps()[0], batch.maxTimestamp()}) {
                if (!isTimeIndex || !isLawful) {
                    look.requireTime(specimen, time);
                } else if (!look.isTimeRight(specimen, time)) {
                    tally.add("look-ups misled, " + Unchecked.TIME_INDEX, 1);
                }
            }
        }
    }

    /** Numbers of the batches at what the entry said and says, those beside them, and the ends of the segment. */
    private SortedSet<Integer> about(final String path, final int bit, final boolean isTimeIndex) {
        final int bytes = isTimeIndex ? TIME_ENTRY_BYTES : OFFSET_ENTRY_BYTES;
        final int entry = bit / Byte.SIZE / bytes;
        final byte[] sound = specimen.disk().content(path);
        final byte[] wrong = sound.clone();
        wrong[bit / Byte.SIZE] ^= (byte) (1 << bit % Byte.SIZE);
        final String log = path.substring(0, path.lastIndexOf('.')) + LogFiles.LOG;
        final int first = specimen.indexAt(log, 0);
        final int last = lastOf(log);
        final SortedSet<Integer> found = new TreeSet<>(List.of(first, last));
        for (final byte[] content : List.of(sound, wrong)) {
            final ByteBuffer said = ByteBuffer.wrap(content, entry * bytes, bytes);
            final long time = isTimeIndex ? said.getLong() : -1;
            final long offset = specimen.batches().get(first).baseOffset() + said.getInt();
            final int position = isTimeIndex ? -1 : said.getInt();
            for (int i = first; i <= last; i++) {
                final PlacedBatch batch = specimen.batches().get(i);
                if ((offset >= batch.baseOffset() && offset <= batch.lastOffset())
                        || (position >= batch.position() && position < batch.end())
                        || (isTimeIndex && batch.timestamps()[0] <= time && batch.maxTimestamp() >= time)) {
                    found.addAll(List.of(Math.max(first, i - 1), i, Math.min(last, i + 1)));
                }
            }
        }
        return found;
    }
}
