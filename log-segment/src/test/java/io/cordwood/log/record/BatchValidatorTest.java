package io.cordwood.log.record;

import static io.cordwood.log.record.RecordBatchDescriptor.*;
import static java.nio.ByteOrder.BIG_ENDIAN;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.cordwood.log.codec.Codecs;
import io.cordwood.log.codec.CompressionType;
import java.util.Arrays;
import org.agrona.concurrent.UnsafeBuffer;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.ValueSource;

class BatchValidatorTest {
    private static final ValidationRules RULES = ValidationRules.DEFAULTS;

    private final BatchValidator validator = new BatchValidator(Codecs.standard());
    private final RecordBatchFlyweight batch = new RecordBatchFlyweight();
    private final UnsafeBuffer sound = Batches.of(CompressionType.NONE, 3, 10);

    private long header(final UnsafeBuffer bytes) {
        return validator.header(bytes, 0, bytes.capacity());
    }

    private long records(final UnsafeBuffer bytes, final ValidationRules rules) {
        assertEquals(bytes.capacity(), header(bytes), validator::reason);
        return validator.records(batch.wrap(bytes, 0), rules, Batches.NOW_MS);
    }

    private void refuses(final long refusal, final String reason, final UnsafeBuffer bytes) {
        refuses(refusal, reason, bytes, RULES);
    }

    private void refuses(
            final long refusal, final String reason, final UnsafeBuffer bytes, final ValidationRules rules) {
        final long answer = records(bytes, rules);
        assertEquals(Refusal.name(refusal), Refusal.name(answer));
        assertEquals(reason, validator.reason());
    }

    private UnsafeBuffer with(final int field, final int value) {
        sound.putInt(field, value, BIG_ENDIAN);
        return Batches.seal(sound);
    }

    private UnsafeBuffer withAttributes(final int attributes) {
        sound.putShort(ATTRIBUTES_OFFSET, (short) attributes, BIG_ENDIAN);
        return Batches.seal(sound);
    }

    @ParameterizedTest
    @EnumSource
    void aSoundBatchIsAccepted(final CompressionType type) {
        assertEquals(Refusal.ACCEPTED, records(Batches.of(type, 16, 1024), RULES));
        assertEquals(Batches.NOW_MS + 15, validator.maxTimestamp());
        assertEquals(15, validator.maxTimestampOffsetDelta());
        assertTrue(validator.isMaxTimestampStored());
    }

    @ParameterizedTest
    @ValueSource(ints = {Integer.MIN_VALUE, -1, 0, 48, 150, Integer.MAX_VALUE - 11, Integer.MAX_VALUE})
    void aLengthThatCannotBe(final int length) {
        sound.putInt(LENGTH_OFFSET, length, BIG_ENDIAN);
        assertEquals(Refusal.CORRUPT_BATCH, header(sound));
        assertTrue(validator.reason().startsWith("batch length " + length + ", must be at "), validator::reason);
    }

    @Test
    void everyCutIsRefused() {
        for (int available = 0; available < sound.capacity(); available++) {
            final UnsafeBuffer cut = Batches.cut(sound, available);
            assertEquals(Refusal.CORRUPT_BATCH, header(cut), "" + available);
        }
    }

    @ParameterizedTest
    @ValueSource(bytes = {-128, -1, 3, 127})
    void anUnknownMagic(final byte magic) {
        sound.putByte(MAGIC_OFFSET, magic);
        assertEquals(Refusal.UNSUPPORTED_MAGIC, header(sound));
        assertEquals("magic " + magic + ", must be 0 to 2 (byte 16 of the batch)", validator.reason());
    }

    @Test
    void onlyWhatLiesOutsideTheCrcMayFlip() {
        for (int bit = 0; bit < sound.capacity() * Byte.SIZE; bit++) {
            final int at = bit / Byte.SIZE;
            final byte flipped = (byte) (sound.getByte(at) ^ (1 << (bit % Byte.SIZE)));
            final UnsafeBuffer copy = Batches.cut(sound, sound.capacity());
            copy.putByte(at, flipped);
            final boolean isOutside = at < LENGTH_OFFSET || (at >= PARTITION_LEADER_EPOCH_OFFSET && at < MAGIC_OFFSET);
            assertEquals(isOutside, header(copy) == sound.capacity(), "bit " + bit);
        }
    }

    @Test
    void theCrcIsNamedWithBothValues() {
        batch.wrap(sound, 0);
        final long right = batch.crc();
        sound.putInt(CRC_OFFSET, 7, BIG_ENDIAN);
        assertEquals(Refusal.CORRUPT_BATCH, header(sound));
        assertEquals("CRC 7, must be " + right + " (byte 17 of the batch)", validator.reason());
        assertEquals(sound.capacity(), validator.structure(sound, 0, sound.capacity()));
    }

