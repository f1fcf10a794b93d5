package io.cordwood.log.record;

import static java.nio.ByteOrder.BIG_ENDIAN;
import static java.nio.charset.StandardCharsets.UTF_8;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.cordwood.log.codec.CodecBuffer;
import io.cordwood.log.codec.CodecException;
import io.cordwood.log.codec.Codecs;
import io.cordwood.log.codec.CompressionType;
import java.nio.ByteBuffer;
import java.util.Random;
import org.agrona.ExpandableArrayBuffer;
import org.agrona.concurrent.UnsafeBuffer;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.EnumSource;

class RecordReaderTest {
    private static final int BOUND = 1 << 20;

    private final RecordReader reader = new RecordReader(Codecs.standard(), BOUND);
    private final RecordBatchFlyweight batch = new RecordBatchFlyweight();
    private final BatchBuilder builder = new BatchBuilder(Codecs.standard());
    private final UnsafeBuffer buffer = new UnsafeBuffer(new byte[BOUND]);

    private RecordReader read(final UnsafeBuffer bytes) {
        return reader.wrap(batch.wrap(bytes, 0));
    }

    private static @Nullable String key(final RecordFlyweight record) {
        return text(record, record.keyIndex(), record.keyLength());
    }

    private static @Nullable String value(final RecordFlyweight record) {
        return text(record, record.valueIndex(), record.valueLength());
    }

    private static @Nullable String text(final RecordFlyweight record, final int index, final int length) {
        return length < 0 ? null : new String(Batches.bytes(record.buffer(), index, length), UTF_8);
    }

    @Test
    void b84NullIsNotEmpty() {
        builder.wrap(buffer, 0, BOUND);
        final byte[] k = {'k'};
        final byte[] v = {'v'};
        assertTrue(Batches.append(builder, 1, k, null, null));
        assertTrue(Batches.append(builder, 1, null, v, null));
        assertTrue(Batches.append(builder, 1, new byte[0], new byte[0], null));
        assertTrue(Batches.append(builder, 1, null, null, new RecordHeaders().add("h", null)));
        builder.finish();
        final RecordFlyweight record = read(buffer).record();
        final String[][] expected = {{"k", null}, {null, "v"}, {"", ""}, {null, null}};
        for (final String[] fields : expected) {
            assertTrue(reader.next());
            assertEquals(fields[0], key(record));
            assertEquals(fields[1], value(record));
            assertEquals(fields[0] != null, record.hasKey());
            assertEquals(fields[1] != null, record.hasValue());
        }
        assertTrue(record.nextHeader());
        assertEquals(-1, record.headerValueLength());
        assertFalse(record.nextHeader());
        assertFalse(reader.next());
    }

    @ParameterizedTest
    @CsvSource({"0,100,0", "115,120,2", "140,140,4"})
    void b31ARecordInsideABatchIsFoundByItsTimestamp(final long wanted, final long found, final int offset) {
        builder.wrap(buffer, 0, BOUND).compression(CompressionType.LZ4, CompressionType.DEFAULT_LEVEL);
        for (int i = 0; i < 5; i++) {
            assertTrue(Batches.append(builder, 100 + 10 * i, null, new byte[1], null));
        }
        builder.finish();
        read(buffer);
        final RecordFlyweight record = reader.record();
        do {
            assertTrue(reader.next());
        } while (record.timestamp() < wanted);
        assertEquals(found, record.timestamp());
        assertEquals(offset, record.offset());
    }

    @Test
    void sequencesWrap() {
        builder.wrap(buffer, 0, BOUND).producer(1, (short) 0, Integer.MAX_VALUE - 1);
        for (int i = 0; i < 3; i++) {
            assertTrue(Batches.append(builder, 1, null, null, null));
        }
        builder.finish();
        read(buffer);
        assertEquals(0, batch.lastSequence());
        for (final int expected : new int[] {Integer.MAX_VALUE - 1, Integer.MAX_VALUE, 0}) {
            assertTrue(reader.next());
            assertEquals(expected, reader.record().sequence());
        }
    }

    @Test
    void offsetsThatFallOrLeaveTheBatch() {
        final byte[] twice = Batches.record(6, 0, 0, 0, -1, -1, 0, 6, 0, 0, 0, -1, -1, 0);
        read(Batches.raw(2, twice));
        assertTrue(reader.next());
        final CorruptRecordException fallen = assertThrows(CorruptRecordException.class, reader::next);
        assertEquals("record 1: offset 0, must be more than 0 (byte 7 of the records)", fallen.getMessage());
        assertEquals(1, fallen.recordNumber());
        assertEquals(7, fallen.byteIndex());
        read(Batches.raw(1, Batches.record(6, 0, 0, 1, -1, -1, 0)));
        final CorruptRecordException behind = assertThrows(CorruptRecordException.class, reader::next);
        assertEquals("record 0: offset 1, must be at most 0 (byte 0 of the records)", behind.getMessage());
    }

