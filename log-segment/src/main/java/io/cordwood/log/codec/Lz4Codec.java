package io.cordwood.log.codec;

import java.nio.ByteOrder;
import net.jpountz.lz4.LZ4Compressor;
import net.jpountz.lz4.LZ4Exception;
import net.jpountz.lz4.LZ4Factory;
import net.jpountz.lz4.LZ4SafeDecompressor;
import net.jpountz.xxhash.XXHash32;
import net.jpountz.xxhash.XXHashFactory;
import org.agrona.DirectBuffer;
import org.agrona.concurrent.ManyToManyConcurrentArrayQueue;

/**
 * LZ4 frames, over the block functions of lz4-java.
 *
 * <pre>
 *   04 22 4D 18  FLG  BD  [content size(8)]  HC   { length(4)  block  [block sum(4)] }*   00 00 00 00  [content sum(4)]
 *
 *   FLG  bits 7-6 version 01, 5 blocks independent, 4 block sums, 3 content size, 2 content sum, 1-0 zero
 *   BD   bits 6-4 largest block: 4 64 KiB, 5 256 KiB, 6 1 MiB, 7 4 MiB; the others zero
 *   HC   second byte of the xxHash32 of FLG to content size
 *   length  little-endian; bit 31 set: the block is stored as it is
 * </pre>
 *
 * <p>Writes FLG 60, BD 40, and HC 82, as Kafka does. Old Kafka clients included the magic bytes in HC; in messages of magic 0
 * and 1 that value is read too, in batches of magic 2 it is corrupt. Linked blocks (bit 5 of FLG clear) are refused: Kafka's
 * own consumers cannot read them. Bytes behind the frame are ignored, a second frame included, as in Kafka.
 *
 * <p>Any thread may use an instance. Each call takes scratch memory from a pool of at most 16 that the process shares and
 * gives it back before it returns.
 */
public final class Lz4Codec implements Codec {
    static final String ARTIFACT = "at.yawk.lz4:lz4-java";

    private static final int MAGIC = 0x184D2204;
    private static final int MAGIC_LENGTH = 4;
    private static final int FLG_WRITTEN = 0x60;
    private static final int BD_WRITTEN = 0x40;
    private static final int HEADER_WRITTEN = 7;
    private static final int BLOCK_BYTES = 64 * 1024;
    private static final int STORED = 0x8000_0000;

    private static final int FLG_VERSION_MASK = 0xC0;
    private static final int FLG_VERSION = 0x40;
    private static final int FLG_INDEPENDENT = 0x20;
    private static final int FLG_BLOCK_SUMS = 0x10;
    private static final int FLG_CONTENT_SIZE = 0x08;
    private static final int FLG_CONTENT_SUM = 0x04;
    private static final int FLG_RESERVED_MASK = 0x03;
    private static final int BD_RESERVED_MASK = 0x8F;

    /** Creates the codec; the library is looked for when it is first needed. */
    public Lz4Codec() {}

    @Override
    public int id() {
        return CompressionType.LZ4.id();
    }

    @Override
    public String codecName() {
        return CompressionType.LZ4.codecName();
    }

    @Override
    public void compress(
            final DirectBuffer source, final int index, final int length, final int level, final CodecBuffer target) {
        source.boundsCheck(index, length);
        final int effectiveLevel = CompressionType.LZ4.effectiveLevel(level);
        try {
            Library.compress(source, index, length, effectiveLevel, target);
        } catch (final LinkageError e) {
            throw CodecException.libraryMissing(CompressionType.LZ4, ARTIFACT, e);
        }
    }

    @Override
    public void decompress(
            final DirectBuffer source, final int index, final int length, final byte magic, final CodecBuffer target) {
        source.boundsCheck(index, length);
        try {
            Library.decompress(source, index, length, magic, target);
        } catch (final LinkageError e) {
            throw CodecException.libraryMissing(CompressionType.LZ4, ARTIFACT, e);
        }
    }

    private static CodecException corrupt(final String reason) {
        return CodecException.corrupt(CompressionType.LZ4, reason);
    }

    /** Everything that needs the library, so that {@link Lz4Codec} loads without it. */
    private static final class Library {
        private static final ManyToManyConcurrentArrayQueue<Library> POOL = new ManyToManyConcurrentArrayQueue<>(16);
        private static final LZ4Factory FACTORY = LZ4Factory.fastestInstance();
        private static final LZ4Compressor FAST = FACTORY.fastCompressor();
        private static final LZ4SafeDecompressor DECOMPRESSOR = FACTORY.safeDecompressor();
        private static final XXHash32 HASH = XXHashFactory.fastestInstance().hash32();

