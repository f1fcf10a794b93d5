package io.cordwood.testkit;

import java.util.List;

/** Takes paths apart and refuses those that no storage accepts. */
final class Paths {
    private Paths() {}

    /** Names on the way from the root; none for the root itself. */
    static List<String> parts(final String path) {
        if (path.isEmpty()) {
            return List.of();
        }
        final List<String> parts = List.of(path.split("/", -1));
        for (final String part : parts) {
            if (part.isEmpty() || ".".equals(part) || "..".equals(part)) {
                throw new IllegalArgumentException(
                        "a path is relative, without empty parts, '.' and '..': '" + path + "'");
            }
        }
        return parts;
    }

    static void refuseRoot(final String path, final String operation) {
        if (path.isEmpty()) {
            throw new IllegalArgumentException(operation + " needs a path below the root");
        }
    }

    static String parentOf(final String path) {
        return path.substring(0, Math.max(0, path.lastIndexOf('/')));
    }

    static String nameOf(final String path) {
        return path.substring(path.lastIndexOf('/') + 1);
    }
}
