package io.cordwood.log.store;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.channels.FileChannel;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.nio.file.attribute.BasicFileAttributes;
import org.agrona.concurrent.ManyToManyConcurrentArrayQueue;
import org.jspecify.annotations.Nullable;

/**
 * What takes the system milliseconds to free, and is kept until another thread has the time: large files that have lost their names, whose
 * pages and blocks go when the last who has them open lets go, and large mappings at which nobody looks any more. Any thread puts in
 * and takes out.
 */
final class FreedLater {
    /** What is smaller is freed as fast as it is handed over. */
    private static final long LARGE_BYTES = 1 << 20;

    private static final int WAITING_MAX = 64;

    private final ManyToManyConcurrentArrayQueue<Runnable> waiting = new ManyToManyConcurrentArrayQueue<>(WAITING_MAX);
    private volatile boolean isServed;

    /** Whether somebody calls {@link #free} from now on. */
    void serve(final boolean isWanted) {
        isServed = isWanted;
        if (!isWanted) {
            freeAll();
        }
    }

    /** Frees something of so many bytes, now or later. */
    void add(final long bytes, final Runnable free) {
        if (bytes < LARGE_BYTES || !isServed || !waiting.offer(free)) {
            free.run();
        } else if (!isServed) {
            freeAll();
        }
    }

    /** Opens a file that is about to lose its name; null if it is as well freed at once. */
    @Nullable
    FileChannel hold(final Path path) {
        if (!isServed) {
            return null;
        }
        try {
            final BasicFileAttributes file =
                    Files.readAttributes(path, BasicFileAttributes.class, LinkOption.NOFOLLOW_LINKS);
            return file.isRegularFile() && file.size() >= LARGE_BYTES
                    ? FileChannel.open(path, StandardOpenOption.READ)
                    : null;
        } catch (final IOException e) {
            // It is gone, or cannot be opened: the deletion will tell.
            return null;
        }
    }

    /** Takes what was held and has no name any more. */
    void add(final FileChannel file) {
        add(LARGE_BYTES, () -> close(file));
    }

    /** Frees one thing; says whether there was one. */
    boolean free() {
        final Runnable next = waiting.poll();
        if (next == null) {
            return false;
        }
        next.run();
        return true;
    }

    private void freeAll() {
        while (free()) {
            // Until none is left.
        }
    }

    private static void close(final FileChannel file) {
        try {
            file.close();
        } catch (final IOException e) {
            throw new UncheckedIOException(e);
        }
    }
}
