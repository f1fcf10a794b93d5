package io.cordwood.log.store;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.concurrent.BrokenBarrierException;
import java.util.concurrent.CyclicBarrier;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicReference;
import org.agrona.DirectBuffer;
import org.agrona.concurrent.UnsafeBuffer;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.EnumSource;

/**
 * Readers beside a writer that appends and truncates. Every word of the file tells its position and the generation that wrote
 * it; a generation ends with a truncation. So a reader knows each word that it must see.
 */
class StoreRaceTest {
    private static final FileUse[] READ_USES = {FileUse.READ, FileUse.LOOKUP, FileUse.READ_SEALED};

    private static final int GENERATIONS = 150;
    private static final int WORD_BYTES = 8;

    private final AtomicReference<Throwable> failure = new AtomicReference<>();
    private final long[] starts = new long[GENERATIONS + 1];

    // Even while a generation appends, odd while the file is cut.
    private final AtomicInteger phase = new AtomicInteger();
    private volatile boolean isDone;
    private final AtomicInteger exactPieces = new AtomicInteger();

    @TempDir
    private Path root;

    /** With a head that is never cut, a channel file is long enough to be read in place. */
    @ParameterizedTest
    @CsvSource({"APPEND,0", "APPEND,1048576", "APPEND_MAPPED,0"})
    void readersSeeWhatWasPublishedAndNothingElse(final FileUse use, final int head)
            throws InterruptedException, IOException {
        final long seed = 42;
        final DiskOptions options = DiskOptions.defaults().withReserveBytes(32 << 10);
        try (DiskStorage storage = new DiskStorage(root, options);
                StorageFile file = storage.open("f", use, 64 << 20)) {
            final List<Thread> threads = new ArrayList<>();
            threads.add(start(() -> read(file, new Random(seed))));
            threads.add(start(() -> read(file, new Random(seed + 1))));
            threads.add(start(() -> {
                while (!isDone) {
                    storage.reserveAhead();
                    Thread.onSpinWait();
                }
            }));
            threads.add(start(() -> {
                while (!isDone) {
                    file.force();
                }
            }));
            write(file, head, new Random(seed + 2));
            isDone = true;
            for (final Thread thread : threads) {
                thread.join();
            }
            assertNull(failure.get(), "seed " + seed);
            assertTrue(exactPieces.get() > 100, "only " + exactPieces + " pieces were compared exactly");
            try (FileView view = new FileView()) {
                final int length = file.view(0, Integer.MAX_VALUE, view);
                assertEquals(file.length(), length);
                check(view.buffer(), 0, true, GENERATIONS - 1);
            }
        }
        assertEquals(0, Scratch.mapped(root).size());
    }

    @Test
    void evictionsBesideReadersChangeNothingTheySee() throws InterruptedException {
        final DiskOptions options = DiskOptions.defaults().withFilesMax(2).withMappingsMax(2);
        try (DiskStorage storage = new DiskStorage(root, options)) {
            final StorageFile[] files = new StorageFile[12];
            for (int i = 0; i < files.length; i++) {
                try (StorageFile file = storage.open("f" + i / 2, FileUse.APPEND, 0)) {
                    if (i % 2 == 0) {
                        Scratch.append(file, 10_000, i / 2);
                    }
                }
                files[i] = storage.open("f" + i / 2, READ_USES[i % READ_USES.length], 0);
            }
            final List<Thread> threads = new ArrayList<>();
            for (int t = 0; t < 3; t++) {
                final Random random = new Random(t);
                threads.add(start(() -> {
                    for (int i = 0; i < 3_000; i++) {
                        final int file = random.nextInt(files.length);
                        final int position = random.nextInt(10_000);
                        Scratch.assertContent(files[file], position, 10_000 - position, file / 2);
                    }
                }));
            }
            for (final Thread thread : threads) {
                thread.join();
            }
            assertNull(failure.get());
            for (final StorageFile file : files) {
                file.close();
            }
        }
    }

    @ParameterizedTest
    @EnumSource(names = {"LOOKUP", "READ_SEALED", "APPEND"})
    void aFileThatIsClosedBesideItsFirstLookLeavesNothingMapped(final FileUse use) throws Exception {
        try (DiskStorage storage = new DiskStorage(root)) {
            try (StorageFile file = storage.open("f", FileUse.APPEND, 0)) {
                Scratch.append(file, 2 << 20, 1);
            }
            for (int round = 0; round < 500; round++) {
                final StorageFile file = storage.open("f", use, 0);
                final CyclicBarrier begin = new CyclicBarrier(2);
                final Thread looker = start(() -> {
                    try (FileView view = new FileView()) {
                        await(begin);
                        file.look(1 << 20, 10, view);
                    } catch (final StorageException closed) {
                        Scratch.assertSays("closed", closed);
                    }
                });
                await(begin);
                file.close();
                looker.join();
                assertNull(failure.get());
                assertEquals(List.of(), Scratch.mapped(root), "round " + round);
            }
        }
    }

