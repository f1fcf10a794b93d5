package io.cordwood.log.codec;

import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.util.zip.CRC32;
import java.util.zip.DataFormatException;
import java.util.zip.Deflater;
import java.util.zip.Inflater;
import org.agrona.DirectBuffer;
import org.agrona.concurrent.ManyToManyConcurrentArrayQueue;
import org.jspecify.annotations.Nullable;

/**
 * Gzip, over the JDK's zlib. Writes one member; reads any number of them, one after the other.
 *
 * <pre>
 *   member:  1F 8B 08 FLG MTIME(4) XFL OS [extra] [name] [comment] [header sum]  deflate...  CRC-32(4) length(4)
 *                                                                                            little-endian
 * </pre>
 *
 * <p>As in Kafka, bytes behind a member that do not begin like another one are ignored.
 *
 * <p>Any thread may use an instance. Each call takes a deflater or inflater from a pool of at most 16 that the process shares
 * and gives it back before it returns.
 */
public final class GzipCodec implements Codec {
    private static final int MAGIC_1 = 0x1F;
    private static final int MAGIC_2 = 0x8B;
    private static final int METHOD_DEFLATE = 8;
    private static final int HEADER_LENGTH = 10;
    private static final int TRAILER_LENGTH = 8;
    private static final int FLAG_HEADER_SUM = 2;
    private static final int FLAG_EXTRA = 4;
    private static final int FLAG_NAME = 8;
    private static final int FLAG_COMMENT = 16;

    /** What the JDK's own writer puts there: unknown. */
    private static final byte OPERATING_SYSTEM = (byte) 0xFF;

    private static final int CHUNK_BYTES = 16 * 1024;
    private static final ManyToManyConcurrentArrayQueue<Context> POOL = new ManyToManyConcurrentArrayQueue<>(16);

    /** Creates the codec, which has no state but the pool that all of them share. */
    public GzipCodec() {}

    @Override
    public int id() {
        return CompressionType.GZIP.id();
    }

    @Override
    public String codecName() {
        return CompressionType.GZIP.codecName();
    }

    @Override
    public void compress(
            final DirectBuffer source, final int index, final int length, final int level, final CodecBuffer target) {
        source.boundsCheck(index, length);
        final int effectiveLevel = CompressionType.GZIP.effectiveLevel(level);
        final Context context = take();
        try {
            writeHeader(target);
            deflate(context, source, index, length, effectiveLevel, target);
            final ByteBuffer trailer = target.room(TRAILER_LENGTH).order(ByteOrder.LITTLE_ENDIAN);
            trailer.putInt((int) context.crc.getValue()).putInt(length).order(ByteOrder.BIG_ENDIAN);
            target.advance(TRAILER_LENGTH);
        } finally {
            give(context);
        }
    }

    @Override
    public void decompress(
            final DirectBuffer source, final int index, final int length, final byte magic, final CodecBuffer target) {
        source.boundsCheck(index, length);
        final int end = index + length;
        final Context context = take();
        try {
            int next = readMember(context, source, index, end, target);
            while (isMember(source, next, end)) {
                next = readMember(context, source, next, end, target);
            }
        } finally {
            give(context);
        }
    }

    private static void writeHeader(final CodecBuffer target) {
        final ByteBuffer header = target.room(HEADER_LENGTH);
        header.put((byte) MAGIC_1)
                .put((byte) MAGIC_2)
                .put((byte) METHOD_DEFLATE)
                .put((byte) 0);
        header.putInt(0).put((byte) 0).put(OPERATING_SYSTEM);
        target.advance(HEADER_LENGTH);
    }

    private static void deflate(
            final Context context,
            final DirectBuffer source,
            final int index,
            final int length,
            final int level,
            final CodecBuffer target) {
        final Deflater deflater = context.deflater(level);
        final int end = index + length;
        int loaded = index;
        context.crc.reset();
        while (!deflater.finished()) {
            if (loaded < end && deflater.needsInput()) {
                final int count = Math.min(CHUNK_BYTES, end - loaded);
                context.load(source, loaded, count);
                context.crc.update(context.chunk);
                deflater.setInput(context.chunk.flip());
                loaded += count;
            }
            if (loaded == end) {
                deflater.finish();
            }
            final ByteBuffer room = target.roomUpTo(CHUNK_BYTES);
            if (!room.hasRemaining()) {
                throw CodecException.tooLarge(target.bound() + 1L, target.bound());
            }
            target.advance(deflater.deflate(room));
        }
    }

    private static boolean isMember(final DirectBuffer source, final int index, final int end) {
        return end - index > 2
                && (source.getByte(index) & 0xFF) == MAGIC_1
                && (source.getByte(index + 1) & 0xFF) == MAGIC_2
                && source.getByte(index + 2) == METHOD_DEFLATE;
    }

    /** Returns the index behind the member. */
    private static int readMember(
            final Context context,
            final DirectBuffer source,
            final int index,
            final int end,
            final CodecBuffer target) {
        final int before = target.length();
        final int trailer = inflate(context, source, skipHeader(source, index, end), end, target);
        if (end - trailer < TRAILER_LENGTH) {
            throw corrupt("ends inside a trailer");
        }
        final int sum = source.getInt(trailer, ByteOrder.LITTLE_ENDIAN);
        if (sum != (int) context.crc.getValue()) {
            throw corrupt("sum " + Integer.toHexString(sum) + " where the content has "
                    + Long.toHexString(context.crc.getValue()));
        }
        final int declared = source.getInt(trailer + Integer.BYTES, ByteOrder.LITTLE_ENDIAN);
        if (declared != target.length() - before) {
            throw corrupt("length " + declared + " where the content has " + (target.length() - before));
        }
        return trailer + TRAILER_LENGTH;
    }

