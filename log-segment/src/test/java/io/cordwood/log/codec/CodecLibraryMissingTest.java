package io.cordwood.log.codec;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.io.InputStream;
import java.lang.reflect.Constructor;
import java.util.function.Supplier;
import org.agrona.concurrent.UnsafeBuffer;
import org.junit.jupiter.api.Test;

/** The package as an integrator sees it who has none of the optional libraries. */
class CodecLibraryMissingTest {
    @Test
    void theOtherCodecsWorkAndTheMissingOnesNameTheirArtifact() throws Exception {
        final Class<?> inside = new WithoutLibraries().loadClass(Inside.class.getName());
        final Constructor<?> constructor = inside.getDeclaredConstructor();
        // Another loader makes it another package, although the name is the same.
        constructor.setAccessible(true);
        final Object answer = ((Supplier<?>) constructor.newInstance()).get();
        assertEquals("""
                none works
                gzip works
                snappy compress LIBRARY_MISSING org.xerial.snappy:snappy-java
                snappy decompress LIBRARY_MISSING org.xerial.snappy:snappy-java
                snappy compress LIBRARY_MISSING org.xerial.snappy:snappy-java
                lz4 compress LIBRARY_MISSING at.yawk.lz4:lz4-java
                lz4 decompress LIBRARY_MISSING at.yawk.lz4:lz4-java
                lz4 compress LIBRARY_MISSING at.yawk.lz4:lz4-java
                zstd compress LIBRARY_MISSING com.github.luben:zstd-jni
                zstd decompress LIBRARY_MISSING com.github.luben:zstd-jni
                zstd compress LIBRARY_MISSING com.github.luben:zstd-jni
                """, answer);
    }

    /** Runs behind the class loader. */
    static final class Inside implements Supplier<String> {
        private final StringBuilder answers = new StringBuilder();

        Inside() {}

        @Override
        public String get() {
            works(CompressionType.NONE);
            works(CompressionType.GZIP);
            // The smallest input that needs the library: a raw block of one byte, an empty frame, an empty frame.
            misses(CompressionType.SNAPPY, "010061");
            misses(CompressionType.LZ4, "04224d1860408200000000");
            misses(CompressionType.ZSTD, "28b52ffd2000010000");
            return answers.toString();
        }

        private void works(final CompressionType type) {
            final byte[] content = CodecSamples.content(2, 1000);
            final Codec codec = Codecs.standard().of(type);
            final byte[] back = CodecSamples.decompress(codec, CodecSamples.compress(codec, content));
            assertTrue(back.length == content.length);
            answers.append(type.codecName()).append(" works\n");
        }

        private void misses(final CompressionType type, final String compressed) {
            final Codec codec = Codecs.standard().of(type);
            final UnsafeBuffer source = new UnsafeBuffer(CodecSamples.hex(compressed));
            final int length = source.capacity();
            final CodecBuffer target = new CodecBuffer(1000);
            answer(type, "compress", () -> codec.compress(source, 0, length, CompressionType.DEFAULT_LEVEL, target));
            answer(type, "decompress", () -> codec.decompress(source, 0, length, CodecSamples.MAGIC_2, target));
            answer(type, "compress", () -> codec.compress(source, 0, length, CompressionType.DEFAULT_LEVEL, target));
        }

        private void answer(final CompressionType type, final String act, final Runnable call) {
            answers.append(type.codecName()).append(' ').append(act).append(' ');
            try {
                call.run();
                answers.append("worked");
            } catch (final CodecException e) {
                final String message = String.valueOf(e.getMessage());
                answers.append(e.kind()).append(message.replaceAll(".*needs the library ([^ ,]*),.*", " $1"));
            }
            answers.append('\n');
        }
    }

    /** Defines this package's classes anew and knows none of the libraries. */
    private static final class WithoutLibraries extends ClassLoader {
        WithoutLibraries() {
            super(CodecLibraryMissingTest.class.getClassLoader());
        }

        @Override
        protected Class<?> loadClass(final String name, final boolean resolve) throws ClassNotFoundException {
            if (name.startsWith("net.jpountz.")
                    || name.startsWith("com.github.luben.")
                    || name.startsWith("org.xerial.")) {
                throw new ClassNotFoundException(name);
            }
            if (!name.startsWith("io.cordwood.")) {
                return super.loadClass(name, resolve);
            }
            final Class<?> loaded = findLoadedClass(name);
            return loaded != null ? loaded : define(name);
        }

        private Class<?> define(final String name) throws ClassNotFoundException {
            try (InputStream in = getResourceAsStream(name.replace('.', '/') + ".class")) {
                if (in == null) {
                    throw new ClassNotFoundException(name);
                }
                final byte[] bytes = in.readAllBytes();
                return defineClass(name, bytes, 0, bytes.length);
            } catch (final IOException e) {
                throw new ClassNotFoundException(name, e);
            }
        }
    }
}