    @Test
    void bytesAfterTheLastRecord() {
        read(Batches.raw(1, Batches.record(6, 0, 0, 0, -1, -1, 0, 0)));
        assertTrue(reader.next());
        assertThrows(CorruptRecordException.class, reader::next);
    }

    @Test
    void aCountThatTheBytesCannotHoldAllocatesNothing() {
        final UnsafeBuffer bytes = Batches.raw(Integer.MAX_VALUE, Batches.record(6, 0, 0, 0, -1, -1, 0));
        final CorruptRecordException refused = assertThrows(CorruptRecordException.class, () -> read(bytes));
        assertEquals("record count 2147483647, must be 0 to 1 (byte 57 of the batch)", refused.getMessage());
    }

    @Test
    void b23ABombIsRefusedWithinTheBound() {
        final UnsafeBuffer bomb = Batches.of(CompressionType.ZSTD, 10, 100_000);
        final RecordReader small = new RecordReader(Codecs.standard(), 10_000);
        final CodecException refused = assertThrows(CodecException.class, () -> small.wrap(batch.wrap(bomb, 0)));
        assertEquals(CodecException.Kind.TOO_LARGE, refused.kind());
    }

    @ParameterizedTest
    @EnumSource
    void whateverIsDamagedIsReadOrRefused(final CompressionType type) {
        final long seed = 20_261_130L;
        final Random random = new Random(seed);
        for (int round = 0; round < 3_000; round++) {
            final UnsafeBuffer bytes = Batches.of(type, 1 + random.nextInt(4), random.nextInt(50));
            for (int hits = 1 + random.nextInt(3); hits > 0; hits--) {
                bytes.putByte(random.nextInt(bytes.capacity()), (byte) random.nextInt());
            }
            readOrRefuse(bytes, "seed " + seed + " round " + round);
        }
    }

    @ParameterizedTest
    @CsvSource({"0,GZIP", "1,GZIP", "0,SNAPPY", "1,LZ4", "0,NONE", "1,NONE"})
    void whateverIsDamagedIsReadOrRefusedInOldFormatsToo(final int magic, final CompressionType type) {
        final long seed = 20_261_130L;
        final Random random = new Random(seed);
        for (int round = 0; round < 3_000; round++) {
            final UnsafeBuffer bytes = wrapper(magic, type, 40, 0, 1, 2);
            for (int hits = 1 + random.nextInt(3); hits > 0; hits--) {
                bytes.putByte(random.nextInt(bytes.capacity()), (byte) random.nextInt());
            }
            readOrRefuse(bytes, "seed " + seed + " round " + round);
        }
    }

    @ParameterizedTest
    @EnumSource
    void whatIsReadDoesNotDependOnWhatLiesAroundTheBatch(final CompressionType type) {
        final long seed = 20_261_201L;
        final Random random = new Random(seed);
        for (int round = 0; round < 2_000; round++) {
            final UnsafeBuffer alone = Batches.of(type, 1 + random.nextInt(4), random.nextInt(50));
            for (int hits = random.nextInt(3); hits > 0; hits--) {
                // Not the length, which may be right beside others only.
                alone.putByte(12 + random.nextInt(alone.capacity() - 12), (byte) random.nextInt());
            }
            final int before = random.nextInt(100);
            final UnsafeBuffer among =
                    new UnsafeBuffer(ByteBuffer.allocateDirect(before + alone.capacity() + random.nextInt(3)));
            among.setMemory(0, among.capacity(), (byte) random.nextInt());
            among.putBytes(before, alone, 0, alone.capacity());
            final String where = "seed " + seed + " round " + round;
            assertEquals(transcript(alone, 0), transcript(among, before), where);
        }
    }

    private String transcript(final UnsafeBuffer bytes, final int index) {
        final StringBuilder seen = new StringBuilder();
        try {
            reader.wrap(batch.wrap(bytes, index));
            final RecordFlyweight record = reader.record();
            while (reader.next()) {
                seen.append(record.offset())
                        .append(' ')
                        .append(record.timestamp())
                        .append(' ');
                seen.append(key(record)).append('=').append(value(record));
                while (record.nextHeader()) {
                    seen.append(' ').append(text(record, record.headerNameIndex(), record.headerNameLength()));
                    seen.append(':').append(text(record, record.headerValueIndex(), record.headerValueLength()));
                }
                seen.append('\n');
            }
        } catch (final CorruptRecordException | CodecException refused) {
            seen.append(refused.getMessage());
        }
        return seen.toString();
    }

