package io.cordwood.testkit;

import java.util.NavigableMap;
import java.util.TreeMap;

/** A directory: its names as every process sees them, and as the disk has them. */
final class DirectoryNode extends Node {
    private final NavigableMap<String, Node> cached = new TreeMap<>();
    private final NavigableMap<String, Node> durable = new TreeMap<>();

    DirectoryNode(final int id, final long modifiedMs) {
        super(id, modifiedMs);
    }

    NavigableMap<String, Node> cached() {
        return cached;
    }

    NavigableMap<String, Node> durable() {
        return durable;
    }

    /** Whether another directory is this one or lies below it. */
    boolean holds(final DirectoryNode other) {
        for (DirectoryNode at = other; at != null; at = at.parent()) {
            if (at == this) {
                return true;
            }
        }
        return false;
    }
}
