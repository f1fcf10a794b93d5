package io.cordwood.log.store;

import java.io.IOException;
import java.nio.channels.FileChannel;
import java.nio.file.DirectoryIteratorException;
import java.nio.file.DirectoryStream;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.NoSuchFileException;
import java.nio.file.OpenOption;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.nio.file.attribute.BasicFileAttributes;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Set;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * A directory of the real disk, with everything below it.
 *
 * <p>Owns what its files share: the bounded set of files that are open for reading, and the staging memory of those that are
 * appended to. A file opened for reading holds neither a descriptor nor a mapping until it is first read, and may lose
 * them again to files that were read more recently; its next read gets them back. A file for appending keeps its own
 * descriptor until it is closed.
 *
 * <p>Linux is what this class is made for. Windows cannot replace a file that is open, so there it only reads.
 */
public final class DiskStorage implements Storage {
    private static final String SEGMENT = ".log";
    private static final boolean IS_WINDOWS = System.getProperty("os.name", "").startsWith("Windows");

    private static final Set<OpenOption> CREATE = Set.of(WriteChannel.CREATE);

    private static final Logger LOG = LoggerFactory.getLogger(DiskStorage.class);

    private final Path root;
    private final DiskOptions options;
    private final OpenFiles files;
    private final MappedFiles mappedFiles = new MappedFiles();
    private final StagingPool pool;

    /** By hash; threads may overwrite each other's, which costs no more than another look at the name. */
    private final @Nullable Resolved[] resolved = new Resolved[256];

    private volatile boolean isMappingRefused;
    private volatile boolean isMappingProven;

    /**
     * Creates the storage with default bounds; the disk is not touched.
     *
     * @param root directory that the paths are relative to.
     */
    public DiskStorage(final Path root) {
        this(root, DiskOptions.defaults());
    }

    /**
     * Creates the storage; the disk is not touched.
     *
     * @param root directory that the paths are relative to.
     * @param options bounds of what is held open.
     */
    public DiskStorage(final Path root, final DiskOptions options) {
        this(root, options, DiskStorage::openChannel);
    }

    DiskStorage(final Path root, final DiskOptions options, final ChannelSource source) {
        this.root = root.toAbsolutePath().normalize();
        this.options = options;
        this.files = new OpenFiles(options.filesMax(), options.mappingsMax(), source);
        this.pool = new StagingPool(options.stagingBytes(), options.stagingBytesMax());
    }

    @Override
    public List<FileStatus> list(final String directory) {
        final Path path = resolve(directory);
        final List<FileStatus> found = new ArrayList<>();
        try (DirectoryStream<Path> entries = Files.newDirectoryStream(path)) {
            for (final Path entry : entries) {
                final FileStatus status = listed(entry);
                if (status != null) {
                    found.add(status);
                }
            }
        } catch (final NoSuchFileException e) {
            return List.of();
        } catch (final DirectoryIteratorException e) {
            throw new StorageException(path.toString(), "list", String.valueOf(e.getMessage()), e);
        } catch (final IOException e) {
            throw Reasons.failure(path, "list", e);
        }
        found.sort(Comparator.comparing(FileStatus::name));
        return found;
    }

    @Override
    public @Nullable FileStatus status(final String path) {
        final Path entry = resolve(path);
        try {
            return statusOf(entry);
        } catch (final IOException e) {
            throw Reasons.failure(entry, "look for", e);
        }
    }

    @Override
    public StorageFile open(final String path, final FileUse use, final long capacity) {
        final Path file = resolve(path);
        if (capacity < 0) {
            throw new IllegalArgumentException("capacity " + capacity);
        }
        return switch (use) {
            case READ -> new ReadFile(files, files.enter(file));
            case READ_SEALED ->
                Mapping.isLoadable()
                        ? new LookupFile(files, files.enter(file), true)
                        : new ReadFile(files, files.enter(file));
            case LOOKUP ->
                Mapping.isAvailable()
                        ? new LookupFile(files, files.enter(file), false)
                        : new ReadFile(files, files.enter(file));
            case APPEND, APPEND_MAPPED -> openForAppending(file, use, capacity);
        };
    }

    /**
     * Tells whether {@link FileUse#APPEND_MAPPED} means a mapping here. It does not where the system cannot map, or the file
     * system cannot reserve disk ahead of the writer: such files are written through a channel instead, and a warning is
     * logged when that shows.
     *
     * @return false once a file was refused its mapping; true before, if the system can map at all.
     */
    public boolean isMappingAvailable() {
        return Mapping.isAvailable() && !isMappingRefused;
    }

