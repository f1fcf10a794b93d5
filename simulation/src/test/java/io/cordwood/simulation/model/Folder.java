package io.cordwood.simulation.model;

import io.cordwood.log.store.FileStatus;
import io.cordwood.log.store.FileUse;
import io.cordwood.log.store.FileView;
import io.cordwood.log.store.Storage;
import io.cordwood.log.store.StorageFile;
import java.util.Map;
import java.util.TreeMap;
import org.agrona.concurrent.UnsafeBuffer;

/** The files of one directory as bytes. */
final class Folder {
    private Folder() {}

    static Map<String, byte[]> read(final Storage storage, final String directory) {
        final Map<String, byte[]> contents = new TreeMap<>();
        try (FileView view = new FileView()) {
            for (final FileStatus status : storage.list(directory)) {
                try (StorageFile file = storage.open(directory + "/" + status.name(), FileUse.READ, 0)) {
                    final byte[] content = new byte[(int) file.length()];
                    if (content.length > 0) {
                        file.view(0, content.length, view);
                        view.buffer().getBytes(0, content);
                    }
                    contents.put(status.name(), content);
                }
            }
        }
        return contents;
    }

    static void write(final Storage storage, final String directory, final Map<String, byte[]> contents) {
        storage.makeDirectory(directory);
        final UnsafeBuffer claim = new UnsafeBuffer(0, 0);
        contents.forEach((name, content) -> {
            try (StorageFile file = storage.open(directory + "/" + name, FileUse.APPEND, 0)) {
                if (content.length > 0) {
                    file.claim(content.length, claim);
                    claim.putBytes(0, content);
                    file.publish();
                }
            }
        });
    }

    static void delete(final Storage storage, final String directory) {
        storage.list(directory).forEach(file -> storage.delete(directory + "/" + file.name()));
        storage.removeDirectory(directory);
    }
}
