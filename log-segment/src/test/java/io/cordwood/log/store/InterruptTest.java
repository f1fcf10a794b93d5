package io.cordwood.log.store;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.ByteArrayOutputStream;
import java.nio.channels.Channels;
import java.nio.file.Path;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicReference;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** The JDK closes a channel when its user is interrupted; here nobody notices, but for the flag. */
class InterruptTest {
    private static final int PIECE_BYTES = 1 << 18;
    private static final int INTERRUPTS = 100;

    private final AtomicReference<Throwable> failure = new AtomicReference<>();
    private final AtomicInteger interrupts = new AtomicInteger();

    @TempDir
    private Path root;

    private DiskStorage storage;

    @BeforeEach
    void open() {
        storage = new DiskStorage(root);
    }

    @ParameterizedTest
    @EnumSource
    void aThreadThatIsInterruptedAlreadyDoesItsWork(final FileUse use) {
        try (StorageFile append = storage.open("f", appending(use), 8 << 20);
                FileView view = new FileView()) {
            Thread.currentThread().interrupt();
            Scratch.append(append, 5000, 1);
            append.force();
            try (StorageFile file = use == appending(use) ? append : storage.open("f", use, 0)) {
                file.view(0, 5000, view);
                Scratch.assertShown(view.buffer(), 0, 5000, 1);
                assertEquals(5000, file.transferTo(0, 5000, Channels.newChannel(new ByteArrayOutputStream())));
            }
            if (use != appending(use)) {
                append.truncate(10);
            }
            storage.syncDirectory("");
            assertEquals(1, storage.list("").size());
            assertTrue(Thread.interrupted());
        }
    }

    @Test
    void anInterruptedReaderHarmsNobody() throws InterruptedException {
        try (StorageFile file = storage.open("f", FileUse.APPEND, 0)) {
            Scratch.append(file, PIECE_BYTES, 1);
        }
        try (StorageFile file = storage.open("f", FileUse.READ, 0)) {
            final Thread other = start(() -> {
                while (interrupts.get() < INTERRUPTS && failure.get() == null) {
                    Scratch.assertContent(file, 0, PIECE_BYTES, 1);
                }
            });
            final Thread victim = start(() -> {
                while (interrupts.get() < INTERRUPTS) {
                    Scratch.assertContent(file, 0, PIECE_BYTES, 1);
                    countInterrupt();
                }
            });
            interruptUntilDone(victim);
            other.join();
        }
        assertNull(failure.get());
        assertEquals(INTERRUPTS, interrupts.get());
    }

    @ParameterizedTest
    @EnumSource(names = {"APPEND", "APPEND_MAPPED"})
    void anInterruptedWriterLosesNothing(final FileUse use) throws InterruptedException {
        try (StorageFile file = storage.open("f", use, 1 << 30)) {
            final Thread victim = start(() -> {
                while (interrupts.get() < INTERRUPTS) {
                    if (file.length() > 64 << 20) {
                        file.truncate(0);
                    }
                    Scratch.append(file, PIECE_BYTES, 1);
                    Scratch.assertContent(file, file.length() - PIECE_BYTES, PIECE_BYTES, 1);
                    countInterrupt();
                }
            });
            interruptUntilDone(victim);
            assertNull(failure.get());
            Scratch.assertContent(file, 0, (int) file.length(), 1);
        }
    }

    @Test
    void anInterruptedForceFailsAloneAndTheWriterGoesOn() throws InterruptedException {
        try (StorageFile file = storage.open("f", FileUse.APPEND, 0)) {
            final Thread victim = start(() -> {
                while (interrupts.get() < 20) {
                    try {
                        file.force();
                    } catch (final StorageException e) {
                        Scratch.assertSays("interrupted", e);
                    }
                    countInterrupt();
                }
            });
            final Thread writer = start(() -> {
                while (interrupts.get() < 20 && failure.get() == null) {
                    if (file.length() > 16 << 20) {
                        file.truncate(0);
                    }
                    Scratch.append(file, 100_000, 1);
                }
            });
            interruptUntilDone(victim);
            writer.join();
            assertNull(failure.get());
            Scratch.assertContent(file, 0, (int) file.length(), 1);
        }
    }

    private static FileUse appending(final FileUse use) {
        return use == FileUse.APPEND_MAPPED ? use : FileUse.APPEND;
    }

    private void countInterrupt() {
        if (Thread.interrupted()) {
            interrupts.incrementAndGet();
        }
    }

    /** Interrupts again as soon as the last one was noticed. */
    private void interruptUntilDone(final Thread victim) throws InterruptedException {
        int seen = -1;
        while (victim.isAlive()) {
            final int now = interrupts.get();
            if (now != seen) {
                seen = now;
                victim.interrupt();
            }
            Thread.onSpinWait();
        }
        victim.join();
    }

    private Thread start(final Runnable body) {
        final Thread thread = new Thread(body);
        thread.setUncaughtExceptionHandler((died, thrown) -> failure.compareAndSet(null, thrown));
        thread.start();
        return thread;
    }
}
