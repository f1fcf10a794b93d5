package io.cordwood.log.codec;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import org.agrona.DirectBuffer;
import org.agrona.concurrent.ManyToManyConcurrentArrayQueue;
import org.xerial.snappy.Snappy;
import org.xerial.snappy.SnappyError;

/**
 * Snappy, in the framing of snappy-java and, for reading, as one raw block.
 *
 * <pre>
 *   82 'S' 'N' 'A' 'P' 'P' 'Y' 00   version(4)  compatible(4)   { length(4)  block }*
 *   magic, 8 bytes                  1           1               big-endian; a block holds up to 32 KiB
 * </pre>
 *
 * <p>All eight bytes decide which of the two it is: a raw block of 130 bytes begins with 82 as well. They cannot be a raw
 * block: that would declare 10,626 bytes and go on with a copy from before its start. Other clients write version and
 * compatible little-endian. Streams that were written one behind the other are read as one. As in Kafka, whatever version the
 * first header names passes, and a later one must be at least 1.
 *
 * <p>Any thread may use an instance. Each call takes scratch memory from a pool of at most 16 that the process shares and
 * gives it back before it returns.
 */
public final class SnappyCodec implements Codec {
    /** 82 'SNAPPY' 00, read big-endian. */
    static final long MAGIC = 0x82_53_4E_41_50_50_59_00L;

    static final String ARTIFACT = "org.xerial.snappy:snappy-java";

    private static final int HEADER_LENGTH = 16;
    private static final int VERSION = 1;
    private static final int BLOCK_BYTES = 32 * 1024;

    /** No element of the format makes more of a byte: a copy of 64 bytes takes three. */
    private static final int MAX_EXPANSION = 22;

    /** Creates the codec; the library is looked for when it is first needed. */
    public SnappyCodec() {}

    @Override
    public int id() {
        return CompressionType.SNAPPY.id();
    }

    @Override
    public String codecName() {
        return CompressionType.SNAPPY.codecName();
    }

    @Override
    public void compress(
            final DirectBuffer source, final int index, final int length, final int level, final CodecBuffer target) {
        source.boundsCheck(index, length);
        CompressionType.SNAPPY.effectiveLevel(level);
        try {
            Library.compress(source, index, length, target);
        } catch (final LinkageError e) {
            throw CodecException.libraryMissing(CompressionType.SNAPPY, ARTIFACT, e);
        }
    }

    @Override
    public void decompress(
            final DirectBuffer source, final int index, final int length, final byte magic, final CodecBuffer target) {
        source.boundsCheck(index, length);
        try {
            if (isFramed(source, index, index + length)) {
                readBlocks(source, index, index + length, target);
            } else {
                readBlock(source, index, length, target);
            }
        } catch (final LinkageError e) {
            throw CodecException.libraryMissing(CompressionType.SNAPPY, ARTIFACT, e);
        }
    }

    private static boolean isFramed(final DirectBuffer source, final int index, final int end) {
        return end - index >= Long.BYTES && source.getLong(index, ByteOrder.BIG_ENDIAN) == MAGIC;
    }

    private static void readBlocks(
            final DirectBuffer source, final int index, final int end, final CodecBuffer target) {
        int at = index;
        while (at < end) {
            // The magic is negative where a length stands, so it cannot be mistaken for one.
            if (isFramed(source, at, end)) {
                at = skipHeader(source, at, end, at == index);
                continue;
            }
            if (end - at < Integer.BYTES) {
                throw corrupt("ends inside a block length");
            }
            final int blockLength = source.getInt(at, ByteOrder.BIG_ENDIAN);
            at += Integer.BYTES;
            if (blockLength < 0 || blockLength > end - at) {
                throw corrupt("block of " + blockLength + " bytes where " + (end - at) + " follow");
            }
            readBlock(source, at, blockLength, target);
            at += blockLength;
        }
    }

