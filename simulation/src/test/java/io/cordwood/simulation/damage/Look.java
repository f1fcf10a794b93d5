package io.cordwood.simulation.damage;

import io.cordwood.log.CorruptLogException;
import io.cordwood.log.LogReader;
import java.util.Arrays;

/** What a reader shows where a batch of a specimen lies. */
record Look(LogReader reader, MemoryDisk disk) {
    /** What became of a batch. */
    enum Seen {
        /** Served as it was appended. */
        ORIGINAL,
        /** Refused, by an error that names the file and the position. */
        REFUSED,
        /** Served as it lies there now, damaged where no checksum is. */
        CHANGED
    }

    /** Asks for one batch, of which a byte may be wrong. */
    Seen at(final PlacedBatch batch, final long offset, final int wrongByte) {
        final long length;
        try {
            length = reader.read(offset, Long.MAX_VALUE, 1);
        } catch (final CorruptLogException e) {
            if (!e.file().equals(disk.describe(batch.path())) || e.position() != batch.position()) {
                throw new AssertionError(
                        "position " + batch.position() + " of " + batch.path() + " is damaged, not: " + e.getMessage());
            }
            if (e.nextOffset() != batch.lastOffset() + 1) {
                throw new AssertionError("a reader can go on at offset " + (batch.lastOffset() + 1) + ", not at "
                        + e.nextOffset() + ": " + e.getMessage());
            }
            return Seen.REFUSED;
        }
        final byte[] served = new byte[(int) Math.max(0, length)];
        reader.buffer().getBytes(0, served);
        if (Arrays.equals(served, batch.bytes())) {
            return Seen.ORIGINAL;
        }
        final byte[] content = disk.content(batch.path());
        final boolean isWhatLiesThere = served.length == batch.bytes().length
                && Arrays.equals(served, 0, served.length, content, batch.position(), batch.end());
        if (!isWhatLiesThere || Unchecked.at(wrongByte) == null) {
            throw new AssertionError("a read of offset " + offset + " answers " + length + " bytes, which are neither "
                    + "the batch nor an error");
        }
        return Seen.CHANGED;
    }

    /** Asks for the first record that is so young, of a log with whose batches nothing is wrong. */
    void requireTime(final Specimen specimen, final long timestamp) {
        final long expected = specimen.offsetForTimestamp(timestamp);
        final long found = reader.offsetForTimestamp(timestamp, Long.MAX_VALUE);
        if (found != expected) {
            throw new AssertionError(
                    "a look-up of time " + timestamp + " should find offset " + expected + ", found " + found);
        }
    }

    /** The same of a log whose time indexes may be wrong: an answer is then too late, and never too early, or an error. */
    boolean isTimeRight(final Specimen specimen, final long timestamp) {
        final long expected = specimen.offsetForTimestamp(timestamp);
        final long found;
        try {
            found = reader.offsetForTimestamp(timestamp, Long.MAX_VALUE);
        } catch (final CorruptLogException e) {
            return false;
        }
        if (found >= 0 && (found < expected || reader.timestampFound() < timestamp)) {
            throw new AssertionError("the record at offset " + found + " is older than " + timestamp);
        }
        return found == expected;
    }

    /** Asks for a batch with which nothing is wrong. */
    void requireOriginal(final PlacedBatch batch) {
        if (at(batch, batch.baseOffset(), Integer.MAX_VALUE) != Seen.ORIGINAL) {
            throw new AssertionError("the sound batch at offset " + batch.baseOffset() + " is refused");
        }
    }
}