    @ParameterizedTest
    @ValueSource(ints = {Integer.MIN_VALUE, -1, 4, 1_000_000_000, Integer.MAX_VALUE})
    void aCountThatTheBytesCannotHold(final int count) {
        with(LAST_OFFSET_DELTA_OFFSET, Integer.MAX_VALUE);
        with(RECORD_COUNT_OFFSET, count == 4 ? 100 : count);
        assertEquals(Refusal.CORRUPT_BATCH, header(sound));
    }

    @Test
    void countsAndOffsetsMustAgree() {
        assertEquals(Refusal.CORRUPT_BATCH, header(with(LAST_OFFSET_DELTA_OFFSET, -1)));
        assertEquals("last offset delta -1, must be at least 0 (byte 23 of the batch)", validator.reason());
        assertEquals(Refusal.CORRUPT_BATCH, header(with(LAST_OFFSET_DELTA_OFFSET, 1)));
        refuses(
                Refusal.INVALID_RECORD,
                "last offset delta 3, must be 2 (byte 23 of the batch)",
                with(LAST_OFFSET_DELTA_OFFSET, 3));
        refuses(
                Refusal.INVALID_RECORD,
                "record count 0, must be at least 1 (byte 57 of the batch)",
                with(RECORD_COUNT_OFFSET, 0));
        with(LAST_OFFSET_DELTA_OFFSET, 1);
        final int left = (sound.capacity() - HEADER_BYTES) / 3;
        refuses(
                Refusal.CORRUPT_BATCH,
                "bytes after the last record " + left + ", must be 0 (byte " + (HEADER_BYTES + 2 * left)
                        + " of the batch)",
                with(RECORD_COUNT_OFFSET, 2));
        with(LAST_OFFSET_DELTA_OFFSET, 3);
        with(RECORD_COUNT_OFFSET, 4);
        assertEquals(Refusal.CORRUPT_BATCH, records(sound, RULES));
        assertEquals(
                "record 3: bytes of an unfinished varint 0, must be at most the bytes left, 0 (byte " + 3 * left
                        + " of the records)",
                validator.reason());
    }

    @Test
    void attributesThatAreNotAClientsToSet() {
        refuses(
                Refusal.INVALID_TIMESTAMP,
                "append time attribute 8, must be 0 (byte 21 of the batch)",
                withAttributes(8));
        refuses(
                Refusal.INVALID_RECORD,
                "control attribute of a client 32, must be 0 (byte 21 of the batch)",
                withAttributes(0x20));
        assertEquals(Refusal.ACCEPTED, records(sound, RULES.forCoordinator()));
        refuses(
                Refusal.INVALID_RECORD,
                "delete horizon attribute 64, must be 0 (byte 21 of the batch)",
                withAttributes(0x40));
        refuses(
                Refusal.INVALID_RECORD,
                "producer id of a transaction -1, must be at least 0 (byte 43 of the batch)",
                withAttributes(0x10));
        assertEquals(Refusal.ACCEPTED, records(withAttributes(0xFF80), RULES));
    }

    @ParameterizedTest
    @ValueSource(ints = {5, 6, 7})
    void anUnknownCodec(final int codecId) {
        refuses(
                Refusal.UNSUPPORTED_CODEC,
                "codec " + codecId + ", must be 0 to 4 (byte 21 of the batch)",
                withAttributes(codecId));
    }

    @ParameterizedTest
    @ValueSource(ints = {1, 2, 3, 4})
    void recordsThatAreNotInTheCodecThatTheySay(final int codecId) {
        assertEquals(Refusal.CORRUPT_BATCH, records(withAttributes(codecId), RULES));
        assertTrue(validator.reason().startsWith("corrupt "), validator::reason);
    }

    @Test
    void aProducerIdNeedsEpochAndSequence() {
        sound.putLong(PRODUCER_ID_OFFSET, 5, BIG_ENDIAN);
        refuses(
                Refusal.INVALID_RECORD,
                "producer epoch with a producer id -1, must be at least 0 (byte 51 of the batch)",
                Batches.seal(sound));
        sound.putShort(PRODUCER_EPOCH_OFFSET, (short) 0, BIG_ENDIAN);
        refuses(
                Refusal.INVALID_RECORD,
                "base sequence with a producer id -1, must be at least 0 (byte 53 of the batch)",
                Batches.seal(sound));
        assertEquals(Refusal.ACCEPTED, records(sound, RULES.forCoordinator()));
        assertEquals(Refusal.ACCEPTED, records(with(BASE_SEQUENCE_OFFSET, 0), RULES));
        assertEquals(Refusal.ACCEPTED, records(withAttributes(TRANSACTIONAL_MASK), RULES));
    }

