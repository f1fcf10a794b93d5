package io.cordwood.log.store;

import java.io.IOException;
import java.nio.channels.FileChannel;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.nio.file.attribute.BasicFileAttributes;
import org.agrona.CloseHelper;
import org.agrona.concurrent.ManyToOneConcurrentArrayQueue;
import org.jspecify.annotations.Nullable;

/**
 * Large files that have lost their names and are kept open until another thread closes them: the system frees pages and blocks of a
 * file, which takes milliseconds, when the last who has it open lets go. Any thread puts files in, one at a time takes them out.
 */
final class DeletedFiles {
    /** Smaller ones are freed as fast as they are handed over. */
    private static final long LARGE_BYTES = 1 << 20;

    private static final int FILES_MAX = 64;

    private final ManyToOneConcurrentArrayQueue<FileChannel> files = new ManyToOneConcurrentArrayQueue<>(FILES_MAX);
    private volatile boolean isFreedLater;

    /** Whether somebody calls {@link #free} from now on. */
    void freeLater(final boolean isWanted) {
        isFreedLater = isWanted;
        if (!isWanted) {
            freeAll();
        }
    }

    /** Opens a file that is about to lose its name; null if it is as well freed at once. */
    @Nullable
    FileChannel hold(final Path path) {
        if (!isFreedLater) {
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
        if (!files.offer(file)) {
            CloseHelper.quietClose(file);
        } else if (!isFreedLater) {
            freeAll();
        }
    }

    /** Frees one file; says whether there was one. */
    boolean free() {
        final FileChannel file = files.poll();
        // Nothing was written through it.
        CloseHelper.quietClose(file);
        return file != null;
    }

    private synchronized void freeAll() {
        while (free()) {
            // Until none is left.
        }
    }
}
