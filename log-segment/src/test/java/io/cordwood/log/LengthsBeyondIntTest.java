package io.cordwood.log;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNotNull;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.cordwood.log.codec.Codecs;
import io.cordwood.log.record.BatchValidator;
import io.cordwood.log.store.DiskStorage;
import io.cordwood.log.store.FileUse;
import io.cordwood.log.store.StorageFile;
import java.io.IOException;
import java.io.RandomAccessFile;
import java.nio.file.Path;
import java.util.Map;
import org.agrona.concurrent.UnsafeBuffer;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** A length field so large that a batch with it would have more bytes than an int counts, in a file that has them. */
@Timeout(60)
final class LengthsBeyondIntTest {
    private static final long BYTES = (1L << 31) + 4096;

    @TempDir
    Path root;

    private DiskStorage storage;
    private StorageFile file;

    /** Of holes but for the header. */
    @BeforeEach
    void open() throws IOException {
        try (RandomAccessFile content =
                new RandomAccessFile(root.resolve("a.log").toFile(), "rw")) {
            content.setLength(BYTES);
            content.seek(8);
            content.writeInt(Integer.MAX_VALUE);
            content.writeInt(0);
            content.writeByte(2);
        }
        storage = new DiskStorage(root);
        file = storage.open("a.log", FileUse.READ, 0);
    }

    @AfterEach
    void close() {
        file.close();
        storage.close();
    }

    @Test
    void aScanTellsOfDamage() {
        try (BatchScan scan = new BatchScan(4096, new BatchValidator(Codecs.standard()))) {
            scan.start(file, 0, BYTES);
            assertFalse(scan.next());
            final String damage = scan.damage();
            assertNotNull(damage);
            assertTrue(damage.contains("2147483659") && damage.contains("2147483647"), damage);
            assertEquals(0, scan.declaredBytes());
        }
    }

    @Test
    void aCursorTellsOfABadLength() {
        try (BatchCursor cursor = new BatchCursor(4096, Long.MAX_VALUE)) {
            cursor.open(file, 0, 0, BYTES);
            assertEquals(BatchCursor.Step.DAMAGE, cursor.next());
            assertEquals(Fault.Kind.BAD_LENGTH, cursor.kind());
        }
    }

    @Test
    void aReadersWalkHasNoBatchOfNegativeSize() {
        final UnsafeBuffer header = new UnsafeBuffer(new byte[61]);
        header.putInt(8, Integer.MAX_VALUE, java.nio.ByteOrder.BIG_ENDIAN);
        header.putByte(16, (byte) 2);
        final SegmentIndex index = new ScanIndexes().open(storage, "", 0, SegmentFiles.limits(LogConfig.of(Map.of())));
        final Segment segment = new Segment(0, "a.log", file, index, null, 0);
        try (ReadRun run = new ReadRun(new LeaderEpochTable(storage, "t-0"), new BatchValidator(Codecs.standard()))) {
            assertEquals(-1, run.size(header, 0, BYTES));
            header.putInt(8, Integer.MAX_VALUE - 12, java.nio.ByteOrder.BIG_ENDIAN);
            assertEquals(Integer.MAX_VALUE, run.size(header, 0, BYTES));
            // Whole or not, it reaches beyond what is shown.
            run.start(segment, 0, 0, false, false);
            assertEquals(0, run.length(header, 61, BYTES, Long.MAX_VALUE, Long.MAX_VALUE));
        }
    }
}
