package io.cordwood.inspector;

import com.fasterxml.jackson.core.JsonGenerator;
import io.cordwood.log.Fault;
import io.cordwood.log.LogCheck;
import java.io.IOException;
import java.util.Locale;

/** Writes faults as one JSON object. */
final class JsonFaults implements FaultWriter {
    private final JsonGenerator json;
    private long faults;
    private long notChecked;

    JsonFaults(final JsonGenerator json) throws IOException {
        this.json = json;
        json.writeStartObject();
        json.writeArrayFieldStart("partitions");
    }

    @Override
    public void begin(final Place place) throws IOException {
        json.writeRaw('\n');
        json.writeStartObject();
        json.writeStringField("path", place.label());
        json.writeArrayFieldStart("faults");
    }

    @Override
    public void fault(final Place place, final Fault fault) throws IOException {
        json.writeRaw('\n');
        json.writeStartObject();
        json.writeStringField(
                "kind", fault.kind().name().toLowerCase(Locale.ROOT).replace('_', '-'));
        json.writeStringField("file", FaultWriter.filePath(place, fault));
        json.writeNumberField("position", fault.position());
        if (fault.offset() >= 0) {
            json.writeNumberField("offset", fault.offset());
        }
        json.writeStringField("reason", fault.reason());
        json.writeEndObject();
    }

    @Override
    public void end(final LogCheck.Result result) throws IOException {
        faults += result.faults();
        notChecked += result.notChecked();
        json.writeEndArray();
        json.writeNumberField("segments", result.segments());
        json.writeNumberField("bytes", result.bytes());
        json.writeNumberField("batches", result.batches());
        json.writeNumberField("dataRecords", result.dataRecords());
        json.writeNumberField("controlRecords", result.controlRecords());
        json.writeNumberField("unreadBatches", result.unreadBatches());
        json.writeNumberField("notChecked", result.notChecked());
        json.writeNumberField("gaps", result.gaps());
        json.writeNumberField("gapOffsets", result.gapOffsets());
        if (result.batches() > 0) {
            json.writeNumberField("startOffset", result.startOffset());
            json.writeNumberField("endOffset", result.endOffset());
        }
        json.writeEndObject();
    }

    @Override
    public void end() throws IOException {
        json.writeEndArray();
        json.writeNumberField("faults", faults);
        json.writeNumberField("notChecked", notChecked);
        json.writeEndObject();
        json.writeRaw('\n');
        json.flush();
    }

    @Override
    public void close() throws IOException {
        json.close();
    }

    @Override
    public int exitCode() {
        return FaultWriter.exitCode(faults, notChecked);
    }
}