    /** What lies behind the end of a file must not be looked at, even where it is mapped: that is the end of a JVM. */
    @Test
    void whatIsCutBeforeItIsMappedIsNotLookedAt() throws InterruptedException {
        try (DiskStorage storage = new DiskStorage(root);
                StorageFile file = storage.open("f", FileUse.APPEND, 0)) {
            final List<Thread> threads = new ArrayList<>();
            for (int t = 0; t < 3; t++) {
                threads.add(start(() -> {
                    try (FileView view = new FileView()) {
                        while (!isDone) {
                            // Each first look behind a cut maps the file anew, while the next cut may have begun.
                            final long end = file.length();
                            final int seen = end > 1 << 20 ? file.look(end - 5000, 5000, view) : 0;
                            if (seen > 0) {
                                view.buffer().getByte(seen - 1);
                            }
                        }
                    }
                }));
            }
            final UnsafeBuffer claimed = new UnsafeBuffer(0, 0);
            write(file, claimed, (1 << 20) / WORD_BYTES, 0);
            for (int cut = 0; cut < 2_000 && failure.get() == null; cut++) {
                write(file, claimed, (64 << 10) / WORD_BYTES, 0);
                file.truncate(1 << 20);
            }
            isDone = true;
            for (final Thread thread : threads) {
                thread.join();
            }
            assertNull(failure.get());
        }
    }

    private static void await(final CyclicBarrier barrier) {
        try {
            barrier.await();
        } catch (final InterruptedException | BrokenBarrierException e) {
            throw new AssertionError(e);
        }
    }

    private void write(final StorageFile file, final int head, final Random random) {
        final UnsafeBuffer claimed = new UnsafeBuffer(0, 0);
        write(file, claimed, head / WORD_BYTES, 0);
        for (int generation = 0; generation < GENERATIONS && failure.get() == null; generation++) {
            if (generation > 0) {
                final int words = (int) (file.length() - head) / WORD_BYTES;
                final long cut = head + random.nextInt(words + 1) * (long) WORD_BYTES;
                phase.incrementAndGet();
                file.truncate(cut);
                starts[generation] = cut;
                phase.incrementAndGet();
            }
            for (int run = random.nextInt(40); run >= 0; run--) {
                write(file, claimed, 1 + random.nextInt(1000), generation);
            }
            // On a busy machine readers may not run at all before the next cut: each generation is compared a little.
            final int wanted = exactPieces.get() + 2;
            while (exactPieces.get() < wanted && file.length() > 0 && failure.get() == null) {
                Thread.onSpinWait();
            }
        }
    }

    private static void write(
            final StorageFile file, final UnsafeBuffer claimed, final int words, final int generation) {
        if (words > 0) {
            final long start = file.length();
            file.claim(words * WORD_BYTES, claimed);
            for (int word = 0; word < words; word++) {
                claimed.putLong(word * WORD_BYTES, wordAt(start + word * (long) WORD_BYTES, generation));
            }
            file.publish();
        }
    }

    private void read(final StorageFile file, final Random random) {
        try (FileView view = new FileView()) {
            while (!isDone) {
                final int before = phase.get();
                final long words = file.length() / WORD_BYTES;
                final long position = words == 0 ? 0 : Math.max(0, words - random.nextInt(2000)) * WORD_BYTES;
                final int shown =
                        random.nextBoolean() ? file.view(position, 16_000, view) : file.look(position, 16_000, view);
                final int seen = shown & -WORD_BYTES;
                if (seen > 0) {
                    final boolean isExact = before == phase.get() && before % 2 == 0;
                    check(view.buffer(), position, isExact, before / 2);
                    // The view is held: whatever the writer did meanwhile, no word may have become another one.
                    check(view.buffer(), position, isExact, before / 2);
                    if (isExact) {
                        exactPieces.incrementAndGet();
                    }
                }
            }
        }
    }

    private void check(final DirectBuffer shown, final long position, final boolean isExact, final int generation) {
        for (int i = 0; i + WORD_BYTES <= shown.capacity(); i += WORD_BYTES) {
            final long word = shown.getLong(i);
            final long at = position + i;
            // A cut since then explains another word; the phase tells of it before the file is touched.
            if (isExact && word != wordAt(at, writerOf(at, generation)) && phase.get() == 2 * generation) {
                throw new AssertionError("position " + at + ", generation " + generation + ": " + word);
            }
            if (word != 0 && (word & 0xFFFF_FFFFL) != at) {
                throw new AssertionError("position " + at + " shows " + word);
            }
        }
    }

    /** The last generation that began at or before a position wrote it. */
    private int writerOf(final long position, final int generation) {
        int writer = generation;
        while (starts[writer] > position) {
            writer--;
        }
        return writer;
    }

    private static long wordAt(final long position, final int generation) {
        return (generation + 1L) << 32 | position;
    }

    private Thread start(final Runnable body) {
        final Thread thread = new Thread(body);
        thread.setUncaughtExceptionHandler((died, thrown) -> {
            failure.compareAndSet(null, thrown);
            isDone = true;
        });
        thread.start();
        return thread;
    }
}
