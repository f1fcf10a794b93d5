package io.cordwood.simulation.damage;

import io.cordwood.log.CorruptLogException;
import io.cordwood.log.Log;
import io.cordwood.log.LogReader;
import io.cordwood.log.record.RecordBatchDescriptor;
import io.cordwood.simulation.soak.Tally;
import java.util.List;

/** Turns over each bit of a segment's file under an open log, and asks for the batch that has it and for its neighbours. */
final class SegmentRot {
    private final Specimen specimen;
    private final MemoryDisk disk;
    private final Tally tally;

    SegmentRot(final Specimen specimen, final Tally tally) {
        this.specimen = specimen;
        this.disk = specimen.disk().copy();
        this.tally = tally;
    }

    /** Every {@code step}-th bit from the first one on of each batch of a segment. */
    void play(final String path, final int first, final int step) {
        play(path, first, step, Integer.MAX_VALUE);
    }

    /** Each bit of each header. */
    void playHeaders(final String path) {
        play(path, 0, 1, RecordBatchDescriptor.HEADER_BYTES * Byte.SIZE);
    }

    private void play(final String path, final int first, final int step, final int most) {
        try (Log log = specimen.open(disk, Long.MAX_VALUE);
                LogReader reader = log.newReader()) {
            final List<PlacedBatch> batches = specimen.batches();
            for (int i = 0; i < batches.size(); i++) {
                if (batches.get(i).path().equals(path)) {
                    play(new Look(reader, disk), i, first, step, most);
                }
            }
        }
    }

    private void play(final Look look, final int index, final int first, final int step, final int most) {
        final PlacedBatch batch = specimen.batches().get(index);
        for (int bit = first; bit < Math.min(most, batch.bytes().length * Byte.SIZE); bit += step) {
            final int at = bit / Byte.SIZE;
            disk.flip(batch.path(), batch.position() + at, 1 << bit % Byte.SIZE);
            try {
                play(look, index, at);
            } catch (final RuntimeException | AssertionError e) {
                throw new AssertionError(
                        "bit " + bit + " of the batch at offset " + batch.baseOffset() + ", position "
                                + batch.position() + " of " + batch.path() + ": " + e,
                        e);
            } finally {
                disk.flip(batch.path(), batch.position() + at, 1 << bit % Byte.SIZE);
            }
            tally.add("flips", 1);
        }
    }

    private void play(final Look look, final int index, final int byteInBatch) {
        final List<PlacedBatch> batches = specimen.batches();
        final PlacedBatch batch = batches.get(index);
        if (index > 0) {
            look.requireOriginal(batches.get(index - 1));
        }
        // The read behind another one, and the one that is led here by the index.
        final Look.Seen next = look.at(batch, batch.baseOffset(), byteInBatch);
        if (index + 1 < batches.size()) {
            look.requireOriginal(batches.get(index + 1));
        }
        final Look.Seen again = look.at(batch, batch.lastOffset(), byteInBatch);
        if (next == Look.Seen.CHANGED || again == Look.Seen.CHANGED) {
            tally.add("flips not seen, " + Unchecked.at(byteInBatch), 1);
        }
        requireRightTime(look.reader(), batch, again);
    }

    private void requireRightTime(final LogReader reader, final PlacedBatch batch, final Look.Seen seen) {
        final long youngest = batch.timestamps()[batch.timestamps().length - 1];
        final long expected = specimen.offsetForTimestamp(youngest);
        try {
            final long found = reader.offsetForTimestamp(youngest, Long.MAX_VALUE);
            if (found != expected && seen != Look.Seen.CHANGED) {
                throw new AssertionError(
                        "a look-up of time " + youngest + " should find offset " + expected + ", found " + found);
            }
        } catch (final CorruptLogException e) {
            tally.add("look-ups by time refused", 1);
        }
    }
}
