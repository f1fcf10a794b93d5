package io.cordwood.log.record;

import io.cordwood.log.codec.Codec;
import io.cordwood.log.codec.CodecBuffer;
import io.cordwood.log.codec.CodecException;
import io.cordwood.log.codec.Codecs;
import org.agrona.DirectBuffer;
import org.agrona.concurrent.UnsafeBuffer;
import org.jspecify.annotations.Nullable;

/**
 * Walks through the records of one batch after the other, of any magic, compressed or not.
 *
 * <p>One thread's, to be kept and reused: it has the memory for decompressed records, which grows to what the batches need
 * and never beyond the bound. Uncompressed records are shown where they are. Nothing is allocated per batch or record.
 *
 * <p>Everything is checked before it is shown: lengths, counts, that offsets rise and stay within the batch. The CRC is not;
 * that is {@link BatchValidator#header}'s, and in magic 0 and 1 the wrapper's CRC stands for those of its inner messages.
 */
public final class RecordReader implements AutoCloseable {
    private static final DirectBuffer NOTHING = new UnsafeBuffer(0, 0);

    private final Codecs codecs;
    private final int decompressedBytesMax;
    private CodecBuffer decompressed;
    private final Flaw flaw = new Flaw();
    private final RecordFlyweight record = new RecordFlyweight(flaw);
    private final LegacyMessages legacy = new LegacyMessages(flaw);

    private boolean isLegacy;
    private boolean isAppendTime;
    private long baseOffset;
    private long firstOffset;
    private long previousOffset;
    private long lastOffset;
    private long baseTimestamp;
    private long maxTimestamp;
    private int count;
    private int number;

    /**
     * Creates the reader of one thread.
     *
     * @param codecs to decompress with.
     * @param decompressedBytesMax most bytes that the records of one batch may decompress to.
     */
    public RecordReader(final Codecs codecs, final int decompressedBytesMax) {
        this.codecs = codecs;
        this.decompressedBytesMax = decompressedBytesMax;
        this.decompressed = new CodecBuffer(decompressedBytesMax);
    }

    /**
     * Begins with another batch, decompressing it if need be. The batch's memory must stay as long as records are read; the
     * flyweight may move on.
     *
     * @param batch to read.
     * @return this.
     * @throws CorruptRecordException if the batch is cut, or its codec is none that its magic has.
     * @throws CodecException if the records cannot be decompressed, or only to more than the bound.
     */
    public RecordReader wrap(final RecordBatchFlyweight batch) {
        number = 0;
        count = 0;
        final DirectBuffer buffer = batch.buffer();
        final int index = batch.index();
        final int left = buffer.capacity() - index;
        if (left <= RecordBatchDescriptor.MAGIC_OFFSET) {
            throw flawed("bytes of a batch", left, "must be more than", RecordBatchDescriptor.MAGIC_OFFSET, 0);
        }
        buffer.boundsCheck(index, left);
        final byte[] array = buffer.byteArray();
        final long address = buffer.addressOffset() + index;
        final byte magic = RawBytes.int8(array, address + RecordBatchDescriptor.MAGIC_OFFSET);
        final int length = RawBytes.int32(array, address + RecordBatchDescriptor.LENGTH_OFFSET);
        checkSize(magic, length, left);
        isLegacy = magic < RecordBatchDescriptor.MAGIC_V2;
        if (isLegacy) {
            isAppendTime = batch.timestampType() == TimestampType.LOG_APPEND_TIME;
            maxTimestamp = batch.maxTimestamp();
            wrapLegacy(batch, magic);
        } else {
            wrapV2(buffer, index, length, array, address);
        }
        return this;
    }