    /**
     * Reserves disk ahead of the writers of mapped files, one step for each that needs it. By any thread, but by one at a
     * time to any purpose.
     *
     * @return steps reserved; 0 if nothing was to do.
     */
    public int reserveAhead() {
        return mappedFiles.reserveAhead();
    }

    /**
     * Says whether somebody calls {@link #free} from now on. A deletion of a large file is done then when its name is gone, and to free its
     * pages and blocks is left to that call, as is the unmapping of what nobody looks at any more: the disk has room again a little later.
     * By any thread.
     *
     * @param isWanted false frees what is left, and each thing at once from now on, as at the beginning.
     */
    public void freeLater(final boolean isWanted) {
        files.freedLater().serve(isWanted);
    }

    /**
     * Frees one file that was deleted, or one mapping, if any is left. By any thread.
     *
     * @return what was freed: 0 or 1.
     */
    public int free() {
        return files.freedLater().free() ? 1 : 0;
    }

    @Override
    public boolean rename(final String from, final String to) {
        final Path source = resolve(from);
        final Path target = resolve(to);
        refuseWindows(source, "rename");
        try {
            files.rename(source, target);
            return true;
        } catch (final NoSuchFileException e) {
            // Also where the directory of the new name is missing.
            if (Files.notExists(source, LinkOption.NOFOLLOW_LINKS)) {
                return false;
            }
            throw Reasons.failure(source, "rename to " + target, e);
        } catch (final IOException e) {
            throw Reasons.failure(source, "rename to " + target, e);
        }
    }

    @Override
    public boolean delete(final String path) {
        final Path file = resolve(path);
        refuseWindows(file, "delete");
        // Asked in this order, a file that is missing costs no exception here.
        if (Files.isDirectory(file) && !Files.isSymbolicLink(file)) {
            throw Reasons.failure(file, "delete", "it is a directory");
        }
        try {
            return files.delete(file);
        } catch (final IOException e) {
            throw Reasons.failure(file, "delete", e);
        }
    }

    @Override
    public void makeDirectory(final String directory) {
        final Path path = resolve(directory);
        refuseWindows(path, "make directory");
        try {
            // Most often it is there, and to try to make it then costs an exception.
            if (!Files.isDirectory(path)) {
                Files.createDirectories(path);
            }
        } catch (final IOException e) {
            throw Reasons.failure(path, "make directory", e);
        }
    }

    @Override
    public boolean removeDirectory(final String directory) {
        final Path path = resolve(directory);
        refuseWindows(path, "remove directory");
        if (Files.exists(path, LinkOption.NOFOLLOW_LINKS) && !Files.isDirectory(path)) {
            throw Reasons.failure(path, "remove directory", "it is not a directory");
        }
        try {
            return Files.deleteIfExists(path);
        } catch (final IOException e) {
            throw Reasons.failure(path, "remove directory", e);
        }
    }

    @Override
    public void syncDirectory(final String directory) {
        final Path path = resolve(directory);
        final boolean isInterrupted = Thread.interrupted();
        try (FileChannel channel = FileChannel.open(path, StandardOpenOption.READ)) {
            channel.force(true);
        } catch (final IOException e) {
            throw Reasons.failure(path, "sync directory", e);
        } finally {
            if (isInterrupted) {
                Thread.currentThread().interrupt();
            }
        }
    }

    @Override
    public AutoCloseable lock(final String path) {
        final Path file = resolve(path);
        refuseWindows(file, "lock");
        return DirectoryLock.take(file);
    }

    @Override
    public AutoCloseable lockForReading(final String path) {
        final Path file = resolve(path);
        refuseWindows(file, "lock");
        return DirectoryLock.takeForReading(file);
    }

    @Override
    public String describe(final String path) {
        return resolve(path).toString();
    }

    @Override
    public void close() {
        files.close();
        pool.close();
    }

    /** What is open, for tests. */
    OpenFiles openFiles() {
        return files;
    }

    /** Not with the array itself: the JDK would build a hash set of it for each file that a roll makes. */
    private static FileChannel openChannel(final Path path, final OpenOption... options) throws IOException {
        return FileChannel.open(path, options == WriteChannel.CREATE ? CREATE : Set.of(options));
    }

    private StorageFile openForAppending(final Path file, final FileUse use, final long capacity) {
        refuseWindows(file, "open");
        final boolean existed = Files.exists(file);
        StorageFile opened = null;
        try {
            final WriteChannel writer = WriteChannel.open(files, file);
            try {
                if (use == FileUse.APPEND_MAPPED) {
                    opened = openMapped(writer, capacity);
                }
                if (opened == null) {
                    opened = openChannel(writer, use == FileUse.APPEND ? capacity : 0);
                }
                return opened;
            } finally {
                if (opened == null) {
                    writer.close();
                }
            }
        } catch (final IOException e) {
            throw Reasons.failure(file, "open", e);
        } finally {
            if (opened == null && !existed) {
                deleteQuietly(file);
            }
        }
    }