    @Test
    void tooLarge() {
        final int size = sound.capacity();
        final ValidationRules small = rules(TimestampType.CREATE_TIME, false, size - 1, 1 << 20);
        refuses(
                Refusal.BATCH_TOO_LARGE,
                "batch size " + size + ", must be at most " + (size - 1) + " (byte 8 of the batch)",
                sound,
                small);
    }

    @ParameterizedTest
    @EnumSource(names = "NONE", mode = EnumSource.Mode.EXCLUDE)
    void b23ABombIsRefusedWithinTheBound(final CompressionType type) {
        final UnsafeBuffer bomb = Batches.of(type, 10, 100_000);
        final int bound = 10 * 100_000;
        assertEquals(
                Refusal.DECOMPRESSED_TOO_LARGE, records(bomb, rules(TimestampType.CREATE_TIME, false, 1 << 20, bound)));
        assertTrue(validator.reason().endsWith("where the bound is 1000000 bytes"), validator::reason);
        assertEquals(Refusal.ACCEPTED, records(bomb, RULES));
    }

    @Test
    void b23cAnInnerLengthOfOneAndAHalfBillion() {
        final byte[] record = Batches.record(1_500_000_000, 0, 0, 0, -1, -1, 0);
        refuses(
                Refusal.CORRUPT_BATCH,
                "record 0: record length 1500000000, must be at most the bytes left, 6 (byte 0 of the records)",
                Batches.raw(1, record));
        final byte[] key = Batches.record(10, 0, 0, 0, 1_500_000_000, -1, 0);
        refuses(
                Refusal.CORRUPT_BATCH,
                "record 0: key length 1500000000, must be at most the bytes left, 2 (byte 9 of the records)",
                Batches.raw(1, key));
    }

    @ParameterizedTest
    @ValueSource(longs = {-1, 0, 5, 7, Integer.MIN_VALUE})
    void aRecordLengthThatIsNotExact(final long length) {
        assertEquals(
                Refusal.CORRUPT_BATCH, records(Batches.raw(1, Batches.record(length, 0, 0, 0, -1, -1, 0, 0)), RULES));
    }

    @Test
    void lengthsInsideARecord() {
        corruptRecord("key length -2, must be at least -1", 6, 0, 0, 0, -2, -1, 0);
        corruptRecord("key length 3, must be at most the bytes left, 2", 6, 0, 0, 0, 3, -1, 0);
        corruptRecord("value length -2, must be at least -1", 6, 0, 0, 0, -1, -2, 0);
        corruptRecord("value length 2, must be at most the bytes left, 1", 6, 0, 0, 0, -1, 2, 0);
        corruptRecord("header count -1, must be 0 to 0", 6, 0, 0, 0, -1, -1, -1);
        corruptRecord("header count 1, must be 0 to 0", 6, 0, 0, 0, -1, -1, 1);
        corruptRecord("header name length -1, must be at least 0", 8, 0, 0, 0, -1, -1, 1, -1, -1);
        corruptRecord("header name length 2, must be at most the bytes left, 1", 8, 0, 0, 0, -1, -1, 1, 2, -1);
        corruptRecord("header value length -2, must be at least -1", 8, 0, 0, 0, -1, -1, 1, 0, -2);
        corruptRecord("header value length 1, must be at most the bytes left, 0", 8, 0, 0, 0, -1, -1, 1, 0, 1);
        corruptRecord("bytes after the last header 1, must be 0", 7, 0, 0, 0, -1, -1, 0, 0);
    }

    private void corruptRecord(final String reason, final long... fields) {
        assertEquals(Refusal.CORRUPT_BATCH, records(Batches.raw(1, Batches.record(fields)), RULES), reason);
        assertTrue(validator.reason().startsWith("record 0: " + reason), validator::reason);
    }

    @ParameterizedTest
    @ValueSource(ints = {0, 2, 3, 4, 5, 6})
    void aVarintThatDoesNotEnd(final int field) {
        final byte[] record = Batches.record(6, 0, 0, 0, -1, -1, 0);
        final byte[] longer = Arrays.copyOf(record, 40);
        Arrays.fill(longer, field, 40, (byte) 0xFF);
        assertEquals(Refusal.CORRUPT_BATCH, records(Batches.raw(1, longer), RULES));
        assertTrue(validator.reason().contains("unfinished varint"), validator::reason);
    }