    private void checkSize(final byte magic, final int length, final int left) {
        if (magic < 0 || magic > RecordBatchDescriptor.MAGIC_V2) {
            throw flawed("magic", magic, "must be 0 to", 2, RecordBatchDescriptor.MAGIC_OFFSET);
        }
        final int lengthMin = BatchValidator.sizeMin(magic) - RecordBatchDescriptor.LOG_OVERHEAD;
        final int lengthMax = left - RecordBatchDescriptor.LOG_OVERHEAD;
        if (length < lengthMin || length > lengthMax) {
            final boolean isShort = length < lengthMin;
            throw flawed(
                    "batch length",
                    length,
                    isShort ? "must be at least" : "must be at most",
                    isShort ? lengthMin : lengthMax,
                    RecordBatchDescriptor.LENGTH_OFFSET);
        }
    }

    /** All of the header is there: the size was checked. */
    private void wrapV2(
            final DirectBuffer buffer,
            final int index,
            final int length,
            final byte @Nullable [] array,
            final long address) {
        final int attributes = RawBytes.int16(array, address + RecordBatchDescriptor.ATTRIBUTES_OFFSET);
        isAppendTime = (attributes & RecordBatchDescriptor.APPEND_TIME_MASK) != 0;
        baseOffset = RawBytes.int64(array, address + RecordBatchDescriptor.BASE_OFFSET_OFFSET);
        firstOffset = baseOffset;
        previousOffset = baseOffset - 1;
        lastOffset = baseOffset + RawBytes.int32(array, address + RecordBatchDescriptor.LAST_OFFSET_DELTA_OFFSET);
        baseTimestamp = RawBytes.int64(array, address + RecordBatchDescriptor.BASE_TIMESTAMP_OFFSET);
        maxTimestamp = RawBytes.int64(array, address + RecordBatchDescriptor.MAX_TIMESTAMP_OFFSET);
        record.countFrom(RawBytes.int32(array, address + RecordBatchDescriptor.BASE_SEQUENCE_OFFSET));
        final int records = RawBytes.int32(array, address + RecordBatchDescriptor.RECORD_COUNT_OFFSET);
        final int codecId = attributes & RecordBatchDescriptor.CODEC_MASK;
        final int first = index + RecordBatchDescriptor.HEADER_BYTES;
        int bytes = length + RecordBatchDescriptor.LOG_OVERHEAD - RecordBatchDescriptor.HEADER_BYTES;
        if (codecId == 0 || records == 0) {
            record.beginWithin(buffer, first, bytes);
        } else {
            final DirectBuffer plain = decompress(codecId, buffer, first, bytes, RecordBatchDescriptor.MAGIC_V2);
            bytes = plain.capacity();
            record.beginWithin(plain, 0, bytes);
        }
        if (records < 0 || records * (long) RecordFlyweight.RECORD_BYTES_MIN > bytes) {
            final int most = bytes / RecordFlyweight.RECORD_BYTES_MIN;
            throw flawed("record count", records, "must be 0 to", most, RecordBatchDescriptor.RECORD_COUNT_OFFSET);
        }
        count = records;
    }

    private void wrapLegacy(final RecordBatchFlyweight batch, final byte magic) {
        lastOffset = batch.lastOffset();
        baseOffset = lastOffset;
        record.countFrom(RecordBatchDescriptor.NO_SEQUENCE);
        legacy.begin(batch.buffer(), batch.index(), batch.sizeInBytes());
        if (!legacy.decode()) {
            throw new CorruptRecordException(flaw);
        }
        if (batch.codecId() == 0) {
            record.begin(batch.buffer(), batch.index(), batch.sizeInBytes());
            firstOffset = lastOffset;
            baseOffset = 0;
            return;
        }
        final int valueIndex = legacy.valueIndex();
        if (legacy.valueLength() < 0) {
            throw flawed("value length of a wrapper", -1, "must be at least", 0, valueIndex - Integer.BYTES);
        }
        if (batch.codecId() > LegacyDescriptor.CODEC_MAX) {
            throw flawed(
                    "codec of a wrapper",
                    batch.codecId(),
                    "must be at most",
                    LegacyDescriptor.CODEC_MAX,
                    LegacyDescriptor.ATTRIBUTES_OFFSET);
        }
        final DirectBuffer plain =
                decompress(batch.codecId(), batch.buffer(), batch.index() + valueIndex, legacy.valueLength(), magic);
        legacy.begin(plain, 0, plain.capacity());
        record.begin(plain, 0, plain.capacity());
        final long lastInner = legacy.lastOffsetOfAll();
        if (lastInner < 0) {
            throw new CorruptRecordException(flaw);
        }
        baseOffset = legacyBase(magic, lastInner);
        firstOffset = baseOffset + legacy.offset();
    }

