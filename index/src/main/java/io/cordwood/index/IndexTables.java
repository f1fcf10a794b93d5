package io.cordwood.index;

import io.cordwood.log.store.FileView;

/** Where the entries of an index are at present: in memory while it grows, in its files when it is sealed. */
sealed interface IndexTables permits ActiveIndex, SealedIndex {
    /** Answer of a search that could not read the entries. */
    int UNREADABLE = -2;

    /** Position of the last entry whose relative offset is at most the one given; 0 if there is none. */
    long positionOf(long relativeOffset, FileView view);

    /** Position of the last entry that lies at or before the last time entry of at most the timestamp; 0 if there is none. */
    long positionOfTimestamp(long timestampMs, FileView view);

    /** Largest timestamp, or -1. */
    long largestTimestamp(FileView view);
}
