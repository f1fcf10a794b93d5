package io.cordwood.log.store;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.io.RandomAccessFile;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.ValueSource;

class DiskStorageTest {
    @TempDir
    private Path root;

    private DiskStorage storage;

    @BeforeEach
    void open() {
        storage = new DiskStorage(root);
    }

    @AfterEach
    void close() {
        storage.close();
    }

    @Test
    void aListingIsSortedAndTellsWhatEachEntryIs() throws IOException {
        storage.makeDirectory("t-0/sub");
        for (final String name : List.of("b", "a", "C", "00000000000000000010.log")) {
            Files.writeString(root.resolve("t-0").resolve(name), name);
        }
        final List<FileStatus> found = storage.list("t-0");
        assertEquals(
                List.of("00000000000000000010.log", "C", "a", "b", "sub"),
                found.stream().map(FileStatus::name).toList());
        assertEquals(
                List.of(24L, 1L, 1L, 1L, 0L),
                found.stream().map(FileStatus::length).toList());
        assertTrue(found.get(4).isDirectory());
        assertFalse(found.get(0).isDirectory());
        assertEquals(
                Files.getLastModifiedTime(root.resolve("t-0/a")).toMillis(),
                found.get(2).modifiedMs());
        assertEquals(
                List.of("t-0"), storage.list("").stream().map(FileStatus::name).toList());
        assertEquals(List.of(), storage.list("missing"));
        for (final FileStatus listed : found) {
            assertEquals(listed, storage.status("t-0/" + listed.name()));
        }
        assertEquals(storage.list("").get(0), storage.status("t-0"));
        assertNull(storage.status("t-0/missing"));
        assertNull(storage.status("missing/a"));
    }

    @ParameterizedTest
    @ValueSource(strings = {"/etc/x", "../x", "a/../../x", "a//b", "a/", "./a", ".."})
    void aPathDoesNotLeaveTheTree(final String path) {
        assertThrows(IllegalArgumentException.class, () -> storage.open(path, FileUse.APPEND, 0));
        assertThrows(IllegalArgumentException.class, () -> storage.delete(path));
    }

    @ParameterizedTest
    @EnumSource
    void openFilesFollowARename(final FileUse use) {
        storage.makeDirectory("t-0");
        write("t-0/old", 1);
        write("t-0/new", 2);
        try (StorageFile replaced = open("t-0/new", use);
                StorageFile moved = open("t-0/old", use)) {
            Scratch.assertContent(replaced, 0, 5000, 2);
            storage.rename("t-0/old", "t-0/new");
            storage.rename("t-0", "t-0.gone-delete");
            storage.openFiles().close();
            Scratch.assertContent(moved, 0, 5000, 1);
            Scratch.assertContent(replaced, 0, 5000, 2);
            try (StorageFile fresh = open("t-0.gone-delete/new", use)) {
                Scratch.assertContent(fresh, 0, 5000, 1);
            }
        }
        assertEquals(List.of(), storage.list("t-0"));
        assertEquals(1, storage.list("t-0.gone-delete").size());
    }

    @Test
    void aDirectoryTakesAlongWhatIsOpenInItAndNothingBesideIt() {
        // Names around the directory's own, in the order of their bytes and in that of a listing.
        final List<String> beside =
                List.of("t-0 x/f", "t-0!/f", "t-0-1/f", "t-0.log", "t-00/f", "t-/f", "t-1/f", "s/t-0/f");
        final List<String> inside = List.of("t-0/!", "t-0/-", "t-0/f", "t-0/f.log", "t-0/g/f", "t-0/g/t-0/f", "t-0/~");
        final List<StorageFile> files = new ArrayList<>();
        final List<String> names = new ArrayList<>(beside);
        names.addAll(inside);
        for (final String name : names) {
            final int slash = name.lastIndexOf('/');
            storage.makeDirectory(slash < 0 ? "" : name.substring(0, slash));
            write(name, names.indexOf(name));
            files.add(storage.open(name, FileUse.READ, 0));
        }
        assertTrue(storage.rename("t-0", "u"));
        for (final String name : names) {
            final String now = inside.contains(name) ? "u" + name.substring(3) : name;
            assertTrue(storage.rename(now, now + ".later"));
        }
        // Whoever did not follow finds a stranger in the old place.
        storage.makeDirectory("t-0/g/t-0");
        for (int i = 0; i < files.size(); i++) {
            write(names.get(i), 100 + i);
            Scratch.assertContent(files.get(i), 0, 5000, i);
            files.get(i).close();
            try (StorageFile stranger = storage.open(names.get(i), FileUse.READ, 0)) {
                Scratch.assertContent(stranger, 0, 5000, 100 + i);
            }
        }
    }

