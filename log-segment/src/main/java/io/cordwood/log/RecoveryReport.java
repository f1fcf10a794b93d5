package io.cordwood.log;

import java.util.ArrayList;
import java.util.List;

/**
 * What an open found in the files of a log and did to them.
 *
 * @param startOffset first offset of the log.
 * @param endOffset end of the log.
 * @param scannedBytes bytes of segments that were read batch by batch.
 * @param entries what was changed or found odd, in order; empty for a log that was left cleanly.
 */
public record RecoveryReport(long startOffset, long endOffset, long scannedBytes, List<Entry> entries) {
    /** What a recovery can meet or do. */
    public enum Kind {
        /** A file that an interrupted act had left, or that belongs to no segment, was deleted. */
        LEFTOVER_DELETED,
        /** A swap of cleaned segments that had been decided was finished. */
        SWAP_FINISHED,
        /** A segment reached above what its indexes can name: its batches from an offset on are a segment of their own now. */
        SEGMENT_SPLIT,
        /** A swap that is not sound, or that would take the place of what it does not hold, was left as it is; the old segments count. */
        SWAP_LEFT,
        /** The index of a segment was missing or not to be believed, and was built anew from the segment. */
        INDEX_REBUILT,
        /** A derived state could not read its file, and was built anew from the batches. */
        STATE_REBUILT,
        /** Batches, or what may have been some, were cut off. */
        CUT,
        /** The end of the last segment was cut off, where a crash had left the beginning of a batch, or zeros. No batch is lost. */
        TAIL_CUT,
        /** A segment behind such a cut was deleted. */
        SEGMENT_DELETED,
        /** Damage below the recovery point, or that a right checksum does not show: the bytes stay, and a read of them fails. */
        DAMAGE_KEPT,
        /** Offsets between two segments are missing, or a segment is empty: a read of these offsets fails. */
        OFFSETS_MISSING,
        /** Appends were to go through a mapping, which is not to be had here: channel writes took its place. No byte is meant. */
        MAPPING_UNAVAILABLE,
        /**
         * The log ends below the offset that was promised as its start or its recovery point. A recovery point that Kafka wrote may lie in a gap
         * between offsets in which a truncation has ended: nothing is lost then, but no file tells this from a loss.
         */
        END_TOO_LOW
    }

    /**
     * One thing that was found or done.
     *
     * @param kind of it, for programs.
     * @param file path in the storage.
     * @param position in the file, 0 if the file as a whole is meant.
     * @param offset of the log from which on it matters, -1 if none is known.
     * @param reason for people: what was found and what became of it.
     */
    public record Entry(Kind kind, String file, long position, long offset, String reason) {
        /**
         * One line for people.
         *
         * @return file, position, offset and reason.
         */
        @Override
        public String toString() {
            return file + ": position " + position + (offset < 0 ? "" : ", offset " + offset) + ": " + reason;
        }
    }

    /**
     * Takes a copy of the list.
     *
     * @param startOffset first offset of the log.
     * @param endOffset end of the log.
     * @param scannedBytes bytes of segments that were read batch by batch.
     * @param entries what was changed or found odd.
     */
    public RecoveryReport {
        entries = List.copyOf(entries);
    }

    /**
     * Whether the log was found as a clean close leaves it. Which store it is appended through does not count.
     *
     * @return true if there was nothing to report of its files.
     */
    public boolean isClean() {
        return entries.stream().allMatch(entry -> entry.kind() == Kind.MAPPING_UNAVAILABLE);
    }

    /** The same with more entries behind those of the open. */
    RecoveryReport with(final List<Entry> more) {
        if (more.isEmpty()) {
            return this;
        }
        final List<Entry> all = new ArrayList<>(entries);
        all.addAll(more);
        return new RecoveryReport(startOffset, endOffset, scannedBytes, all);
    }

    /**
     * The entries in words.
     *
     * @return a line for each.
     */
    public List<String> acts() {
        return entries.stream().map(Entry::toString).toList();
    }
}
