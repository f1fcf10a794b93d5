package io.cordwood.inspector;

import com.fasterxml.jackson.core.JsonGenerator;
import io.cordwood.log.codec.Codec;
import io.cordwood.log.codec.Codecs;
import io.cordwood.log.record.ControlRecordType;
import io.cordwood.log.record.RecordBatchFlyweight;
import io.cordwood.log.record.RecordFlyweight;
import java.io.IOException;
import org.agrona.DirectBuffer;

/** Writes batches and their records as JSON. */
final class JsonBatch {
    /** Keys and values above are told by length and hash. */
    private static final int SHOWN_BYTES_MAX = 512;

    private static final int MAGIC_V2 = 2;

    private final JsonGenerator json;
    private final SegmentWalk walk;
    private byte[] copy = new byte[SHOWN_BYTES_MAX];

    JsonBatch(final JsonGenerator json, final SegmentWalk walk) {
        this.json = json;
        this.walk = walk;
    }

    void write(final RecordBatchFlyweight batch) throws IOException {
        json.writeRaw('\n');
        json.writeStartObject();
        header(batch);
        json.writeArrayFieldStart("records");
        int count = 0;
        while (walk.nextRecord()) {
            record(batch, walk.record());
            count++;
        }
        json.writeEndArray();
        if (batch.magic() < MAGIC_V2) {
            json.writeNumberField("recordCount", count);
        }
        if (!walk.flaw().isEmpty()) {
            json.writeStringField("error", walk.flaw());
        }
        json.writeEndObject();
    }

    private void header(final RecordBatchFlyweight batch) throws IOException {
        json.writeNumberField("position", walk.position());
        json.writeNumberField("sizeInBytes", walk.batchBytes());
        json.writeNumberField("baseOffset", walk.firstOffset());
        json.writeNumberField("lastOffset", batch.lastOffset());
        json.writeNumberField("magic", batch.magic());
        json.writeNumberField("partitionLeaderEpoch", batch.partitionLeaderEpoch());
        json.writeStringField("compression", codecName(batch));
        json.writeStringField("timestampType", batch.timestampType().kafkaName());
        json.writeNumberField("producerId", batch.producerId());
        json.writeNumberField("producerEpoch", batch.producerEpoch());
        json.writeNumberField("baseSequence", batch.baseSequence());
        json.writeNumberField("lastSequence", batch.lastSequence());
        json.writeBooleanField("isTransactional", batch.isTransactional());
        json.writeBooleanField("isControl", batch.isControl());
        if (batch.hasDeleteHorizon()) {
            json.writeNumberField("deleteHorizonMs", batch.deleteHorizonMs());
        } else {
            json.writeNullField("deleteHorizonMs");
        }
        json.writeNumberField("crc", batch.crc());
        json.writeNumberField("maxTimestamp", batch.maxTimestamp());
        if (batch.magic() < MAGIC_V2) {
            json.writeNullField("count");
        } else {
            json.writeNumberField("baseTimestamp", batch.baseTimestamp());
            json.writeNumberField("count", batch.recordCount());
        }
        json.writeBooleanField("isValid", walk.isCrcValid());
    }

    static String codecName(final RecordBatchFlyweight batch) {
        final Codec codec = Codecs.standard().forId(batch.codecId());
        return codec == null ? "unknown-" + batch.codecId() : codec.codecName();
    }

    private void record(final RecordBatchFlyweight batch, final RecordFlyweight record) throws IOException {
        json.writeStartObject();
        json.writeNumberField("offset", record.offset());
        json.writeNumberField("timestamp", record.timestamp());
        if (record.sequence() >= 0) {
            json.writeNumberField("sequence", record.sequence());
        }
        final DirectBuffer buffer = record.buffer();
        bytes("key", "keyLength", "keySha256", buffer, record.keyIndex(), record.keyLength());
        bytes("value", "valueLength", "valueSha256", buffer, record.valueIndex(), record.valueLength());
        if (record.headerCount() > 0) {
            headers(record);
        }
        if (batch.isControl()) {
            control();
        }
        json.writeEndObject();
    }

    private void headers(final RecordFlyweight record) throws IOException {
        json.writeArrayFieldStart("headers");
        while (record.nextHeader()) {
            json.writeStartArray();
            json.writeString(
                    record.buffer().getStringWithoutLengthUtf8(record.headerNameIndex(), record.headerNameLength()));
            value(record.buffer(), record.headerValueIndex(), record.headerValueLength());
            json.writeEndArray();
        }
        json.writeEndArray();
    }

    private void control() throws IOException {
        final boolean isReadable = walk.readControl();
        final ControlRecordType type = isReadable ? walk.control().type() : ControlRecordType.UNKNOWN;
        json.writeStringField("controlType", type.name());
        json.writeNumberField("controlTypeId", type.id());
        if (isReadable && walk.control().isEndOfTransaction()) {
            json.writeNumberField("coordinatorEpoch", walk.control().coordinatorEpoch());
        } else if (type == ControlRecordType.LEADER_CHANGE) {
            json.writeNumberField("leaderId", walk.control().leaderId());
        }
    }

    private void bytes(
            final String field,
            final String lengthField,
            final String hashField,
            final DirectBuffer buffer,
            final int index,
            final int length)
            throws IOException {
        if (length > SHOWN_BYTES_MAX) {
            json.writeNumberField(lengthField, length);
            json.writeStringField(hashField, Sha256.ofBytes(buffer, index, length));
        } else {
            json.writeFieldName(field);
            value(buffer, index, length);
        }
    }

    private void value(final DirectBuffer buffer, final int index, final int length) throws IOException {
        if (length < 0) {
            json.writeNull();
            return;
        }
        if (copy.length < length) {
            copy = new byte[length];
        }
        buffer.getBytes(index, copy, 0, length);
        json.writeBinary(copy, 0, length);
    }
}