    @Test
    void aFailedRenameLeavesAllAsItWas() {
        write("a", 1);
        try (StorageFile file = open("a", FileUse.READ)) {
            assertFalse(storage.rename("missing", "a"));
            final StorageException nowhere =
                    assertThrows(StorageException.class, () -> storage.rename("a", "nowhere/a"));
            assertEquals(root.resolve("a").toString(), nowhere.file());
            Scratch.assertContent(file, 0, 5000, 1);
        }
    }

    @ParameterizedTest
    @EnumSource
    void readersOfADeletedFileKeepItsBytes(final FileUse use) {
        write("a", 1);
        try (StorageFile read = open("a", use);
                StorageFile late = storage.open("a", FileUse.READ, 0)) {
            Scratch.assertContent(read, 0, 5000, 1);
            assertTrue(storage.delete("a"));
            assertFalse(storage.delete("a"));
            write("a", 2);
            storage.openFiles().close();
            Scratch.assertContent(read, 0, 5000, 1);
            late.force();
            final StorageException gone = assertThrows(StorageException.class, () -> late.view(0, 1, new FileView()));
            Scratch.assertSays("deleted", gone);
        }
        try (StorageFile fresh = open("a", use)) {
            Scratch.assertContent(fresh, 0, 5000, 2);
        }
    }

    @Test
    void directoriesAreMadeAndRemoved() throws IOException {
        storage.makeDirectory("a/b/c");
        storage.makeDirectory("a/b/c");
        write("a/file", 1);
        final StorageException full = assertThrows(StorageException.class, () -> storage.removeDirectory("a/b"));
        Scratch.assertSays("not empty", full);
        assertThrows(StorageException.class, () -> storage.removeDirectory("a/file"));
        assertThrows(StorageException.class, () -> storage.delete("a/b/c"));
        assertThrows(StorageException.class, () -> storage.makeDirectory("a/file"));
        assertThrows(StorageException.class, () -> storage.makeDirectory("a/file/b"));
        assertTrue(storage.removeDirectory("a/b/c"));
        assertFalse(storage.removeDirectory("a/b/c"));
        storage.syncDirectory("a/b");
        storage.syncDirectory("");
        assertThrows(StorageException.class, () -> storage.syncDirectory("missing"));
        assertTrue(Files.isRegularFile(root.resolve("a/file")));
    }

    @Test
    void aMissingDirectoryIsNamed() {
        for (final FileUse use : FileUse.values()) {
            final StorageException failure = assertThrows(StorageException.class, () -> {
                try (StorageFile file = storage.open("x/y", use, use == FileUse.APPEND_MAPPED ? 1 : 0)) {
                    file.view(0, 1, new FileView());
                }
            });
            Scratch.assertSays("there is no directory " + root.resolve("x"), failure);
            assertEquals(root.resolve("x/y").toString(), failure.file());
        }
        write("f", 1);
        final StorageException failure =
                assertThrows(StorageException.class, () -> storage.open("f/y", FileUse.APPEND, 0));
        Scratch.assertSays("directory", failure);
        assertEquals(root.resolve("f/y").toString(), failure.file());
    }

    @Test
    void aReadOnlyDiskIsNamed() throws Exception {
        try (Scratch.SmallDisk mounted = Scratch.mount(root.resolve("disk"), "size=1m")) {
            final Path disk = mounted.path();
            write("disk/f", 1);
            Scratch.run("mount", "-o", "remount,ro", disk.toString());
            for (final FileUse use : List.of(FileUse.APPEND, FileUse.APPEND_MAPPED)) {
                final StorageException failure =
                        assertThrows(StorageException.class, () -> storage.open("disk/f", use, 100));
                Scratch.assertSays("read-only", failure);
                assertEquals(disk.resolve("f").toString(), failure.file());
                assertEquals("open", failure.operation());
            }
            assertThrows(StorageException.class, () -> storage.delete("disk/f"));
            assertThrows(StorageException.class, () -> storage.rename("disk/f", "disk/g"));
            assertThrows(StorageException.class, () -> storage.makeDirectory("disk/d"));
            assertThrows(StorageException.class, () -> storage.lock("disk/.lock"));
            for (final FileUse use : List.of(FileUse.READ, FileUse.READ_SEALED, FileUse.LOOKUP)) {
                try (StorageFile file = storage.open("disk/f", use, 0)) {
                    Scratch.assertContent(file, 0, 5000, 1);
                }
            }
            storage.openFiles().close();
        }
    }

    @Test
    void aLockIsHeldOnce() throws Exception {
        final AutoCloseable lock = storage.lock(".lock");
        try (DiskStorage other = new DiskStorage(root)) {
            final StorageException second = assertThrows(StorageException.class, () -> other.lock(".lock"));
            Scratch.assertSays("this process", second);
        }
        // The refusal must not have cost us the lock: another process still meets it.
        assertEquals("held", lockElsewhere());
        lock.close();
        lock.close();
        assertEquals("free", lockElsewhere());
        storage.lock(".lock").close();
    }