    private ChannelFile openChannel(final WriteChannel writer, final long capacity) throws IOException {
        final ChannelFile file = new ChannelFile(files, pool, writer);
        file.reserve(capacity);
        file.shareMapping();
        return file;
    }

    /** Null if files cannot be mapped here. The first one shows it, by a reservation; the others trust that. */
    private @Nullable MappedFile openMapped(final WriteChannel writer, final long capacity) throws IOException {
        if (capacity == 0) {
            throw new IllegalArgumentException("a mapped file needs a capacity");
        }
        final Path path = writer.place().path();
        if (!isMappingAvailable()) {
            refuseMapping(path, "this system cannot map files");
            return null;
        }
        final MappedFile file;
        try {
            file = new MappedFile(files, mappedFiles, writer, capacity, options.reserveBytes());
        } catch (final IOException e) {
            if (isMappingProven) {
                throw e;
            }
            refuseMapping(path, Reasons.words(path, e));
            return null;
        }
        if (!isMappingProven && !file.tryReserve()) {
            file.abandon();
            refuseMapping(path, "its file system cannot reserve disk ahead of the writer");
            return null;
        }
        isMappingProven = true;
        mappedFiles.add(file);
        return file;
    }

    private void refuseMapping(final Path file, final String reason) {
        if (!isMappingRefused) {
            isMappingRefused = true;
            LOG.warn("Mapped files of {} are written through channels: {} ({})", root, reason, file);
        }
    }

    private static void deleteQuietly(final Path file) {
        try {
            Files.deleteIfExists(file);
        } catch (final IOException e) {
            // The failure that made us clean up is the one to report.
        }
    }

    /**
     * A link that leads where nobody can look, as into itself, is a directory that cannot be listed: it spoils nothing beside it. Not so one
     * that is named like a segment: records that are owed may lie there, and a log must not go on without them.
     */
    private static @Nullable FileStatus listed(final Path entry) throws IOException {
        try {
            return statusOf(entry);
        } catch (final IOException e) {
            if (!Files.isSymbolicLink(entry)) {
                throw e;
            }
            final String name = entry.getFileName().toString();
            if (name.endsWith(SEGMENT)) {
                throw Reasons.failure(entry, "list", e);
            }
            return new FileStatus(name, 0, 0, true);
        }
    }

    private static @Nullable FileStatus statusOf(final Path entry) throws IOException {
        try {
            final BasicFileAttributes attributes = Files.readAttributes(entry, BasicFileAttributes.class);
            final boolean isDirectory = attributes.isDirectory();
            return new FileStatus(
                    entry.getFileName().toString(),
                    isDirectory ? 0 : attributes.size(),
                    attributes.lastModifiedTime().toMillis(),
                    isDirectory);
        } catch (final NoSuchFileException e) {
            // Deleted since the directory was read, or never there.
            return null;
        }
    }

    private Path resolve(final String path) {
        if (path.isEmpty()) {
            return root;
        }
        final int slot = path.hashCode() & (resolved.length - 1);
        final Resolved known = resolved[slot];
        if (known != null && known.name.equals(path)) {
            return known.path;
        }
        refuseOutside(path);
        final Path found = root.resolve(path);
        resolved[slot] = new Resolved(path, found);
        return found;
    }

    private static void refuseOutside(final String path) {
        for (int start = 0, end; start <= path.length(); start = end + 1) {
            final int slash = path.indexOf('/', start);
            end = slash < 0 ? path.length() : slash;
            if (isNoName(path, start, end)) {
                throw new IllegalArgumentException(
                        "a path is relative, without empty parts, '.' and '..': '" + path + "'");
            }
        }
    }

    /** A path that was asked for lately: the files of a segment are named several times in their life. Immutable. */
    private record Resolved(String name, Path path) {}

    /** Whether a part of a path is empty, one dot or two. */
    private static boolean isNoName(final String path, final int start, final int end) {
        return end == start || (end - start <= 2 && path.charAt(start) == '.' && path.charAt(end - 1) == '.');
    }

    private static void refuseWindows(final Path file, final String operation) {
        if (IS_WINDOWS) {
            throw Reasons.failure(file, operation, "writing is not supported on Windows");
        }
    }
}