        private final NativeInput input = new NativeInput();

        static void compress(
                final DirectBuffer source,
                final int index,
                final int length,
                final int level,
                final CodecBuffer target) {
            final LZ4Compressor compressor =
                    level == CompressionType.LZ4.defaultLevel() ? FAST : FACTORY.highCompressor(level);
            final Library scratch = take();
            try {
                writeHeader(target);
                scratch.input.open(source, index, length);
                for (int done = 0; done < length; done += BLOCK_BYTES) {
                    scratch.writeBlock(compressor, source, index, done, Math.min(BLOCK_BYTES, length - done), target);
                }
                target.room(Integer.BYTES).putInt(0);
                target.advance(Integer.BYTES);
            } finally {
                scratch.give();
            }
        }

        private static void writeHeader(final CodecBuffer target) {
            final int start = target.length();
            target.room(HEADER_WRITTEN)
                    .putInt(Integer.reverseBytes(MAGIC))
                    .put((byte) FLG_WRITTEN)
                    .put((byte) BD_WRITTEN)
                    .put((byte) (HASH.hash(target.memory(), start + MAGIC_LENGTH, 2, 0) >>> 8));
            target.advance(HEADER_WRITTEN);
        }

        private void writeBlock(
                final LZ4Compressor compressor,
                final DirectBuffer source,
                final int index,
                final int done,
                final int length,
                final CodecBuffer target) {
            int compressed = length;
            final int wanted = Integer.BYTES + compressor.maxCompressedLength(length);
            final int room = target.roomUpTo(wanted).remaining() - Integer.BYTES;
            if (room > 0) {
                try {
                    final int at = target.length() + Integer.BYTES;
                    compressed = compressor.compress(
                            input.memory(), input.start() + done, length, target.memory(), at, room);
                } catch (final LZ4Exception e) {
                    // The room was less than the library asks for, and did not suffice. Nor will it for the stored
                    // form,
                    // unless the block does not compress; both end below.
                    compressed = length;
                }
            }
            if (compressed < length) {
                target.room(Integer.BYTES + compressed).putInt(Integer.reverseBytes(compressed));
                target.advance(Integer.BYTES + compressed);
            } else {
                target.room(Integer.BYTES + length).putInt(Integer.reverseBytes(length | STORED));
                target.advance(Integer.BYTES);
                target.append(source, index + done, length);
            }
        }

        static void decompress(
                final DirectBuffer source,
                final int index,
                final int length,
                final byte magic,
                final CodecBuffer target) {
            final Library scratch = take();
            try {
                scratch.input.open(source, index, length);
                scratch.readFrame(source, index, index + length, magic, target);
            } finally {
                scratch.give();
            }
        }

        private void readFrame(
                final DirectBuffer source, final int index, final int end, final byte magic, final CodecBuffer target) {
            final int start = target.length();
            final int headerLength = readHeader(source, index, end, magic, target);
            final int flags = source.getByte(index + MAGIC_LENGTH);
            final int largest = largestBlock(source.getByte(index + MAGIC_LENGTH + 1));
            final int sumLength = (flags & FLG_BLOCK_SUMS) != 0 ? Integer.BYTES : 0;
            int at = index + headerLength;
            while (true) {
                final int word = readInt(source, at, end);
                at += Integer.BYTES;
                final int blockLength = word & ~STORED;
                if (blockLength == 0) {
                    break;
                }
                if (blockLength > largest) {
                    throw corrupt("block of " + blockLength + " bytes where at most " + largest + " are declared");
                }
                if (blockLength + sumLength > end - at) {
                    throw corrupt("ends inside a block");
                }
                if (sumLength > 0) {
                    requireSum(
                            source,
                            at + blockLength,
                            HASH.hash(input.memory(), memoryIndex(index, at), blockLength, 0));
                }
                readBlock(source, index, at, blockLength, (word & STORED) != 0, largest, target);
                at += blockLength + sumLength;
            }
            requireContent(source, index, at, end, flags, start, target);
        }

        private int memoryIndex(final int index, final int at) {
            return input.start() + at - index;
        }