    @Test
    void aLockOfAnotherProcessIsRespected() throws Exception {
        final Process holder = new ProcessBuilder(Scratch.java(
                        LockHolder.class,
                        Scratch.classPath(),
                        root.resolve(".lock").toString(),
                        "hold"))
                .start();
        try {
            assertEquals("free".charAt(0), holder.getInputStream().read());
            final StorageException refused = assertThrows(StorageException.class, () -> storage.lock(".lock"));
            Scratch.assertSays("another process", refused);
            holder.getOutputStream().close();
            holder.waitFor();
            storage.lock(".lock").close();
        } finally {
            holder.destroy();
        }
    }

    @Test
    void namesAreDescribedAsAnOperatorTypesThem() {
        assertEquals(root.resolve("t-0/x.log").toString(), storage.describe("t-0/x.log"));
        assertEquals(root.toString(), storage.describe(""));
        assertEquals(
                "filesMax is 0, allowed are 1 to 2147483647 inclusive",
                assertThrows(
                                IllegalArgumentException.class,
                                () -> DiskOptions.defaults().withFilesMax(0))
                        .getMessage());
    }

    @Test
    void withoutTheNativeLibraryFilesAreNotMapped() throws Exception {
        final StringBuilder classPath = new StringBuilder();
        for (final String part : Scratch.classPath().split(java.io.File.pathSeparator, -1)) {
            if (!part.contains("jnr")) {
                classPath.append(part).append(java.io.File.pathSeparatorChar);
            }
        }
        final String output = Scratch.run(Scratch.java(Unmapped.class, classPath.toString(), root.toString())
                .toArray(new String[0]));
        assertTrue(output.contains("written through channels"), output);
        assertTrue(output.endsWith("5000 5000 false" + System.lineSeparator()), output);
    }

    private String lockElsewhere() throws IOException, InterruptedException {
        return Scratch.run(Scratch.java(
                                LockHolder.class,
                                Scratch.classPath(),
                                root.resolve(".lock").toString())
                        .toArray(new String[0]))
                .strip();
    }

    private StorageFile open(final String path, final FileUse use) {
        return storage.open(path, use, use == FileUse.APPEND_MAPPED ? 1 << 20 : 0);
    }

    private void write(final String path, final int seed) {
        try (StorageFile file = storage.open(path, FileUse.APPEND, 0)) {
            Scratch.append(file, 5000, seed);
        }
    }

    /** Takes the lock as Kafka does, in a process of its own. */
    static final class LockHolder {
        private LockHolder() {}

        public static void main(final String[] arguments) throws IOException {
            try (RandomAccessFile file = new RandomAccessFile(arguments[0], "rw")) {
                final boolean isTaken = file.getChannel().tryLock() != null;
                System.out.write((isTaken ? "free" : "held").getBytes(StandardCharsets.US_ASCII));
                System.out.flush();
                if (arguments.length > 1) {
                    System.in.read();
                }
            }
        }
    }

    /** Appends to and looks at a file in a process without the native library. */
    static final class Unmapped {
        private Unmapped() {}

        public static void main(final String[] arguments) {
            try (DiskStorage storage = new DiskStorage(Path.of(arguments[0]));
                    StorageFile file = storage.open("f", FileUse.APPEND_MAPPED, 1 << 20);
                    StorageFile reserved = storage.open("g", FileUse.APPEND, 1 << 20);
                    StorageFile lookup = storage.open("f", FileUse.LOOKUP, 0);
                    FileView view = new FileView()) {
                Scratch.append(file, 5000, 1);
                Scratch.append(reserved, 5000, 1);
                Scratch.assertContent(lookup, 0, 5000, 1);
                System.out.println(
                        file.view(0, 9000, view) + " " + reserved.length() + " " + storage.isMappingAvailable());
            }
        }
    }

    @Test
    void aSegmentBehindALinkThatCannotBeFollowedIsNotLeftOut() throws IOException {
        Files.createDirectories(root.resolve("t-0"));
        Files.createSymbolicLink(root.resolve("t-0/loop"), Path.of("loop"));
        Files.createSymbolicLink(root.resolve("loop.d"), Path.of("loop.d"));
        try (DiskStorage storage = new DiskStorage(root)) {
            assertEquals(
                    List.of("loop"),
                    storage.list("t-0").stream().map(FileStatus::name).toList());
            assertEquals(
                    List.of("loop.d", "t-0"),
                    storage.list("").stream().map(FileStatus::name).toList());
            Files.createSymbolicLink(root.resolve("t-0/7.log"), Path.of("7.log"));
            final StorageException told = assertThrows(StorageException.class, () -> storage.list("t-0"));
            assertTrue(told.file().endsWith("t-0/7.log"), told.getMessage());
            Files.createSymbolicLink(root.resolve("8.log"), Path.of("8.log"));
            // A partition may be the root as well.
            assertThrows(StorageException.class, () -> storage.list(""));
        }
    }
}
