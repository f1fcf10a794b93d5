package io.cordwood.log;

import static io.cordwood.log.DirectoryLogs.A;
import static io.cordwood.log.DirectoryLogs.CONFIG;
import static io.cordwood.log.DirectoryLogs.NOW;
import static io.cordwood.log.DirectoryLogs.fill;
import static io.cordwood.log.DirectoryLogs.names;
import static io.cordwood.log.DirectoryLogs.open;
import static io.cordwood.log.DirectoryLogs.owned;
import static java.nio.charset.StandardCharsets.UTF_8;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.cordwood.log.store.DiskStorage;
import io.cordwood.log.store.StorageException;
import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.nio.channels.FileChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.ArrayList;
import java.util.List;
import java.util.UUID;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** A data directory belongs to one process, and in it to one owner. */
final class LogDirectoryLockTest {
    @TempDir
    Path root = Path.of("");

    /** The other process: takes the lock as Kafka does, says so, and keeps it until its standard input ends. */
    static final class Holder {
        private Holder() {}

        public static void main(final String[] arguments) throws IOException {
            try (FileChannel channel = FileChannel.open(
                            Path.of(arguments[0]), StandardOpenOption.WRITE, StandardOpenOption.CREATE);
                    var lock = channel.tryLock()) {
                System.out.println(lock == null ? "refused" : "held");
                System.out.flush();
                if (System.in.read() >= 0) {
                    throw new IllegalStateException("nobody says anything here");
                }
            }
        }
    }

    private static Process holder(final Path lock) throws Exception {
        final Path classes = Path.of(
                Holder.class.getProtectionDomain().getCodeSource().getLocation().toURI());
        return new ProcessBuilder(
                        Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                        "-Xmx32m",
                        "-cp",
                        classes.toString(),
                        Holder.class.getName(),
                        lock.toString())
                .redirectError(ProcessBuilder.Redirect.INHERIT)
                .start();
    }

    private static String firstLine(final Process process) throws IOException {
        return new BufferedReader(new InputStreamReader(process.getInputStream(), UTF_8)).readLine();
    }

    @Test
    @Timeout(60)
    void anotherProcessIsRespectedAndRespectsUs() throws Exception {
        try (DiskStorage storage = new DiskStorage(root)) {
            fill(storage, 3, A);
            final List<String> before = names(storage, "");
            final Process other = holder(root.resolve(".lock"));
            try {
                assertEquals("held", firstLine(other));
                final StorageException e = assertThrows(StorageException.class, () -> owned(storage));
                assertTrue(e.toString().contains("another process holds the lock"), e.toString());
                assertThrows(StorageException.class, () -> LogDirectory.open(storage, CONFIG));
                assertThrows(StorageException.class, () -> LogDirectory.openAround(storage, A, CONFIG));
                assertEquals(before, names(storage, ""));
            } finally {
                other.getOutputStream().close();
            }
            assertEquals(0, other.waitFor());
            try (LogDirectory directory = owned(storage)) {
                assertEquals(3, open(directory, A).endOffset());
                final Process late = holder(root.resolve(".lock"));
                assertEquals("refused", firstLine(late));
                late.getOutputStream().close();
                late.waitFor();
                assertThrows(StorageException.class, () -> owned(storage));
            }
        }
    }

    @Test
    @Timeout(60)
    void aPartitionThatStandsAloneIsLockedItself() throws Exception {
        try (DiskStorage storage = new DiskStorage(root)) {
            LogDirectory.openAround(storage, A, CONFIG).close();
            final Process other = holder(root.resolve("a-0").resolve(".lock"));
            try {
                assertEquals("held", firstLine(other));
                assertThrows(StorageException.class, () -> LogDirectory.openAround(storage, A, CONFIG));
            } finally {
                other.getOutputStream().close();
            }
            other.waitFor();
            LogDirectory.openAround(storage, A, CONFIG).close();
        }
    }

    @Test
    void anOpenThatFailsGivesTheLockBack() {
        try (DiskStorage disk = new DiskStorage(root)) {
            final FailingStorage storage = new FailingStorage(disk);
            storage.fail("force", MetaProperties.FILE + ".tmp", 1);
            assertThrows(StorageException.class, () -> owned(storage));
            owned(storage).close();
        }
    }

    /** Who may only read, or only looks, keeps a writer out and is kept out by one. */
    @Test
    @Timeout(60)
    void aLockForReadingAndAWritersExcludeEachOther() throws Exception {
        final Path lock = root.resolve(".lock");
        try (DiskStorage storage = new DiskStorage(root)) {
            assertThrows(StorageException.class, () -> storage.lockForReading(".lock"));
            assertTrue(Files.notExists(lock));
            Files.createFile(lock);
            final Process other = holder(lock);
            assertEquals("held", firstLine(other));
            final StorageException e = assertThrows(StorageException.class, () -> storage.lockForReading(".lock"));
            assertTrue(e.toString().contains("another process holds the lock"), e.toString());
            other.getOutputStream().close();
            assertEquals(0, other.waitFor());
            Files.setPosixFilePermissions(lock, PosixFilePermissions.fromString("r--r--r--"));
            final AutoCloseable held = storage.lockForReading(".lock");
            assertThrows(StorageException.class, () -> storage.lock(".lock"));
            Files.setPosixFilePermissions(lock, PosixFilePermissions.fromString("rw-r--r--"));
            final Process refused = holder(lock);
            assertEquals("refused", firstLine(refused));
            refused.getOutputStream().close();
            refused.waitFor();
            held.close();
        }
    }

