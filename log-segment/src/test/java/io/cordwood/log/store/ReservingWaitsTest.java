package io.cordwood.log.store;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.lang.reflect.Field;
import java.nio.file.Path;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicReference;
import org.agrona.concurrent.UnsafeBuffer;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** A writer that needs disk while another thread is reserving it sleeps until that has ended, interrupted or not. */
@Timeout(60)
final class ReservingWaitsTest {
    @TempDir
    Path root;

    /** The flag of whoever is reserving: no test can make a reservation hang. */
    private static AtomicBoolean reserving(final StorageFile file) throws ReflectiveOperationException {
        final Field flag = MappedFile.class.getDeclaredField("isReserving");
        flag.setAccessible(true);
        return (AtomicBoolean) flag.get(file);
    }

    @ParameterizedTest
    @ValueSource(booleans = {false, true})
    void aWriterSleepsWhileSomebodyElseReserves(final boolean interrupted)
            throws ReflectiveOperationException, InterruptedException {
        try (DiskStorage storage = new DiskStorage(root);
                StorageFile file = storage.open("a.log", FileUse.APPEND_MAPPED, 1 << 23)) {
            final AtomicBoolean flag = reserving(file);
            assertTrue(flag.compareAndSet(false, true));
            final AtomicReference<Throwable> failure = new AtomicReference<>();
            final AtomicBoolean isInterrupted = new AtomicBoolean();
            final Thread writer = new Thread(
                    () -> {
                        if (interrupted) {
                            Thread.currentThread().interrupt();
                        }
                        file.claim(1 << 22, new UnsafeBuffer(0, 0));
                        isInterrupted.set(Thread.currentThread().isInterrupted());
                    },
                    "writer");
            writer.setUncaughtExceptionHandler((self, error) -> failure.set(error));
            writer.setDaemon(true);
            writer.start();
            try {
                // Who spins never gets there, nor who stays interrupted.
                while (writer.getState() != Thread.State.TIMED_WAITING || writer.isInterrupted()) {
                    assertTrue(writer.isAlive(), "the claim did not wait");
                    assertFalse(Thread.currentThread().isInterrupted(), "it does not sleep");
                    Thread.onSpinWait();
                }
            } finally {
                flag.set(false);
            }
            writer.join();
            assertEquals(null, failure.get());
            assertEquals(interrupted, isInterrupted.get());
            assertEquals(1 << 22, file.publish());
        }
    }
}
