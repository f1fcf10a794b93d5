package io.cordwood.transactions;

import static io.cordwood.transactions.SnapshotDescriptor.*;
import static java.nio.ByteOrder.BIG_ENDIAN;

import io.cordwood.log.record.Crc32c;
import java.util.Arrays;
import org.agrona.DirectBuffer;
import org.agrona.concurrent.UnsafeBuffer;
import org.jspecify.annotations.Nullable;

/**
 * The producers of a log as of an offset, as bytes of a file to be. Made on the writer's thread, quickly; {@link #content} puts the entries in
 * order and seals them, which is for whoever writes the file.
 */
final class ProducerSnapshot {
    /** Of more entries a file would exceed what an array can hold. */
    static final int PRODUCERS_MAX = (Integer.MAX_VALUE - 64) / ENTRY_BYTES;

    private final long offset;
    private final UnsafeBuffer entries;
    private final int count;

    private ProducerSnapshot(final long offset, final UnsafeBuffer entries, final int count) {
        this.offset = offset;
        this.entries = entries;
        this.count = count;
    }

    static ProducerSnapshot of(final ProducerTable table, final long offset) {
        final int count = table.size();
        final UnsafeBuffer entries = new UnsafeBuffer(new byte[count * ENTRY_BYTES]);
        for (int row = 0; row < count; row++) {
            putEntry(entries, row * ENTRY_BYTES, table, row);
        }
        return new ProducerSnapshot(offset, entries, count);
    }

    private static void putEntry(final UnsafeBuffer to, final int at, final ProducerTable table, final int row) {
        final int last = table.batches(row) - 1;
        to.putLong(at + PRODUCER_ID_OFFSET, table.id(row), BIG_ENDIAN);
        to.putShort(at + EPOCH_OFFSET, table.epoch(row), BIG_ENDIAN);
        to.putInt(at + LAST_SEQUENCE_OFFSET, table.lastSequence(row), BIG_ENDIAN);
        to.putLong(at + LAST_OFFSET_OFFSET, last < 0 ? -1 : table.batchLastOffset(row, last), BIG_ENDIAN);
        to.putInt(at + OFFSET_DELTA_OFFSET, last < 0 ? 0 : table.batchOffsetDelta(row, last), BIG_ENDIAN);
        to.putLong(at + TIMESTAMP_OFFSET, table.lastTimestamp(row), BIG_ENDIAN);
        to.putInt(at + COORDINATOR_EPOCH_OFFSET, table.coordinatorEpoch(row), BIG_ENDIAN);
        to.putLong(at + TRANSACTION_FIRST_OFFSET, table.transactionFirst(row), BIG_ENDIAN);
    }

    long offset() {
        return offset;
    }

    /** The file's bytes, ascending by producer id, so that the same producers are the same bytes however they came. */
    UnsafeBuffer content(final Crc32c crc) {
        final long[] ids = new long[count];
        for (int i = 0; i < count; i++) {
            ids[i] = entries.getLong(i * ENTRY_BYTES + PRODUCER_ID_OFFSET, BIG_ENDIAN);
        }
        Arrays.sort(ids);
        final UnsafeBuffer content = new UnsafeBuffer(new byte[HEADER_BYTES + count * ENTRY_BYTES]);
        for (int i = 0; i < count; i++) {
            final long id = entries.getLong(i * ENTRY_BYTES + PRODUCER_ID_OFFSET, BIG_ENDIAN);
            final int place = HEADER_BYTES + Arrays.binarySearch(ids, id) * ENTRY_BYTES;
            content.putBytes(place, entries, i * ENTRY_BYTES, ENTRY_BYTES);
        }
        content.putShort(VERSION_OFFSET, VERSION, BIG_ENDIAN);
        content.putInt(COUNT_OFFSET, count, BIG_ENDIAN);
        content.putInt(CRC_OFFSET, crcOf(content, content.capacity(), crc), BIG_ENDIAN);
        return content;
    }

    private static int crcOf(final DirectBuffer content, final int length, final Crc32c crc) {
        return (int) crc.crc32c(content, COUNT_OFFSET, length - COUNT_OFFSET);
    }

    /**
     * Fills an empty table from a file's bytes.
     *
     * @param content of the file.
     * @param length of it.
     * @param offset that its name says.
     * @param table to fill; if the snapshot is not sound it may have a part of it.
     * @return null, or what is wrong.
     */
    static @Nullable String read(
            final DirectBuffer content,
            final int length,
            final long offset,
            final ProducerTable table,
            final Crc32c crc) {
        if (length < HEADER_BYTES) {
            return "has " + length + " bytes, at least " + HEADER_BYTES + " make a snapshot";
        }
        final short version = content.getShort(VERSION_OFFSET, BIG_ENDIAN);
        if (version != VERSION) {
            return "version is " + version + ", but " + VERSION + " is the only one";
        }
        final int stored = content.getInt(CRC_OFFSET, BIG_ENDIAN);
        final int computed = crcOf(content, length, crc);
        if (stored != computed) {
            return "CRC is " + Integer.toHexString(stored) + ", but must be " + Integer.toHexString(computed);
        }
        final int count = content.getInt(COUNT_OFFSET, BIG_ENDIAN);
        if (count < 0 || HEADER_BYTES + (long) count * ENTRY_BYTES != length) {
            return "has " + length + " bytes, but claims " + count + " entries of " + ENTRY_BYTES;
        }
        for (int at = HEADER_BYTES; at < length; at += ENTRY_BYTES) {
            final String wrong = readEntry(content, at, offset, table);
            if (wrong != null) {
                return "the entry at " + at + ' ' + wrong;
            }
        }
        return null;
    }

    private static @Nullable String readEntry(
            final DirectBuffer content, final int at, final long offset, final ProducerTable table) {
        final long id = content.getLong(at + PRODUCER_ID_OFFSET, BIG_ENDIAN);
        final long last = content.getLong(at + LAST_OFFSET_OFFSET, BIG_ENDIAN);
        final int delta = content.getInt(at + OFFSET_DELTA_OFFSET, BIG_ENDIAN);
        final long timestamp = content.getLong(at + TIMESTAMP_OFFSET, BIG_ENDIAN);
        final long transactionFirst = content.getLong(at + TRANSACTION_FIRST_OFFSET, BIG_ENDIAN);
        if (id < 0 || table.find(id) != ProducerTable.NONE) {
            return "is of producer " + id + (id < 0 ? "" : ", which has one already");
        }
        if (last >= offset || transactionFirst >= offset || delta < 0 || (last >= 0 && delta > last)) {
            return "speaks of offset " + last + ", delta " + delta + " and a transaction from " + transactionFirst
                    + ", which cannot be below " + offset;
        }
        final int row = table.add(id);
        table.epoch(row, content.getShort(at + EPOCH_OFFSET, BIG_ENDIAN));
        table.coordinatorEpoch(row, content.getInt(at + COORDINATOR_EPOCH_OFFSET, BIG_ENDIAN));
        table.lastTimestamp(row, timestamp);
        table.transactionFirst(row, Math.max(-1, transactionFirst));
        if (last >= 0) {
            final int sequence = content.getInt(at + LAST_SEQUENCE_OFFSET, BIG_ENDIAN);
            table.addBatch(row, sequence, last, delta, timestamp);
        }
        return null;
    }
}