    /** What to add to inner offsets: magic 0 has absolute ones, magic 1 counts from the wrapper's offset backwards. */
    private long legacyBase(final byte magic, final long lastInner) {
        // Some old librdkafka left 0 in a wrapper, and Kafka takes the inner offsets as they are then.
        if (magic == 0 || lastOffset == 0) {
            return 0;
        }
        if (lastInner > lastOffset) {
            throw flawed("last inner offset", lastInner, "must be at most the wrapper's,", lastOffset, 0);
        }
        return lastOffset - lastInner;
    }

    private DirectBuffer decompress(
            final int codecId, final DirectBuffer source, final int index, final int length, final byte magic) {
        final Codec codec = codecs.forId(codecId);
        if (codec == null) {
            throw flawed("codec", codecId, "must be 0 to", 4, RecordBatchDescriptor.ATTRIBUTES_OFFSET);
        }
        decompressed.reset(decompressedBytesMax);
        codec.decompress(source, index, length, magic, decompressed);
        return decompressed.buffer();
    }

    /**
     * Offset of the first record that the batch had: the base offset in magic 2, the first inner message's below.
     *
     * @return the offset that Kafka reports as the batch's base offset.
     */
    public long firstOffset() {
        return firstOffset;
    }

    /**
     * Moves to the next record.
     *
     * @return false if there is none.
     * @throws CorruptRecordException if the record is damaged, or bytes follow the last one. Records before it are sound.
     */
    public boolean next() {
        if (number >= count) {
            return isLegacy ? nextLegacy() : isDone();
        }
        if (!record.decode()) {
            flaw.ofRecord(number, record.beginIndex());
            throw new CorruptRecordException(flaw);
        }
        final long offset = baseOffset + record.offsetDelta();
        if (offset <= previousOffset || offset > lastOffset) {
            throw misplaced(offset);
        }
        previousOffset = offset;
        number++;
        record.assign(offset, isAppendTime ? maxTimestamp : baseTimestamp + record.timestampDelta());
        return true;
    }

    private boolean isDone() {
        if (record.remaining() != 0) {
            final int at = RecordBatchDescriptor.HEADER_BYTES + record.position() - record.beginIndex();
            throw flawed("bytes after the last record", record.remaining(), "must be", 0, at);
        }
        return false;
    }

    private CorruptRecordException misplaced(final long offset) {
        flaw.note(
                "offset",
                offset,
                offset > lastOffset ? "must be at most" : "must be more than",
                offset > lastOffset ? lastOffset : previousOffset,
                record.index());
        flaw.ofRecord(number, record.beginIndex());
        return new CorruptRecordException(flaw);
    }

    private boolean nextLegacy() {
        if (!legacy.hasNext()) {
            return false;
        }
        if (!legacy.decode()) {
            flaw.ofRecord(number, 0);
            throw new CorruptRecordException(flaw);
        }
        record.assign(baseOffset + legacy.offset(), isAppendTime ? maxTimestamp : legacy.timestamp());
        legacy.showAndAdvance(record);
        number++;
        return true;
    }

    /**
     * The record that {@link #next} came to.
     *
     * @return always the same view.
     */
    public RecordFlyweight record() {
        return record;
    }

    /** Lets go of the memory for decompressed records. The reader may be used again. */
    @Override
    public void close() {
        number = 0;
        count = 0;
        isLegacy = false;
        record.begin(NOTHING, 0, 0);
        decompressed = new CodecBuffer(decompressedBytesMax);
    }

    private CorruptRecordException flawed(
            final String field, final long found, final String rule, final long bound, final int at) {
        flaw.note(field, found, rule, bound, at);
        return new CorruptRecordException(flaw);
    }
}
