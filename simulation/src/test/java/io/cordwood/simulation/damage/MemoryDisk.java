package io.cordwood.simulation.damage;

import io.cordwood.log.store.FileStatus;
import io.cordwood.log.store.FileUse;
import io.cordwood.log.store.Storage;
import io.cordwood.log.store.StorageException;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.NavigableMap;
import java.util.NavigableSet;
import java.util.TreeMap;
import java.util.TreeSet;
import org.jspecify.annotations.Nullable;

/**
 * A disk in memory whose bytes anybody may change under those who read them, at no cost but the change: no act is traced and no
 * power is ever cut. Copies share what neither side has written to. One thread's.
 */
public final class MemoryDisk implements Storage {
    private final NavigableMap<String, Bytes> files;
    private final NavigableSet<String> directories;
    private final NavigableSet<String> locks = new TreeSet<>();

    /** Creates an empty disk. */
    public MemoryDisk() {
        this(new TreeMap<>(), new TreeSet<>());
    }

    private MemoryDisk(final NavigableMap<String, Bytes> files, final NavigableSet<String> directories) {
        this.files = files;
        this.directories = directories;
    }

    /** Content of a file, shared with copies of the disk as long as nobody writes. */
    static final class Bytes {
        byte[] array;
        int length;
        private boolean isShared;

        private Bytes(final byte[] array, final int length, final boolean isShared) {
            this.array = array;
            this.length = length;
            this.isShared = isShared;
        }

        /** The array, to be written to, with room for so many bytes. */
        byte[] own(final int capacity) {
            if (isShared || capacity > array.length) {
                array = Arrays.copyOf(array, capacity > array.length ? Math.max(capacity, 2 * length) : array.length);
                isShared = false;
            }
            return array;
        }

        private Bytes share() {
            isShared = true;
            return new Bytes(array, length, true);
        }
    }

    /**
     * Copies the disk.
     *
     * @return another disk with the same content.
     */
    public MemoryDisk copy() {
        final NavigableMap<String, Bytes> copied = new TreeMap<>();
        files.forEach((path, bytes) -> copied.put(path, bytes.share()));
        return new MemoryDisk(copied, new TreeSet<>(directories));
    }

    /** Turns bits of one byte over, also under open files. Done twice it is undone. */
    void flip(final String path, final int position, final int mask) {
        final Bytes bytes = required(path, "flip");
        bytes.own(bytes.length)[position] ^= (byte) mask;
    }

    /**
     * Puts a file there, or other content into one that is there, also under open files.
     *
     * @param path of it.
     * @param content copied.
     */
    public void put(final String path, final byte[] content) {
        final Bytes present = files.get(path);
        if (present == null) {
            makeDirectory(parent(path));
            files.put(path, new Bytes(content.clone(), content.length, false));
        } else {
            present.array = content.clone();
            present.length = content.length;
            present.isShared = false;
        }
    }

    /**
     * Content of a file.
     *
     * @param path of it.
     * @return a copy.
     */
    public byte[] content(final String path) {
        final Bytes bytes = required(path, "read");
        return Arrays.copyOf(bytes.array, bytes.length);
    }

    /** Whether another disk has the same bytes in this file, at least as far as the file here goes. */
    boolean isBeginningOf(final String path, final MemoryDisk other, final String otherPath) {
        final Bytes mine = required(path, "compare");
        final Bytes its = other.files.get(otherPath);
        return its != null
                && mine.length <= its.length
                && (mine.array == its.array || Arrays.equals(mine.array, 0, mine.length, its.array, 0, mine.length));
    }

    /**
     * Lists all files.
     *
     * @return their paths, ascending.
     */
    public List<String> paths() {
        return new ArrayList<>(files.keySet());
    }

    /** Whether there is such a file. */
    boolean has(final String path) {
        return files.containsKey(path);
    }

    @Nullable
    Bytes find(final String path) {
        return files.get(path);
    }

    Bytes required(final String path, final String operation) {
        final Bytes bytes = files.get(path);
        if (bytes == null) {
            throw failure(path, operation, "there is no such file");
        }
        return bytes;
    }

    StorageException failure(final String path, final String operation, final String reason) {
        return new StorageException(describe(path), operation, reason, null);
    }

    @Override
    public List<FileStatus> list(final String directory) {
        final String prefix = directory.isEmpty() ? "" : directory + "/";
        final List<FileStatus> listed = new ArrayList<>();
        for (final var file : files.tailMap(prefix).entrySet()) {
            if (!file.getKey().startsWith(prefix)) {
                break;
            }
            if (file.getKey().indexOf('/', prefix.length()) < 0) {
                listed.add(new FileStatus(file.getKey().substring(prefix.length()), file.getValue().length, 0, false));
            }
        }
        for (final String other : directories) {
            if (!other.isEmpty() && parent(other).equals(directory)) {
                listed.add(new FileStatus(other.substring(prefix.length()), 0, 0, true));
            }
        }
        listed.sort((one, other) -> one.name().compareTo(other.name()));
        return listed;
    }

    @Override
    public MemoryFile open(final String path, final FileUse use, final long capacity) {
        final boolean isAppended = use == FileUse.APPEND || use == FileUse.APPEND_MAPPED;
        if (isAppended && !files.containsKey(path)) {
            if (!directories.contains(parent(path))) {
                throw failure(path, "open", "there is no directory");
            }
            files.put(path, new Bytes(new byte[0], 0, false));
        }
        return new MemoryFile(this, path, use == FileUse.APPEND_MAPPED, files.get(path));
    }

    @Override
    public boolean rename(final String from, final String to) {
        final Bytes bytes = files.remove(from);
        if (bytes != null) {
            files.put(to, bytes);
            return true;
        }
        if (!directories.remove(from)) {
            return false;
        }
        directories.add(to);
        for (final String path : List.copyOf(files.tailMap(from + "/").keySet())) {
            if (path.startsWith(from + "/")) {
                rename(path, to + path.substring(from.length()));
            }
        }
        return true;
    }

    @Override
    public boolean delete(final String path) {
        return files.remove(path) != null;
    }

    @Override
    public void makeDirectory(final String directory) {
        if (directories.add(directory) && !directory.isEmpty()) {
            makeDirectory(parent(directory));
        }
    }

    @Override
    public boolean removeDirectory(final String directory) {
        if (!list(directory).isEmpty()) {
            throw failure(directory, "remove directory", "the directory is not empty");
        }
        return directories.remove(directory);
    }

    @Override
    public void syncDirectory(final String directory) {}

    @Override
    public AutoCloseable lock(final String path) {
        if (!locks.add(path)) {
            throw failure(path, "lock", "this process holds the lock already");
        }
        open(path, FileUse.APPEND, 0).close();
        return () -> locks.remove(path);
    }

    @Override
    public String describe(final String path) {
        return "memory:/" + path;
    }

    @Override
    public void close() {}

    private static String parent(final String path) {
        return path.substring(0, Math.max(0, path.lastIndexOf('/')));
    }
}
