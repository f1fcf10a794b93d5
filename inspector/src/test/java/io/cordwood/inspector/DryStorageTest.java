package io.cordwood.inspector;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;

import io.cordwood.log.store.DiskStorage;
import io.cordwood.log.store.FileStatus;
import io.cordwood.log.store.FileUse;
import io.cordwood.log.store.FileView;
import io.cordwood.log.store.Storage;
import io.cordwood.log.store.StorageException;
import io.cordwood.log.store.StorageFile;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.lang.reflect.InvocationHandler;
import java.lang.reflect.Proxy;
import java.nio.channels.Channels;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.SortedMap;
import org.agrona.concurrent.UnsafeBuffer;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** The dry storage beside a real one that is used in the same way: both show the same, and the disk below stays as it was. */
final class DryStorageTest {
    private static final List<String> NAMES = List.of("a", "b", "c", "d/a", "d/b", "e/a");

    private static final long NOW_MS = 1_700_000_000_000L;

    @TempDir
    private Path scratch;

    @Test
    void aChangeIsAsOldAsTheClockSays() {
        try (DiskStorage disk = new DiskStorage(scratch);
                Storage dry = new DryStorage(disk, () -> NOW_MS)) {
            dry.makeDirectory("d");
            dry.open("a", FileUse.APPEND, 0).close();
            assertEquals(
                    List.of(new FileStatus("a", 0, NOW_MS, false), new FileStatus("d", 0, NOW_MS, true)), dry.list(""));
        }
    }

    /** A position so far behind the end that the difference is a small length, if it is cut to an int. */
    @Test
    void nothingIsShownFarBehindTheEnd() {
        try (DiskStorage disk = new DiskStorage(scratch);
                Storage dry = new DryStorage(disk, () -> NOW_MS);
                StorageFile file = dry.open("a", FileUse.APPEND, 0);
                FileView view = new FileView()) {
            for (final long position : new long[] {1, (1L << 32) - 5, 1L << 32, Long.MAX_VALUE}) {
                assertThrows(IllegalArgumentException.class, () -> file.view(position, 100, view));
            }
            assertThrows(IllegalArgumentException.class, () -> file.view(0, Integer.MIN_VALUE + 11, view));
            assertEquals(0, file.view(0, 100, view));
        }
    }

    /** A read-only operator, or a disk that was mounted so again, may look too; who writes keeps us out, and we them. */
    @Test
    void aLockNeedsNoRightToWrite() throws Exception {
        Files.createFile(scratch.resolve(".lock"));
        try (DiskStorage disk = new DiskStorage(scratch)) {
            final InvocationHandler refusal = (proxy, method, arguments) -> {
                if (method.getName().equals("lock")) {
                    throw new StorageException(".lock", "lock", "permission denied", null);
                }
                return method.invoke(disk, arguments);
            };
            final Storage readOnly = (Storage)
                    Proxy.newProxyInstance(Storage.class.getClassLoader(), new Class<?>[] {Storage.class}, refusal);
            try (Storage dry = new DryStorage(readOnly, () -> NOW_MS)) {
                final AutoCloseable held = dry.lock(".lock");
                assertThrows(StorageException.class, () -> disk.lock(".lock"));
                held.close();
                disk.lock(".lock").close();
            }
        }
    }

    @Test
    void showsWhatADiskWouldShow() throws IOException {
        for (long seed = 1; seed <= 60; seed++) {
            final Path below = seeded(scratch.resolve("below" + seed), seed);
            final Path beside = seeded(scratch.resolve("beside" + seed), seed);
            final SortedMap<String, String> before = Corpus.state(below);
            try (DiskStorage disk = new DiskStorage(below);
                    Storage dry = new DryStorage(disk, () -> NOW_MS);
                    Storage real = new DiskStorage(beside)) {
                final Random random = new Random(seed);
                for (int step = 0; step < 60; step++) {
                    final long act = random.nextLong();
                    final String where = "seed " + seed + " step " + step;
                    assertEquals(act(real, new Random(act)), act(dry, new Random(act)), where);
                    assertEquals(everything(real), everything(dry), where);
                }
            }
            assertEquals(before, Corpus.state(below), "seed " + seed);
        }
    }

    private static Path seeded(final Path root, final long seed) throws IOException {
        final Random random = new Random(seed);
        Files.createDirectories(root.resolve("d"));
        for (final String name : NAMES.subList(0, 4)) {
            if (random.nextBoolean()) {
                final byte[] bytes = new byte[random.nextInt(9000)];
                random.nextBytes(bytes);
                Files.write(root.resolve(name), bytes);
            }
        }
        return root;
    }

    private static String act(final Storage storage, final Random random) {
        final String name = NAMES.get(random.nextInt(NAMES.size() - 1));
        try {
            return switch (random.nextInt(6)) {
                case 0 -> "delete " + storage.delete(random.nextInt(4) == 0 ? "d" : name);
                case 1 -> {
                    storage.rename(name, NAMES.get(random.nextInt(NAMES.size() - 1)));
                    yield "renamed";
                }
                case 2 -> {
                    storage.makeDirectory("e/f");
                    yield "made";
                }
                case 3 -> "removed " + storage.removeDirectory(random.nextBoolean() ? "e/f" : "e");
                default -> append(storage, name, random);
            };
        } catch (final StorageException e) {
            return e.operation().split(" ", 2)[0] + " failed";
        }
    }

    private static String append(final Storage storage, final String name, final Random random) {
        try (StorageFile file = storage.open(name, FileUse.APPEND, 0)) {
            if (random.nextBoolean()) {
                file.truncate((long) (random.nextDouble() * (file.length() + 1)));
            }
            final UnsafeBuffer claimed = new UnsafeBuffer(0, 0);
            for (int i = random.nextInt(3); i > 0; i--) {
                final byte[] bytes = new byte[1 + random.nextInt(5000)];
                random.nextBytes(bytes);
                file.claim(bytes.length, claimed);
                claimed.putBytes(0, bytes);
            }
            if (random.nextInt(4) > 0) {
                file.publish();
            }
            file.force();
            return "length " + file.length();
        }
    }

    /** All names, lengths and bytes, the bytes read in both ways. */
    private static List<String> everything(final Storage storage) throws IOException {
        final List<String> all = new ArrayList<>();
        for (final String directory : List.of("", "d", "e", "e/f")) {
            for (final FileStatus status : storage.list(directory)) {
                final String path = directory.isEmpty() ? status.name() : directory + "/" + status.name();
                all.add(path + " " + (status.isDirectory() ? "directory" : status.length() + content(storage, path)));
            }
        }
        return all;
    }

    private static String content(final Storage storage, final String path) throws IOException {
        final ByteArrayOutputStream sent = new ByteArrayOutputStream();
        final StringBuilder viewed = new StringBuilder();
        try (StorageFile file = storage.open(path, FileUse.READ, 0);
                FileView view = new FileView()) {
            long at = 0;
            while (at < file.length()) {
                at += file.transferTo(at, file.length() - at, Channels.newChannel(sent));
            }
            for (long position = 0; position < file.length(); position += 3000) {
                final byte[] bytes = new byte[file.view(position, 3000, view)];
                view.buffer().getBytes(0, bytes);
                viewed.append(new String(bytes, StandardCharsets.ISO_8859_1));
            }
        }
        assertEquals(viewed.toString(), sent.toString(StandardCharsets.ISO_8859_1), path);
        return viewed.toString();
    }
}
