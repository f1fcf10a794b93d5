package io.cordwood.log.store;

import org.jspecify.annotations.Nullable;

/** An act on a file or directory failed. The message names the file and the act; the cause is the system's answer. */
public final class StorageException extends RuntimeException {
    private static final long serialVersionUID = 1L;

    /** Path of the file or directory. */
    private final String file;

    /** What was tried. */
    private final String operation;

    /**
     * Creates the exception.
     *
     * @param file path of the file or directory, as an operator would type it.
     * @param operation what was tried, e.g. {@code force}.
     * @param reason in words, without the file.
     * @param cause the system's answer, if there is one.
     */
    public StorageException(
            final String file, final String operation, final String reason, final @Nullable Throwable cause) {
        super(operation + " failed: " + file + ": " + reason, cause);
        this.file = file;
        this.operation = operation;
    }

    /**
     * The file or directory.
     *
     * @return its path, as an operator would type it.
     */
    public String file() {
        return file;
    }

    /**
     * What was tried.
     *
     * @return a verb, e.g. {@code force}.
     */
    public String operation() {
        return operation;
    }
}
