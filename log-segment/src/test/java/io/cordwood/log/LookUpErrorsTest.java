package io.cordwood.log;

import static io.cordwood.log.TestBatches.at;
import static io.cordwood.log.TestBatches.batch;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNotNull;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.cordwood.log.codec.Codec;
import io.cordwood.log.codec.CodecBuffer;
import io.cordwood.log.codec.CodecException;
import io.cordwood.log.codec.Codecs;
import io.cordwood.log.codec.CompressionType;
import io.cordwood.log.record.Crc32c;
import io.cordwood.log.record.RecordBatchDescriptor;
import io.cordwood.log.store.DiskStorage;
import io.cordwood.log.store.StorageException;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.Arrays;
import java.util.Map;
import org.agrona.DirectBuffer;
import org.agrona.concurrent.UnsafeBuffer;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.ValueSource;

/** What a look-up by time meets in damaged bytes comes as one kind of exception, which names file, position and reason. */
final class LookUpErrorsTest {
    private static final long NOW = 1_700_000_000_000L;
    private static final String SECOND = "t-0/00000000000000000001.log";

    @TempDir
    Path root;

    /** A log whose second segment holds a sound batch and another one behind it, as a leader sent them. */
    private static Log open(final DiskStorage storage, final UnsafeBuffer last) {
        final Log log = new LogBuilder(storage, "t-0").open(NOW);
        final AppendAs as = AppendAs.replica();
        final UnsafeBuffer first = at(0, 0, batch(NOW, "a"));
        assertEquals(0, log.append(first, 0, first.capacity(), as, NOW));
        log.roll(NOW);
        final UnsafeBuffer second = at(1, 0, batch(NOW + 1, "b"));
        assertEquals(1, log.append(second, 0, second.capacity(), as, NOW), log.refusalReason());
        final UnsafeBuffer third = at(2, 0, last);
        assertEquals(2, log.append(third, 0, third.capacity(), as, NOW), log.refusalReason());
        return log;
    }

    /** The records are garbage, and the checksum is theirs: only who decodes them can tell. */
    private static UnsafeBuffer sealedGarbage(final CompressionType type) {
        final UnsafeBuffer batch = batch(type, NOW + 2, "x".repeat(300), "y".repeat(300));
        for (int i = RecordBatchDescriptor.HEADER_BYTES; i < batch.capacity(); i++) {
            batch.putByte(i, (byte) 0x91);
        }
        RecordBatchDescriptor.sealCrc(batch, 0, batch.capacity(), new Crc32c());
        return batch;
    }

    @ParameterizedTest
    @EnumSource(CompressionType.class)
    void recordsThatDoNotDecodeAreDamageOfTheirSegment(final CompressionType type) {
        try (DiskStorage storage = new DiskStorage(root);
                Log log = open(storage, sealedGarbage(type));
                LogReader reader = log.newReader()) {
            final CorruptLogException damage =
                    assertThrows(CorruptLogException.class, () -> reader.offsetForTimestamp(NOW + 2, Long.MAX_VALUE));
            assertEquals(root.resolve(SECOND).toString(), damage.file());
            assertEquals(batch(NOW, "b").capacity(), damage.position());
            assertTrue(damage.reason().length() > 5, damage.reason());
            assertNotNull(damage.getCause());
            // The reader can be used further.
            assertEquals(1, reader.offsetForTimestamp(NOW + 1, Long.MAX_VALUE));
            assertEquals(0, reader.offsetForTimestamp(NOW, Long.MAX_VALUE));
        }
    }

    @Test
    void recordsThatDecompressToTooMuchAreDamageOfTheirSegment() {
        final UnsafeBuffer bomb = batch(CompressionType.GZIP, NOW + 2, "x".repeat(100_000));
        try (DiskStorage storage = new DiskStorage(root)) {
            open(storage, bomb).close();
            final LogConfig narrow = LogConfig.of(Map.of("decompressed.bytes.max", "50000"));
            try (Log log = new LogBuilder(storage, "t-0").config(narrow).open(NOW);
                    LogReader reader = log.newReader()) {
                final CorruptLogException damage = assertThrows(
                        CorruptLogException.class, () -> reader.offsetForTimestamp(NOW + 2, Long.MAX_VALUE));
                assertEquals(root.resolve(SECOND).toString(), damage.file());
                assertTrue(damage.reason().contains("50000"), damage.reason());
            }
        }
    }

