package io.cordwood.log.store;

import java.io.IOException;
import java.nio.channels.ClosedByInterruptException;
import java.nio.channels.ClosedChannelException;
import java.nio.file.AccessDeniedException;
import java.nio.file.DirectoryNotEmptyException;
import java.nio.file.FileAlreadyExistsException;
import java.nio.file.FileSystemException;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.NotDirectoryException;
import java.nio.file.Path;
import java.util.Locale;
import java.util.Objects;

/** Puts what the system answered into words that help an operator. */
final class Reasons {
    static final String NO_SPACE = "no space left on the disk";
    private static final String TOO_MANY_OPEN = "too many open files";

    private Reasons() {}

    /** Loads what a failure needs: to load a class takes a file, and the failure may be that there is none left. */
    static void load() {
        Objects.requireNonNull(failure(Path.of(""), "load", new IOException(TOO_MANY_OPEN)));
    }

    static StorageException failure(final Path file, final String operation, final IOException cause) {
        return new StorageException(file.toString(), operation, words(file, cause), cause);
    }

    static StorageException failure(final Path file, final String operation, final String reason) {
        return new StorageException(file.toString(), operation, reason, null);
    }

    /** True if the process has used up its file descriptors, so that closing one helps. */
    static boolean isTooManyOpen(final IOException cause) {
        return systemWords(cause).contains(TOO_MANY_OPEN);
    }

    static String words(final Path file, final IOException cause) {
        if (cause instanceof NoSuchFileException) {
            final Path directory = file.getParent();
            return directory == null || Files.isDirectory(directory)
                    ? "there is no such file or directory"
                    : "there is no directory " + directory;
        }
        if (cause instanceof AccessDeniedException) {
            return "permission denied";
        }
        if (cause instanceof NotDirectoryException) {
            return "it is not a directory";
        }
        if (cause instanceof DirectoryNotEmptyException) {
            return "the directory is not empty";
        }
        if (cause instanceof FileAlreadyExistsException) {
            return "something of that name, no directory, is in the way";
        }
        if (cause instanceof ClosedByInterruptException) {
            return "the thread was interrupted in the middle of it";
        }
        if (cause instanceof ClosedChannelException) {
            return "the file is closed";
        }
        final String system = systemWords(cause);
        if (system.contains("no space left")) {
            return NO_SPACE;
        }
        if (system.contains("read-only file system")) {
            return "the file system is read-only";
        }
        if (system.contains("quota exceeded")) {
            return "the disk quota is used up";
        }
        if (system.contains(TOO_MANY_OPEN)) {
            return TOO_MANY_OPEN + " in this process; raise its limit (ulimit -n)";
        }
        if (system.contains("not a directory")) {
            return "a part of the path is not a directory";
        }
        return system.isEmpty() ? cause.getClass().getSimpleName() : system;
    }

    private static String systemWords(final IOException cause) {
        final String reason =
                cause instanceof FileSystemException fileCause ? fileCause.getReason() : cause.getMessage();
        return reason == null ? "" : reason.toLowerCase(Locale.ROOT);
    }
}