    private static int skipHeader(final DirectBuffer source, final int index, final int end) {
        if (end - index < HEADER_LENGTH || !isMember(source, index, end)) {
            throw corrupt("no gzip header");
        }
        final int flags = source.getByte(index + 3);
        int at = index + HEADER_LENGTH;
        if ((flags & FLAG_EXTRA) != 0) {
            requireHeader(end - at >= Short.BYTES);
            final int extra = source.getShort(at, ByteOrder.LITTLE_ENDIAN) & 0xFFFF;
            at += Short.BYTES;
            requireHeader(end - at >= extra);
            at += extra;
        }
        if ((flags & FLAG_NAME) != 0) {
            at = skipText(source, at, end);
        }
        if ((flags & FLAG_COMMENT) != 0) {
            at = skipText(source, at, end);
        }
        if ((flags & FLAG_HEADER_SUM) != 0) {
            requireHeader(end - at >= Short.BYTES);
            final int sum = source.getShort(at, ByteOrder.LITTLE_ENDIAN) & 0xFFFF;
            requireHeaderSum(source, index, at, sum);
            at += Short.BYTES;
        }
        return at;
    }

    private static int skipText(final DirectBuffer source, final int index, final int end) {
        int at = index;
        while (at < end && source.getByte(at) != 0) {
            at++;
        }
        requireHeader(at < end);
        return at + 1;
    }

    private static void requireHeader(final boolean isComplete) {
        if (!isComplete) {
            throw corrupt("ends inside a header");
        }
    }

    private static void requireHeaderSum(final DirectBuffer source, final int index, final int end, final int sum) {
        final CRC32 crc = new CRC32();
        for (int at = index; at < end; at++) {
            crc.update(source.getByte(at));
        }
        if ((crc.getValue() & 0xFFFF) != sum) {
            throw corrupt("wrong header sum");
        }
    }

    /** Returns the index behind the deflated bytes. The context's sum is that of the content then. */
    private static int inflate(
            final Context context,
            final DirectBuffer source,
            final int index,
            final int end,
            final CodecBuffer target) {
        final Inflater inflater = context.inflater;
        inflater.reset();
        context.crc.reset();
        int loaded = index;
        try {
            while (!inflater.finished()) {
                if (inflater.needsInput()) {
                    final int count = Math.min(CHUNK_BYTES, end - loaded);
                    if (count == 0) {
                        throw corrupt("ends inside deflated data");
                    }
                    inflater.setInput(context.load(source, loaded, count));
                    loaded += count;
                }
                inflateChunk(context, target);
            }
        } catch (final DataFormatException e) {
            throw CodecException.corrupt(CompressionType.GZIP, "broken deflated data: " + e.getMessage(), e);
        }
        return loaded - inflater.getRemaining();
    }

    private static void inflateChunk(final Context context, final CodecBuffer target) throws DataFormatException {
        final Inflater inflater = context.inflater;
        final ByteBuffer room = target.roomUpTo(CHUNK_BYTES);
        if (!room.hasRemaining()) {
            // At the bound, only the end of the data may follow. It takes a byte of room to find out.
            if (inflater.inflate(context.beyond) > 0) {
                throw CodecException.tooLarge(target.bound() + 1L, target.bound());
            }
        } else {
            final int written = inflater.inflate(room);
            room.limit(room.position()).position(target.length());
            context.crc.update(room);
            target.advance(written);
        }
        if (inflater.needsDictionary()) {
            throw corrupt("needs a dictionary");
        }
    }

    private static CodecException corrupt(final String reason) {
        return CodecException.corrupt(CompressionType.GZIP, reason);
    }

    private static Context take() {
        final Context pooled = POOL.poll();
        return pooled != null ? pooled : new Context();
    }

    private static void give(final Context context) {
        if (!POOL.offer(context)) {
            context.free();
        }
    }

    /** The native streams of one call. A stream is made anew when another level is wanted: zlib mixes levels otherwise. */
    private static final class Context {
        final Inflater inflater = new Inflater(true);
        final CRC32 crc = new CRC32();
        final ByteBuffer chunk = ByteBuffer.allocateDirect(CHUNK_BYTES);
        final byte[] beyond = new byte[1];
        private @Nullable Deflater deflater;
        private int level;

        Deflater deflater(final int wanted) {
            Deflater current = deflater;
            if (current == null || level != wanted) {
                if (current != null) {
                    current.end();
                }
                current = new Deflater(wanted, true);
                deflater = current;
                level = wanted;
            }
            current.reset();
            return current;
        }

        ByteBuffer load(final DirectBuffer source, final int index, final int count) {
            chunk.clear().limit(count);
            source.getBytes(index, chunk, 0, count);
            return chunk;
        }

        void free() {
            inflater.end();
            if (deflater != null) {
                deflater.end();
            }
        }
    }
}
