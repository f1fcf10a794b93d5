package io.cordwood.inspector;

import com.fasterxml.jackson.core.JsonFactory;
import com.fasterxml.jackson.core.JsonGenerator;
import io.cordwood.log.LeaderEpoch;
import io.cordwood.log.RecoveryReport;
import java.io.IOException;
import java.io.OutputStream;
import java.util.Locale;

/** Writes a recovery as one JSON object. Epochs are pairs of epoch and start offset, segments of base offset and size. */
final class JsonRecovery implements RecoveryWriter {
    private final OutputStream out;
    private final String label;
    private final boolean isDryRun;

    JsonRecovery(final OutputStream out, final String label, final boolean isDryRun) {
        this.out = out;
        this.label = label;
        this.isDryRun = isDryRun;
    }

    private JsonGenerator begin(final String outcome) throws IOException {
        final JsonGenerator json = new JsonFactory().createGenerator(out);
        json.disable(JsonGenerator.Feature.AUTO_CLOSE_TARGET);
        json.writeStartObject();
        json.writeStringField("path", label);
        json.writeBooleanField("dryRun", isDryRun);
        json.writeStringField("outcome", outcome);
        return json;
    }

    private static void end(final JsonGenerator json) throws IOException {
        json.writeEndObject();
        json.writeRaw('\n');
        json.close();
    }

    @Override
    public void failed(final RuntimeException failure) throws IOException {
        final JsonGenerator json = begin("failed");
        json.writeStringField("error", failure.toString());
        if (failure.getCause() != null) {
            json.writeStringField("cause", failure.getCause().toString());
        }
        end(json);
    }

    @Override
    public void recovered(final Recovered recovered) throws IOException {
        final JsonGenerator json = begin("loaded");
        final Recovered.Found found = recovered.found();
        json.writeBooleanField("hadCleanShutdown", found.wasClean());
        if (found.recoveryPoint() != Long.MAX_VALUE) {
            json.writeNumberField("recoveryPointGiven", found.recoveryPoint());
        }
        json.writeNumberField("logStartOffsetGiven", found.startOffset());
        json.writeNumberField("logStartOffset", recovered.report().startOffset());
        json.writeNumberField("logEndOffset", recovered.report().endOffset());
        json.writeNumberField("recoveryPoint", recovered.recoveryPoint());
        json.writeArrayFieldStart("leaderEpochs");
        for (final LeaderEpoch epoch : recovered.leaderEpochs()) {
            pair(json, epoch.epoch(), epoch.startOffset());
        }
        json.writeEndArray();
        json.writeArrayFieldStart("segments");
        for (final long base : recovered.bases()) {
            pair(json, base, recovered.bytes(base));
        }
        json.writeEndArray();
        json.writeNumberField("scannedBytes", recovered.report().scannedBytes());
        json.writeArrayFieldStart("findings");
        for (final String finding : found.findings()) {
            json.writeString(finding);
        }
        json.writeEndArray();
        json.writeBooleanField("isLossless", recovered.isLossless());
        json.writeArrayFieldStart("acts");
        for (final RecoveryReport.Entry entry : recovered.report().entries()) {
            act(json, recovered, entry);
        }
        json.writeEndArray();
        end(json);
    }

    private static void pair(final JsonGenerator json, final long first, final long second) throws IOException {
        json.writeStartArray();
        json.writeNumber(first);
        json.writeNumber(second);
        json.writeEndArray();
    }

    private static void act(final JsonGenerator json, final Recovered recovered, final RecoveryReport.Entry entry)
            throws IOException {
        json.writeRaw('\n');
        json.writeStartObject();
        json.writeStringField(
                "kind", entry.kind().name().toLowerCase(Locale.ROOT).replace('_', '-'));
        json.writeStringField("file", Recovered.fileName(entry));
        json.writeNumberField("position", entry.position());
        if (entry.offset() >= 0) {
            json.writeNumberField("offset", entry.offset());
        }
        if (recovered.bytesGone(entry) > 0) {
            json.writeNumberField("bytesGone", recovered.bytesGone(entry));
        }
        json.writeBooleanField("isLoss", Recovered.isLoss(entry));
        json.writeStringField("reason", entry.reason());
        json.writeEndObject();
    }
}