    @Test
    void offsetDeltasMustCount() {
        final byte[] one = Batches.record(6, 0, 0, 1, -1, -1, 0);
        refuses(
                Refusal.INVALID_RECORD,
                "record 0: offset delta 1, must be 0 (byte 0 of the records)",
                Batches.raw(1, one));
    }

    @Test
    void compactedTopicsNeedKeys() {
        final ValidationRules compacted = rules(TimestampType.CREATE_TIME, true, 1 << 20, 1 << 20);
        assertEquals(Refusal.ACCEPTED, records(sound, compacted));
        refuses(
                Refusal.INVALID_RECORD,
                "record 0: key length in a compacted topic -1, must be 0 (byte 0 of the records)",
                Batches.raw(1, Batches.record(6, 0, 0, 0, -1, -1, 0)),
                compacted);
    }

    @Test
    void b16TimestampsHaveBounds() {
        assertEquals(Refusal.ACCEPTED, records(timed(Batches.NOW_MS + 1000), bounded(TimestampType.CREATE_TIME)));
        assertEquals(Refusal.ACCEPTED, records(timed(Batches.NOW_MS - 500), bounded(TimestampType.CREATE_TIME)));
        assertEquals(Refusal.ACCEPTED, records(timed(NO_TIMESTAMP), bounded(TimestampType.CREATE_TIME)));
        refuses(
                Refusal.INVALID_TIMESTAMP,
                "record 0: timestamp 1700000001001, must be at most 1700000001000 (byte 0 of the records)",
                timed(Batches.NOW_MS + 1001),
                bounded(TimestampType.CREATE_TIME));
        refuses(
                Refusal.INVALID_TIMESTAMP,
                "record 0: timestamp 1699999999499, must be at least 1699999999500 (byte 0 of the records)",
                timed(Batches.NOW_MS - 501),
                bounded(TimestampType.CREATE_TIME));
        assertEquals(Refusal.ACCEPTED, records(timed(Batches.NOW_MS + 1001), bounded(TimestampType.LOG_APPEND_TIME)));
        assertEquals(Refusal.INVALID_TIMESTAMP, records(timed(Long.MAX_VALUE), RULES));
        assertEquals(Refusal.ACCEPTED, records(timed(-5), RULES));
    }

    @Test
    void aTimestampMustNotOverflow() {
        final UnsafeBuffer bytes = Batches.raw(1, Batches.record(6, 0, 1, 0, -1, -1, 0));
        bytes.putLong(BASE_TIMESTAMP_OFFSET, Long.MAX_VALUE, BIG_ENDIAN);
        assertEquals(Refusal.INVALID_TIMESTAMP, records(Batches.seal(bytes), RULES));
    }

    @Test
    void aWrongMaxTimestampIsReportedNotRefused() {
        sound.putLong(MAX_TIMESTAMP_OFFSET, 9, BIG_ENDIAN);
        assertEquals(Refusal.ACCEPTED, records(Batches.seal(sound), RULES));
        assertFalse(validator.isMaxTimestampStored());
        assertEquals(Batches.NOW_MS + 2, validator.maxTimestamp());
        putMaxTimestamp(sound, 0, validator.maxTimestamp());
        assertEquals(Refusal.ACCEPTED, records(Batches.seal(sound), RULES));
        assertTrue(validator.isMaxTimestampStored());
    }

    @Test
    void legacyBatchesAreNotAClients() {
        final UnsafeBuffer message = LegacyEncoder.message(1, 0, 5, 100, null, new byte[3]);
        assertEquals(message.capacity(), header(message));
        assertEquals(Refusal.UNSUPPORTED_MAGIC, validator.records(batch.wrap(message, 0), RULES, Batches.NOW_MS));
    }

    @Test
    void rulesNameTheFieldThatIsWrong() {
        final IllegalArgumentException refused =
                assertThrows(IllegalArgumentException.class, () -> rules(TimestampType.CREATE_TIME, false, 60, 1));
        assertEquals("maxBatchBytes must be at least 61: 60", refused.getMessage());
    }

    private static UnsafeBuffer timed(final long timestamp) {
        final UnsafeBuffer bytes = Batches.raw(1, Batches.record(6, 0, 0, 0, -1, -1, 0));
        bytes.putLong(BASE_TIMESTAMP_OFFSET, timestamp, BIG_ENDIAN);
        return Batches.seal(bytes);
    }

    private static ValidationRules bounded(final TimestampType type) {
        return new ValidationRules(type, 500, 1000, false, 1 << 20, 1 << 20, false);
    }

    private static ValidationRules rules(
            final TimestampType type, final boolean keys, final int batchBytes, final int decompressed) {
        return new ValidationRules(type, Long.MAX_VALUE, Long.MAX_VALUE, keys, batchBytes, decompressed, false);
    }
}
