package io.cordwood.testkit.contract;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNotNull;
import static org.junit.jupiter.api.Assertions.assertThrows;

import io.cordwood.log.codec.Codec;
import io.cordwood.log.codec.CodecBuffer;
import io.cordwood.log.codec.CodecException;
import io.cordwood.log.codec.Codecs;
import io.cordwood.log.codec.CompressionType;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Random;
import java.util.function.IntFunction;
import org.agrona.concurrent.UnsafeBuffer;
import org.junit.jupiter.api.Test;

/**
 * What every {@link Codec} is held to: an implementation inherits this class and names itself. That its bytes are Kafka's is not held
 * here; who has Kafka at hand compares them.
 *
 * <pre>
 *   class MyZstdTest extends CodecContract {
 *       MyZstdTest() {
 *           super(new MyZstd());
 *       }
 *   }
 * </pre>
 */
public abstract class CodecContract {
    private static final int MARGIN = 7;
    private static final int BOUND = 1 << 21;
    private static final byte MAGIC = 2;
    private static final byte OUTSIDE = 0x5A;

    private final Codec codec;

    /**
     * Names what is tested.
     *
     * @param codec to test.
     */
    protected CodecContract(final Codec codec) {
        this.codec = codec;
    }

    @Test
    final void itsNumberAndNameAreKafkas() {
        final CompressionType type = CompressionType.forId(codec.id());
        assertNotNull(type, "number " + codec.id());
        assertEquals(type.codecName(), codec.codecName());
        assertEquals(codec, Codecs.standard().with(codec).of(type));
    }

    @Test
    final void whatIsCompressedComesBack() {
        for (byte magic = 0; magic <= MAGIC; magic++) {
            for (final byte[] content : contents()) {
                // Magic 0 and 1 have lz4 headers that are not written any more.
                if (magic == MAGIC || codec.id() != CompressionType.LZ4.id()) {
                    assertArrayEquals(content, decompressed(compressed(content), magic, BOUND));
                }
            }
        }
    }

    @Test
    final void aPieceIsReadFromWhereItLiesAndNothingAround() {
        final byte[] content = text(1000);
        final byte[] once = compressed(content);
        final UnsafeBuffer source = framed(content);
        final CodecBuffer target = new CodecBuffer(BOUND);
        target.append(new UnsafeBuffer(text(MARGIN)), 0, MARGIN);
        codec.compress(source, MARGIN, content.length, CompressionType.DEFAULT_LEVEL, target);
        final byte[] all = bytes(target);
        assertArrayEquals(text(MARGIN), Arrays.copyOf(all, MARGIN), "what was there");
        assertArrayEquals(once, Arrays.copyOfRange(all, MARGIN, all.length));
        assertArrayEquals(framed(content).byteArray(), source.byteArray(), "the source stays");
    }

    @Test
    final void aResultBeyondTheBoundIsRefused() {
        final byte[] content = noise(5000);
        assertEquals(5000, decompressed(compressed(content), MAGIC, 5000).length);
        for (final int bound : new int[] {0, 1, 4999}) {
            final CodecException large =
                    assertThrows(CodecException.class, () -> decompressed(compressed(content), MAGIC, bound));
            assertEquals(CodecException.Kind.TOO_LARGE, large.kind());
        }
        final CodecBuffer small = new CodecBuffer(100);
        final CodecException large = assertThrows(
                CodecException.class,
                () -> codec.compress(
                        new UnsafeBuffer(content), 0, content.length, CompressionType.DEFAULT_LEVEL, small));
        assertEquals(CodecException.Kind.TOO_LARGE, large.kind());
    }

    @Test
    final void aPieceThatWasCutIsRefusedOrABeginning() {
        final byte[] content = text(600);
        final byte[] whole = compressed(content);
        for (int length = 0; length < whole.length; length++) {
            attempt(Arrays.copyOf(whole, length));
        }
    }

