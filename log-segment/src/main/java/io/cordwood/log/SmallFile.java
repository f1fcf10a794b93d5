package io.cordwood.log;

import io.cordwood.log.store.FileStatus;
import io.cordwood.log.store.FileUse;
import io.cordwood.log.store.FileView;
import io.cordwood.log.store.Storage;
import io.cordwood.log.store.StorageException;
import io.cordwood.log.store.StorageFile;
import org.agrona.concurrent.UnsafeBuffer;
import org.jspecify.annotations.Nullable;

/**
 * Files that are read whole and replaced whole: tables and metadata beside the segments. A replacement is written under another
 * name, forced, renamed and its name forced, so a power cut leaves the old content or the new one and nothing between.
 */
final class SmallFile {
    private SmallFile() {}

    /**
     * Reads a file.
     *
     * @return its bytes, or null if there is no such file.
     * @throws CorruptLogException if it is larger than any sound one can be, before that much is allocated.
     */
    static byte @Nullable [] read(
            final Storage storage, final String directory, final String name, final int bytesMax) {
        final String path = LogFiles.path(directory, name);
        final FileStatus status = storage.status(path);
        if (status == null || status.isDirectory()) {
            return null;
        }
        if (status.length() > bytesMax) {
            throw new CorruptLogException(
                    storage.describe(path),
                    bytesMax,
                    "has " + status.length() + " bytes, at most " + bytesMax + " make sense");
        }
        return content(storage, path, (int) status.length());
    }

    private static byte[] content(final Storage storage, final String path, final int length) {
        if (length == 0) {
            return new byte[0];
        }
        try (StorageFile file = storage.open(path, FileUse.READ, 0);
                FileView view = new FileView()) {
            final byte[] bytes = new byte[view.show(file, 0, length)];
            view.buffer().getBytes(0, bytes);
            return bytes;
        }
    }

    /** Replaces a file, or makes it; durable on return, the name included. */
    static void replace(final Storage storage, final String directory, final String name, final byte[] content) {
        final String path = LogFiles.path(directory, name);
        final String temporary = path + LogFiles.TEMPORARY;
        storage.delete(temporary);
        try (StorageFile file = storage.open(temporary, FileUse.APPEND, 0)) {
            if (content.length > 0) {
                final UnsafeBuffer claim = new UnsafeBuffer(0, 0);
                file.claim(content.length, claim);
                claim.putBytes(0, content);
                file.publish();
            }
            file.force();
        }
        if (!storage.rename(temporary, path)) {
            throw new StorageException(storage.describe(temporary), "rename", "the file has vanished", null);
        }
        storage.syncDirectory(directory);
    }
}
