package io.cordwood.testkit.contract;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNotEquals;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.cordwood.log.store.FileStatus;
import io.cordwood.log.store.FileUse;
import io.cordwood.log.store.Storage;
import io.cordwood.log.store.StorageException;
import io.cordwood.log.store.StorageFile;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

/**
 * What every {@link Storage} is held to: names and directories here, and all of {@link StorageFileContract} about what is in the
 * files. An implementation inherits this class and names its factory:
 *
 * <pre>
 *   class MyStorageTest extends StorageContract {
 *       MyStorageTest() {
 *           super(MyStorage::new, FileUse.APPEND);
 *       }
 *   }
 * </pre>
 *
 * <p>What it does not hold, because no test on a healthy disk can: durability. Threads: each test runs on its own; some start a
 * reader beside the writer.
 */
public abstract class StorageContract extends StorageFileContract {
    /**
     * Names what is tested.
     *
     * @param factory makes an empty storage; a storage that needs no place on disk ignores the directory.
     * @param appendUse how files are appended to, {@link FileUse#APPEND} or {@link FileUse#APPEND_MAPPED}.
     */
    protected StorageContract(final StorageFactory factory, final FileUse appendUse) {
        super(factory, appendUse);
    }

    @Test
    final void aListingIsSortedAndTellsWhatEachEntryIs() {
        storage().makeDirectory("t-0/sub");
        for (final String name : List.of("b", "a", "C", "00000000000000000010.log")) {
            write("t-0/" + name, 100 + name.length(), 1);
        }
        final List<FileStatus> found = storage().list("t-0");
        assertEquals(
                List.of("00000000000000000010.log", "C", "a", "b", "sub"),
                found.stream().map(FileStatus::name).toList());
        assertEquals(
                List.of(124L, 101L, 101L, 101L, 0L),
                found.stream().map(FileStatus::length).toList());
        assertEquals(
                List.of(false, false, false, false, true),
                found.stream().map(FileStatus::isDirectory).toList());
        for (final FileStatus listed : found) {
            assertEquals(listed, storage().status("t-0/" + listed.name()));
        }
        assertEquals(List.of("t-0"), namesIn(""));
    }

    @Test
    final void whatIsNotThereIsNoError() {
        write("f", 10, 1);
        assertEquals(List.of(), storage().list("missing"));
        assertNull(storage().status("missing"));
        assertNull(storage().status("missing/a"));
        assertFalse(storage().delete("missing"));
        assertFalse(storage().delete("missing/a"));
        assertFalse(storage().rename("missing", "a"));
        assertFalse(storage().rename("missing/a", "a"));
        assertFalse(storage().removeDirectory("missing"));
        assertEquals(List.of("f"), namesIn(""));
    }

    @Test
    final void aPathDoesNotLeaveTheTree() {
        for (final String path : List.of("/etc/x", "../x", "a/../../x", "a//b", "a/", "./a", "..")) {
            assertThrows(IllegalArgumentException.class, () -> storage().open(path, appendUse(), CAPACITY), path);
            assertThrows(IllegalArgumentException.class, () -> storage().delete(path), path);
            assertThrows(IllegalArgumentException.class, () -> storage().rename("a", path), path);
            assertThrows(IllegalArgumentException.class, () -> storage().makeDirectory(path), path);
            assertThrows(IllegalArgumentException.class, () -> storage().list(path), path);
        }
        assertEquals(List.of(), namesIn(""));
    }

    @Test
    final void aModificationTimeDoesNotGoBack() {
        write("f", 10, 1);
        final long first = status("f").modifiedMs();
        assertTrue(first > 0, "time " + first);
        write("f", 10, 1);
        assertTrue(status("f").modifiedMs() >= first);
    }

