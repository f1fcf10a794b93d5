package io.cordwood.log.store;

import java.util.Arrays;
import java.util.Objects;
import java.util.concurrent.atomic.AtomicReference;

/** The mapped files of a storage that are appended to, for whoever reserves ahead of their writers. Lock-free. */
final class MappedFiles {
    private static final MappedFile[] NONE = {};

    private final AtomicReference<MappedFile[]> open = new AtomicReference<>(NONE);

    void add(final MappedFile file) {
        open.updateAndGet(files -> {
            final MappedFile[] more = Arrays.copyOf(files, files.length + 1);
            more[files.length] = file;
            return more;
        });
    }

    void remove(final MappedFile file) {
        open.updateAndGet(files -> {
            final int index = Arrays.asList(files).indexOf(file);
            if (index < 0) {
                return files;
            }
            final MappedFile[] fewer = Arrays.copyOf(files, files.length - 1);
            System.arraycopy(files, index + 1, fewer, index, fewer.length - index);
            return fewer;
        });
    }

    /** Reserves one step in each file that needs it; returns the number of steps. */
    int reserveAhead() {
        int steps = 0;
        for (final MappedFile file : Objects.requireNonNull(open.get())) {
            steps += file.reserveAhead();
        }
        return steps;
    }
}
