package io.cordwood.inspector;

import io.cordwood.log.LeaderEpoch;
import io.cordwood.log.RecoveryReport;
import java.io.IOException;
import java.io.OutputStream;
import java.util.List;
import java.util.StringJoiner;

/** Writes a recovery for people: what was found, a line for each thing that was done, what is left, and a verdict. */
final class TextRecovery implements RecoveryWriter {
    private final Lines out;
    private final String label;
    private final boolean isDryRun;

    TextRecovery(final OutputStream out, final String label, final boolean isDryRun) {
        this.out = new Lines(out);
        this.label = label;
        this.isDryRun = isDryRun;
    }

    @Override
    public void failed(final RuntimeException failure) {
        // The message, which goes to standard error, says it all.
    }

    @Override
    public void recovered(final Recovered recovered) throws IOException {
        out.line(label + (isDryRun ? ": dry run, nothing is written; a recovery does this" : ""));
        found(recovered);
        for (final RecoveryReport.Entry entry : recovered.report().entries()) {
            out.line("  " + act(recovered, entry));
        }
        left(recovered);
        out.line("  " + verdict(recovered));
        out.flush();
    }

    private void found(final Recovered recovered) throws IOException {
        final Recovered.Found found = recovered.found();
        final String start = found.wasClean()
                ? "closed cleanly"
                : "not closed cleanly, damage is looked for from offset " + found.recoveryPoint() + " on";
        final String where =
                found.dataDirectory() == null ? "no data directory" : "in the data directory " + found.dataDirectory();
        out.line("  found: " + start + "; " + where);
        for (final String finding : found.findings()) {
            out.line("  found: " + finding);
        }
    }

    private static String act(final Recovered recovered, final RecoveryReport.Entry entry) {
        final StringBuilder line = new StringBuilder(
                switch (entry.kind()) {
                    case CUT -> "CUT";
                    case TAIL_CUT -> "torn end cut,";
                    case SEGMENT_DELETED -> "DELETED";
                    case DAMAGE_KEPT -> "DAMAGED";
                    case OFFSETS_MISSING -> "MISSING";
                    case END_TOO_LOW -> "TOO SHORT";
                    case LEFTOVER_DELETED -> "left-over";
                    case SWAP_FINISHED -> "swapped in";
                    case SEGMENT_SPLIT -> "split";
                    case SWAP_LEFT -> "not swapped in";
                    case INDEX_REBUILT, STATE_REBUILT -> "rebuilt";
                    case MAPPING_UNAVAILABLE -> "not mapped";
                });
        final String file = Recovered.fileName(entry);
        line.append(' ').append(file.isEmpty() ? "the log" : file);
        if (entry.position() > 0
                || entry.kind() == RecoveryReport.Kind.CUT
                || entry.kind() == RecoveryReport.Kind.TAIL_CUT) {
            line.append(" at position ").append(entry.position());
        }
        if (entry.offset() >= 0) {
            line.append(", offset ").append(entry.offset());
        }
        line.append(": ").append(entry.reason());
        final long gone = recovered.bytesGone(entry);
        return gone == 0
                ? line.toString()
                : line.append(" (").append(Text.count(gone, "byte")).append(")").toString();
    }

    private void left(final Recovered recovered) throws IOException {
        long bytes = 0;
        for (final long base : recovered.bases()) {
            bytes += recovered.bytes(base);
        }
        final long begin = recovered.report().startOffset();
        final long end = recovered.report().endOffset();
        out.line("  log: " + Text.count(recovered.bases().size(), "segment") + ", " + Text.count(bytes, "byte")
                + ", " + (begin == end ? "no offsets" : "offsets " + begin + " to " + (end - 1)) + ", end offset "
                + end + "; " + Text.count(recovered.report().scannedBytes(), "byte") + " read batch by batch");
        final List<LeaderEpoch> epochs = recovered.leaderEpochs();
        if (!epochs.isEmpty()) {
            final StringJoiner line = new StringJoiner(", ", "  leader epochs: ", "");
            epochs.forEach(epoch -> line.add(epoch.epoch() + " from offset " + epoch.startOffset()));
            out.line(line.toString());
        }
        if (recovered.found().dataDirectory() != null && !recovered.isMarkedClean()) {
            out.line(
                    "  the data directory stays marked as not closed cleanly: its other partitions were not looked at");
        }
    }

    private static String verdict(final Recovered recovered) {
        long losses = 0;
        long bytes = 0;
        for (final RecoveryReport.Entry entry : recovered.report().entries()) {
            losses += Recovered.isLoss(entry) ? 1 : 0;
            bytes += recovered.bytesGone(entry);
        }
        final long mended = recovered.report().entries().size() - losses;
        if (losses == 0 && !recovered.found().areOffsetsKnown()) {
            return "DAMAGE: offsets of the data directory are lost with a checkpoint, as found above; no batch was cut"
                    + (mended == 0 ? "" : "; " + mended + " mended");
        }
        if (losses == 0) {
            return "fine: no batch was cut and nothing stays damaged" + (mended == 0 ? "" : "; " + mended + " mended");
        }
        return "DAMAGE: " + Text.count(losses, "place") + " in capitals above, " + Text.count(bytes, "byte")
                + " of segments cut off or deleted"
                + (mended == 0 ? "" : "; " + mended + " mended");
    }
}