    private void readOrRefuse(final UnsafeBuffer bytes, final String where) {
        try {
            read(bytes);
            for (int records = 0; reader.next(); records++) {
                assertTrue(records < bytes.capacity(), where);
                final RecordFlyweight record = reader.record();
                record.buffer().boundsCheck(record.index(), record.sizeInBytes());
                key(record);
                value(record);
                while (record.nextHeader()) {
                    text(record, record.headerNameIndex(), record.headerNameLength());
                    text(record, record.headerValueIndex(), record.headerValueLength());
                }
            }
        } catch (final CorruptRecordException | CodecException refused) {
            assertFalse(String.valueOf(refused.getMessage()).isEmpty(), where);
        }
    }

    @Test
    void innerOffsetsOfMagic1CountBackwardsFromTheWrappers() {
        read(wrapper(1, CompressionType.GZIP, 107, 0, 3, 7));
        assertEquals(100, reader.firstOffset());
        for (final long expected : new long[] {100, 103, 107}) {
            assertTrue(reader.next());
            assertEquals(expected, reader.record().offset());
            assertEquals(1000, reader.record().timestamp());
        }
        assertFalse(reader.next());
    }

    @Test
    void innerOffsetsOfMagic0AreAbsolute() {
        read(wrapper(0, CompressionType.GZIP, 107, 100, 107));
        assertEquals(100, reader.firstOffset());
        assertTrue(reader.next());
        assertEquals(100, reader.record().offset());
        assertEquals(-1, reader.record().timestamp());
    }

    @Test
    void theWrappersAppendTimeIsEveryRecords() {
        final UnsafeBuffer wrapper = wrapper(1, CompressionType.GZIP, 1, 0, 1);
        wrapper.putByte(LegacyDescriptor.ATTRIBUTES_OFFSET, (byte) (1 | RecordBatchDescriptor.APPEND_TIME_MASK));
        wrapper.putLong(LegacyDescriptor.TIMESTAMP_OFFSET, 5000, BIG_ENDIAN);
        read(wrapper);
        assertTrue(reader.next());
        assertEquals(5000, reader.record().timestamp());
    }

    @Test
    void wrappersThatCannotBe() {
        refused("value length of a wrapper -1, must be at least 0", LegacyEncoder.message(1, 1, 5, 0, null, null));
        refused("codec of a wrapper 4, must be at most 3", LegacyEncoder.message(1, 4, 5, 0, null, new byte[30]));
        refused("inner messages 0, must be at least 1", wrapper(1, CompressionType.GZIP, 5));
        refused("last inner offset 7, must be at most the wrapper's, 6", wrapper(1, CompressionType.GZIP, 6, 7));
        refused("record 1: inner offset 3, must be more than 3", wrapper(1, CompressionType.GZIP, 6, 3, 3));
        final UnsafeBuffer nested = wrapper(1, CompressionType.GZIP, 6, 0);
        refused(
                "record 0: codec of an inner message 1, must be 0",
                compressed(1, CompressionType.GZIP, 6, Batches.bytes(nested, 0, nested.capacity())));
    }

    private void refused(final String reason, final UnsafeBuffer bytes) {
        final CorruptRecordException refused = assertThrows(CorruptRecordException.class, () -> read(bytes));
        assertTrue(String.valueOf(refused.getMessage()).startsWith(reason), refused::getMessage);
    }

    private static UnsafeBuffer wrapper(
            final int magic, final CompressionType type, final long offset, final long... innerOffsets) {
        if (type == CompressionType.NONE) {
            return LegacyEncoder.message(magic, 0, offset, 1000, new byte[3], new byte[20]);
        }
        final ExpandableArrayBuffer inner = new ExpandableArrayBuffer();
        int at = 0;
        for (final long innerOffset : innerOffsets) {
            final UnsafeBuffer message =
                    LegacyEncoder.message(magic, 0, innerOffset, 1000, new byte[] {'k'}, new byte[20]);
            inner.putBytes(at, message, 0, message.capacity());
            at += message.capacity();
        }
        return compressed(magic, type, offset, Batches.bytes(inner, 0, at));
    }

    private static UnsafeBuffer compressed(
            final int magic, final CompressionType type, final long offset, final byte[] inner) {
        final CodecBuffer target = new CodecBuffer(BOUND);
        Codecs.standard()
                .of(type)
                .compress(new UnsafeBuffer(inner), 0, inner.length, CompressionType.DEFAULT_LEVEL, target);
        return LegacyEncoder.message(
                magic, type.id(), offset, 1000, null, Batches.bytes(target.buffer(), 0, target.length()));
    }

    @Test
    void aClosedReaderShowsNothingAndCanBeUsedAgain() {
        final UnsafeBuffer bytes = Batches.of(CompressionType.ZSTD, 2, 10);
        read(bytes);
        reader.close();
        assertFalse(reader.next());
        read(bytes);
        assertTrue(reader.next());
    }
}
