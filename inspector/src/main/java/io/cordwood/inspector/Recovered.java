package io.cordwood.inspector;

import io.cordwood.log.LeaderEpoch;
import io.cordwood.log.LogFiles;
import io.cordwood.log.RecoveryReport;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * What a recovery found, did and left.
 *
 * @param found what the data directory said.
 * @param report of the open.
 * @param recoveryPoint of the log once it was open.
 * @param leaderEpochs of the log.
 * @param bases base offsets of the segments that are left.
 * @param bytesBefore sizes of the partition's files before, by name.
 * @param bytesAfter the same after the close; empty before it.
 * @param isMarkedClean whether the clean-shutdown marker is there again.
 */
record Recovered(
        Found found,
        RecoveryReport report,
        long recoveryPoint,
        List<LeaderEpoch> leaderEpochs,
        List<Long> bases,
        Map<String, Long> bytesBefore,
        Map<String, Long> bytesAfter,
        boolean isMarkedClean) {

    /**
     * What the data directory said of the partition before it was opened, or the command line instead of it.
     *
     * @param dataDirectory path of it; null if the partition stands alone.
     * @param wasClean whether a clean close was assumed.
     * @param recoveryPoint where damage was looked for from; {@link Long#MAX_VALUE} for nowhere.
     * @param startOffset of the log by the checkpoint.
     * @param findings what is wrong with the data directory's own files.
     * @param areOffsetsKnown false if offsets of its checkpoints are lost.
     */
    record Found(
            @Nullable String dataDirectory,
            boolean wasClean,
            long recoveryPoint,
            long startOffset,
            List<String> findings,
            boolean areOffsetsKnown) {}

    /** The same, once the log is closed. */
    Recovered closed(final Map<String, Long> bytesThen) {
        return new Recovered(found, report, recoveryPoint, leaderEpochs, bases, bytesBefore, bytesThen, isMarkedClean);
    }

    /** Whether every batch of the log is there and good, and no offset of the data directory is lost. */
    boolean isLossless() {
        return found.areOffsetsKnown() && report.entries().stream().noneMatch(Recovered::isLoss);
    }

    /** Whether batches went or cannot be read; the other things are mended, and nothing is lost by them. */
    static boolean isLoss(final RecoveryReport.Entry entry) {
        return switch (entry.kind()) {
            case CUT, SEGMENT_DELETED, DAMAGE_KEPT, OFFSETS_MISSING, END_TOO_LOW -> true;
            case TAIL_CUT,
                    LEFTOVER_DELETED,
                    SWAP_FINISHED,
                    SWAP_LEFT,
                    SEGMENT_SPLIT,
                    INDEX_REBUILT,
                    STATE_REBUILT,
                    MAPPING_UNAVAILABLE -> false;
        };
    }

    /** Bytes of segments that an act has taken away; 0 if it took none. */
    long bytesGone(final RecoveryReport.Entry entry) {
        final long before = bytesBefore.getOrDefault(fileName(entry), 0L);
        return switch (entry.kind()) {
            case CUT, TAIL_CUT -> Math.max(0, before - entry.position());
            case SEGMENT_DELETED -> before;
            default -> 0;
        };
    }

    /** Bytes of a segment that is left. */
    long bytes(final long base) {
        return bytesAfter.getOrDefault(LogFiles.name(base, LogFiles.LOG), 0L);
    }

    /** An entry's file without the partition's directory; empty for the directory itself. */
    static String fileName(final RecoveryReport.Entry entry) {
        final int slash = entry.file().indexOf('/');
        return slash < 0 ? "" : entry.file().substring(slash + 1);
    }
}
