package io.cordwood.log;

import static io.cordwood.log.record.RecordBatchDescriptor.ATTRIBUTES_OFFSET;
import static io.cordwood.log.record.RecordBatchDescriptor.HEADER_BYTES;
import static io.cordwood.log.record.RecordBatchDescriptor.LENGTH_OFFSET;
import static io.cordwood.log.record.RecordBatchDescriptor.LOG_OVERHEAD;
import static io.cordwood.log.record.RecordBatchDescriptor.MAGIC_OFFSET;
import static io.cordwood.log.record.RecordBatchDescriptor.MAGIC_V2;
import static java.nio.ByteOrder.BIG_ENDIAN;

import io.cordwood.log.record.Crc32c;
import io.cordwood.log.record.RecordBatchFlyweight;
import io.cordwood.log.store.StorageFile;
import java.util.zip.CRC32;
import java.util.zip.CRC32C;
import java.util.zip.Checksum;
import org.agrona.DirectBuffer;

/**
 * Finds good batches among bytes that are none. A header is believed to be one when its fields do not contradict each other
 * and the checksum is right; the first test is cheap and fails for nearly every position, so that a search costs about as much
 * as a read. For files that were made to defeat it, the bytes that a search may checksum are bounded.
 */
final class BatchSearch implements AutoCloseable {
    /** Bytes that searches may checksum, as a multiple of the file. */
    private static final int EFFORT = 16;

    private static final int KNOWN_ATTRIBUTES = 0x7f;
    private static final int LEGACY_HEADER_BYTES = 26;
    private static final int LEGACY_ATTRIBUTES_OFFSET = 17;
    private static final int LEGACY_CRC_OFFSET = 12;
    private static final int CRC_OFFSET = 17;
    private static final int COPY_BYTES = 64 * 1024;

    private final FileWindow window = new FileWindow(BatchCursor.CHUNK_BYTES, Long.MAX_VALUE);
    private final FileWindow pieces = new FileWindow(BatchCursor.CHUNK_BYTES, Long.MAX_VALUE);
    private final RecordBatchFlyweight batch = new RecordBatchFlyweight();
    private final CRC32C crc32c = new CRC32C();
    private final CRC32 crc32 = new CRC32();
    private final byte[] copy = new byte[COPY_BYTES];
    private final Crc32c crc;
    private long baseOffset;
    private long end;
    private long effort;

    BatchSearch(final Crc32c crc) {
        this.crc = crc;
    }

    void open(final StorageFile file, final long segmentBase, final long from, final long to) {
        window.open(file);
        pieces.open(file);
        baseOffset = segmentBase;
        end = to;
        effort = EFFORT * (to - from);
    }

    /** Position of the next good batch behind {@code bad}, or the end; {@code declared} is where the bad one says it ends. */
    long next(final long bad, final long declared) {
        if (declared > end || (declared < end && !isPlausible(declared))) {
            return first(bad + 1, end, 0, Long.MAX_VALUE);
        }
        final long due = following(bad);
        final long found = declared < end ? base(declared) : due + 1;
        // Its length may be what is wrong, and what follows it lies before the end that it says.
        return due < 0 || found <= due ? declared : first(bad + 1, declared, due, found);
    }

    /** Position of the first good batch whose base offset lies in a range; {@code to} if there is none below that. */
    private long first(final long from, final long to, final long baseLeast, final long baseEnd) {
        long position = from;
        while (position < to) {
            if (isZero(position)) {
                position = firstNonZero(position) - LOG_OVERHEAD;
            } else if (isPlausible(position)
                    && base(position) >= baseLeast
                    && base(position) < baseEnd
                    && isGood(position)) {
                return position;
            }
            position++;
        }
        return to;
    }

    /** The offset that is due behind a bad batch, by its header; -1 if that tells none. */
    private long following(final long bad) {
        if (end - bad < HEADER_BYTES || !window.show(bad, HEADER_BYTES, true)) {
            return -1;
        }
        batch.wrap(window.buffer(), window.index(bad));
        return batch.magic() == MAGIC_V2 && batch.baseOffset() >= 0 && batch.lastOffsetDelta() >= 0
                ? batch.nextOffset()
                : -1;
    }

    /** Base offset of a header that is plausible. */
    private long base(final long position) {
        window.show(position, Long.BYTES, true);
        return window.buffer().getLong(window.index(position), BIG_ENDIAN);
    }

    /** Whether offset and length would be zero, and so are none: a hole may be as large as the file. */
    private boolean isZero(final long position) {
        return end - position >= LOG_OVERHEAD
                && window.show(position, LOG_OVERHEAD, true)
                && window.buffer().getLong(window.index(position)) == 0
                && window.buffer().getInt(window.index(position) + Long.BYTES) == 0;
    }