    @Test
    final void aRenameReplacesAndOpenFilesFollow() {
        storage().makeDirectory("t-0");
        for (final FileUse use : FileUse.values()) {
            write("t-0/old", 5000, 1);
            write("t-0/new", 5000, 2);
            try (StorageFile replaced = open("t-0/new", use);
                    StorageFile moved = open("t-0/old", use)) {
                assertContent(replaced, 0, 5000, 2);
                assertTrue(storage().rename("t-0/old", "t-0/new"));
                assertTrue(storage().rename("t-0", "t-0.gone-delete"));
                assertEquals(List.of("new"), namesIn("t-0.gone-delete"));
                assertEquals(List.of(), namesIn("t-0"));
                assertContent(moved, 0, 5000, 1);
                assertContent(replaced, 0, 5000, 2);
            }
            assertTrue(storage().delete("t-0.gone-delete/new"));
            assertTrue(storage().rename("t-0.gone-delete", "t-0"));
        }
    }

    @Test
    final void whoFollowedARenameAppendsToTheFileAndNotToTheName() {
        write("a", 100, 1);
        try (StorageFile file = open("a", appendUse())) {
            assertTrue(storage().rename("a", "b"));
            write("a", 100, 2);
            append(file, 100, 1);
        }
        assertEquals(200, status("b").length());
        assertEquals(100, status("a").length());
    }

    @Test
    final void aRenameOntoItselfChangesNothing() {
        for (final FileUse use : FileUse.values()) {
            write("a", 5000, 1);
            try (StorageFile file = open("a", use)) {
                assertTrue(storage().rename("a", "a"));
                assertContent(file, 0, 5000, 1);
                try (StorageFile again = storage().open("a", FileUse.READ, 0)) {
                    assertContent(again, 0, 5000, 1);
                }
            }
            assertEquals(5000, status("a").length());
            assertEquals(List.of("a"), namesIn(""));
            assertTrue(storage().delete("a"));
        }
    }

    @Test
    final void aFailedRenameLeavesAllAsItWas() {
        storage().makeDirectory("d/e");
        write("d/f", 10, 1);
        write("a", 10, 1);
        final StorageException nowhere =
                assertThrows(StorageException.class, () -> storage().rename("a", "nowhere/a"));
        assertEquals(storage().describe("a"), nowhere.file());
        assertThrows(StorageException.class, () -> storage().rename("a", "d"), "a file onto a directory");
        assertThrows(StorageException.class, () -> storage().rename("d/e", "a"), "a directory onto a file");
        assertThrows(StorageException.class, () -> storage().rename("d", "d/e/d"), "a directory into itself");
        storage().makeDirectory("other");
        assertThrows(
                StorageException.class, () -> storage().rename("other", "d"), "onto a directory that is not empty");
        assertEquals(List.of("a", "d", "other"), namesIn(""));
        assertEquals(List.of("e", "f"), namesIn("d"));
    }

    @Test
    final void aDirectoryTakesAlongWhatIsOpenInItAndNothingBesideIt() {
        final List<String> names = List.of("t-0/f", "t-0/g/f", "t-0.log", "t-00/f", "s/t-0/f");
        final List<StorageFile> files = new ArrayList<>();
        for (final String name : names) {
            storage().makeDirectory(name.substring(0, Math.max(0, name.lastIndexOf('/'))));
            write(name, 1000, names.indexOf(name));
            files.add(storage().open(name, FileUse.READ, 0));
        }
        assertTrue(storage().rename("t-0", "u"));
        storage().makeDirectory("t-0/g");
        for (int i = 0; i < files.size(); i++) {
            final String now = i < 2 ? "u" + names.get(i).substring(3) : names.get(i);
            assertEquals(1000, status(now).length());
            try (StorageFile file = files.get(i)) {
                assertContent(file, 0, 1000, i);
            }
        }
        assertEquals(List.of("g"), namesIn("t-0"));
    }

