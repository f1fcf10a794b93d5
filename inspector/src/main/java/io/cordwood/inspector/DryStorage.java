package io.cordwood.inspector;

import io.cordwood.log.store.FileStatus;
import io.cordwood.log.store.FileUse;
import io.cordwood.log.store.Storage;
import io.cordwood.log.store.StorageException;
import io.cordwood.log.store.StorageFile;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.function.LongSupplier;
import org.jspecify.annotations.Nullable;

/**
 * A disk as it would be: reads come from the disk below, changes stay in memory and are gone with this object. So the same code
 * that changes a disk tells what it would do. Of a file that is changed, only what is appended is held. One thread's.
 *
 * <p>A lock is taken where its file exists already, one that needs no right to write: who has it refuses us as it would otherwise. Where there is no file, nobody
 * has a lock, and none is made.
 */
final class DryStorage implements Storage {
    private final Storage disk;
    private final LongSupplier clock;

    /** Files that were opened, made or renamed here, by their present path. */
    private final Map<String, DryContent> files = new HashMap<>();

    /** Paths whose file on the disk is deleted, renamed or replaced. */
    private final Set<String> hidden = new HashSet<>();

    /** Directories that were made here. */
    private final Set<String> directories = new HashSet<>();

    /** What the disk lists, by directory and name: asked once, since nobody changes it meanwhile. */
    private final Map<String, Map<String, FileStatus>> listed = new HashMap<>();

    /** All contents, those included that have no name any more. */
    private final List<DryContent> contents = new ArrayList<>();

    /** The disk below stays open when this is closed; the clock says when a file was changed here, in ms since the epoch. */
    DryStorage(final Storage disk, final LongSupplier clock) {
        this.disk = disk;
        this.clock = clock;
    }

    @Override
    public List<FileStatus> list(final String directory) {
        final Set<String> names = new TreeSet<>(onDisk(directory).keySet());
        for (final Set<String> paths : List.of(files.keySet(), directories)) {
            for (final String path : paths) {
                if (parent(path).equals(directory)) {
                    names.add(name(path));
                }
            }
        }
        final List<FileStatus> found = new ArrayList<>();
        for (final String name : names) {
            final FileStatus status = status(directory.isEmpty() ? name : directory + "/" + name);
            if (status != null) {
                found.add(status);
            }
        }
        return found;
    }

    @Override
    public StorageFile open(final String path, final FileUse use, final long capacity) {
        final boolean isWriter = use == FileUse.APPEND || use == FileUse.APPEND_MAPPED;
        @Nullable DryContent content = files.get(path);
        if (isWriter && status(path) == null) {
            content = put(path, DryContent.empty(describe(path), clock));
        } else if (content == null) {
            if (hidden.contains(path)) {
                throw missing(path, "open");
            }
            content = put(path, DryContent.onDisk(describe(path), disk.open(path, FileUse.READ, 0), clock));
        }
        return new DryFile(content);
    }

    private DryContent put(final String path, final DryContent content) {
        files.put(path, content);
        contents.add(content);
        return content;
    }

    @Override
    public boolean rename(final String from, final String to) {
        final FileStatus status = status(from);
        if (status == null) {
            return false;
        }
        if (status.isDirectory()) {
            throw missing(from, "rename to " + describe(to));
        }
        @Nullable DryContent content = files.get(from);
        if (content == null) {
            content = put(from, DryContent.onDisk(describe(from), disk.open(from, FileUse.READ, 0), clock));
        }
        content.renamed(status.modifiedMs());
        files.remove(from);
        hidden.add(from);
        files.put(to, content);
        return true;
    }

    @Override
    public boolean delete(final String path) {
        final FileStatus status = status(path);
        if (status == null) {
            return false;
        }
        if (status.isDirectory()) {
            throw new StorageException(describe(path), "delete", "it is a directory", null);
        }
        files.remove(path);
        hidden.add(path);
        return true;
    }

    @Override
    public void makeDirectory(final String directory) {
        if (!directory.isEmpty() && status(directory) == null) {
            makeDirectory(parent(directory));
            directories.add(directory);
        }
    }

    @Override
    public boolean removeDirectory(final String directory) {
        if (status(directory) == null) {
            return false;
        }
        if (!list(directory).isEmpty()) {
            throw new StorageException(describe(directory), "remove directory", "the directory is not empty", null);
        }
        directories.remove(directory);
        hidden.add(directory);
        return true;
    }

    @Override
    public void syncDirectory(final String directory) {
        // Nothing here is meant to last.
    }

    @Override
    public AutoCloseable lock(final String path) {
        if (status(path) != null) {
            return disk.lockForReading(path);
        }
        return () -> {};
    }

    @Override
    public String describe(final String path) {
        return disk.describe(path);
    }

    @Override
    public void close() {
        contents.forEach(DryContent::close);
    }

    private Map<String, FileStatus> onDisk(final String directory) {
        return listed.computeIfAbsent(directory, unlisted -> {
            final Map<String, FileStatus> byName = new TreeMap<>();
            disk.list(unlisted).forEach(status -> byName.put(status.name(), status));
            return byName;
        });
    }

    /** What there is by a name; null for nothing. */
    @Override
    public @Nullable FileStatus status(final String path) {
        final DryContent content = files.get(path);
        if (content != null && content.isChanged()) {
            return new FileStatus(name(path), content.length(), content.modifiedMs(), false);
        }
        if (directories.contains(path)) {
            return new FileStatus(name(path), 0, clock.getAsLong(), true);
        }
        return hidden.contains(path) ? null : onDisk(parent(path)).get(name(path));
    }

    private StorageException missing(final String path, final String operation) {
        return new StorageException(describe(path), operation, "there is no such file or directory", null);
    }

    private static String parent(final String path) {
        return path.substring(0, Math.max(0, path.lastIndexOf('/')));
    }

    private static String name(final String path) {
        return path.substring(path.lastIndexOf('/') + 1);
    }
}
