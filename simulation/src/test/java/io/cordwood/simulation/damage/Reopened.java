package io.cordwood.simulation.damage;

import io.cordwood.log.CorruptLogException;
import io.cordwood.log.Log;
import io.cordwood.log.LogFiles;
import io.cordwood.log.LogReader;
import io.cordwood.log.record.RecordBatchFlyweight;
import io.cordwood.simulation.soak.Tally;
import java.util.Arrays;
import java.util.BitSet;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;

/** Opens a damaged specimen, reads all of it, and holds what is there, what is refused and what is gone against what may be. */
final class Reopened {
    private static final int READ_BYTES = 1 << 16;
    private static final int LOOK_UP_EACH = 5;

    private final Specimen specimen;
    private final MemoryDisk damaged;
    private final int firstBad;
    private final int lastBad;
    private final int wrongByte;
    private final @Nullable Unchecked tolerated;
    private final Tally tally;
    private final BitSet served = new BitSet();
    private final Set<Long> refused = new HashSet<>();
    private int lookUps;
    private boolean isGoingOn;

    /**
     * What is known of the damage.
     *
     * @param damaged as it is found; is not changed.
     * @param firstBad the first batch that is not what it was.
     * @param lastBad the last one, in the same segment.
     * @param wrongByte of that one batch; {@link Integer#MAX_VALUE} if it is more than one byte.
     * @param tolerated what else is damaged, and may not be seen; null if nothing.
     */
    Reopened(
            final Specimen specimen,
            final MemoryDisk damaged,
            final int firstBad,
            final int lastBad,
            final int wrongByte,
            final @Nullable Unchecked tolerated,
            final Tally tally) {
        this.specimen = specimen;
        this.damaged = damaged;
        this.firstBad = firstBad;
        this.lastBad = lastBad;
        this.wrongByte = wrongByte;
        this.tolerated = tolerated;
        this.tally = tally;
    }

    /** A specimen of which no batch is damaged. */
    static Reopened ofSound(
            final Specimen specimen, final MemoryDisk damaged, final @Nullable Unchecked tolerated, final Tally tally) {
        return new Reopened(specimen, damaged, Integer.MAX_VALUE, -1, Integer.MAX_VALUE, tolerated, tally);
    }

    /** Where the log ends between two batches, nothing lies in the way of the next one. */
    Reopened goingOn() {
        isGoingOn = true;
        return this;
    }

    void play(final long recoveryPoint) {
        final MemoryDisk disk = damaged.copy();
        final Log log = specimen.open(disk, recoveryPoint);
        try (LogReader reader = log.newReader()) {
            served.clear();
            refused.clear();
            long next = log.startOffset();
            while (next < log.endOffset()) {
                next = read(log, reader, next);
            }
            requireServed(log, recoveryPoint);
            if (firstBad > lastBad || isGoingOn) {
                requireFound(reader, disk);
            }
            requireKept(log, disk);
            requireEpochs(log, recoveryPoint);
            if (firstBad > lastBad || isGoingOn) {
                requireGoesOn(log, reader);
            }
        } catch (final RuntimeException | AssertionError e) {
            throw new AssertionError(
                    "opened from recovery point " + recoveryPoint + " with "
                            + log.recovery().acts() + ": " + e,
                    e);
        } finally {
            log.closeUncleanly();
        }
        tally.add("opens", 1);
    }

    private long read(final Log log, final LogReader reader, final long offset) {
        final long length;
        try {
            length = reader.read(offset, Long.MAX_VALUE, READ_BYTES);
        } catch (final CorruptLogException e) {
            requireRefusable(log, offset, e);
            return e.nextOffset();
        }
        if (length <= 0) {
            throw new AssertionError(
                    "a read of offset " + offset + " of a log that ends at " + log.endOffset() + " answers " + length);
        }
        reader.forEach(batch -> {
            requireKnown(batch);
            return true;
        });
        return reader.nextOffset();
    }

    private void requireKnown(final RecordBatchFlyweight batch) {
        final byte[] bytes = new byte[batch.sizeInBytes()];
        batch.buffer().getBytes(batch.index(), bytes);
        final List<PlacedBatch> batches = specimen.batches();
        for (int i = 0; i < batches.size(); i++) {
            if (batches.get(i).baseOffset() == batch.baseOffset()
                    && Arrays.equals(batches.get(i).bytes(), bytes)) {
                served.set(i);
                return;
            }
        }
        if (firstBad == lastBad && Unchecked.at(wrongByte) != null) {
            final PlacedBatch bad = batches.get(firstBad);
            final byte[] content = damaged.content(bad.path());
            if (Arrays.equals(bytes, 0, bytes.length, content, bad.position(), bad.end())) {
                served.set(firstBad);
                tally.add("batches served, wrong in " + Unchecked.at(wrongByte), 1);
                return;
            }
        }
        throw new AssertionError("what is served at offset " + batch.baseOffset() + " was never appended");
    }

