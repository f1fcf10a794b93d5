package io.cordwood.log.store;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.io.RandomAccessFile;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Random;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** Sealed segments are many; the files and mappings that a process may hold are few. */
class BoundedFilesTest {
    private static final int FILES = 20_000;
    private static final int DIRECTORIES = 20;

    @TempDir
    private static Path root;

    @BeforeAll
    static void makeFiles() throws IOException {
        final byte[] content = new byte[64];
        for (int i = 0; i < DIRECTORIES; i++) {
            Files.createDirectory(root.resolve("t-" + i));
        }
        for (int i = 0; i < FILES; i++) {
            for (int b = 0; b < content.length; b++) {
                content[b] = Scratch.valueAt(b, i);
            }
            Files.write(root.resolve(name(i)), content);
        }
    }

    @ParameterizedTest
    @EnumSource(names = {"READ", "LOOKUP"})
    void noMoreFilesAreHeldThanTheBoundAllows(final FileUse use) throws IOException {
        try (DiskStorage storage =
                new DiskStorage(root, DiskOptions.defaults().withFilesMax(100).withMappingsMax(200))) {
            final StorageFile[] files = openAll(storage, use);
            assertEquals(0, Scratch.openBelow(root), "opened before it was read");
            final Random random = new Random(1);
            for (int i = 0; i < FILES; i++) {
                final int file = random.nextInt(FILES);
                Scratch.assertContent(files[file], 0, 64, file);
                if (i % 2000 == 1999) {
                    assertEquals(use == FileUse.READ ? 100 : 0, Scratch.openBelow(root));
                    assertEquals(
                            use == FileUse.READ ? 0 : 200, Scratch.mapped(root).size());
                }
            }
            for (final StorageFile file : files) {
                file.close();
            }
            assertEquals(0, Scratch.openBelow(root));
            assertEquals(0, Scratch.mapped(root).size());
            assertEquals(
                    0, storage.openFiles().channelCount() + storage.openFiles().mappingCount());
        }
    }

    @Test
    void whatIsReadOftenStaysOpen() throws IOException {
        try (DiskStorage storage = new DiskStorage(root, DiskOptions.defaults().withFilesMax(10))) {
            final StorageFile hot = storage.open(name(0), FileUse.READ, 0);
            Scratch.assertContent(hot, 0, 64, 0);
            final long descriptor = descriptorOf(name(0));
            for (int i = 1; i < 100; i++) {
                try (StorageFile cold = storage.open(name(i), FileUse.READ, 0)) {
                    Scratch.assertContent(cold, 0, 64, i);
                }
            }
            final StorageFile[] cold = new StorageFile[200];
            for (int i = 0; i < cold.length; i++) {
                cold[i] = storage.open(name(i + 1), FileUse.READ, 0);
                Scratch.assertContent(cold[i], 0, 64, i + 1);
                Scratch.assertContent(hot, 0, 64, 0);
            }
            assertEquals(descriptor, descriptorOf(name(0)));
            for (final StorageFile file : cold) {
                file.close();
            }
            hot.close();
        }
    }

    @Test
    void aProcessOf1024FilesReads20000WithTheDefaults() throws IOException, InterruptedException {
        final String command = Scratch.quoted(Scratch.java(ManyFiles.class, Scratch.classPath(), root.toString()));
        final String output = Scratch.run("bash", "-c", "ulimit -n 1024; exec " + command);
        assertTrue(output.endsWith("read them all" + System.lineSeparator()), output);
    }

    /** More than this process may have in memory can be read all the same, and appended to. */
    @Test
    void whatCannotBeMappedIsCopied(@TempDir final Path own) throws IOException, InterruptedException {
        final String command = Scratch.quoted(Scratch.java(LargeFile.class, Scratch.classPath(), own.toString()));
        final String output = Scratch.run("bash", "-c", "ulimit -v 40000000; exec " + command);
        assertTrue(output.endsWith("read it all" + System.lineSeparator()), output);
        assertTrue(output.contains("is read by copy"), output);
    }

    /** The other process. */
    static final class LargeFile {
        private static final long HOLE = 64L << 30;

        private LargeFile() {}

        public static void main(final String[] args) throws IOException {
            final Path root = Path.of(args[0]);
            try (RandomAccessFile sparse =
                    new RandomAccessFile(root.resolve("f").toFile(), "rw")) {
                sparse.setLength(HOLE);
            }
            try (DiskStorage storage = new DiskStorage(root)) {
                for (int i = 0; i < 2; i++) {
                    try (StorageFile file = storage.open("f", FileUse.APPEND, 0)) {
                        Scratch.append(file, 1000, 1);
                        Scratch.assertContent(file, HOLE + i * 1000L, 1000, 1);
                    }
                    try (StorageFile sealed = storage.open("f", FileUse.READ_SEALED, 0)) {
                        Scratch.assertContent(sealed, HOLE + i * 1000L, 1000, 1);
                    }
                }
            }
            System.out.println("read it all");
        }
    }

    private static long descriptorOf(final String name) throws IOException {
        try (var descriptors = Files.newDirectoryStream(Path.of("/proc/self/fd"))) {
            for (final Path descriptor : descriptors) {
                try {
                    if (Files.readSymbolicLink(descriptor).equals(root.resolve(name))) {
                        return Long.parseLong(String.valueOf(descriptor.getFileName()));
                    }
                } catch (final IOException e) {
                    // Closed meanwhile.
                }
            }
        }
        throw new AssertionError(name + " is not open");
    }

    private static String name(final int file) {
        return "t-" + file % DIRECTORIES + "/" + file + ".log";
    }

    private static StorageFile[] openAll(final DiskStorage storage, final FileUse use) {
        final StorageFile[] files = new StorageFile[FILES];
        for (int i = 0; i < FILES; i++) {
            files[i] = storage.open(name(i), use, 0);
        }
        return files;
    }

    /** Reads all files, twice, in a process with a limit; keeps some open for appending beside them. */
    static final class ManyFiles {
        private ManyFiles() {}

        public static void main(final String[] arguments) {
            root = Path.of(arguments[0]);
            try (DiskStorage storage = new DiskStorage(root)) {
                final StorageFile[] files = openAll(storage, FileUse.READ);
                final StorageFile[] lookups = openAll(storage, FileUse.LOOKUP);
                // Two descriptors each: together with half of the limit for readers that is more than there are.
                final StorageFile[] appended = new StorageFile[300];
                for (int i = 0; i < appended.length; i++) {
                    appended[i] = storage.open("t-0/new" + i, FileUse.APPEND_MAPPED, 4096);
                    Scratch.append(appended[i], 64, 1);
                }
                for (int round = 0; round < 2; round++) {
                    for (int i = 0; i < FILES; i++) {
                        Scratch.assertContent(files[i], 0, 64, i);
                    }
                    for (int i = 0; i < FILES; i++) {
                        Scratch.assertContent(lookups[i], 0, 64, i);
                    }
                }
                for (final StorageFile file : appended) {
                    Scratch.assertContent(file, 0, 64, 1);
                    file.close();
                }
            }
            System.out.println("read them all");
        }
    }
}
