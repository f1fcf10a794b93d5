package io.cordwood.log.store;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import io.cordwood.log.AppendAs;
import io.cordwood.log.Log;
import io.cordwood.log.LogBuilder;
import io.cordwood.log.LogConfig;
import io.cordwood.log.TestBatches;
import java.io.IOException;
import java.nio.channels.FileChannel;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.Map;
import org.agrona.concurrent.UnsafeBuffer;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Disk that is taken ahead behind the end of a file: nobody sees it, and it is given back (decision 6). */
class DiskAheadTest {
    private static final int PIECE = 1 << 20;
    private static final long NOW = 1_700_000_000_000L;

    @TempDir
    private Path root;

    private DiskStorage storage;

    @BeforeEach
    void open() {
        assumeTrue(Mapping.isReservableBehindEnd(), "disk can be reserved behind the end of a file on Linux alone");
        storage = new DiskStorage(root);
    }

    @AfterEach
    void close() throws IOException {
        if (storage != null) {
            storage.close();
            assertEquals(0, Scratch.openBelow(root), "files left open");
        }
    }

    @Test
    void diskIsTakenAheadOfMuchThatIsWrittenAndGivenBack() throws Exception {
        try (StorageFile file = storage.open("f", FileUse.APPEND, 0)) {
            append(file, 5);
            assertEquals(5L * PIECE, size("f"), "nobody else sees a longer file");
            assertTaken(12, "f");
            file.truncate(file.length());
            assertGivenBack(5, "f");
            append(file, 4);
            assertTaken(14, "f");
        }
        assertEquals(9L * PIECE, size("f"));
        assertGivenBack(9, "f");
        try (StorageFile file = storage.open("f", FileUse.READ, 0)) {
            Scratch.assertContent(file, 0, 9 * PIECE, 1);
        }
    }

    @Test
    void aCutGivesItBack() throws Exception {
        try (StorageFile file = storage.open("f", FileUse.APPEND, 0)) {
            append(file, 5);
            file.truncate(3 * PIECE - 1);
            assertEquals(3L * PIECE - 1, size("f"));
            assertGivenBack(3, "f");
            // Less than the 4 MiB that make a large writer were written behind the cut: it goes on without.
            append(file, 1);
            assertGivenBack(4, "f");
            append(file, 2);
            assertTaken(12, "f");
        }
        assertGivenBack(6, "f");
    }

    @Test
    void zerosThatWereAskedForAreNotTakenTwice() throws Exception {
        try (StorageFile file = storage.open("f", FileUse.APPEND, 6 << 20)) {
            append(file, 6);
            assertGivenBack(6, "f");
            append(file, 1);
            assertTaken(14, "f");
            assertEquals(7L * PIECE, size("f"));
        }
        assertGivenBack(7, "f");
    }

    @Test
    void theRollGivesItBack() throws Exception {
        final UnsafeBuffer batch = TestBatches.batch(NOW, "v".repeat(PIECE - 100));
        final LogConfig config =
                LogConfig.of(Map.of("segment.bytes", "6291456", "max.message.bytes", String.valueOf(2 * PIECE)));
        try (Log log = new LogBuilder(storage, "t-0").config(config).open(NOW)) {
            for (int i = 0; i < 7; i++) {
                assertEquals(i, log.append(batch, 0, batch.capacity(), AppendAs.client(0), NOW));
                if (i == 4) {
                    assertTaken(12, "t-0/00000000000000000000.log");
                }
            }
            assertEquals(6L * batch.capacity(), size("t-0/00000000000000000000.log"));
            assertGivenBack(6, "t-0/00000000000000000000.log");
        }
    }

    @ParameterizedTest
    @ValueSource(booleans = {false, true})
    void aFailedWriteDoesNotKeepIt(final boolean isCut) throws Exception {
        final ShortChannel.Disk disk = new ShortChannel.Disk();
        try (DiskStorage failing = failing(disk)) {
            final StorageFile file = failing.open("f", FileUse.APPEND, 0);
            append(file, 5);
            disk.bytesLeft = 0;
            assertThrows(StorageException.class, () -> append(file, 1));
            assertTaken(12, "f");
            if (isCut) {
                file.truncate(file.length());
                assertGivenBack(5, "f");
            }
            file.close();
            assertEquals(5L * PIECE, size("f"));
            assertGivenBack(5, "f");
        }
    }

    @Test
    void whatAFailedWriteLeftStaysForRecovery() throws Exception {
        final ShortChannel.Disk disk = new ShortChannel.Disk();
        try (DiskStorage failing = failing(disk)) {
            final StorageFile file = failing.open("f", FileUse.APPEND, 0);
            append(file, 5);
            disk.bytesLeft = 1000;
            assertThrows(StorageException.class, () -> append(file, 1));
            file.close();
            assertEquals(5L * PIECE + 1000, size("f"));
        }
    }

    @Test
    void aFileThatSomebodyElseMadeLongerIsNotCutForIt() throws Exception {
        final StorageFile file = storage.open("f", FileUse.APPEND, 0);
        append(file, 5);
        Files.write(root.resolve("f"), new byte[10], StandardOpenOption.APPEND);
        file.truncate(file.length());
        file.close();
        assertEquals(5L * PIECE + 10, size("f"));
    }

    @Test
    void toFailToGiveItBackFailsNothing() throws Exception {
        final StorageFile file = storage.open("f", FileUse.APPEND, 0);
        append(file, 5);
        Files.move(root.resolve("f"), root.resolve("g"));
        file.truncate(file.length());
        Files.move(root.resolve("g"), root.resolve("f"));
        assertTaken(12, "f");
        // It was not forgotten: the close tries again.
        file.close();
        assertEquals(5L * PIECE, size("f"));
        assertGivenBack(5, "f");

        final StorageFile gone = storage.open("h", FileUse.APPEND, 0);
        append(gone, 5);
        Files.delete(root.resolve("h"));
        gone.close();
    }

    private DiskStorage failing(final ShortChannel.Disk disk) {
        disk.bytesAtOnce = PIECE;
        return new DiskStorage(
                root,
                DiskOptions.defaults(),
                (path, options) -> new ShortChannel(FileChannel.open(path, options), disk));
    }

    private static void append(final StorageFile file, final int pieces) {
        for (int i = 0; i < pieces; i++) {
            Scratch.append(file, PIECE, 1);
        }
    }

    private long size(final String name) throws IOException {
        return Files.size(root.resolve(name));
    }

    private void assertTaken(final int pieces, final String name) throws Exception {
        final long taken = allocatedBytes(name);
        assertTrue(taken >= (long) pieces * PIECE, name + " has taken only " + taken + " bytes");
    }

    private void assertGivenBack(final int pieces, final String name) throws Exception {
        final long taken = allocatedBytes(name);
        assertTrue(taken < (pieces + 1L) * PIECE, name + " still has " + taken + " bytes");
    }

    private long allocatedBytes(final String name) throws Exception {
        final Process stat =
                new ProcessBuilder("stat", "-c", "%b", root.resolve(name).toString()).start();
        try (var out = stat.inputReader(StandardCharsets.US_ASCII)) {
            return 512 * Long.parseLong(out.readLine().strip());
        } finally {
            stat.waitFor();
        }
    }
}
