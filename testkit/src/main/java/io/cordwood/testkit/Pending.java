package io.cordwood.testkit;

import java.util.Objects;

/**
 * One thing that a {@link SimulatedStorage} was told and that a power cut may still undo. Immutable.
 *
 * @param act number of the act that it belongs to, counted from 1 in the order of the acts; one more than the last for
 *     bytes in a mapping that no act has published.
 * @param kind what would be lost.
 * @param path of the file or directory as it is known now, or was when it was deleted.
 * @param position of the sector in the file for {@link Kind#SECTOR}, the new length for {@link Kind#LENGTH}, 0 for a name.
 */
public record Pending(int act, Kind kind, String path, long position) {
    /** What of an act survives or not, each by itself. */
    public enum Kind {
        /** A name was made, renamed, replaced or deleted. */
        NAME,

        /** A file became longer or shorter. What is kept of the later lengths of a file implies the earlier ones. */
        LENGTH,

        /** 512 bytes of a file, as they were after the act. */
        SECTOR
    }

    /**
     * Checks each value.
     *
     * @param act number of the act, above 0.
     * @param kind what would be lost.
     * @param path of the file or directory.
     * @param position in the file, at least 0.
     */
    public Pending {
        Objects.requireNonNull(kind, "kind");
        Objects.requireNonNull(path, "path");
        if (act <= 0 || position < 0) {
            throw new IllegalArgumentException("act " + act + ", position " + position);
        }
    }
}
