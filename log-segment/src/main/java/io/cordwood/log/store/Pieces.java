package io.cordwood.log.store;

import java.nio.file.Path;

/** What files of every kind check and answer alike: pieces that are asked for, claimed or cut off. */
final class Pieces {
    private Pieces() {}

    /** Bytes of a piece that are content; 0 for one that begins at the end or, after a truncation, behind it. */
    static long clip(final long position, final long length, final long contentEnd) {
        if (position < 0 || length < 0) {
            throw new IllegalArgumentException("position " + position + ", length " + length);
        }
        return Math.min(length, Math.max(0, contentEnd - position));
    }

    static void checkClaim(final int bytes) {
        if (bytes <= 0) {
            throw new IllegalArgumentException("claim of " + bytes + " bytes");
        }
    }

    static void checkUnclaim(final int bytes, final long claimed) {
        if (bytes < 0 || bytes > claimed) {
            throw new IllegalArgumentException("unclaim of " + bytes + " bytes, claimed are " + claimed);
        }
    }

    static void checkCut(final long bytes, final long length) {
        if (bytes < 0 || bytes > length) {
            throw new IllegalArgumentException("truncate to " + bytes + ", the length is " + length);
        }
    }

    static IllegalStateException readOnly(final Path file, final String operation) {
        return new IllegalStateException(operation + " on a file that was opened for reading: " + file);
    }

    /** Someone cut the file under us: content ends before it should. */
    static StorageException tooShort(
            final Path file, final long position, final int expected, final int found, final FileView view) {
        view.release();
        return Reasons.failure(
                file,
                "read",
                "the file was cut by someone else: expected " + expected + " bytes at position " + position + ", found "
                        + found);
    }
}
