package io.cordwood.inspector;

import io.cordwood.log.LogDirectory;
import io.cordwood.log.LogFiles;
import io.cordwood.log.store.DiskStorage;
import io.cordwood.log.store.FileStatus;
import io.cordwood.log.store.Storage;
import io.cordwood.log.store.StorageException;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * One partition that a PATH argument names, or one segment of it.
 *
 * @param label path to print: the argument, joined with the folders below it.
 * @param directory of the partition in the storage.
 * @param folder name of the directory on disk.
 * @param segmentFile the one file that is asked for; null for all.
 */
record Place(
        String label,
        String directory,
        String folder,
        @Nullable String segmentFile) {
    private static final int DEPTH_MAX = 4;

    /**
     * Root of the storage that a PATH argument lies in.
     *
     * @return the directory itself, or that of a file.
     */
    static Path root(final String argument) {
        final Path path = Path.of(argument);
        if (!Files.exists(path)) {
            final boolean dangling = Files.exists(path, LinkOption.NOFOLLOW_LINKS);
            throw CommandFailure.io(
                    argument + ": " + (dangling ? "the link leads nowhere" : "no such file or directory"));
        }
        if (Files.isDirectory(path)) {
            return path;
        }
        final Path parent = path.toAbsolutePath().getParent();
        return parent == null ? path : parent;
    }

    /** Where a directory lies that may be missing, without links. */
    private static Path real(final Path path) {
        try {
            return path.toRealPath();
        } catch (final NoSuchFileException e) {
            final Path parent = path.toAbsolutePath().getParent();
            if (parent == null || Files.exists(path, LinkOption.NOFOLLOW_LINKS)) {
                throw CommandFailure.io(path + ": the link leads nowhere");
            }
            return real(parent).resolve(String.valueOf(path.getFileName())).normalize();
        } catch (final IOException e) {
            throw CommandFailure.io(path + ": cannot be read (" + e.getMessage() + ")");
        }
    }

    /**
     * Where a partition that may be missing is opened: in the data directory in which it is named, though its folder may be a link out of it,
     * since whoever has the data directory has it by that name; else where it lies.
     */
    static Path ofPartition(final Path path) {
        final Path real = real(path);
        final Path parent = path.toAbsolutePath().getParent();
        final String name = String.valueOf(path.getFileName());
        if (parent == null || name.equals(".") || name.equals("..")) {
            return real;
        }
        final Path named = real(parent).resolve(name);
        if (named.equals(real) || !isInDataDirectory(named)) {
            return real;
        }
        if (isInDataDirectory(real)) {
            throw CommandFailure.io(path + ": is a link from one data directory into another, to " + real
                    + "; each of the two may have an owner, who does not see the other one");
        }
        return named;
    }

    private static boolean isInDataDirectory(final Path partition) {
        final Path parent = partition.getParent();
        if (parent == null) {
            return false;
        }
        try (Storage storage = new DiskStorage(parent)) {
            return LogDirectory.isDataDirectory(storage);
        }
    }

    /** The partitions that an argument names, in the order of their folders. */
    static List<Place> find(final String argument, final Storage storage) {
        final Path path = Path.of(argument);
        final List<Place> places = new ArrayList<>();
        if (Files.isDirectory(path)) {
            collect(argument, "", folder(path), storage, 0, places);
            if (places.isEmpty() && !isDataDirectory(storage.list(""))) {
                throw CommandFailure.usage(argument + ": holds neither segments nor partitions");
            }
        } else {
            final Path parent = path.toAbsolutePath().normalize().getParent();
            places.add(
                    new Place(argument, "", parent == null ? "" : folder(parent), String.valueOf(path.getFileName())));
        }
        return places;
    }

    private static String folder(final Path path) {
        return String.valueOf(path.toAbsolutePath().normalize().getFileName());
    }

    private static void collect(
            final String label,
            final String directory,
            final String folder,
            final Storage storage,
            final int depth,
            final List<Place> places) {
        final List<FileStatus> entries;
        try {
            entries = storage.list(directory);
        } catch (final StorageException e) {
            // It may be a partition. Who looks into it meets the same and tells it, and goes on with the others.
            places.add(new Place(label, directory, folder, null));
            return;
        }
        if (isPartition(entries)) {
            places.add(new Place(label, directory, folder, null));
            return;
        }
        for (final FileStatus entry : entries) {
            if (entry.isDirectory() && depth < DEPTH_MAX) {
                final String below = label.endsWith("/") ? label + entry.name() : label + "/" + entry.name();
                collect(below, LogFiles.path(directory, entry.name()), entry.name(), storage, depth + 1, places);
            }
        }
    }

    /** Whether a directory holds what only a log has. */
    static boolean isPartition(final List<FileStatus> entries) {
        for (final FileStatus entry : entries) {
            final String name = entry.name();
            if (!entry.isDirectory()
                    && (LogFiles.offset(name, LogFiles.LOG) >= 0
                            || LogFiles.offset(name, LogFiles.OFFSET_INDEX) >= 0
                            || name.equals(LogFiles.LEADER_EPOCHS)
                            || name.equals(LogFiles.PARTITION_METADATA))) {
                return true;
            }
        }
        return false;
    }

    private static boolean isDataDirectory(final List<FileStatus> entries) {
        for (final FileStatus entry : entries) {
            if (entry.name().equals("meta.properties") || entry.name().endsWith("-checkpoint")) {
                return true;
            }
        }
        return false;
    }
}
