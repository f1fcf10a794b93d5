package io.cordwood.log;

import java.util.List;

/**
 * What an open or a truncation found and did to the files of a log.
 *
 * @param startOffset first offset of the log.
 * @param endOffset end of the log.
 * @param scannedBytes bytes of segments that were read.
 * @param acts what was changed or found odd, in words, in order; empty for a log that was left cleanly.
 */
public record RecoveryReport(long startOffset, long endOffset, long scannedBytes, List<String> acts) {
    /**
     * Takes a copy of the list.
     *
     * @param startOffset first offset of the log.
     * @param endOffset end of the log.
     * @param scannedBytes bytes of segments that were read.
     * @param acts what was changed or found odd.
     */
    public RecoveryReport {
        acts = List.copyOf(acts);
    }
}
