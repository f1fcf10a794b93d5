package io.cordwood.inspector;

import io.cordwood.log.record.RecordBatchFlyweight;
import io.cordwood.log.record.RecordFlyweight;
import java.io.IOException;

/** Writes batches as the rows of a table, and their records below them. */
final class TextBatch {
    private static final int[] WIDTHS = {12, 9, 12, 12, 8, 6};
    private static final String[] HEADS = {"position", "bytes", "first", "last", "records", "epoch"};
    private static final int CODEC_WIDTH = 7;
    private static final int TIME_WIDTH = 24;
    private static final int PRODUCER_WIDTH = 22;

    private final Lines out;
    private final SegmentWalk walk;
    private final boolean showsRecords;
    private final StringBuilder line = new StringBuilder();
    private boolean isFirst;

    TextBatch(final Lines out, final SegmentWalk walk, final boolean showsRecords) {
        this.out = out;
        this.walk = walk;
        this.showsRecords = showsRecords;
    }

    /** A table of its own for the next segment, with a head if it has a row. */
    void begin() {
        isFirst = true;
    }

    void write(final RecordBatchFlyweight batch) throws IOException {
        if (isFirst) {
            isFirst = false;
            head();
        }
        // Read ahead when records are not shown, so that the row can tell of a marker's type and of damage.
        final boolean hasRecord = walk.nextRecord();
        final String kind = batch.isControl() && hasRecord && walk.readControl()
                ? walk.control().type().name()
                : "";
        long records = hasRecord ? 1 : 0;
        if (!showsRecords) {
            while (walk.nextRecord()) {
                records++;
            }
        }
        row(batch, kind, batch.magic() < 2 ? records : batch.recordCount());
        if (showsRecords) {
            for (boolean more = hasRecord; more; more = walk.nextRecord()) {
                record(walk.record());
            }
        }
        if (!walk.flaw().isEmpty()) {
            out.line("    ^ " + walk.flaw());
        }
    }

    private void head() throws IOException {
        line.setLength(0);
        line.append("  ");
        for (int i = 0; i < HEADS.length; i++) {
            right(HEADS[i], WIDTHS[i]);
        }
        left("codec", CODEC_WIDTH);
        left("max timestamp (UTC)", TIME_WIDTH);
        left("producer", PRODUCER_WIDTH);
        out.line(line.append("  notes"));
    }

    private void row(final RecordBatchFlyweight batch, final String controlType, final long records)
            throws IOException {
        line.setLength(0);
        line.append("  ");
        right(Long.toString(walk.position()), WIDTHS[0]);
        right(Long.toString(walk.batchBytes()), WIDTHS[1]);
        right(Long.toString(walk.firstOffset()), WIDTHS[2]);
        right(Long.toString(batch.lastOffset()), WIDTHS[3]);
        right(Long.toString(records), WIDTHS[4]);
        right(batch.partitionLeaderEpoch() < 0 ? "-" : Integer.toString(batch.partitionLeaderEpoch()), WIDTHS[5]);
        left(JsonBatch.codecName(batch), CODEC_WIDTH);
        left(Text.time(batch.maxTimestamp()), TIME_WIDTH);
        left(producer(batch), PRODUCER_WIDTH);
        notes(batch, controlType);
        int length = line.length();
        while (line.charAt(length - 1) == ' ') {
            length--;
        }
        line.setLength(length);
        out.line(line);
    }

    private static String producer(final RecordBatchFlyweight batch) {
        if (!batch.hasProducerId()) {
            return "-";
        }
        final String who = batch.producerId() + ":" + batch.producerEpoch();
        return batch.baseSequence() < 0 ? who : who + " seq " + batch.baseSequence() + ".." + batch.lastSequence();
    }

    private void notes(final RecordBatchFlyweight batch, final String controlType) {
        line.append("  ");
        if (!walk.isCrcValid()) {
            line.append("CRC WRONG ");
        }
        if (batch.magic() != 2) {
            line.append("magic ").append(batch.magic()).append(' ');
        }
        if (batch.isControl()) {
            line.append("control ").append(controlType).append(' ');
        } else if (batch.isTransactional()) {
            line.append("transactional ");
        }
        if ("LogAppendTime".equals(batch.timestampType().kafkaName())) {
            line.append("append-time ");
        }
        if (batch.hasDeleteHorizon()) {
            line.append("delete-horizon ").append(Text.time(batch.deleteHorizonMs()));
        }
    }

    private void record(final RecordFlyweight record) throws IOException {
        line.setLength(0);
        line.append("      | ")
                .append(record.offset())
                .append("  ")
                .append(Text.time(record.timestamp()))
                .append("  key ");
        bytes(record, record.keyIndex(), record.keyLength());
        line.append("  value ");
        bytes(record, record.valueIndex(), record.valueLength());
        if (record.headerCount() > 0) {
            line.append("  headers");
            while (record.nextHeader()) {
                line.append(' ');
                bytes(record, record.headerNameIndex(), record.headerNameLength());
                line.append('=');
                bytes(record, record.headerValueIndex(), record.headerValueLength());
            }
        }
        out.line(line);
    }

    private void bytes(final RecordFlyweight record, final int index, final int length) {
        line.append(length < 0 ? "null" : Text.bytes(record.buffer(), index, length));
    }

    private void right(final String text, final int width) {
        line.append(" ".repeat(Math.max(0, width - text.length()))).append(text);
    }

    private void left(final String text, final int width) {
        line.append("  ").append(text).append(" ".repeat(Math.max(0, width - text.length())));
    }
}
