package io.cordwood.log.record;

import static io.cordwood.log.record.RecordBatchDescriptor.HEADER_BYTES;
import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.cordwood.log.codec.CodecBuffer;
import io.cordwood.log.codec.Codecs;
import io.cordwood.log.codec.CompressionType;
import java.util.Random;
import org.agrona.concurrent.UnsafeBuffer;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

class BatchBuilderTest {
    private static final int CAPACITY = 1000;
    private static final byte GUARD = 77;

    private final BatchBuilder builder = new BatchBuilder(Codecs.standard());
    private final UnsafeBuffer buffer = new UnsafeBuffer(new byte[CAPACITY + 20]);
    private final RecordBatchFlyweight batch = new RecordBatchFlyweight();
    private final RecordReader reader = new RecordReader(Codecs.standard(), 1 << 20);

    private int finishWithin(final int capacity) {
        final int size = builder.finish();
        assertTrue(size <= capacity, size + " of " + capacity);
        assertEquals(GUARD, buffer.getByte(9));
        assertEquals(GUARD, buffer.getByte(10 + capacity));
        assertEquals(size, new BatchValidator(Codecs.standard()).header(buffer, 10, size));
        return size;
    }

    private BatchBuilder begin(final int capacity) {
        buffer.setMemory(0, buffer.capacity(), GUARD);
        return builder.wrap(buffer, 10, capacity);
    }

    /** Random bytes do not become smaller, so the codec's frame alone makes them longer than the region. */
    @ParameterizedTest
    @EnumSource
    void neverWritesOutsideItsRegion(final CompressionType type) {
        final Random random = new Random(20_261_130L);
        for (int capacity = HEADER_BYTES + 20; capacity <= CAPACITY; capacity++) {
            begin(capacity).compression(type, CompressionType.DEFAULT_LEVEL);
            final byte[] value = new byte[10];
            int count = 0;
            do {
                random.nextBytes(value);
            } while (Batches.append(builder, 5, null, value, null) && ++count > 0);
            assertEquals(count, builder.recordCount());
            finishWithin(capacity);
            reader.wrap(batch.wrap(buffer, 10));
            for (int i = 0; i < count; i++) {
                assertTrue(reader.next());
            }
            assertFalse(reader.next());
        }
    }

    @Test
    void whatHasNoRoomLeavesTheBatchAsItWas() {
        begin(HEADER_BYTES + 7);
        assertFalse(Batches.append(builder, 5, null, new byte[1], null));
        assertTrue(Batches.append(builder, 5, null, null, null));
        assertFalse(Batches.append(builder, 5, null, null, null));
        assertEquals(HEADER_BYTES + 7, finishWithin(HEADER_BYTES + 7));
        assertEquals(1, batch.wrap(buffer, 10).recordCount());
    }

    @Test
    void nothingOutsideABufferIsReadOrWritten() {
        final UnsafeBuffer value = new UnsafeBuffer(new byte[40], 0, 10);
        begin(CAPACITY);
        assertThrows(
                IndexOutOfBoundsException.class, () -> builder.append(5, null, 0, -1, value, 4, 7, null), "source");
        assertEquals(0, builder.recordCount());
        final UnsafeBuffer small = new UnsafeBuffer(buffer, 10, HEADER_BYTES + 10);
        builder.wrap(small, 0, CAPACITY);
        assertThrows(
                IndexOutOfBoundsException.class, () -> builder.append(5, null, 0, -1, value, 0, 10, null), "target");
        assertEquals(GUARD, buffer.getByte(10 + small.capacity()));
        assertTrue(builder.append(5, null, 0, -1, value, 0, 3, null), "the batch is as it was");
        assertEquals(1, builder.recordCount());
        assertEquals(HEADER_BYTES + 10, builder.finish());
    }

    @Test
    void aBatchNeedsARecord() {
        begin(CAPACITY);
        assertThrows(IllegalStateException.class, builder::finish);
    }

    @Test
    void propertiesThatDecideHowRecordsAreEncodedComeFirst() {
        begin(CAPACITY);
        assertTrue(Batches.append(builder, 5, null, null, null));
        assertThrows(IllegalStateException.class, () -> builder.deleteHorizon(4));
        assertThrows(
                IllegalStateException.class,
                () -> builder.compression(CompressionType.GZIP, CompressionType.DEFAULT_LEVEL));
    }

