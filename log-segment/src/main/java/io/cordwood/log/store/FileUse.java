package io.cordwood.log.store;

/** What a caller of {@link Storage#open} is going to do with the file. */
public enum FileUse {
    /** Read pieces of it: {@link StorageFile#view} copies them into memory of the reader. */
    READ,

    /**
     * Read pieces of it, while nobody but this storage changes it: {@link StorageFile#view} shows them in place where the
     * system can bring them into memory first, and copies them where it cannot.
     */
    READ_SEALED,

    /** Search in it: {@link StorageFile#view} looks at the file in place, through one mapping of the whole. */
    LOOKUP,

    /**
     * Append to it: claimed bytes are staged in memory and written by {@link StorageFile#publish} with one call. What was
     * written may be shown in place, as with {@link #READ_SEALED}.
     */
    APPEND,

    /** Append to it: claimed bytes lie in one mapping, and {@link StorageFile#publish} is a release store. */
    APPEND_MAPPED
}