    private boolean isGood(final long position) {
        final long bytes = size(position);
        effort -= bytes;
        if (effort < 0) {
            return false;
        }
        if (bytes > BatchCursor.CHUNK_BYTES) {
            return isCrcValid(position, bytes);
        }
        return window.show(position, (int) bytes, true)
                && batch.wrap(window.buffer(), window.index(position)).isCrcValid(crc);
    }

    private long size(final long position) {
        return LOG_OVERHEAD + (long) window.buffer().getInt(window.index(position) + LENGTH_OFFSET, BIG_ENDIAN);
    }

    /** Whether the fields of a header agree with each other and with the place. */
    private boolean isPlausible(final long position) {
        final long rest = end - position;
        if (rest < LEGACY_HEADER_BYTES || !window.show(position, (int) Math.min(rest, HEADER_BYTES), true)) {
            return false;
        }
        final DirectBuffer buffer = window.buffer();
        final int index = window.index(position);
        final byte magic = buffer.getByte(index + MAGIC_OFFSET);
        if (magic < 0 || magic > MAGIC_V2) {
            return false;
        }
        final long bytes = size(position);
        if (bytes < LEGACY_HEADER_BYTES || bytes > rest) {
            return false;
        }
        final long relative = buffer.getLong(index, BIG_ENDIAN) - baseOffset;
        if (relative < 0 || relative > Integer.MAX_VALUE) {
            return false;
        }
        return magic == MAGIC_V2
                ? bytes >= HEADER_BYTES && isPlausibleV2(index)
                : isPlausibleLegacy(index, magic, bytes);
    }

    private boolean isPlausibleV2(final int index) {
        batch.wrap(window.buffer(), index);
        final int delta = batch.lastOffsetDelta();
        final int count = batch.recordCount();
        return (window.buffer().getShort(index + ATTRIBUTES_OFFSET, BIG_ENDIAN) & ~KNOWN_ATTRIBUTES) == 0
                && delta >= 0
                && count >= 0
                && count - 1 <= delta
                && batch.partitionLeaderEpoch() >= -1
                && batch.producerId() >= -1;
    }

    private boolean isPlausibleLegacy(final int index, final byte magic, final long bytes) {
        final DirectBuffer buffer = window.buffer();
        final int known = magic == 0 ? 0x07 : 0x0f;
        if ((buffer.getByte(index + LEGACY_ATTRIBUTES_OFFSET) & ~known) != 0) {
            return false;
        }
        final int keyField = LEGACY_ATTRIBUTES_OFFSET + 1 + (magic == 0 ? 0 : Long.BYTES);
        if (bytes < keyField + 2L * Integer.BYTES) {
            return false;
        }
        final int keyLength = buffer.getInt(index + keyField, BIG_ENDIAN);
        return keyLength >= -1 && keyLength <= bytes - keyField - 2L * Integer.BYTES;
    }

    /** Checksums a batch piece by piece, so that no length makes us hold it. */
    boolean isCrcValid(final long position, final long bytes) {
        pieces.show(position, HEADER_BYTES, true);
        batch.wrap(pieces.buffer(), pieces.index(position));
        final boolean isLegacy = batch.magic() < MAGIC_V2;
        final long expected = batch.crc();
        final Checksum checksum = isLegacy ? crc32 : crc32c;
        checksum.reset();
        long at = position + (isLegacy ? LEGACY_CRC_OFFSET : CRC_OFFSET) + Integer.BYTES;
        final long behind = position + bytes;
        while (at < behind) {
            final int piece = (int) Math.min(COPY_BYTES, behind - at);
            if (!pieces.show(at, piece, true)) {
                return false;
            }
            pieces.buffer().getBytes(pieces.index(at), copy, 0, piece);
            checksum.update(copy, 0, piece);
            at += piece;
        }
        return checksum.getValue() == expected;
    }

    /** Position of the first byte from {@code from} on that is not zero, or the end. */
    long firstNonZero(final long from) {
        long position = from;
        while (position < end) {
            if (!window.show(position, 1, true)) {
                return end;
            }
            final DirectBuffer buffer = window.buffer();
            final int begin = window.index(position);
            final int limit = (int) Math.min(window.length(), begin + end - position);
            int index = begin;
            while (index + Long.BYTES <= limit && buffer.getLong(index) == 0) {
                index += Long.BYTES;
            }
            while (index < limit && buffer.getByte(index) == 0) {
                index++;
            }
            position += index - begin;
            if (index < limit) {
                return position;
            }
        }
        return end;
    }

    @Override
    public void close() {
        window.close();
        pieces.close();
    }
}
