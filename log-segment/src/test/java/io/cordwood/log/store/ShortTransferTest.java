package io.cordwood.log.store;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;

import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.nio.channels.Channels;
import java.nio.channels.FileChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import org.agrona.concurrent.UnsafeBuffer;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** The system may move fewer bytes than it was asked to (bugs B04, B05). */
class ShortTransferTest {
    private final ShortChannel.Disk disk = new ShortChannel.Disk();

    @TempDir
    private Path root;

    @Test
    void b04ShortWritesAndReadsAreContinued() {
        try (DiskStorage storage = storage();
                StorageFile file = storage.open("f", FileUse.APPEND, 0);
                StorageFile read = storage.open("f", FileUse.READ, 0)) {
            for (int batch = 0; batch < 3; batch++) {
                Scratch.append(file, 61 + 5120, 1);
            }
            Scratch.assertContent(file, 0, 3 * (61 + 5120), 1);
            Scratch.assertContent(read, 3, 3 * (61 + 5120) - 3, 1);
            final ByteArrayOutputStream sent = new ByteArrayOutputStream();
            assertEquals(1000, read.transferTo(10, 1000, Channels.newChannel(sent)));
            Scratch.assertShown(new UnsafeBuffer(sent.toByteArray()), 10, 1000, 1);
        }
    }

    @ParameterizedTest
    @EnumSource(names = {"APPEND", "READ"})
    void b04AFileCutBehindOurBackGivesAnErrorWithNumbers(final FileUse use) throws IOException {
        try (DiskStorage storage = new DiskStorage(root);
                StorageFile file = storage.open("f", FileUse.APPEND, 0)) {
            Scratch.append(file, 1000, 1);
            try (StorageFile read = use == FileUse.READ ? storage.open("f", use, 0) : file;
                    FileView view = new FileView()) {
                assertEquals(1000, read.length());
                try (FileChannel other = FileChannel.open(root.resolve("f"), java.nio.file.StandardOpenOption.WRITE)) {
                    other.truncate(600);
                }
                Scratch.assertSays(
                        "expected 500 bytes at position 200, found 400",
                        assertThrows(StorageException.class, () -> read.view(200, 500, view)));
                assertEquals(0, view.buffer().capacity());
            }
        }
    }

    @Test
    void b05AfterAFailedWriteNothingIsAppendedUntilTheFileIsCut() throws IOException {
        try (DiskStorage storage = storage()) {
            try (StorageFile file = storage.open("f", FileUse.APPEND, 0)) {
                Scratch.append(file, 200, 1);
                disk.bytesLeft = 40;
                final StorageException failed =
                        assertThrows(StorageException.class, () -> Scratch.append(file, 100, 1));
                assertEquals("write", failed.operation());
                Scratch.assertSays(Reasons.NO_SPACE, failed);
                disk.bytesLeft = Long.MAX_VALUE;
                assertEquals(200, file.length());
                assertThrows(StorageException.class, () -> Scratch.append(file, 100, 1));
                assertThrows(StorageException.class, file::publish);
                Scratch.assertContent(file, 0, 200, 1);
                assertEquals(240, Files.size(root.resolve("f")));
                file.truncate(200);
                assertEquals(200, Files.size(root.resolve("f")));
                Scratch.append(file, 100, 1);
                Scratch.assertContent(file, 0, 300, 1);
                disk.bytesLeft = 40;
                assertThrows(StorageException.class, () -> Scratch.append(file, 100, 1));
            }
            // What the failed write left is for recovery to see.
            disk.bytesLeft = Long.MAX_VALUE;
            try (StorageFile file = storage.open("f", FileUse.APPEND, 0)) {
                assertEquals(340, file.length());
            }
        }
    }

    private DiskStorage storage() {
        return new DiskStorage(
                root,
                DiskOptions.defaults(),
                (path, options) -> new ShortChannel(FileChannel.open(path, options), disk));
    }
}
