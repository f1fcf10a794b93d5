package io.cordwood.log.store;

import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;

/**
 * Where an open file is now. All who have the same file open share its place, which follows renames; once the file is deleted
 * or replaced the place is gone, so that nobody opens a stranger under the old name. Changed under the lock of
 * {@link OpenFiles}.
 */
final class Place {
    private volatile Path path;
    private volatile boolean isGone;
    private final List<Mapping> mappings = new ArrayList<>();
    private int handles;

    Place(final Path path) {
        this.path = path;
    }

    Path path() {
        return path;
    }

    boolean isGone() {
        return isGone;
    }

    void moveTo(final Path target) {
        path = target;
    }

    void gone(final boolean deletedOrReplaced) {
        isGone = deletedOrReplaced;
    }

    /** All that is mapped of the file just now, by whomever. */
    List<Mapping> mappings() {
        return mappings;
    }

    void retain() {
        handles++;
    }

    /** True if somebody has the file open. */
    boolean isHeld() {
        return handles > 0;
    }

    void release() {
        handles--;
    }
}
