package io.cordwood.log;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import io.cordwood.log.store.DiskOptions;
import io.cordwood.log.store.DiskStorage;
import io.cordwood.log.store.FileUse;
import io.cordwood.log.store.FileView;
import io.cordwood.log.store.StorageFile;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.concurrent.atomic.AtomicReference;
import java.util.stream.Stream;
import org.agrona.concurrent.AgentRunner;
import org.agrona.concurrent.UnsafeBuffer;
import org.agrona.concurrent.YieldingIdleStrategy;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class ReserveAgentTest {
    private static final int STEP = 1 << 20;
    private static final Path MAPS = Path.of("/proc/self/maps");

    @TempDir
    private Path root;

    private final UnsafeBuffer claimed = new UnsafeBuffer(0, 0);

    @Test
    void aNewFileIsReservedAtOnceAndTheNextStepBeforeItIsNeeded() throws IOException {
        try (DiskStorage storage = new DiskStorage(root, DiskOptions.defaults().withReserveBytes(STEP))) {
            // The first mapped file of a storage reserves at once, to see whether that can be done here.
            storage.open("first", FileUse.APPEND_MAPPED, 4 * STEP).close();
            final StorageFile file = storage.open("f", FileUse.APPEND_MAPPED, 3 * STEP - 100);
            final ReserveAgent agent = new ReserveAgent(storage);
            assertEquals(0, Files.size(root.resolve("f")));
            assertEquals(1, agent.doWork());
            assertEquals(STEP, Files.size(root.resolve("f")));
            assertEquals(0, agent.doWork());
            append(file, STEP / 2);
            assertEquals(0, agent.doWork());
            append(file, 1);
            assertEquals(1, agent.doWork());
            assertEquals(2 * STEP, Files.size(root.resolve("f")));
            append(file, 2 * STEP - 200);
            assertEquals(0, agent.doWork(), "all of the capacity is reserved");
            assertEquals(3 * STEP - 100, Files.size(root.resolve("f")));
            file.truncate(10);
            assertEquals(10, Files.size(root.resolve("f")));
            assertEquals(1, agent.doWork());
            file.close();
            assertEquals(0, agent.doWork());
            assertEquals(10, Files.size(root.resolve("f")));
        }
    }

    @Test
    void agentAndWriterReserveInTurns() {
        final AtomicReference<Throwable> failure = new AtomicReference<>();
        try (DiskStorage storage = new DiskStorage(root, DiskOptions.defaults().withReserveBytes(8192));
                StorageFile file = storage.open("f", FileUse.APPEND_MAPPED, 16 << 20);
                FileView view = new FileView()) {
            final AgentRunner runner =
                    new AgentRunner(YieldingIdleStrategy.INSTANCE, failure::set, null, new ReserveAgent(storage));
            AgentRunner.startOnThread(runner);
            for (int i = 0; i < (16 << 20) / 1024; i++) {
                append(file, 1024);
            }
            runner.close();
            assertEquals(16 << 20, file.view(0, 16 << 20, view));
            for (int i = 0; i < 16 << 20; i += 8) {
                assertEquals(i, view.buffer().getLong(i));
            }
        }
        assertEquals(null, failure.get());
    }

    /** A file without a name takes disk for as long as somebody has it open. */
    @Test
    void aLargeFileIsFreedByTheAgentWhileItRuns() throws IOException {
        assumeTrue(Files.isDirectory(Path.of("/proc/self/fd")), "this system does not show what is open");
        try (DiskStorage storage = new DiskStorage(root)) {
            final ReserveAgent agent = new ReserveAgent(storage);
            delete(storage, "a", 2 << 20);
            assertEquals(0, unnamed(), "nobody would free it later");
            agent.onStart();
            delete(storage, "b", 2 << 20);
            delete(storage, "c", 2 << 20);
            delete(storage, "small", 1000);
            assertFalse(storage.delete("missing"));
            assertEquals(2, unnamed());
            assertEquals(1, agent.doWork());
            assertEquals(1, unnamed());
            agent.onClose();
            assertEquals(0, unnamed());
            agent.onStart();
            for (int i = 0; i < 70; i++) {
                delete(storage, "d" + i, 1 << 20);
            }
            assertEquals(64, unnamed(), "what is too much for the queue is freed at once");
        }
        assertEquals(0, unnamed());
    }

    @Test
    void aLargeMappingIsTakenDownByTheAgentOnceNobodyLooksAtIt() throws IOException {
        assumeTrue(Files.isReadable(MAPS), "this system does not show what is mapped");
        try (DiskStorage storage = new DiskStorage(root, DiskOptions.defaults().withReserveBytes(STEP));
                FileView view = new FileView()) {
            final ReserveAgent agent = new ReserveAgent(storage);
            agent.onStart();
            final StorageFile file = storage.open("f", FileUse.APPEND_MAPPED, 2 * STEP);
            append(file, 100);
            assertEquals(100, file.view(0, 100, view));
            file.close();
            assertEquals(0, agent.doWork(), "somebody looks at it");
            view.release();
            assertEquals(1, mapped("f"));
            assertEquals(1, agent.doWork());
            assertEquals(0, mapped("f"));
            agent.onClose();
        }
    }

    private long mapped(final String name) throws IOException {
        try (Stream<String> maps = Files.lines(MAPS)) {
            return maps.filter(line -> line.endsWith(root.resolve(name).toString()))
                    .count();
        }
    }

    private void delete(final DiskStorage storage, final String name, final int length) throws IOException {
        Files.write(root.resolve(name), new byte[length]);
        assertTrue(storage.delete(name));
        assertFalse(Files.exists(root.resolve(name)));
    }

    /** Deleted files below the root that this process has open. */
    private long unnamed() throws IOException {
        try (Stream<Path> descriptors = Files.list(Path.of("/proc/self/fd"))) {
            return descriptors
                    .filter(each -> {
                        try {
                            final String name = Files.readSymbolicLink(each).toString();
                            return name.startsWith(root.toString()) && name.endsWith(" (deleted)");
                        } catch (final IOException e) {
                            // Closed meanwhile, as that of the listing is.
                            return false;
                        }
                    })
                    .count();
        }
    }

    private void append(final StorageFile file, final int length) {
        final long start = file.length();
        file.claim(length, claimed);
        for (int i = 0; i + 8 <= length; i += 8) {
            claimed.putLong(i, start + i);
        }
        file.publish();
    }
}