    @Test
    void aCodecWithoutItsLibraryIsNoDamage() {
        final Codec missing = new Codec() {
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
                    final DirectBuffer source,
                    final int index,
                    final int length,
                    final int level,
                    final CodecBuffer target) {
                throw new CodecException(CodecException.Kind.LIBRARY_MISSING, "needs the library a:b", null);
            }

            @Override
            public void decompress(
                    final DirectBuffer source,
                    final int index,
                    final int length,
                    final byte magic,
                    final CodecBuffer target) {
                throw new CodecException(CodecException.Kind.LIBRARY_MISSING, "needs the library a:b", null);
            }
        };
        try (DiskStorage storage = new DiskStorage(root)) {
            open(storage, batch(CompressionType.ZSTD, NOW + 2, "c")).close();
            try (Log log = new LogBuilder(storage, "t-0")
                            .codecs(Codecs.standard().with(missing))
                            .open(NOW);
                    LogReader reader = log.newReader()) {
                final CodecException refused =
                        assertThrows(CodecException.class, () -> reader.offsetForTimestamp(NOW + 2, Long.MAX_VALUE));
                assertEquals(CodecException.Kind.LIBRARY_MISSING, refused.kind());
                final String message = String.valueOf(refused.getMessage());
                assertTrue(message.startsWith(root.resolve(SECOND).toString()), message);
                assertTrue(message.endsWith("needs the library a:b"), message);
            }
        }
    }

    @Test
    void aBatchWhoseChecksumIsWrongIsDamageOfItsSegment() throws IOException {
        try (DiskStorage storage = new DiskStorage(root);
                Log log = open(storage, batch(NOW + 2, "c"));
                LogReader reader = log.newReader()) {
            final int position = batch(NOW, "b").capacity();
            try (FileChannel channel = FileChannel.open(root.resolve(SECOND), StandardOpenOption.WRITE)) {
                channel.write(ByteBuffer.wrap(new byte[] {99, 99}), position + 63);
            }
            final CorruptLogException damage =
                    assertThrows(CorruptLogException.class, () -> reader.offsetForTimestamp(NOW + 2, Long.MAX_VALUE));
            assertEquals(root.resolve(SECOND).toString(), damage.file());
            assertEquals(position, damage.position());
        }
    }

    /** How long it was is known, because somebody has read it. */
    @Test
    void aSegmentThatSomebodyElseCutIsNamed() throws IOException {
        try (DiskStorage storage = new DiskStorage(root);
                Log log = open(storage, batch(NOW + 2, "c"))) {
            log.roll(NOW);
            log.flush();
            log.doWork(NOW);
            try (LogReader reader = log.newReader()) {
                assertTrue(reader.read(1, Long.MAX_VALUE, 1 << 20) > 0);
                reader.release();
                Files.write(root.resolve(SECOND), new byte[0]);
                final StorageException failure =
                        assertThrows(StorageException.class, () -> reader.offsetForTimestamp(NOW + 2, Long.MAX_VALUE));
                assertEquals(root.resolve(SECOND).toString(), failure.file());
                assertEquals(0, reader.offsetForTimestamp(NOW, Long.MAX_VALUE));
            }
        }
    }

    /** Nobody has read it, so nobody knows how long it was; but its index tells of the record. */
    @ParameterizedTest
    @ValueSource(ints = {0, 1})
    void aSegmentThatSomebodyElseCutBeforeTheFirstLookIsNamed(final int batchesLeft) throws IOException {
        try (DiskStorage storage = new DiskStorage(root);
                Log log = open(storage, batch(NOW + 2, "c"))) {
            log.roll(NOW);
            final UnsafeBuffer later = at(3, 0, batch(NOW + 9, "d"));
            assertEquals(3, log.append(later, 0, later.capacity(), AppendAs.replica(), NOW));
            log.flush();
            log.doWork(NOW);
            final int left = batchesLeft * batch(NOW, "b").capacity();
            Files.write(root.resolve(SECOND), Arrays.copyOf(Files.readAllBytes(root.resolve(SECOND)), left));
            try (LogReader reader = log.newReader()) {
                final CorruptLogException damage = assertThrows(
                        CorruptLogException.class, () -> reader.offsetForTimestamp(NOW + 2, Long.MAX_VALUE));
                assertEquals(root.resolve(SECOND).toString(), damage.file());
                assertEquals(left, damage.position());
                assertEquals(3, damage.nextOffset());
                assertEquals(0, reader.offsetForTimestamp(NOW, Long.MAX_VALUE));
                assertEquals(3, reader.offsetForTimestamp(NOW + 3, Long.MAX_VALUE), "its index says that it has none");
            }
        }
    }
}
