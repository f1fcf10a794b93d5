package io.cordwood.testkit;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.NavigableMap;
import java.util.Objects;
import java.util.Set;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;

/**
 * The names of a simulated disk: as every process sees them, as the disk has them, and the changes between the two in their order.
 * Guarded by the lock of its {@link SimulatedStorage}.
 *
 * <p>Which changes a power cut may leave: any, but none without those before it that are about the same file, directory or
 * name, no directory's end without what emptied it, and no move into a directory that cannot be reached. A file system that keeps a
 * journal leaves a beginning of all changes, which is one of these states; one that does not may leave the others.
 */
final class NameTree {
    private final DirectoryNode root;
    private final List<NameChange> changes = new ArrayList<>();
    private int nodeCount;

    /** What {@link #files} has found; null if a name has changed since. */
    private @Nullable NavigableMap<Integer, FileNode> filesFound;

    NameTree(final long nowMs) {
        root = new DirectoryNode(0, nowMs);
    }

    private NameTree(final DirectoryNode root, final int nodeCount) {
        this.root = root;
        this.nodeCount = nodeCount;
    }

    DirectoryNode root() {
        return root;
    }

    FileNode makeFile(final int act, final DirectoryNode directory, final String name, final long nowMs) {
        final FileNode made = new FileNode(++nodeCount, nowMs, Image.EMPTY);
        change(act, made, null, new NameChange.Entry(directory, name), nowMs);
        return made;
    }

    DirectoryNode makeDirectory(final int act, final DirectoryNode directory, final String name, final long nowMs) {
        final DirectoryNode made = new DirectoryNode(++nodeCount, nowMs);
        change(act, made, null, new NameChange.Entry(directory, name), nowMs);
        return made;
    }

    void move(final int act, final Node node, final DirectoryNode directory, final String name, final long nowMs) {
        change(act, node, entryOf(node), new NameChange.Entry(directory, name), nowMs);
    }

    void remove(final int act, final Node node, final long nowMs) {
        change(act, node, entryOf(node), null, nowMs);
    }

    /** Makes durable what was changed in a directory, and what came before it. */
    void sync(final DirectoryNode directory) {
        final boolean[] kept = new boolean[changes.size()];
        for (int i = 0; i < kept.length; i++) {
            kept[i] = changes.get(i).isIn(directory);
        }
        keepWhatCameBefore(kept);
        final List<NameChange> left = new ArrayList<>();
        for (int i = 0; i < kept.length; i++) {
            if (kept[i]) {
                changes.get(i).apply(DirectoryNode::durable);
            } else {
                left.add(changes.get(i));
            }
        }
        changes.clear();
        changes.addAll(left);
        filesFound = null;
    }

    /** Files that could be there after a power cut, by their number. */
    private NavigableMap<Integer, FileNode> files() {
        final NavigableMap<Integer, FileNode> known = filesFound;
        if (known != null) {
            return known;
        }
        final NavigableMap<Integer, FileNode> found = new TreeMap<>();
        final Set<Node> seen = new HashSet<>();
        collect(root, found, seen);
        for (final NameChange change : changes) {
            collect(change.node(), found, seen);
        }
        filesFound = found;
        return found;
    }

    /** What a power cut may undo, in the order in which it is asked. */
    List<Pending> pending(final int nextAct) {
        final List<Pending> all = new ArrayList<>();
        changes.forEach(change -> all.add(pendingOf(change)));
        files().values().forEach(file -> file.addPending(nextAct, all));
        return all;
    }

    private static Pending pendingOf(final NameChange change) {
        return new Pending(change.act(), Pending.Kind.NAME, change.node().path(), 0);
    }

    /** The names that a power cut leaves, with the files that it leaves. */
    NameTree survivor(final int nextAct, final PowerCut cut) {
        final boolean[] kept = new boolean[changes.size()];
        for (int i = 0; i < kept.length; i++) {
            kept[i] = cut.survives(pendingOf(changes.get(i)));
        }
        keepWhatCameBefore(kept);
        final Map<DirectoryNode, Map<String, Node>> tables = new HashMap<>();
        for (int i = 0; i < kept.length; i++) {
            if (kept[i]) {
                changes.get(i).apply(d -> tables.computeIfAbsent(d, key -> new TreeMap<>(key.durable())));
            }
        }
        final Map<Integer, FileNode> survivors = new HashMap<>();
        files().forEach((id, file) -> survivors.put(id, file.survivor(nextAct, cut)));
        final NameTree left = new NameTree(new DirectoryNode(0, root.modifiedMs()), nodeCount);
        left.restore(root, left.root, tables, survivors);
        return left;
    }

    /** The same names and files in another life, with all that is pending. */
    NameTree copy() {
        final Map<Node, Node> copies = new HashMap<>();
        final NameTree copy = new NameTree((DirectoryNode) copyOf(root, copies), nodeCount);
        for (final NameChange change : changes) {
            final Node replaced = change.replaced();
            copy.changes.add(new NameChange(
                    change.act(),
                    copyOf(change.node(), copies),
                    copyOf(change.from(), copies),
                    copyOf(change.to(), copies),
                    replaced == null ? null : copyOf(replaced, copies)));
        }
        return copy;
    }

    /** Hash of what is durable: names and contents. */
    long hash() {
        return hash(root, 0);
    }