    /** Nobody can look through it: it is one partition that cannot be opened, and the others can. */
    @Test
    void aLinkIntoItselfThatIsNamedLikeAPartitionFailsAlone() throws Exception {
        final PartitionName loop = new PartitionName("loop", 0);
        try (DiskStorage storage = new DiskStorage(root)) {
            fill(storage, 3, A);
            Files.createSymbolicLink(root.resolve(loop.directory()), Path.of(loop.directory()));
            try (LogDirectory directory = owned(storage)) {
                final StorageException e = assertThrows(StorageException.class, () -> open(directory, loop));
                assertTrue(e.toString().contains(root.resolve(loop.directory()).toString()), e.toString());
                assertNull(directory.failure());
                assertEquals(3, open(directory, A).endOffset());
            }
            assertTrue(Files.isSymbolicLink(root.resolve(loop.directory())));
        }
    }

    /** It stood alone when its writer began, and lies in a data directory since. */
    @Test
    void thePartitionThatSomebodyHasAloneIsLockedInADataDirectoryToo() throws Exception {
        try (DiskStorage storage = new DiskStorage(root)) {
            final LogDirectory alone = LogDirectory.openAround(storage, A, CONFIG);
            Files.createFile(root.resolve("meta.properties"));
            try (LogDirectory data = LogDirectory.openAround(storage, A, CONFIG)) {
                final StorageException e = assertThrows(StorageException.class, () -> open(data, A));
                assertTrue(e.toString().contains(A + "/.lock"), e.toString());
                assertNull(data.failure());
                alone.close();
                open(data, A).close();
                open(data, A);
            }
            // Given back as well.
            LogDirectory.openAround(storage, A, CONFIG).close();
            storage.lock(A + "/.lock").close();
        }
    }

    /** Also where the open of the partition was not tried, or refused. */
    @Test
    void thePartitionThatSomebodyHasAloneIsNotDeleted() throws Exception {
        try (DiskStorage storage = new DiskStorage(root)) {
            final LogDirectory alone = LogDirectory.openAround(storage, A, CONFIG);
            try (LogDirectory data = owned(storage)) {
                final StorageException e =
                        assertThrows(StorageException.class, () -> data.delete(A, new UUID(5, 6), NOW));
                assertTrue(e.toString().contains(A + "/.lock"), e.toString());
                assertNull(data.failure());
                assertTrue(Files.isDirectory(root.resolve(A.directory())));
                alone.close();
                assertTrue(data.delete(A, new UUID(5, 6), NOW));
                assertTrue(Files.notExists(root.resolve(A.directory())));
                // The lock is given back: the next one of that name has its own.
                assertTrue(data.create(A, null));
                storage.lock(A + "/.lock").close();
            }
        }
    }

    /** Which of the two it was is known when the lock is held, and not before. */
    @Test
    void whatWasOpenedSaysWhetherItStandsAlone() throws Exception {
        try (DiskStorage disk = new DiskStorage(root)) {
            try (LogDirectory alone = LogDirectory.openAround(disk, A, CONFIG)) {
                assertTrue(alone.isAlone());
            }
            final FailingStorage storage = new FailingStorage(disk);
            storage.watch(act -> {
                if (act.equals("lock " + A + "/.lock") && Files.notExists(root.resolve(MetaProperties.FILE))) {
                    owned(disk).close();
                }
            });
            try (LogDirectory data = LogDirectory.openAround(storage, A, CONFIG)) {
                assertFalse(data.isAlone());
            }
        }
    }

    /** One looks and finds no data directory; another one makes it one and opens the partition there; then the first takes its lock. */
    @Test
    void aFolderWhoseParentBecomesADataDirectoryMeanwhileIsNotTakenAlone() throws Exception {
        try (DiskStorage disk = new DiskStorage(root)) {
            Files.createDirectory(root.resolve(A.directory()));
            final FailingStorage storage = new FailingStorage(disk);
            final List<LogDirectory> other = new ArrayList<>();
            storage.watch(act -> {
                if (act.equals("lock " + A + "/.lock")) {
                    other.add(owned(disk));
                    open(other.get(0), A);
                }
            });
            final StorageException e =
                    assertThrows(StorageException.class, () -> LogDirectory.openAround(storage, A, CONFIG));
            assertTrue(e.toString().contains(root.resolve(".lock").toString()), e.toString());
            other.get(0).close();
            // It gave back what it took.
            disk.lock(A + "/.lock").close();
            try (LogDirectory now = LogDirectory.openAround(disk, A, CONFIG)) {
                assertTrue(now.wasClean());
            }
        }
    }

    /** The lock that was taken in a folder goes with it: the next folder of that name has its own. */
    @Test
    void aPartitionThatIsMadeAnewIsLockedAnew() throws Exception {
        try (DiskStorage storage = new DiskStorage(root)) {
            LogDirectory.openAround(storage, A, CONFIG).close();
            try (LogDirectory data = owned(storage)) {
                open(data, A).close();
                assertThrows(StorageException.class, () -> storage.lock(A + "/.lock"));
                assertTrue(data.delete(A, new UUID(5, 6), NOW));
                assertTrue(data.create(A, null));
                final AutoCloseable alone = storage.lock(A + "/.lock");
                assertThrows(StorageException.class, () -> open(data, A));
                alone.close();
                open(data, A);
                assertThrows(StorageException.class, () -> storage.lock(A + "/.lock"));
            }
        }
    }
}