    private static int skipHeader(final DirectBuffer source, final int index, final int end, final boolean isFirst) {
        if (end - index < HEADER_LENGTH) {
            throw corrupt("ends inside the header");
        }
        final int version = source.getInt(index + Long.BYTES, ByteOrder.BIG_ENDIAN);
        if (version < VERSION && !isFirst) {
            throw corrupt("version " + version + " where at least " + VERSION + " is needed");
        }
        return index + HEADER_LENGTH;
    }

    private static void readBlock(
            final DirectBuffer source, final int index, final int length, final CodecBuffer target) {
        final long declared = declaredLength(source, index, index + length);
        if (declared > target.left()) {
            throw CodecException.tooLarge(target.length() + declared, target.bound());
        }
        if (declared > (long) MAX_EXPANSION * length) {
            throw corrupt("a block of " + length + " bytes cannot hold the " + declared + " that it declares");
        }
        Library.decompress(source, index, length, target.room((int) declared));
        target.advance((int) declared);
    }

    /** The varint before a block. The library takes it for the size of the memory that it is given, so we must not. */
    private static long declaredLength(final DirectBuffer source, final int index, final int end) {
        long value = 0;
        for (int i = 0; i < 5 && index + i < end; i++) {
            final int next = source.getByte(index + i) & 0xFF;
            value |= (long) (next & 0x7F) << (7 * i);
            if (next < 0x80) {
                if (value > 0xFFFF_FFFFL) {
                    break;
                }
                return value;
            }
        }
        throw corrupt("no length before a block");
    }

    private static CodecException corrupt(final String reason) {
        return CodecException.corrupt(CompressionType.SNAPPY, reason);
    }

    /** Everything that needs the library, so that {@link SnappyCodec} loads without it. */
    private static final class Library {
        private static final ManyToManyConcurrentArrayQueue<Library> POOL = new ManyToManyConcurrentArrayQueue<>(16);
        private static final int COMPRESSED_BLOCK_BYTES = maxCompressedLength();

        private final NativeInput input = new NativeInput();
        private final ByteBuffer compressed = ByteBuffer.allocateDirect(COMPRESSED_BLOCK_BYTES);

        private static int maxCompressedLength() {
            try {
                return Snappy.maxCompressedLength(BLOCK_BYTES);
            } catch (final SnappyError e) {
                final LinkageError unusable = new UnsatisfiedLinkError(e.getMessage());
                unusable.initCause(e);
                throw unusable;
            }
        }

        static void compress(final DirectBuffer source, final int index, final int length, final CodecBuffer target) {
            target.room(HEADER_LENGTH).putLong(MAGIC).putInt(VERSION).putInt(VERSION);
            target.advance(HEADER_LENGTH);
            final Library scratch = take();
            try {
                for (int done = 0; done < length; done += BLOCK_BYTES) {
                    scratch.writeBlock(source, index + done, Math.min(BLOCK_BYTES, length - done), target);
                }
            } catch (final IOException e) {
                throw new IllegalStateException("snappy-java refuses its input", e);
            } finally {
                scratch.give();
            }
        }

        private void writeBlock(final DirectBuffer source, final int index, final int length, final CodecBuffer target)
                throws IOException {
            compressed.clear();
            final int blockLength = Snappy.compress(input.copy(source, index, length), compressed);
            target.room(Integer.BYTES + blockLength)
                    .putInt(blockLength)
                    .put(compressed.position(0).limit(blockLength));
            target.advance(Integer.BYTES + blockLength);
        }

        static void decompress(final DirectBuffer source, final int index, final int length, final ByteBuffer room) {
            final Library scratch = take();
            try {
                Snappy.uncompress(scratch.input.copy(source, index, length), room);
            } catch (final IOException e) {
                throw CodecException.corrupt(CompressionType.SNAPPY, "broken block: " + e.getMessage(), e);
            } finally {
                scratch.give();
            }
        }

        private static Library take() {
            final Library pooled = POOL.poll();
            return pooled != null ? pooled : new Library();
        }

        private void give() {
            input.close();
            // If the pool is full this one is garbage, which is fine: it holds no native handle.
            POOL.offer(this);
        }
    }
}
