package io.cordwood.log;

import static org.junit.jupiter.api.Assertions.assertEquals;

import io.cordwood.log.store.DiskOptions;
import io.cordwood.log.store.DiskStorage;
import io.cordwood.log.store.FileUse;
import io.cordwood.log.store.FileView;
import io.cordwood.log.store.StorageFile;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.concurrent.atomic.AtomicReference;
import org.agrona.concurrent.AgentRunner;
import org.agrona.concurrent.UnsafeBuffer;
import org.agrona.concurrent.YieldingIdleStrategy;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class ReserveAgentTest {
    private static final int STEP = 1 << 20;

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

    private void append(final StorageFile file, final int length) {
        final long start = file.length();
        file.claim(length, claimed);
        for (int i = 0; i + 8 <= length; i += 8) {
            claimed.putLong(i, start + i);
        }
        file.publish();
    }
}
