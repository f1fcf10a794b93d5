package io.cordwood.log.codec;

import com.github.luben.zstd.Zstd;
import com.github.luben.zstd.ZstdCompressCtx;
import com.github.luben.zstd.ZstdDecompressCtx;
import com.github.luben.zstd.ZstdException;
import java.nio.ByteBuffer;
import org.agrona.DirectBuffer;
import org.agrona.concurrent.ManyToManyConcurrentArrayQueue;
import org.jspecify.annotations.Nullable;

/**
 * Zstandard frames (RFC 8878), over zstd-jni. Writes one frame with its content size; reads any number of them, with or
 * without.
 *
 * <p>Everything is decoded in one go into the target itself. The library then needs no window of its own, which a frame of a
 * few bytes could ask to be 128 MiB, so the target's bound is all that is ever allocated. Frames that ask for more than those
 * 128 MiB are refused, since Kafka's consumers cannot read them. {@link ZstdFrames} finds out beforehand how much memory is
 * needed at most.
 *
 * <p>Any thread may use an instance. Each call takes native contexts from a pool of at most 16 that the process shares and
 * gives them back before it returns. Contexts of levels above 12, which hold many megabytes, are freed instead.
 */
public final class ZstdCodec implements Codec {
    static final String ARTIFACT = "com.github.luben:zstd-jni";

    private static final int KEPT_LEVEL_MAX = 12;

    /** Creates the codec; the library is looked for when it is first needed. */
    public ZstdCodec() {}

    @Override
    public int id() {
        return CompressionType.ZSTD.id();
    }

    @Override
    public String codecName() {
        return CompressionType.ZSTD.codecName();
    }

    @Override
    public void compress(
            final DirectBuffer source, final int index, final int length, final int level, final CodecBuffer target) {
        source.boundsCheck(index, length);
        final int effectiveLevel = CompressionType.ZSTD.effectiveLevel(level);
        try {
            Library.compress(source, index, length, effectiveLevel, target);
        } catch (final LinkageError e) {
            throw CodecException.libraryMissing(CompressionType.ZSTD, ARTIFACT, e);
        }
    }

    @Override
    public void decompress(
            final DirectBuffer source, final int index, final int length, final byte magic, final CodecBuffer target) {
        source.boundsCheck(index, length);
        try {
            Library.decompress(source, index, length, target);
        } catch (final LinkageError e) {
            throw CodecException.libraryMissing(CompressionType.ZSTD, ARTIFACT, e);
        }
    }

    /** Everything that needs the library, so that {@link ZstdCodec} loads without it. */
    private static final class Library {
        private static final ManyToManyConcurrentArrayQueue<Library> POOL = new ManyToManyConcurrentArrayQueue<>(16);
        private static final long TARGET_TOO_SMALL = Zstd.errDstSizeTooSmall();

        private final NativeInput input = new NativeInput();
        private final ZstdFrames frames = new ZstdFrames();
        private @Nullable ZstdCompressCtx compressor;
        private @Nullable ZstdDecompressCtx decompressor;

        static void compress(
                final DirectBuffer source,
                final int index,
                final int length,
                final int level,
                final CodecBuffer target) {
            final Library context = take();
            try {
                context.input.open(source, index, length);
                final int room = target.roomUpTo((int) Math.min(Integer.MAX_VALUE, Zstd.compressBound(length)))
                        .remaining();
                final ByteBuffer from = context.input.memory();
                target.advance(context.compressor(level)
                        .compressDirectByteBuffer(
                                target.memory(), target.length(), room, from, context.input.start(), length));
            } catch (final ZstdException e) {
                if (e.getErrorCode() == TARGET_TOO_SMALL) {
                    throw CodecException.tooLarge(target.bound() + 1L, target.bound());
                }
                throw new IllegalStateException("zstd-jni refuses its input", e);
            } finally {
                context.give(level <= KEPT_LEVEL_MAX);
            }
        }

        static void decompress(final DirectBuffer source, final int index, final int length, final CodecBuffer target) {
            final Library context = take();
            long most = 0;
            try {
                most = context.frames.contentLengthAtMost(source, index, length, target.left());
                context.input.open(source, index, length);
                final int room =
                        target.roomUpTo((int) Math.min(Integer.MAX_VALUE, most)).remaining();
                final ByteBuffer from = context.input.memory();
                target.advance(context.decompressor()
                        .decompressDirectByteBuffer(
                                target.memory(), target.length(), room, from, context.input.start(), length));
            } catch (final ZstdException e) {
                if (e.getErrorCode() == TARGET_TOO_SMALL && most > target.left()) {
                    throw CodecException.tooLarge(target.bound() + 1L, target.bound());
                }
                throw CodecException.corrupt(CompressionType.ZSTD, "broken frame: " + e.getMessage(), e);
            } finally {
                context.give(true);
            }
        }

        private ZstdCompressCtx compressor(final int level) {
            ZstdCompressCtx current = compressor;
            if (current == null) {
                current = new ZstdCompressCtx();
                compressor = current;
            }
            return current.setLevel(level);
        }

        private ZstdDecompressCtx decompressor() {
            ZstdDecompressCtx current = decompressor;
            if (current == null) {
                current = new ZstdDecompressCtx();
                decompressor = current;
            }
            return current;
        }

        private static Library take() {
            final Library pooled = POOL.poll();
            return pooled != null ? pooled : new Library();
        }

        private void give(final boolean isKept) {
            input.close();
            if (!isKept || !POOL.offer(this)) {
                free();
            }
        }

        private void free() {
            if (compressor != null) {
                compressor.close();
            }
            if (decompressor != null) {
                decompressor.close();
            }
        }
    }
}
