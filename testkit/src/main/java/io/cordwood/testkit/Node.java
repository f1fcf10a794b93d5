package io.cordwood.testkit;

import org.jspecify.annotations.Nullable;

/** A file or directory, whatever it is called. */
abstract sealed class Node permits FileNode, DirectoryNode {
    private final int id;
    private @Nullable DirectoryNode parent;
    private String name = "";
    private boolean isGone;
    private long modifiedMs;

    Node(final int id, final long modifiedMs) {
        this.id = id;
        this.modifiedMs = modifiedMs;
    }

    /** Counted in the order in which nodes are made. */
    int id() {
        return id;
    }

    /** Present path, or the last one. */
    String path() {
        final DirectoryNode above = parent;
        return above == null || above.isRoot() ? name : above.path() + "/" + name;
    }

    void named(final @Nullable DirectoryNode newParent, final String newName) {
        parent = newParent;
        name = newName;
    }

    String name() {
        return name;
    }

    @Nullable
    DirectoryNode parent() {
        return parent;
    }

    boolean isRoot() {
        return parent == null;
    }

    /** Whether it was deleted or replaced. */
    boolean isGone() {
        return isGone;
    }

    void gone() {
        isGone = true;
    }

    long modifiedMs() {
        return modifiedMs;
    }

    void modified(final long nowMs) {
        modifiedMs = nowMs;
    }
}