    @Test
    final void spoiledBytesEndInNothingWorseThanARefusal() {
        final byte[] whole = compressed(text(300));
        for (int bit = 0; bit < 8 * whole.length; bit++) {
            final byte[] spoiled = whole.clone();
            spoiled[bit / 8] ^= (byte) (1 << bit % 8);
            attempt(spoiled);
        }
        for (int seed = 0; seed < 300; seed++) {
            final byte[] garbage = new byte[new Random(seed).nextInt(200)];
            new Random(seed).nextBytes(garbage);
            attempt(garbage);
        }
    }

    @Test
    final void anInstanceServesManyThreadsWithBuffersOfTheirOwn() throws InterruptedException {
        final List<Throwable> failures = new ArrayList<>();
        final List<Thread> threads = new ArrayList<>();
        for (int i = 0; i < 4; i++) {
            final byte[] content = noise(1000 + i);
            threads.add(new Thread(() -> {
                try {
                    for (int round = 0; round < 100; round++) {
                        assertArrayEquals(content, decompressed(compressed(content), MAGIC, BOUND));
                    }
                } catch (final Throwable e) {
                    synchronized (failures) {
                        failures.add(e);
                    }
                }
            }));
        }
        threads.forEach(Thread::start);
        for (final Thread thread : threads) {
            thread.join();
        }
        assertEquals(List.of(), failures);
    }

    /** Bytes that nobody can trust: decompressed within the bound, or refused by the one exception that says so. */
    private void attempt(final byte[] compressed) {
        final int bound = 10_000;
        final CodecBuffer target = new CodecBuffer(bound);
        target.append(new UnsafeBuffer(text(MARGIN)), 0, MARGIN);
        final UnsafeBuffer source = framed(compressed);
        try {
            codec.decompress(source, MARGIN, compressed.length, MAGIC, target);
        } catch (final CodecException e) {
            assertNotNull(e.getMessage());
        }
        assertArrayEquals(text(MARGIN), Arrays.copyOf(bytes(target), MARGIN), "what was there");
        assertArrayEquals(framed(compressed).byteArray(), source.byteArray(), "the source stays");
    }

    private byte[] compressed(final byte[] content) {
        final CodecBuffer target = new CodecBuffer(BOUND);
        codec.compress(new UnsafeBuffer(content), 0, content.length, CompressionType.DEFAULT_LEVEL, target);
        return bytes(target);
    }

    private byte[] decompressed(final byte[] compressed, final byte magic, final int bound) {
        final CodecBuffer target = new CodecBuffer(bound);
        codec.decompress(framed(compressed), MARGIN, compressed.length, magic, target);
        return bytes(target);
    }

    private static UnsafeBuffer framed(final byte[] content) {
        final UnsafeBuffer framed = new UnsafeBuffer(new byte[content.length + 2 * MARGIN]);
        framed.setMemory(0, framed.capacity(), OUTSIDE);
        framed.putBytes(MARGIN, content);
        return framed;
    }

    private static byte[] bytes(final CodecBuffer buffer) {
        final byte[] bytes = new byte[buffer.length()];
        buffer.buffer().getBytes(0, bytes);
        return bytes;
    }

    private static List<byte[]> contents() {
        final List<byte[]> contents = new ArrayList<>();
        for (final IntFunction<byte[]> kind :
                List.<IntFunction<byte[]>>of(CodecContract::text, CodecContract::noise, byte[]::new)) {
            for (final int length : new int[] {0, 1, 100, 65_536, 65_537, 300_000}) {
                contents.add(kind.apply(length));
            }
        }
        return contents;
    }

    private static byte[] text(final int length) {
        final byte[] text = new byte[length];
        for (int i = 0; i < length; i++) {
            text[i] = (byte) ('a' + i * i % 23);
        }
        return text;
    }

    private static byte[] noise(final int length) {
        final byte[] noise = new byte[length];
        new Random(length).nextBytes(noise);
        return noise;
    }
}
