package io.cordwood.log;

import org.jspecify.annotations.Nullable;

/** What becomes of failures where all of several acts are tried: the first is thrown at the end, and holds the others. */
final class Failures {
    private Failures() {}

    /** The first failure so far, to which another one was added. */
    static RuntimeException joined(final @Nullable RuntimeException first, final RuntimeException next) {
        if (first == null) {
            return next;
        }
        // An exception cannot hold itself, and one that a failed thing throws again and again is still one.
        if (first != next) {
            first.addSuppressed(next);
        }
        return first;
    }

    /** Throws the first failure, if there was one. */
    static void throwIfAny(final @Nullable RuntimeException first) {
        if (first != null) {
            throw first;
        }
    }
}
