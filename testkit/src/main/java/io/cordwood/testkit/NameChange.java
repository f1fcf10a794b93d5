package io.cordwood.testkit;

import java.util.Map;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/**
 * One change of names that is not durable yet: a name that was taken away, one that was given, or both in one step.
 *
 * @param act number of the act.
 * @param node what is named.
 * @param from where it was; null if it is new.
 * @param to where it is; null if it was deleted.
 * @param replaced what had that name before; null if nobody had it.
 */
record NameChange(
        int act,
        Node node,
        @Nullable Entry from,
        @Nullable Entry to,
        @Nullable Node replaced) {
    /** A name in a directory. */
    record Entry(DirectoryNode directory, String name) {}

    /**
     * Whether the change can be on the disk only if an earlier one is: a file system orders what touches the same name, and by
     * that what touches the same file, which is always found where the change before it has put it.
     */
    boolean follows(final NameChange earlier) {
        return touches(earlier.from)
                || touches(earlier.to)
                // An empty directory is removed, or replaced, after it was emptied, and directories move one at a time.
                || (goes() instanceof DirectoryNode emptied && earlier.isIn(emptied))
                || (isMoveOfDirectory() && earlier.isMoveOfDirectory());
    }

    /** What has no name any more; null if nothing. */
    private @Nullable Node goes() {
        return to == null ? node : replaced;
    }

    /** Where something was moved to from another directory; null if it was not. */
    @Nullable
    DirectoryNode movedInto() {
        return from != null && to != null && from.directory != to.directory ? to.directory : null;
    }

    /** Whether it changes a name in that directory. */
    boolean isIn(final DirectoryNode directory) {
        return (from != null && from.directory == directory) || (to != null && to.directory == directory);
    }

    /** Does to tables of names what was done to the cached ones. */
    void apply(final Function<DirectoryNode, ? extends Map<String, Node>> tables) {
        if (from != null) {
            tables.apply(from.directory).remove(from.name);
        }
        if (to != null) {
            tables.apply(to.directory).put(to.name, node);
        }
    }

    private boolean touches(final @Nullable Entry entry) {
        return entry != null && (isSame(entry, from) || isSame(entry, to));
    }

    private static boolean isSame(final Entry entry, final @Nullable Entry other) {
        return other != null && entry.directory == other.directory && entry.name.equals(other.name);
    }

    private boolean isMoveOfDirectory() {
        return node instanceof DirectoryNode && from != null && to != null;
    }
}