    @Test
    void theCleanersBatchKeepsOffsetsAndProducer() {
        final UnsafeBuffer source = new UnsafeBuffer(new byte[CAPACITY]);
        builder.wrap(source, 0, CAPACITY).producer(3, (short) 4, 5).transactional(true);
        for (int i = 0; i < 4; i++) {
            assertTrue(
                    Batches.append(builder, 100 + i, new byte[] {(byte) i}, null, new RecordHeaders().add("h", null)));
        }
        builder.finish();
        final RecordBatchFlyweight original = new RecordBatchFlyweight().wrap(source, 0);
        begin(CAPACITY).like(original).deleteHorizon(1_000_000);
        reader.wrap(original);
        while (reader.next()) {
            final int delta = (int) reader.record().offset();
            assertTrue(delta == 0 || delta == 3 || builder.append(delta, reader.record()));
        }
        assertThrows(IllegalArgumentException.class, () -> builder.append(2, reader.record()));
        assertThrows(IllegalArgumentException.class, () -> builder.lastOffsetDelta(1));
        builder.lastOffsetDelta(3);
        finishWithin(CAPACITY);
        batch.wrap(buffer, 10);
        assertEquals(1_000_000, batch.deleteHorizonMs());
        assertEquals(3, batch.lastOffset());
        assertEquals(2, batch.recordCount());
        assertEquals(102, batch.maxTimestamp());
        assertEquals(3, batch.producerId());
        assertEquals(8, batch.lastSequence());
        assertTrue(batch.isTransactional());
        reader.wrap(batch);
        for (int i = 1; i < 3; i++) {
            assertTrue(reader.next());
            assertEquals(i, reader.record().offset());
            assertEquals(100 + i, reader.record().timestamp());
            assertEquals(5 + i, reader.record().sequence());
            assertEquals(1, reader.record().headerCount());
        }
    }

    @Test
    void theLikenessOfAnAppendTimeBatch() {
        begin(CAPACITY).appendTime(900);
        assertTrue(Batches.append(builder, 100, null, null, null));
        finishWithin(CAPACITY);
        final RecordBatchFlyweight original =
                new RecordBatchFlyweight().wrap(Batches.cut(buffer, buffer.capacity()), 10);
        begin(CAPACITY).like(original);
        assertTrue(reader.wrap(original).next());
        assertTrue(builder.append(0, reader.record()));
        finishWithin(CAPACITY);
        assertEquals(TimestampType.LOG_APPEND_TIME, batch.wrap(buffer, 10).timestampType());
        assertEquals(900, batch.maxTimestamp());
    }

    @Test
    void conversionThereAndBackGivesTheSameBytes() {
        final UnsafeBuffer original = Batches.of(CompressionType.NONE, 10, 50);
        final BatchConverter converter = new BatchConverter(Codecs.standard(), 1 << 20);
        for (final CompressionType type : CompressionType.values()) {
            final CodecBuffer there = new CodecBuffer(1 << 20);
            there.append(buffer, 0, 7);
            final int size = converter.convert(batch.wrap(original, 0), type, CompressionType.DEFAULT_LEVEL, there);
            assertEquals(7 + size, there.length());
            assertEquals(size, new BatchValidator(Codecs.standard()).header(there.buffer(), 7, size));
            assertEquals(type.id(), batch.wrap(there.buffer(), 7).codecId());
            final CodecBuffer back = new CodecBuffer(1 << 20);
            converter.convert(batch, CompressionType.NONE, CompressionType.DEFAULT_LEVEL, back);
            assertArrayEquals(original.byteArray(), Batches.bytes(back.buffer(), 0, back.length()));
        }
    }

    @Test
    void controlRecords() {
        begin(CAPACITY).control(true).transactional(true).producer(9, (short) 1, -1);
        final ControlRecord control = new ControlRecord();
        assertTrue(control.appendMarker(builder, 50, false, 12));
        assertEquals(ControlRecord.MARKER_BATCH_BYTES, finishWithin(CAPACITY));
        reader.wrap(batch.wrap(buffer, 10));
        assertTrue(reader.next());
        control.wrap(reader.record());
        assertEquals(ControlRecordType.ABORT, control.type());
        assertEquals(12, control.coordinatorEpoch());
        assertEquals(-1, control.leaderId());

        final byte[][] keys = {{0, 0, 0}, {-1, 0, 0, 0}, {0, 0, 0, 2}};
        for (final byte[] key : keys) {
            begin(CAPACITY).control(true);
            assertTrue(Batches.append(builder, 50, key, new byte[5], null));
            builder.finish();
            assertTrue(reader.wrap(batch.wrap(buffer, 10)).next());
            assertThrows(CorruptRecordException.class, () -> control.wrap(reader.record()));
        }
        begin(CAPACITY).control(true);
        assertTrue(Batches.append(builder, 50, new byte[] {0, 0, 0, 99}, null, null));
        builder.finish();
        assertTrue(reader.wrap(batch.wrap(buffer, 10)).next());
        assertEquals(ControlRecordType.UNKNOWN, control.wrap(reader.record()).type());
        assertEquals(99, control.typeId());
    }
}
