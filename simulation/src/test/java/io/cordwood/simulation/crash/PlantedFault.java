package io.cordwood.simulation.crash;

import io.cordwood.log.LogFiles;
import io.cordwood.log.store.FileUse;
import io.cordwood.log.store.StorageException;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/**
 * An act that failed by a rule, as the trace of a {@link io.cordwood.testkit.FaultyStorage} tells of it, and whether it may do so in silence.
 *
 * @param line of the trace.
 * @param use for which its file was opened last before; empty if it was not, or the act is of no open file.
 */
record PlantedFault(String line, String use) {
    private static final List<String> OUTCOMES = List.of(" eio", " enospc", " lost", " short");
    private static final String LOOK_UP = FileUse.LOOKUP.name();

    /** Where nobody need be told. The life has shown that whatever was asked for was answered rightly. */
    enum Silence {
        /** The index of a segment that does not grow cannot be opened or read: the look-up scans the segment instead. */
        LOOK_UP_SCANS,

        /**
         * A segment was opened for its length alone, which bounds what its index is believed: without it a sound index tells the same, and
         * who goes on to read the segment meets the failure and is told.
         */
        LENGTH_OF_A_SEGMENT,

        /** Fewer bytes are shown or sent than there are: what was to be shown is asked for once more, what was not sent is sent next. */
        REST_IS_ASKED_FOR
    }

    /** A failure names the file, the act and why it failed: by a rule, or because less was shown than there is. */
    static void requireTold(final StorageException failure) {
        boolean tells = false;
        for (Throwable at = failure; at != null; at = at.getCause()) {
            final String message = String.valueOf(at.getMessage());
            tells |= message.contains("a planted fault") || message.matches(".*: \\d+ bytes are shown at position .*");
        }
        if (!tells
                || !failure.file().startsWith("simulated:/")
                || failure.operation().isBlank()) {
            throw new AssertionError("a failure tells neither file nor reason: " + failure, failure);
        }
    }

    /** All that a trace tells of, in order. */
    static List<PlantedFault> in(final List<String> trace) {
        final List<PlantedFault> planted = new ArrayList<>();
        final Map<String, String> uses = new HashMap<>();
        for (final String line : trace) {
            final String[] words = line.split(" ", -1);
            if (words[0].equals("open")) {
                uses.put(words[1], words[2]);
            }
            if (OUTCOMES.stream().anyMatch(line::endsWith)) {
                planted.add(new PlantedFault(line, uses.getOrDefault(words[1], "")));
            }
        }
        return planted;
    }

    /** Why silence is right here; throws if it is not. */
    Silence requireSilence() {
        final String[] words = line.split(" ", -1);
        final String act = words[0];
        final String path = words[1];
        final String outcome = words[words.length - 1];
        if (outcome.equals("short") && (act.equals("view") || act.equals("send"))) {
            return Silence.REST_IS_ASKED_FOR;
        }
        final boolean isIndex = path.endsWith(LogFiles.OFFSET_INDEX) || path.endsWith(LogFiles.TIME_INDEX);
        if (isIndex && use.equals(LOOK_UP) && (act.equals("open") || act.equals("view"))) {
            return Silence.LOOK_UP_SCANS;
        }
        if (path.endsWith(LogFiles.LOG)
                && use.equals(FileUse.READ.name())
                && (act.equals("open") || act.equals("close"))) {
            return Silence.LENGTH_OF_A_SEGMENT;
        }
        throw new AssertionError("nobody is told of a failure: " + line + (use.isEmpty() ? "" : ", opened to " + use));
    }
}
