package io.cordwood.log.codec;

import java.nio.ByteOrder;
import org.agrona.DirectBuffer;
import org.agrona.concurrent.UnsafeBuffer;

/**
 * Walks over Zstandard frames (RFC 8878) without decoding them, to learn how much they may hold.
 *
 * <pre>
 *   28 B5 2F FD  descriptor  [window]  [dictionary]  [content size]   { block header(3)  block }*   [sum(4)]
 *   5x 2A 4D 18  length(4)  bytes that are skipped
 *
 *   descriptor    bits 7-6 content size field, 5 single segment (no window), 3 reserved, 2 sum, 1-0 dictionary field
 *   window        2^(10 + bits 7-3), and an eighth of that for each of bits 2-0
 *   block header  little-endian: bit 0 last, bits 2-1 type (0 raw, 1 one repeated byte, 2 compressed), bits 23-3 size
 * </pre>
 */
final class ZstdFrames {
    private static final int MAGIC = 0xFD2FB528;
    private static final int SKIPPED_MAGIC = 0x184D2A50;
    private static final int SKIPPED_MAGIC_MASK = 0xFFFF_FFF0;
    private static final int SKIPPED_HEADER_LENGTH = 8;
    private static final int BLOCK_HEADER_LENGTH = 3;
    private static final int SUM_LENGTH = 4;
    private static final int LARGEST_BLOCK = 128 * 1024;

    /** What the reading side of every library allows unless told otherwise. */
    private static final long LARGEST_WINDOW = 1L << 27;

    private final UnsafeBuffer source = new UnsafeBuffer(0, 0);
    private int end;
    private int at;
    private long content;

    /** To be used again and again, by one thread at a time. */
    ZstdFrames() {}

    /**
     * The most that the frames can hold. Refuses what is cut short, and frames that declare more than the limit.
     */
    long contentLengthAtMost(final DirectBuffer frames, final int index, final int length, final int limit) {
        source.wrap(frames, index, length);
        try {
            at = 0;
            end = length;
            content = 0;
            do {
                walkFrame(limit);
            } while (at < end);
            return content;
        } finally {
            source.wrap(0, 0);
        }
    }

    private void walkFrame(final int limit) {
        require(SKIPPED_HEADER_LENGTH);
        final int magic = source.getInt(at, ByteOrder.LITTLE_ENDIAN);
        if ((magic & SKIPPED_MAGIC_MASK) == SKIPPED_MAGIC) {
            skip(SKIPPED_HEADER_LENGTH, source.getInt(at + Integer.BYTES, ByteOrder.LITTLE_ENDIAN) & 0xFFFF_FFFFL);
            return;
        }
        if (magic != MAGIC) {
            throw CodecException.corrupt(CompressionType.ZSTD, "no zstd frame");
        }
        final int descriptor = source.getByte(at + Integer.BYTES);
        skip(Integer.BYTES + 1, 0);
        final long declared = walkHeader(descriptor);
        if (declared > limit) {
            throw CodecException.tooLarge(declared, limit);
        }
        final long blocks = walkBlocks();
        if ((descriptor & 0x04) != 0) {
            skip(SUM_LENGTH, 0);
        }
        content += declared >= 0 ? Math.min(declared, blocks) : blocks;
    }

    /** Returns the declared content size, or -1. */
    private long walkHeader(final int descriptor) {
        final boolean isSingleSegment = (descriptor & 0x20) != 0;
        if (!isSingleSegment) {
            require(1);
            final int window = source.getByte(at) & 0xFF;
            final long base = 1L << (10 + (window >>> 3));
            final long size = base + (base >>> 3) * (window & 7);
            if (size > LARGEST_WINDOW) {
                throw CodecException.corrupt(
                        CompressionType.ZSTD,
                        "a window of " + size + " bytes, where consumers allow " + LARGEST_WINDOW);
            }
            skip(1, 0);
        }
        final int dictionary = descriptor & 3;
        skip(dictionary == 3 ? 4 : dictionary, 0);
        return switch ((descriptor >>> 6) & 3) {
            case 0 -> isSingleSegment ? source.getByte(skip(1, 0)) & 0xFF : -1;
            case 1 -> 256L + (source.getShort(skip(Short.BYTES, 0), ByteOrder.LITTLE_ENDIAN) & 0xFFFF);
            case 2 -> source.getInt(skip(Integer.BYTES, 0), ByteOrder.LITTLE_ENDIAN) & 0xFFFF_FFFFL;
            default -> {
                final long size = source.getLong(skip(Long.BYTES, 0), ByteOrder.LITTLE_ENDIAN);
                yield size < 0 ? Long.MAX_VALUE : size;
            }
        };
    }

    private long walkBlocks() {
        long most = 0;
        boolean isLast = false;
        while (!isLast) {
            require(BLOCK_HEADER_LENGTH);
            final int header = (source.getShort(at, ByteOrder.LITTLE_ENDIAN) & 0xFFFF)
                    | ((source.getByte(at + Short.BYTES) & 0xFF) << 16);
            isLast = (header & 1) != 0;
            final int type = (header >>> 1) & 3;
            final int size = header >>> 3;
            skip(BLOCK_HEADER_LENGTH, type == 1 ? 1 : size);
            most += type == 2 ? LARGEST_BLOCK : size;
        }
        return most;
    }

    private void require(final int bytes) {
        if (bytes > end - at) {
            throw CodecException.corrupt(CompressionType.ZSTD, "ends inside a frame");
        }
    }

    /** Moves on, and returns where it was. */
    private int skip(final int bytes, final long more) {
        if (bytes + more > end - at) {
            throw CodecException.corrupt(CompressionType.ZSTD, "ends inside a frame");
        }
        final int before = at;
        at += (int) (bytes + more);
        return before;
    }
}
