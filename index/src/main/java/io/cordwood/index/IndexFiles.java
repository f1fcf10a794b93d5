package io.cordwood.index;

import io.cordwood.log.store.StorageFile;
import org.jspecify.annotations.Nullable;

/** The two files of an index that is in memory: {@link GrowingFiles}, or {@link ReplacedFiles} of one that is mended. */
interface IndexFiles {
    /** The offset index as it was found; null if there is none. */
    @Nullable
    StorageFile offsets();

    /** The time index as it was found; null if there is none. */
    @Nullable
    StorageFile times();

    /** Whether nothing is written to the files that are there. */
    boolean isReplacing();

    /** Writes what is pending in two tables. */
    void write(EntryTable offsetTable, EntryTable timeTable);

    /** Leaves in the files no more than what two tables know of. */
    void cut(EntryTable offsetTable, EntryTable timeTable);

    /** Makes what was written durable; does nothing if that has been done. */
    void force();

    /** Holds the files once more. False if they are closed. */
    boolean retain();

    /** Lets go of the files. */
    void release();
}