    @Test
    final void readersOfADeletedFileKeepItsBytes() {
        for (final FileUse use : FileUse.values()) {
            write("a", 5000, 1);
            try (StorageFile file = open("a", use)) {
                assertContent(file, 0, 5000, 1);
                assertTrue(storage().delete("a"));
                assertFalse(storage().delete("a"));
                assertNull(storage().status("a"));
                write("a", 5000, 2);
                assertContent(file, 0, 5000, 1);
            }
            try (StorageFile stranger = storage().open("a", FileUse.READ, 0)) {
                assertContent(stranger, 0, 5000, 2);
            }
            assertTrue(storage().delete("a"));
        }
    }

    @Test
    final void directoriesAreMadeWithTheirParentsAndRemovedWhenEmpty() {
        storage().makeDirectory("");
        storage().makeDirectory("a/b/c");
        storage().makeDirectory("a/b/c");
        write("a/file", 10, 1);
        final StorageException full =
                assertThrows(StorageException.class, () -> storage().removeDirectory("a/b"));
        assertEquals(storage().describe("a/b"), full.file());
        assertThrows(StorageException.class, () -> storage().removeDirectory("a/file"));
        assertThrows(StorageException.class, () -> storage().delete("a/b/c"));
        assertThrows(StorageException.class, () -> storage().makeDirectory("a/file"));
        assertThrows(StorageException.class, () -> storage().makeDirectory("a/file/b"));
        assertThrows(StorageException.class, () -> storage().list("a/file"));
        assertThrows(StorageException.class, () -> storage().open("a/b", appendUse(), CAPACITY));
        assertTrue(storage().removeDirectory("a/b/c"));
        assertFalse(storage().removeDirectory("a/b/c"));
        assertEquals(List.of("b", "file"), namesIn("a"));
    }

    @Test
    final void aDirectoryIsSyncedIfItIsThere() {
        storage().makeDirectory("a");
        storage().syncDirectory("a");
        storage().syncDirectory("");
        final StorageException missing =
                assertThrows(StorageException.class, () -> storage().syncDirectory("missing"));
        assertEquals(storage().describe("missing"), missing.file());
    }

    @Test
    final void aFileWithoutADirectoryIsNamed() {
        for (final FileUse use : FileUse.values()) {
            final StorageException failure = assertThrows(StorageException.class, () -> {
                try (StorageFile file = open("x/y", use)) {
                    file.length();
                }
            });
            assertEquals(storage().describe("x/y"), failure.file());
        }
        assertEquals(List.of(), namesIn(""));
    }

    @Test
    final void aRefusedOpenLeavesNoFile() {
        assertThrows(IllegalArgumentException.class, () -> storage().open("f", appendUse(), -1));
        assertThrows(IllegalArgumentException.class, () -> storage().open("f", FileUse.APPEND_MAPPED, 0));
        assertEquals(List.of(), namesIn(""));
    }

    @Test
    final void aLockIsHeldOnce() throws Exception {
        final AutoCloseable lock = storage().lock(".lock");
        final StorageException second =
                assertThrows(StorageException.class, () -> storage().lock(".lock"));
        assertEquals(storage().describe(".lock"), second.file());
        assertEquals(List.of(".lock"), namesIn(""));
        lock.close();
        final AutoCloseable next = storage().lock(".lock");
        lock.close();
        assertThrows(StorageException.class, () -> storage().lock(".lock"), "closed by who does not hold it");
        next.close();
        assertThrows(StorageException.class, () -> storage().lock("missing/.lock"));
    }

    @Test
    final void namesAreDescribedEachByItself() {
        assertTrue(
                storage().describe("t-0/x.log").endsWith("t-0/x.log"), storage().describe("t-0/x.log"));
        assertNotEquals(storage().describe(""), storage().describe("t-0"));
        assertThrows(IllegalArgumentException.class, () -> storage().describe("../x"));
    }

    private List<String> namesIn(final String directory) {
        return storage().list(directory).stream().map(FileStatus::name).toList();
    }
}