    private void requireRefusable(final Log log, final long offset, final CorruptLogException e) {
        if (tolerated == Unchecked.LEADER_EPOCHS && e.nextOffset() > offset) {
            specimen.batches().stream()
                    .map(PlacedBatch::baseOffset)
                    .filter(base -> base >= offset && base < e.nextOffset())
                    .forEach(refused::add);
            tally.add("sound batches refused for a wrong leader epoch table", 1);
            return;
        }
        if (firstBad > lastBad) {
            throw new AssertionError("no batch is damaged, but offset " + offset + " is refused: " + e.getMessage());
        }
        final PlacedBatch first = specimen.batches().get(firstBad);
        final PlacedBatch last = specimen.batches().get(lastBad);
        final boolean isThere = e.file().equals(damaged.describe(first.path()))
                && e.position() >= first.position()
                && e.position() < last.end();
        final boolean goesOn = e.nextOffset() > offset
                && (e.nextOffset() <= last.lastOffset() + 1 || e.nextOffset() == log.endOffset());
        if (!isThere || !goesOn) {
            throw new AssertionError("damaged are the batches from position " + first.position() + " to "
                    + last.position() + ", offsets " + first.baseOffset() + " to " + last.lastOffset() + " of "
                    + first.path() + "; offset " + offset + " is refused, to go on at " + e.nextOffset() + ": "
                    + e.getMessage());
        }
    }

    /** All but what is damaged, or lies behind a cut that was allowed. */
    private void requireServed(final Log log, final long recoveryPoint) {
        final List<PlacedBatch> batches = specimen.batches();
        for (int i = 0; i < batches.size(); i++) {
            final PlacedBatch batch = batches.get(i);
            if (served.get(i) || (i >= firstBad && i <= lastBad) || refused.contains(batch.baseOffset())) {
                continue;
            }
            final boolean isCut = i > firstBad
                    && batches.get(lastBad).lastOffset() >= recoveryPoint
                    && log.endOffset() <= batch.baseOffset();
            if (!isCut) {
                throw new AssertionError("the sound batch at offset " + batch.baseOffset() + ", position "
                        + batch.position() + " of " + batch.path() + ", is not served; the log ends at "
                        + log.endOffset());
            }
        }
        // A log that lost whole batches at its end looks like a shorter one to who was told nothing of its length.
        if (log.endOffset() < recoveryPoint
                && recoveryPoint < specimen.endOffset()
                && log.recovery().isClean()) {
            throw new AssertionError("the log ends at " + log.endOffset() + " instead of " + specimen.endOffset()
                    + ", and the report says nothing");
        }
    }

    /** Whatever the indexes say: some look-ups by offset and by time. */
    private void requireFound(final LogReader reader, final MemoryDisk disk) {
        final Look look = new Look(reader, disk);
        final int last = Math.min(firstBad, specimen.batches().size());
        for (int i = lookUps++ % LOOK_UP_EACH; i < last; i += LOOK_UP_EACH) {
            final PlacedBatch batch = specimen.batches().get(i);
            if (tolerated != Unchecked.LEADER_EPOCHS) {
                look.requireOriginal(batch);
            } else if (look.at(batch, batch.baseOffset(), Integer.MAX_VALUE) == Look.Seen.REFUSED) {
                tally.add("sound batches refused for a wrong leader epoch table", 1);
            }
            if (tolerated != Unchecked.TIME_INDEX) {
                look.requireTime(specimen, batch.timestamps()[0]);
            } else if (!look.isTimeRight(specimen, batch.timestamps()[0])) {
                tally.add("look-ups misled, TIME_INDEX", 1);
            }
        }
    }

    /** No leader begins where there is no batch; with sound batches the table is right, unless the file is wrong and believed. */
    private void requireEpochs(final Log log, final long recoveryPoint) {
        final Map<Long, Integer> told = new TreeMap<>();
        log.leaderEpochs().entries().forEach(entry -> told.put(entry.startOffset(), entry.epoch()));
        for (final long start : told.keySet()) {
            if (start >= log.endOffset()) {
                throw new AssertionError(
                        "a leader begins at offset " + start + " of a log that ends at " + log.endOffset());
            }
        }
        final boolean isBelieved = tolerated == Unchecked.LEADER_EPOCHS && recoveryPoint > 0;
        if (firstBad > lastBad && !isBelieved && !told.equals(specimen.epochs())) {
            throw new AssertionError("the leaders are " + specimen.epochs() + ", the table says " + told);
        }
    }

    /** Whatever was found, the log takes another batch and shows it. */
    private void requireGoesOn(final Log log, final LogReader reader) {
        final long offset = log.endOffset();
        final byte[] appended = specimen.append(log);
        final long length = reader.read(offset, Long.MAX_VALUE, 1);
        final byte[] found = new byte[(int) Math.max(0, length)];
        reader.buffer().getBytes(0, found);
        if (!Arrays.equals(appended, found)) {
            throw new AssertionError("a batch that is appended at offset " + offset + " is not found there");
        }
    }

    /** Of each segment there is its beginning, and all of it unless the log was cut. */
    private void requireKept(final Log log, final MemoryDisk disk) {
        for (final String path : damaged.paths()) {
            if (!path.endsWith(LogFiles.LOG)) {
                continue;
            }
            final boolean isCut = log.endOffset() < specimen.endOffset();
            final boolean isThere = disk.has(path);
            if (isThere ? !disk.isBeginningOf(path, damaged, path) : !isCut) {
                throw new AssertionError(path + (isThere ? " was written to" : " is gone"));
            }
            if (isThere && !isCut && firstBad > lastBad && !damaged.isBeginningOf(path, disk, path)) {
                throw new AssertionError(path + " is sound and was cut");
            }
        }
    }
}
