package io.cordwood.log.record;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.cordwood.log.codec.Codecs;
import io.cordwood.log.codec.CompressionType;
import java.io.IOException;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.Base64;
import java.util.HexFormat;
import java.util.Objects;
import org.agrona.DirectBuffer;
import org.agrona.concurrent.UnsafeBuffer;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Every batch and record that Kafka wrote into the corpus, field by field. */
class RecordCorpusTest {
    private static final ObjectMapper JSON = new ObjectMapper();
    private static final int LONGEST_SHOWN = 512;

    private final BatchValidator validator = new BatchValidator(Codecs.standard());
    private final RecordBatchFlyweight batch = new RecordBatchFlyweight();
    private final RecordReader reader = new RecordReader(Codecs.standard(), 1 << 24);
    private final ControlRecord control = new ControlRecord();
    private final Crc32c crc = new Crc32c();

    @ParameterizedTest
    @CsvSource({
        "01-plain,304,609",
        "02-codecs,180,1106",
        "03-txn,658,803",
        "04-compaction,1259,1293",
        "05-groups,53,138",
        "06-cluster,2242,3405",
        "07-crash,3042,5108",
        "08-old-formats,156,307",
        "10-kcat,247,4123"
    })
    void everyFieldIsWhatKafkaReads(final String name, final int batches, final int records) throws IOException {
        int seenBatches = 0;
        int seenRecords = 0;
        for (final JsonNode partition : Corpus.truth(name).get("partitions")) {
            final String path = partition.get("path").asText();
            for (final JsonNode segment : partition.get("segments")) {
                final String file = segment.get("log").asText();
                final UnsafeBuffer bytes = Corpus.bytes(name, path, file);
                int position = 0;
                for (final JsonNode expected : segment.get("batches")) {
                    final String where = name + "/" + path + "/" + file + " at " + position;
                    final long size = validator.header(bytes, position, bytes.capacity() - position);
                    assertTrue(size > 0, () -> where + ": " + validator.reason());
                    assertEquals(expected, JSON.readTree(shown(bytes, position).toString()), where);
                    seenBatches++;
                    seenRecords += expected.get("records").size();
                    position += (int) size;
                }
                assertEquals(segment.get("parsedBytes").asInt(), position, file);
            }
        }
        assertEquals(batches, seenBatches);
        assertEquals(records, seenRecords);
    }

    private ObjectNode shown(final DirectBuffer bytes, final int position) {
        batch.wrap(bytes, position);
        reader.wrap(batch);
        final boolean isLegacy = batch.magic() < RecordBatchDescriptor.MAGIC_V2;
        final ObjectNode shown = JSON.createObjectNode();
        shown.put("position", position);
        shown.put("sizeInBytes", batch.sizeInBytes());
        shown.put("baseOffset", reader.firstOffset());
        shown.put("lastOffset", batch.lastOffset());
        shown.put("magic", batch.magic());
        shown.put("partitionLeaderEpoch", batch.partitionLeaderEpoch());
        shown.put(
                "compression",
                Objects.requireNonNull(CompressionType.forId(batch.codecId())).codecName());
        shown.put("timestampType", batch.timestampType().kafkaName());
        shown.put("producerId", batch.producerId());
        shown.put("producerEpoch", batch.producerEpoch());
        shown.put("baseSequence", batch.baseSequence());
        shown.put("lastSequence", batch.lastSequence());
        shown.put("isTransactional", batch.isTransactional());
        shown.put("isControl", batch.isControl());
        shown.put("deleteHorizonMs", batch.hasDeleteHorizon() ? batch.deleteHorizonMs() : null);
        shown.put("crc", batch.crc());
        shown.put("maxTimestamp", batch.maxTimestamp());
        if (!isLegacy) {
            shown.put("baseTimestamp", batch.baseTimestamp());
        }
        shown.put("count", isLegacy ? null : batch.recordCount());
        shown.put("isValid", batch.isCrcValid(crc));
        final ArrayNode records = shown.putArray("records");
        while (reader.next()) {
            records.add(shown(reader.record()));
        }
        if (isLegacy) {
            shown.put("recordCount", records.size());
        }
        return shown;
    }

    private ObjectNode shown(final RecordFlyweight record) {
        final ObjectNode shown = JSON.createObjectNode();
        final DirectBuffer bytes = record.buffer();
        shown.put("offset", record.offset());
        shown.put("timestamp", record.timestamp());
        if (record.sequence() != RecordBatchDescriptor.NO_SEQUENCE) {
            shown.put("sequence", record.sequence());
        }
        show(shown, "key", bytes, record.keyIndex(), record.keyLength());
        show(shown, "value", bytes, record.valueIndex(), record.valueLength());
        if (record.headerCount() != 0) {
            final ArrayNode headers = shown.putArray("headers");
            while (record.nextHeader()) {
                final ArrayNode header = headers.addArray();
                header.add(new String(copy(bytes, record.headerNameIndex(), record.headerNameLength()), UTF_8));
                header.add(base64(bytes, record.headerValueIndex(), record.headerValueLength()));
            }
        }
        if (batch.isControl()) {
            control.wrap(record);
            shown.put("controlType", control.type().name());
            shown.put("controlTypeId", control.typeId());
            if (control.isEndOfTransaction()) {
                shown.put("coordinatorEpoch", control.coordinatorEpoch());
            } else if (control.type() == ControlRecordType.LEADER_CHANGE) {
                shown.put("leaderId", control.leaderId());
            }
        }
        return shown;
    }

    private static void show(
            final ObjectNode shown, final String name, final DirectBuffer bytes, final int index, final int length) {
        if (length <= LONGEST_SHOWN) {
            shown.put(name, base64(bytes, index, length));
        } else {
            shown.put(name + "Length", length);
            shown.put(name + "Sha256", sha256(copy(bytes, index, length)));
        }
    }

    private static @Nullable String base64(final DirectBuffer bytes, final int index, final int length) {
        return length < 0 ? null : Base64.getEncoder().encodeToString(copy(bytes, index, length));
    }

    private static byte[] copy(final DirectBuffer bytes, final int index, final int length) {
        final byte[] copy = new byte[length];
        bytes.getBytes(index, copy);
        return copy;
    }

    private static String sha256(final byte[] bytes) {
        try {
            return HexFormat.of().formatHex(MessageDigest.getInstance("SHA-256").digest(bytes));
        } catch (final NoSuchAlgorithmException e) {
            throw new AssertionError(e);
        }
    }
}
