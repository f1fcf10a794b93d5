package io.cordwood.log;

import io.cordwood.log.store.FileStatus;
import io.cordwood.log.store.FileUse;
import io.cordwood.log.store.FileView;
import io.cordwood.log.store.Storage;
import io.cordwood.log.store.StorageException;
import io.cordwood.log.store.StorageFile;
import java.nio.channels.WritableByteChannel;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.TreeMap;
import org.agrona.concurrent.UnsafeBuffer;
import org.jspecify.annotations.Nullable;

/**
 * One flat directory in memory that can lose its power, fail at any act and tell what was done to it. What a power cut leaves:
 * of the names, those of the last sync and some of the changes since, in their order; of the contents, the forced bytes and some
 * of those since.
 */
final class MemoryStorage implements Storage {
    private static final class Node {
        byte[] content = {};
        byte[] forced = {};
    }

    private record NameChange(String name, @Nullable Node node) {}

    private final Map<String, Node> names = new TreeMap<>();
    private final Map<String, Node> syncedNames = new TreeMap<>();
    private final List<NameChange> changes = new ArrayList<>();
    private final List<String> trace = new ArrayList<>();
    private int actsUntilFailure = Integer.MAX_VALUE;

    /** What was done since the last call, without the questions. */
    List<String> takeTrace() {
        final List<String> taken = List.copyOf(trace);
        trace.clear();
        return taken;
    }

    /** Lets some more acts succeed, and then none. */
    void failAfter(final int acts) {
        actsUntilFailure = acts;
    }

    byte[] content(final String name) {
        final Node node = names.get(name);
        if (node == null) {
            throw new AssertionError("there is no " + name + " among " + names.keySet());
        }
        return node.content.clone();
    }

    boolean has(final String name) {
        return names.containsKey(name);
    }

    /** Puts a file there as if it had always been there. */
    void put(final String name, final byte[] content) {
        final Node node = new Node();
        node.content = content.clone();
        node.forced = node.content;
        names.put(name, node);
        syncedNames.put(name, node);
    }

    /** What is left after the power went. */
    MemoryStorage powerCut(final Random random) {
        final Map<String, Node> left = new TreeMap<>(syncedNames);
        final int survivors = random.nextInt(changes.size() + 1);
        for (final NameChange change : changes.subList(0, survivors)) {
            if (change.node() == null) {
                left.remove(change.name());
            } else {
                left.put(change.name(), change.node());
            }
        }
        final MemoryStorage after = new MemoryStorage();
        left.forEach((name, node) -> {
            final int unforced = Math.max(0, node.content.length - node.forced.length);
            final int kept = node.forced.length + random.nextInt(unforced + 1);
            after.put(name, unforced == 0 ? node.forced : Arrays.copyOf(node.content, kept));
        });
        return after;
    }

    @Override
    public List<FileStatus> list(final String directory) {
        return names.entrySet().stream()
                .map(e -> new FileStatus(e.getKey(), e.getValue().content.length, 0, false))
                .toList();
    }

    @Override
    public StorageFile open(final String path, final FileUse use, final long capacity) {
        if (use == FileUse.READ) {
            return new MemoryFile(path, node(path, "open"));
        }
        act("open", path);
        if (!names.containsKey(path)) {
            change(path, new Node());
        }
        return new MemoryFile(path, node(path, "open"));
    }

    @Override
    public boolean rename(final String from, final String to) {
        if (!names.containsKey(from)) {
            return false;
        }
        act("rename to " + to, from);
        final Node node = node(from, "rename");
        change(to, node);
        change(from, null);
        return true;
    }

    private void change(final String name, final @Nullable Node node) {
        if (node == null) {
            names.remove(name);
        } else {
            names.put(name, node);
        }
        changes.add(new NameChange(name, node));
    }

    @Override
    public boolean delete(final String path) {
        if (!names.containsKey(path)) {
            return false;
        }
        act("delete", path);
        change(path, null);
        return true;
    }

    @Override
    public void syncDirectory(final String directory) {
        act("sync directory", directory);
        syncedNames.clear();
        syncedNames.putAll(names);
        changes.clear();
    }

    @Override
    public void makeDirectory(final String directory) {
        throw new UnsupportedOperationException("one flat directory");
    }

    @Override
    public boolean removeDirectory(final String directory) {
        throw new UnsupportedOperationException("one flat directory");
    }

    @Override
    public AutoCloseable lock(final String path) {
        throw new UnsupportedOperationException("nobody else is here");
    }

    @Override
    public String describe(final String path) {
        return "memory/" + path;
    }

    @Override
    public void close() {}

    private Node node(final String path, final String operation) {
        final Node node = names.get(path);
        if (node == null) {
            throw new StorageException(describe(path), operation, "no such file", null);
        }
        return node;
    }

    private void act(final String operation, final String path) {
        if (actsUntilFailure == 0) {
            throw new StorageException(describe(path), operation, "the test says so", null);
        }
        actsUntilFailure--;
        trace.add(operation + " " + path);
    }

    private final class MemoryFile implements StorageFile {
        private final String path;
        private final Node node;
        private byte[] claimed = {};

        private MemoryFile(final String path, final Node node) {
            this.path = path;
            this.node = node;
        }

        @Override
        public String describe() {
            return MemoryStorage.this.describe(path);
        }

        @Override
        public long length() {
            return node.content.length;
        }

        @Override
        public void claim(final int length, final UnsafeBuffer view) {
            if (claimed.length > 0) {
                throw new UnsupportedOperationException("one claim at a time");
            }
            claimed = new byte[length];
            view.wrap(claimed);
        }

        @Override
        public void unclaim(final int length) {
            throw new UnsupportedOperationException();
        }

        @Override
        public long publish() {
            act("publish", path);
            final byte[] longer = Arrays.copyOf(node.content, node.content.length + claimed.length);
            System.arraycopy(claimed, 0, longer, node.content.length, claimed.length);
            node.content = longer;
            claimed = new byte[0];
            return longer.length;
        }

        @Override
        public int view(final long position, final int length, final FileView view) {
            final int there = (int) Math.min(length, node.content.length - position);
            view.showCopy(there).put(node.content, (int) position, there);
            return there;
        }

        @Override
        public long transferTo(final long position, final long length, final WritableByteChannel target) {
            throw new UnsupportedOperationException();
        }

        @Override
        public void truncate(final long length) {
            throw new UnsupportedOperationException();
        }

        @Override
        public void force() {
            act("force", path);
            node.forced = node.content;
        }

        @Override
        public void close() {}
    }
}
