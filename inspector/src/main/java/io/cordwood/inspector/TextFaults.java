package io.cordwood.inspector;

import io.cordwood.log.Fault;
import io.cordwood.log.LogCheck;
import java.io.IOException;

/** Writes faults for people: one line each, below the partition, which ends with what was looked at. */
final class TextFaults implements FaultWriter {
    private final Lines out;
    private long faults;
    private long notChecked;
    private int partitions;
    private int damagedPartitions;

    TextFaults(final Lines out) {
        this.out = out;
    }

    @Override
    public void begin(final Place place) throws IOException {
        partitions++;
        out.line(place.label());
    }

    @Override
    public void fault(final Place place, final Fault fault) throws IOException {
        final StringBuilder line =
                new StringBuilder(fault.kind() == Fault.Kind.NOT_CHECKED ? "  NOT CHECKED " : "  FAULT ");
        line.append(FaultWriter.fileName(place, fault)).append(" at position ").append(fault.position());
        if (fault.offset() >= 0) {
            line.append(", offset ").append(fault.offset());
        }
        out.line(line.append(": ").append(fault.reason()));
        out.flush();
    }

    @Override
    public void end(final LogCheck.Result result) throws IOException {
        faults += result.faults();
        notChecked += result.notChecked();
        damagedPartitions += result.faults() > 0 ? 1 : 0;
        final StringBuilder line = new StringBuilder("  ");
        line.append(result.faults() == 0 && result.notChecked() == 0 ? "fine" : Text.count(result.faults(), "fault"))
                .append(": ")
                .append(Text.count(result.segments(), "segment"))
                .append(", ")
                .append(Text.count(result.bytes(), "byte"))
                .append(", ")
                .append(Text.count(result.batches(), "sound batch"))
                .append(", ")
                .append(Text.count(result.dataRecords(), "data record"));
        if (result.controlRecords() > 0) {
            line.append(", ").append(Text.count(result.controlRecords(), "control record"));
        }
        if (result.batches() > 0) {
            line.append(", offsets ")
                    .append(result.startOffset())
                    .append(" to ")
                    .append(result.endOffset() - 1);
        }
        if (result.gaps() > 0) {
            line.append(", ")
                    .append(Text.count(result.gaps(), "gap"))
                    .append(" of ")
                    .append(Text.count(result.gapOffsets(), "offset"));
        }
        if (result.unreadBatches() > 0) {
            line.append(", ")
                    .append(Text.count(result.unreadBatches(), "batch"))
                    .append(" whose records were not read");
        }
        out.line(line);
    }

    @Override
    public void end() throws IOException {
        if (partitions != 1) {
            if (notChecked > 0) {
                out.line("Not everything could be checked.");
            }
            out.line(
                    faults == 0
                            ? "No fault in " + Text.count(partitions, "partition") + "."
                            : Text.count(faults, "fault") + " in " + Text.number(damagedPartitions) + " of "
                                    + Text.count(partitions, "partition") + ".");
        }
        out.flush();
    }

    @Override
    public void close() throws IOException {
        out.flush();
    }

    @Override
    public int exitCode() {
        return FaultWriter.exitCode(faults, notChecked);
    }
}
