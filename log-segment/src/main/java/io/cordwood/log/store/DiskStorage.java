package io.cordwood.log.store;

import java.io.IOException;
import java.nio.channels.FileChannel;
import java.nio.file.DirectoryStream;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.nio.file.attribute.BasicFileAttributes;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;

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
    private static final boolean IS_WINDOWS = System.getProperty("os.name", "").startsWith("Windows");

    private final Path root;
    private final OpenFiles files;
    private final StagingPool pool;

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
        this(root, options, FileChannel::open);
    }

    DiskStorage(final Path root, final DiskOptions options, final ChannelSource source) {
        this.root = root.toAbsolutePath().normalize();
        this.files = new OpenFiles(options.filesMax(), source);
        this.pool = new StagingPool(options.stagingBytes(), options.stagingBytesMax());
    }

    @Override
    public List<FileStatus> list(final String directory) {
        final Path path = resolve(directory);
        final List<FileStatus> found = new ArrayList<>();
        try (DirectoryStream<Path> entries = Files.newDirectoryStream(path)) {
            for (final Path entry : entries) {
                addStatus(entry, found);
            }
        } catch (final NoSuchFileException e) {
            return List.of();
        } catch (final IOException e) {
            throw Reasons.failure(path, "list", e);
        }
        found.sort(Comparator.comparing(FileStatus::name));
        return found;
    }

    @Override
    public StorageFile open(final String path, final FileUse use, final long capacity) {
        final Path file = resolve(path);
        if (capacity < 0) {
            throw new IllegalArgumentException("capacity " + capacity);
        }
        return switch (use) {
            case READ, LOOKUP -> new ReadFile(files, files.enter(file));
            case APPEND, APPEND_MAPPED -> openChannelFile(file, capacity);
        };
    }

    @Override
    public void rename(final String from, final String to) {
        final Path source = resolve(from);
        refuseWindows(source, "rename");
        try {
            files.rename(source, resolve(to));
        } catch (final IOException e) {
            throw Reasons.failure(source, "rename to " + resolve(to), e);
        }
    }

    @Override
    public boolean delete(final String path) {
        final Path file = resolve(path);
        refuseWindows(file, "delete");
        if (Files.isDirectory(file, LinkOption.NOFOLLOW_LINKS)) {
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
            Files.createDirectories(path);
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

    private StorageFile openChannelFile(final Path file, final long capacity) {
        refuseWindows(file, "open");
        final boolean existed = Files.exists(file);
        final Place place = files.enter(file);
        StorageFile opened = null;
        try {
            final WriteChannel writer = new WriteChannel(files, place);
            try {
                final ChannelFile channelFile = new ChannelFile(files, pool, place, writer);
                channelFile.reserve(capacity);
                opened = channelFile;
                return opened;
            } finally {
                if (opened == null) {
                    writer.close();
                }
            }
        } catch (final IOException e) {
            throw Reasons.failure(file, "open", e);
        } finally {
            if (opened == null) {
                files.leave(place);
                if (!existed) {
                    deleteQuietly(file);
                }
            }
        }
    }

    private static void deleteQuietly(final Path file) {
        try {
            Files.deleteIfExists(file);
        } catch (final IOException e) {
            // The failure that made us clean up is the one to report.
        }
    }

    private static void addStatus(final Path entry, final List<FileStatus> found) throws IOException {
        final Path name = entry.getFileName();
        if (name != null) {
            try {
                final BasicFileAttributes attributes = Files.readAttributes(entry, BasicFileAttributes.class);
                final boolean isDirectory = attributes.isDirectory();
                found.add(new FileStatus(
                        name.toString(),
                        isDirectory ? 0 : attributes.size(),
                        attributes.lastModifiedTime().toMillis(),
                        isDirectory));
            } catch (final NoSuchFileException e) {
                // Deleted since the directory was read.
            }
        }
    }

    private Path resolve(final String path) {
        if (path.isEmpty()) {
            return root;
        }
        for (final String part : path.split("/", -1)) {
            if (part.isEmpty() || ".".equals(part) || "..".equals(part)) {
                throw new IllegalArgumentException(
                        "a path is relative, without empty parts, '.' and '..': '" + path + "'");
            }
        }
        return root.resolve(path);
    }

    private static void refuseWindows(final Path file, final String operation) {
        if (IS_WINDOWS) {
            throw Reasons.failure(file, operation, "writing is not supported on Windows");
        }
    }
}