    private static long hash(final DirectoryNode directory, final long seed) {
        long hash = seed;
        for (final Map.Entry<String, Node> entry : directory.durable().entrySet()) {
            hash = Image.mix(hash, entry.getKey().hashCode());
            if (entry.getValue() instanceof FileNode file) {
                hash = Image.mix(hash, file.platter().hash());
            } else {
                hash = Image.mix(hash(((DirectoryNode) entry.getValue()), hash), 1);
            }
        }
        return hash;
    }

    private void change(
            final int act,
            final Node node,
            final NameChange.@Nullable Entry from,
            final NameChange.@Nullable Entry to,
            final long nowMs) {
        final Node replaced = to == null ? null : to.directory().cached().get(to.name());
        final NameChange change = new NameChange(act, node, from, to, replaced);
        changes.add(change);
        filesFound = null;
        change.apply(DirectoryNode::cached);
        if (from != null) {
            from.directory().modified(nowMs);
        }
        if (replaced != null) {
            replaced.gone();
        }
        if (to == null) {
            node.gone();
        } else {
            to.directory().modified(nowMs);
            node.named(to.directory(), to.name());
        }
    }

    private void keepWhatCameBefore(final boolean[] kept) {
        do {
            for (int i = kept.length - 1; i > 0; i--) {
                for (int j = 0; kept[i] && j < i; j++) {
                    kept[j] |= changes.get(i).follows(changes.get(j));
                }
            }
        } while (keepsOneMoreOnThePathOfAMove(kept));
    }

    /** What is moved elsewhere is not lost with a directory that is not there: each on the way to it is, wherever it is then. */
    private boolean keepsOneMoreOnThePathOfAMove(final boolean[] kept) {
        for (int i = 0; i < kept.length; i++) {
            DirectoryNode at = kept[i] ? changes.get(i).movedInto() : null;
            while (at != null && at != root) {
                final int made = numberOfMaking(at);
                if (made >= 0 && !kept[made]) {
                    kept[made] = true;
                    return true;
                }
                at = parentOf(at, kept);
            }
        }
        return false;
    }

    private int numberOfMaking(final DirectoryNode directory) {
        for (int i = 0; i < changes.size(); i++) {
            if (changes.get(i).node() == directory && changes.get(i).from() == null) {
                return i;
            }
        }
        return -1;
    }

    /** The directory in which another one is by the changes that are kept; null if it is in none. */
    private @Nullable DirectoryNode parentOf(final DirectoryNode directory, final boolean[] kept) {
        boolean isChanged = false;
        NameChange.Entry at = null;
        for (int i = 0; i < kept.length; i++) {
            final NameChange change = changes.get(i);
            if (change.node() == directory) {
                at = kept[i] ? change.to() : isChanged ? at : change.from();
                isChanged = true;
            }
        }
        return !isChanged ? directory.parent() : at == null ? null : at.directory();
    }

    private void restore(
            final DirectoryNode from,
            final DirectoryNode to,
            final Map<DirectoryNode, Map<String, Node>> tables,
            final Map<Integer, FileNode> files) {
        final Map<String, Node> changed = tables.get(from);
        // Sorted maps are copied in one go.
        to.cached().putAll(changed == null ? from.durable() : changed);
        to.cached().replaceAll((name, node) -> {
            final Node restored;
            if (node instanceof DirectoryNode directory) {
                final DirectoryNode made = new DirectoryNode(directory.id(), directory.modifiedMs());
                restore(directory, made, tables, files);
                restored = made;
            } else {
                restored = Objects.requireNonNull(files.get(node.id()), node.path());
            }
            restored.named(to, name);
            return restored;
        });
        to.durable().putAll(to.cached());
    }

    private static NameChange.Entry entryOf(final Node node) {
        final DirectoryNode parent = node.parent();
        if (parent == null) {
            throw new IllegalStateException("the root has no name");
        }
        return new NameChange.Entry(parent, node.name());
    }

    private static void collect(final Node node, final NavigableMap<Integer, FileNode> found, final Set<Node> seen) {
        if (!seen.add(node)) {
            return;
        }
        if (node instanceof FileNode file) {
            found.put(file.id(), file);
        } else if (node instanceof DirectoryNode directory) {
            directory.cached().values().forEach(child -> collect(child, found, seen));
            directory.durable().values().forEach(child -> collect(child, found, seen));
        }
    }

    private static NameChange.@Nullable Entry copyOf(
            final NameChange.@Nullable Entry entry, final Map<Node, Node> copies) {
        return entry == null
                ? null
                : new NameChange.Entry((DirectoryNode) copyOf(entry.directory(), copies), entry.name());
    }

    private static Node copyOf(final Node node, final Map<Node, Node> copies) {
        final Node known = copies.get(node);
        if (known != null) {
            return known;
        }
        if (node instanceof FileNode file) {
            final FileNode copy = file.copy();
            copies.put(node, copy);
            placeLike(copy, node, copies);
            return copy;
        }
        final DirectoryNode directory = (DirectoryNode) node;
        final DirectoryNode copy = new DirectoryNode(directory.id(), directory.modifiedMs());
        copies.put(node, copy);
        placeLike(copy, node, copies);
        directory.cached().forEach((name, child) -> copy.cached().put(name, copyOf(child, copies)));
        directory.durable().forEach((name, child) -> copy.durable().put(name, copyOf(child, copies)));
        return copy;
    }

    private static void placeLike(final Node copy, final Node original, final Map<Node, Node> copies) {
        final DirectoryNode parent = original.parent();
        copy.named(parent == null ? null : (DirectoryNode) copyOf(parent, copies), original.name());
        if (original.isGone()) {
            copy.gone();
        }
    }
}