        private void readBlock(
                final DirectBuffer source,
                final int index,
                final int at,
                final int length,
                final boolean isStored,
                final int largest,
                final CodecBuffer target) {
            if (isStored) {
                target.append(source, at, length);
                return;
            }
            // A byte of a block stands for at most 255 of the content.
            final int most = (int) Math.min(largest, 255L * length);
            final int room = target.roomUpTo(most).remaining();
            try {
                target.advance(DECOMPRESSOR.decompress(
                        input.memory(), memoryIndex(index, at), length, target.memory(), target.length(), room));
            } catch (final LZ4Exception e) {
                // The library does not tell a broken block from one that is larger than the room.
                final long declared = Lz4Block.contentLength(source, at, length);
                if (room < most && declared > room) {
                    throw CodecException.tooLarge(target.length() + declared, target.bound());
                }
                throw CodecException.corrupt(
                        CompressionType.LZ4,
                        declared > most
                                ? "block with more than the " + largest + " bytes that are declared"
                                : "broken block",
                        e);
            }
        }

        /** Returns the number of bytes of the header. */
        private int readHeader(
                final DirectBuffer source, final int index, final int end, final byte magic, final CodecBuffer target) {
            if (end - index < HEADER_WRITTEN) {
                throw corrupt("ends inside the header");
            }
            if (source.getInt(index, ByteOrder.LITTLE_ENDIAN) != MAGIC) {
                throw corrupt("no lz4 frame");
            }
            final int flags = source.getByte(index + MAGIC_LENGTH);
            requireFlags(flags, source.getByte(index + MAGIC_LENGTH + 1));
            final int size = (flags & FLG_CONTENT_SIZE) != 0 ? Long.BYTES : 0;
            if (end - index < HEADER_WRITTEN + size) {
                throw corrupt("ends inside the header");
            }
            requireHeaderSum(source, index, 2 + size, magic);
            if (size > 0) {
                final long declared = source.getLong(index + MAGIC_LENGTH + 2, ByteOrder.LITTLE_ENDIAN);
                if (declared < 0 || declared > target.left()) {
                    throw CodecException.tooLarge(declared < 0 ? Long.MAX_VALUE : declared, target.left());
                }
            }
            return HEADER_WRITTEN + size;
        }

        private static void requireFlags(final int flags, final int blockDescriptor) {
            if ((flags & FLG_VERSION_MASK) != FLG_VERSION || (flags & FLG_RESERVED_MASK) != 0) {
                throw corrupt("unknown frame version or flags " + Integer.toHexString(flags & 0xFF));
            }
            if ((flags & FLG_INDEPENDENT) == 0) {
                throw corrupt(
                        "linked blocks, which Kafka's consumers cannot read; the client must write independent ones");
            }
            if ((blockDescriptor & BD_RESERVED_MASK) != 0 || blockDescriptor >>> 4 < 4) {
                throw corrupt("unknown block size " + Integer.toHexString(blockDescriptor & 0xFF));
            }
        }

        private static int largestBlock(final int blockDescriptor) {
            return 1 << (2 * (blockDescriptor >>> 4) + 8);
        }

        private void requireHeaderSum(final DirectBuffer source, final int index, final int length, final byte magic) {
            final byte sum = source.getByte(index + MAGIC_LENGTH + length);
            final int at = input.start();
            if (sum == (byte) (HASH.hash(input.memory(), at + MAGIC_LENGTH, length, 0) >>> 8)) {
                return;
            }
            if (magic < 2 && sum == (byte) (HASH.hash(input.memory(), at, MAGIC_LENGTH + length, 0) >>> 8)) {
                return;
            }
            throw corrupt("wrong header checksum " + Integer.toHexString(sum & 0xFF));
        }

        private static void requireContent(
                final DirectBuffer source,
                final int index,
                final int at,
                final int end,
                final int flags,
                final int start,
                final CodecBuffer target) {
            final int length = target.length() - start;
            if ((flags & FLG_CONTENT_SIZE) != 0) {
                final long declared = source.getLong(index + MAGIC_LENGTH + 2, ByteOrder.LITTLE_ENDIAN);
                if (declared != length) {
                    throw corrupt("content size " + declared + " where the content has " + length);
                }
            }
            if ((flags & FLG_CONTENT_SUM) != 0) {
                readInt(source, at, end);
                requireSum(source, at, HASH.hash(target.memory(), start, length, 0));
            }
        }

        private static void requireSum(final DirectBuffer source, final int at, final int actual) {
            final int declared = source.getInt(at, ByteOrder.LITTLE_ENDIAN);
            if (declared != actual) {
                throw corrupt("checksum " + Integer.toHexString(declared) + " where the bytes have "
                        + Integer.toHexString(actual));
            }
        }

        private static int readInt(final DirectBuffer source, final int at, final int end) {
            if (end - at < Integer.BYTES) {
                throw corrupt("ends before the end of the frame");
            }
            return source.getInt(at, ByteOrder.LITTLE_ENDIAN);
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
